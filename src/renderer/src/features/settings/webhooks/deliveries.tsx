// The deliveries of a webhook: state, attempts with errors, and payload. Each can be repeated.
import { Button, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DELIVERY_STATES, type Delivery, type DeliveryState, type Webhook } from '../../../../../contract/webhooks.ts';
import { DateTime, RelativeTime, When } from '../../../components/figures.tsx';
import { EmptyState, ErrorState } from '../../../components/placeholder.tsx';
import { DrawerSection } from '../../../components/record-drawer.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { type State, StateDot } from '../../../components/state.tsx';
import { useAct } from '../../../data/use-act.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { CopyLine } from '../parts/parts.tsx';
import classes from './webhooks.module.css';

const EVERY = 'every';
const FIRST = 20;
const STEP = 60;
const MAX = 500;

const DOTS: Readonly<Record<DeliveryState, State>> = { pending: 'on_hold', delivered: 'up', failed: 'expired' };

export function Deliveries({ webhook }: { readonly webhook: Webhook }) {
  const { t } = useTranslation('settings');
  const [filter, setFilter] = useState<string>(EVERY);
  const [limit, setLimit] = useState(FIRST);
  const state = DELIVERY_STATES.find((one) => one === filter);
  const input = { webhook_id: webhook.id, limit, ...(state !== undefined && { state }) };
  // There is no event for a delivery, so poll.
  const deliveries = useOperation('listWebhookDeliveries', input, { pollMs: 3000, keepPrevious: true });
  return (
    <DrawerSection title={t('webhooks.deliveries.title')}>
      <SegmentedControl
        aria-label={t('webhooks.deliveries.filter')}
        size="xs"
        data={[EVERY, ...DELIVERY_STATES].map((value) => ({
          value,
          label: t(`webhooks.deliveries.${value as 'every'}`),
        }))}
        value={filter}
        onChange={setFilter}
      />
      {deliveries.data === undefined && deliveries.error === null && <Skeleton height={120} />}
      {deliveries.data === undefined && deliveries.error !== null && (
        <ErrorState size="small" failure={deliveries.error} onRetry={() => void deliveries.refetch()} />
      )}
      {deliveries.data?.items.length === 0 && (
        <EmptyState
          size="small"
          title={t('webhooks.deliveries.none')}
          text={t(state === undefined ? 'webhooks.deliveries.noneHint' : 'webhooks.deliveries.noneOf')}
        />
      )}
      {deliveries.data !== undefined && deliveries.data.items.length > 0 && (
        <ul className={classes.deliveries}>
          {deliveries.data.items.map((delivery) => (
            <li key={delivery.id} className={classes.delivery}>
              <DeliveryRow delivery={delivery} canRepeat={webhook.enabled} />
            </li>
          ))}
        </ul>
      )}
      {deliveries.data?.next_before != null && limit < MAX && (
        <Button variant="default" onClick={() => setLimit(Math.min(MAX, limit + STEP))}>
          {t('webhooks.deliveries.more')}
        </Button>
      )}
    </DrawerSection>
  );
}

interface DeliveryRowProps {
  readonly delivery: Delivery;
  readonly canRepeat: boolean;
}

function DeliveryRow({ delivery, canRepeat }: DeliveryRowProps) {
  const { t } = useTranslation('settings');
  const { id, type, state, created_at, next_at, attempts, body, message_id } = delivery;
  const again = useAct('redeliverWebhook', { message: () => ({ text: t('webhooks.deliveries.queued') }) });
  const last = attempts.at(-1);
  return (
    <details>
      <summary>
        <span className={classes.type}>{type}</span>
        <span className={classes.when}>
          <RelativeTime at={created_at} />
        </span>
        <span className={classes.facts}>
          <StateDot state={DOTS[state]} label={t(`webhooks.deliveries.${state}`)} />
          {last?.status != null && <span>{t('webhooks.deliveries.status', { status: last.status })}</span>}
          {last?.error != null && <span>{t(`webhooks.error.${last.error}`)}</span>}
          {attempts.length > 1 && <span>{t('webhooks.deliveries.attempts', { count: attempts.length })}</span>}
          {next_at !== null && attempts.length > 0 && (
            <When at={next_at} text={(when) => t('webhooks.deliveries.next', { when })} />
          )}
        </span>
      </summary>
      <div className={classes.details}>
        <code className={classes.muted}>{message_id}</code>
        {attempts.length > 0 && (
          <ol className={classes.attempts}>
            {attempts.map((attempt) => (
              <li key={attempt.number}>
                <span>{t('webhooks.deliveries.attempt', { number: attempt.number })}</span>
                <DateTime at={attempt.at} style="exact" />
                {attempt.status !== null && <span>{t('webhooks.deliveries.status', { status: attempt.status })}</span>}
                {attempt.error !== null && <span>{t(`webhooks.error.${attempt.error}`)}</span>}
                <span className={classes.muted}>{t('webhooks.deliveries.took', { ms: attempt.duration_ms })}</span>
              </li>
            ))}
          </ol>
        )}
        <div>
          <CopyLine
            multiline
            value={JSON.stringify(JSON.parse(body), null, 2)}
            label={t('webhooks.deliveries.copyBody')}
          />
        </div>
        <Button variant="default" size="xs" disabled={!canRepeat} onClick={() => again.start({ id })}>
          {t('webhooks.deliveries.again')}
        </Button>
      </div>
    </details>
  );
}
