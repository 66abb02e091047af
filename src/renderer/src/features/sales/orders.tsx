// The list of orders, newest first, and their refunds.
import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconReceipt, IconRefresh } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Order, OrderState } from '../../../../contract/sales/sales.ts';
import { DateTime } from '../../components/figures.tsx';
import { FilterTabs } from '../../components/filters.tsx';
import { EmptyState } from '../../components/placeholder.tsx';
import { RefundButton, RefundQuestion } from '../../components/refund.tsx';
import { StateDot } from '../../components/state.tsx';
import { createColumns } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/data-table.tsx';
import { useAct } from '../../data/use-act.ts';
import { useOperation } from '../../data/use-operation.ts';
import { formatPrice } from '../../format/price.ts';
import { useFormat } from '../../format/use-format.tsx';
import { setQuery, useRoute } from '../../router/router.ts';
import classes from './sales.module.css';
import { useSoldText } from './sold-text.ts';
import { UserLink } from './user-link.tsx';

const NO_ORDERS: readonly Order[] = [];
/** States that have a filter. */
const FILTERS = ['open', 'paid', 'refunded'] as const satisfies readonly OrderState[];
const FIRST = 100;
const MAX = 500;
/** Below this width buttons have no labels. */
const PHONE = '(width < 640px)';

/** Polls the provider of an order at once. */
function PollButton({ id }: { readonly id: number }) {
  const { t } = useTranslation('sales');
  const pollOrder = useAct('askOrder', { message: ({ state }) => ({ text: t(`order.asked.${state}`, { id }) }) });
  const label = t('order.ask', { id });
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={32}
        aria-label={label}
        loading={pollOrder.isRunning}
        onClick={() => pollOrder.start({ id })}
      >
        <IconRefresh size={16} stroke={1.5} />
      </ActionIcon>
    </Tooltip>
  );
}

const DOTS = {
  new: 'on_hold',
  opening: 'on_hold',
  open: 'on_hold',
  paid: 'active',
  refunded: 'archived',
  expired: 'archived',
  failed: 'archived',
} as const satisfies Record<OrderState, unknown>;

const column = createColumns<Order>();

export function Orders() {
  const { t } = useTranslation('sales');
  const { query } = useRoute();
  const [limit, setLimit] = useState(FIRST);
  const [refunding, setRefunding] = useState<Order | null>(null);
  const state = FILTERS.find((one) => one === query.get('state'));
  const orders = useOperation('listOrders', { limit, ...(state !== undefined && { state }) }, { keepPrevious: true });
  const columns = useOrderColumns(setRefunding);
  return (
    <>
      <div className={classes.tools}>
        <FilterTabs
          label={t('order.filter.label')}
          value={state ?? 'all'}
          items={(['all', ...FILTERS] as const).map((value) => ({ value, label: t(`order.filter.${value}`) }))}
          onChange={(value) => setQuery({ state: value === 'all' ? null : value })}
        />
      </div>
      <DataTable
        label={t('tabs.orders')}
        columns={columns}
        rows={orders.data?.items ?? NO_ORDERS}
        reading={orders}
        rowId={({ id }) => id}
        rowName={({ id }) => t('order.number', { id })}
        listKey={state ?? 'all'}
        empty={
          <EmptyState
            icon={<IconReceipt size={20} stroke={1.5} />}
            title={t(state === undefined ? 'order.empty' : 'order.emptyOf')}
            {...(state === undefined && { text: t('order.emptyHint') })}
          />
        }
      />
      {orders.data?.next_before != null && limit < MAX && (
        <Button variant="default" onClick={() => setLimit(MAX)}>
          {t('order.more')}
        </Button>
      )}
      <RefundQuestion order={refunding} onClose={() => setRefunding(null)} />
    </>
  );
}

function useOrderColumns(onRefund: (order: Order) => void) {
  const { t } = useTranslation('sales');
  const format = useFormat();
  const soldText = useSoldText();
  const isPhone = useMediaQuery(PHONE) ?? false;
  return useMemo(
    () =>
      column.columns([
        column.accessor('id', {
          meta: { label: t('order.columns.id'), sort: 'id', isFixed: true, descFirst: true },
          cell: ({ row: { original: order } }) => (
            <span className={classes.reason} title={soldText(order.sold)}>
              <span>
                <span className="figures">{t('order.number', { id: order.id })}</span>
                <span
                  className={classes.quiet}
                >{` ${order.tariff === '' ? '' : `${order.tariff} · `}${order.offer}`}</span>
                {order.promo !== null && <span className={classes.quiet}>{` · ${order.promo.code}`}</span>}
              </span>
              <span className={`${classes.quiet} ${classes.payer}`}>{order.user?.name ?? order.user_name}</span>
            </span>
          ),
        }),
        column.accessor(({ user, user_name }) => user?.name ?? user_name, {
          id: 'user',
          meta: { label: t('order.columns.user'), width: 200, sort: 'user', hideBelow: 640 },
          cell: ({ row: { original: order } }) => (
            <UserLink user={order.user} absent={t('order.deleted', { name: order.user_name })} />
          ),
        }),
        column.accessor('amount', {
          meta: { label: t('order.columns.amount'), width: 120, align: 'end' },
          cell: ({ row: { original: order } }) =>
            order.method === 'trial' ? t('offer.free') : formatPrice(order, format.locale),
        }),
        column.accessor('method', {
          meta: { label: t('order.columns.method'), width: 200, hideBelow: 1100 },
          cell: ({ row: { original: order } }) => (
            <span className={classes.quiet}>
              {order.method !== null && t(`order.method.${order.method}`)}
              {order.reference !== null && ` · ${order.reference}`}
            </span>
          ),
        }),
        column.accessor('paid_at', {
          meta: { label: t('order.columns.paidAt'), width: 128, sort: 'paid_at', descFirst: true, hideBelow: 860 },
          cell: ({ row: { original: order } }) => order.paid_at !== null && <DateTime at={order.paid_at} />,
        }),
        column.accessor('state', {
          meta: { label: t('order.columns.state'), width: 128, hideBelow: 480 },
          cell: ({ row: { original: order } }) => (
            <StateDot
              state={DOTS[order.state]}
              label={order.refunding ? t('order.refunding') : t(`order.state.${order.state}`)}
            />
          ),
        }),
        column.display({
          id: 'acts',
          meta: { label: t('order.columns.acts'), width: isPhone ? 56 : 96, isBare: true, isFixed: true },
          cell: ({ row: { original: order } }) =>
            order.state === 'paid' ? (
              <RefundButton id={order.id} isNarrow={isPhone} onClick={() => onRefund(order)} />
            ) : (
              (order.state === 'open' || order.state === 'opening') && <PollButton id={order.id} />
            ),
        }),
      ]),
    [t, format, soldText, isPhone, onRefund],
  );
}
