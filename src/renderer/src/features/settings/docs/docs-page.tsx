// The API's documentation: where it is and its keys, then every method with parameters, answers and an example, to be tried for GET.
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { IconArrowLeft, IconDownload, IconSearch } from '@tabler/icons-react';
import { lazy, Suspense, useDeferredValue, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { API_OPERATIONS } from '../../../../../contract/table.ts';
import { Page, PageHeader, SectionCard } from '../../../components/page.tsx';
import { EmptyState, ErrorState } from '../../../components/placeholder.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { Mark } from '../../../components/state.tsx';
import { useOperation } from '../../../data/use-operation.ts';
import { hashOf } from '../../../router/route.ts';
import { useApi, useOpenApiFile } from '../api/use-api.ts';
import { CopyLine } from '../parts/parts.tsx';
import classes from './docs.module.css';
import { isMatching } from './filter-operations.ts';

const SwaggerHost = lazy(async () => ({ default: (await import('./swagger-host.tsx')).SwaggerHost }));
const API = hashOf(['settings', 'security', 'api']);

export function DocsPage() {
  const { t } = useTranslation('settings');
  const api = useApi();
  const description = useOperation('getOpenApi', {}, { staleMs: Number.POSITIVE_INFINITY });
  const [key, setKey] = useState('');
  const [search, setSearch] = useState('');
  const filter = useDeferredValue(search);
  const download = useOpenApiFile();
  const hasMatch = filter.trim() === '' || API_OPERATIONS.some((operation) => isMatching(operation, filter.trim()));
  return (
    <Page>
      <PageHeader
        title={t('api.docs.title')}
        aside={
          <a className={classes.back} href={API}>
            <IconArrowLeft size={16} stroke={1.5} aria-hidden />
            {t('api.docs.back')}
          </a>
        }
        actions={
          <Button variant="default" leftSection={<IconDownload size={16} stroke={1.5} />} onClick={download}>
            {t('api.download')}
          </Button>
        }
      />
      <SectionCard title={t('api.docs.place')}>
        <div className={classes.place}>
          <div className={classes.address}>
            {api === undefined ? (
              <Skeleton height={36} />
            ) : (
              <CopyLine value={api.baseUrl} label={t('api.copyAddress')} />
            )}
            <ActiveKeys />
          </div>
          <PasswordInput
            label={t('api.docs.key')}
            description={t('api.docs.keyHint')}
            placeholder="pnl_…"
            autoComplete="off"
            data-1p-ignore
            data-lpignore="true"
            value={key}
            onChange={(event) => setKey(event.currentTarget.value)}
          />
        </div>
      </SectionCard>
      <SectionCard
        title={t('api.docs.methods')}
        description={t('api.docs.english')}
        actions={
          <TextInput
            type="search"
            aria-label={t('api.docs.filter')}
            placeholder={t('api.docs.filter')}
            leftSection={<IconSearch size={16} stroke={1.5} />}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
        }
        flush
      >
        {description.error !== null && description.data === undefined ? (
          <ErrorState size="small" failure={description.error} onRetry={() => void description.refetch()} />
        ) : (
          <Suspense fallback={<MethodSkeletons />}>
            {!hasMatch && <EmptyState size="small" title={t('api.docs.nothing', { text: filter.trim() })} />}
            {api === undefined || description.data === undefined ? (
              <MethodSkeletons />
            ) : (
              <div hidden={!hasMatch}>
                <SwaggerHost api={api} document={description.data} apiKey={key} filter={filter} />
              </div>
            )}
          </Suspense>
        )}
      </SectionCard>
    </Page>
  );
}

function MethodSkeletons() {
  const { t } = useTranslation('settings');
  return (
    <div className={classes.bones} role="status" aria-label={t('api.docs.loading')}>
      {Array.from({ length: 8 }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the skeletons are all alike.
        <Skeleton key={index} height={34} />
      ))}
    </div>
  );
}

/** The keys that work now; they are created and revoked on the page before. */
function ActiveKeys() {
  const { t } = useTranslation('settings');
  const { data } = useOperation('listKeys', {});
  if (data === undefined) return <Skeleton width={240} />;
  const active = data.items.filter(({ state }) => state === 'active');
  return (
    <div className={classes.keys}>
      {active.length === 0 && <span className={classes.none}>{t('api.docs.noKeys')}</span>}
      {active.map(({ id, name, prefix, access }) => (
        <span key={id} className={classes.key}>
          <span className={classes.name}>{name}</span>
          <code>{prefix}…</code>
          <Mark {...(access === 'full' && { tone: 'warn' as const })}>
            {t(access === 'full' ? 'api.full' : 'api.read')}
          </Mark>
        </span>
      ))}
      <a className={classes.manage} href={API}>
        {t('api.docs.manage')}
      </a>
    </div>
  );
}
