// The API documentation, built from the panel's OpenAPI document: navigation, a method or the introduction, and code beside it.
import { Button } from '@mantine/core';
import { IconArrowLeft, IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { API_OPERATIONS } from '../../../../../contract/table.ts';
import { Page, PageHeader } from '../../../components/page.tsx';
import { ErrorState } from '../../../components/placeholder.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { useOperation } from '../../../data/use-operation.ts';
import { buildHash } from '../../../router/route.ts';
import { useRoute } from '../../../router/router.ts';
import { useTitle } from '../../../router/title.ts';
import { useApi, useOpenApiFile } from '../api/use-api.ts';
import classes from './docs.module.css';
import { DocsNav } from './docs-nav.tsx';
import { Introduction } from './introduction.tsx';
import { DOCS } from './methods.ts';
import { OperationView } from './operation-view.tsx';
import { type ApiDocument, parseChapters } from './reference.ts';

export function DocsPage() {
  const current = useRoute().path[DOCS.length];
  const api = useApi();
  const description = useOperation('getOpenApi', {}, { staleMs: Number.POSITIVE_INFINITY });
  // The key is in this component's state only, so it is gone when the page is left.
  const [apiKey, setKey] = useState('');
  const [language, setLanguage] = useState('curl');
  const operation = API_OPERATIONS.find(({ id }) => id === current);
  // The operation's output has no precise type: it is the document of openapi.ts.
  const document = description.data as ApiDocument | undefined;
  useTitle(operation?.summary ?? '', 1);
  return (
    <Page>
      <DocsHeader />
      {description.error !== null && document === undefined ? (
        <ErrorState failure={description.error} onRetry={() => void description.refetch()} />
      ) : api === undefined || document === undefined ? (
        <Bones />
      ) : (
        <div className={classes.columns}>
          <DocsNav chapters={parseChapters(document)} current={current} />
          {operation === undefined ? (
            <Introduction api={api} document={document} chapter={current} />
          ) : (
            <OperationView
              key={operation.id}
              api={api}
              document={document}
              operation={operation}
              apiKey={apiKey}
              onKey={setKey}
              language={language}
              onLanguage={setLanguage}
            />
          )}
        </div>
      )}
    </Page>
  );
}

function DocsHeader() {
  const { t } = useTranslation('settings');
  const download = useOpenApiFile();
  return (
    <PageHeader
      title={t('api.docs.title')}
      aside={
        <a className={classes.back} href={buildHash(DOCS.slice(0, -1))}>
          <IconArrowLeft size={16} stroke={1.5} aria-hidden />
          {t('api.docs.back')}
        </a>
      }
      actions={
        <>
          <a className={classes.back} href={buildHash([...DOCS, 'plain'])}>
            {t('api.docs.plain')}
          </a>
          <Button variant="default" leftSection={<IconDownload size={16} stroke={1.5} />} onClick={download}>
            {t('api.download')}
          </Button>
        </>
      }
    />
  );
}

function Bones() {
  const { t } = useTranslation('settings');
  return (
    <div className={classes.columns} role="status" aria-label={t('api.docs.loading')}>
      <div className={classes.bones}>
        {Array.from({ length: 12 }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the skeletons are identical.
          <Skeleton key={index} height={20} />
        ))}
      </div>
      <div className={classes.bones}>
        <Skeleton width={280} height={24} />
        <Skeleton height={120} />
        <Skeleton height={240} />
      </div>
    </div>
  );
}
