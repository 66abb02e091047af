// Settings, Security, Webhooks: the list of webhooks, with state and deliveries of each.
import { Button } from '@mantine/core';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Webhook } from '../../../../../contract/webhooks.ts';
import { When } from '../../../components/figures.tsx';
import { SectionCard } from '../../../components/page.tsx';
import { EmptyState } from '../../../components/placeholder.tsx';
import { Mark, StateDot } from '../../../components/state.tsx';
import { useOperation } from '../../../data/use-operation.ts';
import { buildHash } from '../../../router/route.ts';
import { useRoute } from '../../../router/router.ts';
import { Reading } from '../parts/parts.tsx';
import rows from '../parts/rows.module.css';
import { WebhookDrawer } from './webhook-drawer.tsx';
import { NewWebhook } from './webhook-form.tsx';
import { describeWebhook, getWebhookName, WEBHOOKS_PATH } from './webhook-texts.ts';
import classes from './webhooks.module.css';

export function WebhooksSection() {
  const { t } = useTranslation('settings');
  // There is no event for a delivery, so poll.
  const webhooks = useOperation('listWebhooks', {}, { pollMs: 10_000 });
  const place = useRoute().path[3];
  const isOpen = place !== undefined && place !== 'new';
  return (
    <>
      <Reading title={t('webhooks.title')} query={webhooks} height={96}>
        {({ items }) => <Webhooks webhooks={items} />}
      </Reading>
      <NewWebhook />
      {webhooks.data !== undefined && (
        <WebhookDrawer
          isOpen={isOpen}
          found={isOpen ? webhooks.data.items.find(({ id }) => String(id) === place) : undefined}
        />
      )}
    </>
  );
}

function Webhooks({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  const { t } = useTranslation('settings');
  const add = (
    <Button component="a" href={buildHash([...WEBHOOKS_PATH, 'new'])} leftSection={<IconPlus size={16} stroke={1.5} />}>
      {t('webhooks.add')}
    </Button>
  );
  return (
    <SectionCard
      title={t('webhooks.title')}
      description={t('webhooks.description')}
      actions={webhooks.length > 0 ? add : undefined}
      flush
    >
      {webhooks.length === 0 ? (
        <EmptyState
          size="small"
          icon={<IconWebhook size={20} stroke={1.5} />}
          title={t('webhooks.none')}
          text={t('webhooks.noneHint')}
          action={add}
        />
      ) : (
        <ul className={rows.rows}>
          {webhooks.map((webhook) => (
            <WebhookRow key={webhook.id} webhook={webhook} />
          ))}
        </ul>
      )}
    </SectionCard>
  );
}

function WebhookRow({ webhook }: { readonly webhook: Webhook }) {
  const { t } = useTranslation('settings');
  const { id, url, description, types, allow_private, pending, delivered_at, failing_since, enabled } = webhook;
  const look = describeWebhook(webhook);
  return (
    <li className={rows.row}>
      <div className={rows.rowMain}>
        <span className={rows.rowName}>
          <a className={classes.row} href={buildHash([...WEBHOOKS_PATH, id])}>
            {getWebhookName(webhook)}
          </a>
          {allow_private && <Mark tone="warn">{t('webhooks.private')}</Mark>}
        </span>
        {description !== '' && <span className={classes.url}>{url}</span>}
        <span className={rows.rowFacts}>
          <StateDot state={look.state} label={t(look.text)} />
          <span>{types === null ? t('webhooks.allTypes') : t('webhooks.types', { count: types.length })}</span>
          {pending > 0 && <span>{t('webhooks.pending', { count: pending })}</span>}
          {enabled && failing_since !== null && (
            <When at={failing_since} text={(when) => t('webhooks.failing', { when })} />
          )}
          {delivered_at === null ? (
            <span>{t('webhooks.neverDelivered')}</span>
          ) : (
            <When at={delivered_at} text={(when) => t('webhooks.delivered', { when })} />
          )}
        </span>
      </div>
    </li>
  );
}
