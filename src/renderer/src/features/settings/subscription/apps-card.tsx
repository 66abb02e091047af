// The apps that the subscription page and the bot offer, in their order, with links to their forms.
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { OfferedApp } from '../../../../../contract/subscription/apps.ts';
import type { Output } from '../../../../../contract/table.ts';
import { SYSTEM_NAMES } from '../../../../../subscription/page/apps.ts';
import { SectionCard } from '../../../components/page.tsx';
import { EmptyState } from '../../../components/placeholder.tsx';
import { useAct } from '../../../data/use-act.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { buildHash } from '../../../router/route.ts';
import { useRoute } from '../../../router/router.ts';
import { moveRow } from '../../../state/move-row.ts';
import { MoveButtons } from '../parts/move-buttons.tsx';
import { Reading } from '../parts/parts.tsx';
import rows from '../parts/rows.module.css';
import { APPS_PATH, EditApp, NewApp } from './app-form.tsx';
import classes from './subscription.module.css';

export function AppsCard() {
  const { t } = useTranslation('settings');
  const { path } = useRoute();
  const apps = useOperation('getSubscriptionApps', {});
  const opened = path[2] === 'apps' ? path[3] : undefined;
  return (
    <Reading title={t('subscription.apps.title')} query={apps} height={320}>
      {(data) => {
        const index = opened === undefined || opened === 'new' ? -1 : Number(opened);
        const edited = data.items[index];
        return (
          <>
            <Apps apps={data} />
            {opened === 'new' && <NewApp apps={data.items} />}
            {edited !== undefined && (
              <EditApp key={JSON.stringify(edited)} apps={data.items} index={index} app={edited} />
            )}
          </>
        );
      }}
    </Reading>
  );
}

function Apps({ apps: { items, is_default } }: { readonly apps: Output<'getSubscriptionApps'> }) {
  const { t } = useTranslation('settings');
  const save = useAct('saveSubscriptionApps', { message: () => ({ text: t('saved') }) });
  return (
    <SectionCard
      title={t('subscription.apps.title')}
      description={t('subscription.apps.description')}
      actions={
        <>
          {!is_default && (
            <Button variant="default" loading={save.isRunning} onClick={() => save.start({ items: null })}>
              {t('subscription.apps.reset')}
            </Button>
          )}
          <Button
            component="a"
            href={buildHash([...APPS_PATH, 'new'])}
            leftSection={<IconPlus size={16} stroke={1.5} />}
          >
            {t('subscription.apps.add')}
          </Button>
        </>
      }
      flush
    >
      {items.length === 0 ? (
        <EmptyState size="small" title={t('subscription.apps.none')} text={t('subscription.apps.noneText')} />
      ) : (
        <ol className={rows.rows}>
          {items.map((app, index) => (
            // The index is the key, because neither name nor link is unique.
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place in the list.
            <li key={index} className={rows.row}>
              <AppFacts app={app} index={index} />
              <div className={rows.rowActs}>
                <MoveButtons
                  labels={{
                    up: t('subscription.apps.upOf', { name: app.name }),
                    down: t('subscription.apps.downOf', { name: app.name }),
                  }}
                  index={index}
                  count={items.length}
                  isBusy={save.isRunning}
                  onMove={(to) => save.start({ items: [...moveRow(items, index, to)] })}
                />
              </div>
            </li>
          ))}
        </ol>
      )}
    </SectionCard>
  );
}

function AppFacts({ app, index }: { readonly app: OfferedApp; readonly index: number }) {
  const { t } = useTranslation('settings');
  return (
    <div className={rows.rowMain}>
      <span className={rows.rowName}>
        <a className={classes.name} href={buildHash([...APPS_PATH, index])}>
          {app.name}
        </a>
      </span>
      <span className={rows.rowFacts}>
        <span>{app.stores.map(({ system }) => SYSTEM_NAMES[system]).join(', ')}</span>
        {app.format !== null && <span>{t(`subscription.formats.${app.format}`)}</span>}
      </span>
    </div>
  );
}
