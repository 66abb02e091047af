// The same OpenAPI document shown by swagger-ui, for those who know it. It is light in both themes.
import { Button } from '@mantine/core';
import { IconArrowLeft, IconDownload } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Page, PageHeader } from '../../../components/page.tsx';
import { ErrorState } from '../../../components/placeholder.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { useOperation } from '../../../data/use-operation.ts';
import { buildHash } from '../../../router/route.ts';
import { useOpenApiFile } from '../api/use-api.ts';
import classes from './docs.module.css';
import 'swagger-ui-dist/swagger-ui.css';
import './plain.css';
import { DOCS } from './methods.ts';
import { mountSwagger } from './mount-swagger.ts';
import type { ApiDocument } from './reference.ts';

export function PlainPage() {
  const { t } = useTranslation('settings');
  const description = useOperation('getOpenApi', {}, { staleMs: Number.POSITIVE_INFINITY });
  const download = useOpenApiFile();
  return (
    <Page>
      <PageHeader
        title={t('api.docs.plain')}
        aside={
          <a className={classes.back} href={buildHash(DOCS)}>
            <IconArrowLeft size={16} stroke={1.5} aria-hidden />
            {t('api.docs.title')}
          </a>
        }
        actions={
          <Button variant="default" leftSection={<IconDownload size={16} stroke={1.5} />} onClick={download}>
            {t('api.download')}
          </Button>
        }
      />
      {description.data !== undefined && <Swagger document={description.data} />}
      {description.data === undefined && description.error === null && <Skeleton height={400} />}
      {description.data === undefined && description.error !== null && (
        <ErrorState failure={description.error} onRetry={() => void description.refetch()} />
      )}
    </Page>
  );
}

function Swagger({ document: description }: { readonly document: object }) {
  const node = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const parent = node.current;
    if (parent === null) return;
    const container = document.createElement('div');
    parent.append(container);
    const unmount = mountSwagger(container, plainCopy(description));
    return () => {
      unmount();
      // Later, because swagger-ui's React unmounts asynchronously.
      setTimeout(() => container.remove());
    };
  }, [description]);
  return <div ref={node} className="plain-docs" lang="en" />;
}

/** A copy without examples of list and map parameters, which swagger-ui would print as `List [ "active" ]`. */
function plainCopy(description: object): object {
  const copy = structuredClone(description) as ApiDocument;
  for (const operation of Object.values(copy.paths).flatMap((methods) => Object.values(methods))) {
    for (const parameter of operation.parameters ?? []) {
      if (typeof parameter.example === 'object') delete (parameter as { example?: unknown }).example;
    }
  }
  return copy;
}
