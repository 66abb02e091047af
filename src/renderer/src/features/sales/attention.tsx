// Payments that need a decision: the payment, the reason, and the possible actions.
import { ActionIcon, Menu, NumberInput, TextInput } from '@mantine/core';
import { IconCircleCheck, IconDots } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AttentionPayment, PaymentAct } from '../../../../contract/sales/sales.ts';
import { Confirm } from '../../components/confirm.tsx';
import { DateTime } from '../../components/figures.tsx';
import { FilterTabs } from '../../components/filters.tsx';
import { EmptyState } from '../../components/placeholder.tsx';
import { Mark } from '../../components/state.tsx';
import { createColumns } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/data-table.tsx';
import { useAct } from '../../data/use-act.ts';
import { useOperation } from '../../data/use-operation.ts';
import { formatPrice } from '../../format/price.ts';
import { useFormat } from '../../format/use-format.tsx';
import { setQuery, useRoute } from '../../router/router.ts';
import classes from './sales.module.css';
import { UserLink } from './user-link.tsx';

const NO_PAYMENTS: readonly AttentionPayment[] = [];
const MAX = 500;

interface Question {
  readonly payment: AttentionPayment;
  readonly act: PaymentAct;
}

const column = createColumns<AttentionPayment>();

/** Page `#/sales/attention`; `all` in the query includes decided payments. */
export function Attention() {
  const { t } = useTranslation('sales');
  const { query } = useRoute();
  const isAll = query.get('all') !== null;
  const payments = useOperation('listAttention', { open: !isAll, limit: MAX }, { keepPrevious: true });
  const [question, setQuestion] = useState<Question | null>(null);
  const columns = useColumns(setQuestion);
  return (
    <>
      <div className={classes.tools}>
        <FilterTabs
          label={t('attention.filter.label')}
          value={isAll ? 'all' : 'open'}
          items={(['open', 'all'] as const).map((value) => ({ value, label: t(`attention.filter.${value}`) }))}
          onChange={(value) => setQuery({ all: value === 'all' ? '1' : null })}
        />
      </div>
      <DataTable
        label={t('tabs.attention')}
        columns={columns}
        rows={payments.data?.items ?? NO_PAYMENTS}
        reading={payments}
        rowId={({ id }) => id}
        rowName={({ id }) => t('attention.number', { id })}
        listKey={isAll ? 'all' : 'open'}
        empty={
          <EmptyState
            icon={<IconCircleCheck size={20} stroke={1.5} />}
            title={t('attention.empty')}
            text={t('attention.emptyHint')}
          />
        }
      />
      {question !== null && (
        <Decision key={`${question.payment.id} ${question.act}`} {...question} onClose={() => setQuestion(null)} />
      )}
    </>
  );
}

function useColumns(onAct: (question: Question) => void) {
  const { t } = useTranslation('sales');
  const { locale } = useFormat();
  return useMemo(
    () =>
      column.columns([
        column.accessor('reason', {
          meta: { label: t('attention.columns.reason'), isFixed: true },
          cell: ({ row: { original: payment } }) => (
            <span className={classes.reason}>
              <span>{t(`attention.reason.${payment.reason}`)}</span>
              <UserLink user={payment.user} isNarrow />
              <span className={classes.quiet}>
                {payment.resolved_at === null
                  ? t(`attention.why.${payment.reason}`)
                  : [payment.act === null ? '' : t(`attention.done.${payment.act}`), payment.note]
                      .filter((text) => text !== '')
                      .join(' · ')}
              </span>
            </span>
          ),
        }),
        column.accessor(({ user }) => user?.name ?? '', {
          id: 'user',
          meta: { label: t('attention.columns.user'), width: 180, hideBelow: 860 },
          cell: ({ row: { original: payment } }) => (
            <span className={classes.reason}>
              <UserLink user={payment.user} absent={t('attention.noUser')} />
              {payment.order_id !== null && (
                <span className={classes.quiet}>{t('order.number', { id: payment.order_id })}</span>
              )}
            </span>
          ),
        }),
        column.accessor('amount', {
          meta: { label: t('attention.columns.amount'), width: 150, align: 'end' },
          cell: ({ row: { original: payment } }) => (
            <span className={classes.reason}>
              <span>{formatPrice(payment, locale)}</span>
              {payment.expected !== null && (
                <span className={classes.quiet}>
                  {t('attention.expected', { amount: formatPrice(payment.expected, locale) })}
                </span>
              )}
            </span>
          ),
        }),
        column.accessor('external_id', {
          meta: { label: t('attention.columns.provider'), width: 200, hideBelow: 1100 },
          cell: ({ row: { original: payment } }) => (
            <span className={classes.reason}>
              <span>
                {payment.provider ?? t(`order.method.${payment.kind}`)}{' '}
                {payment.test && <Mark tone="warn">{t('attention.test')}</Mark>}
                {payment.refunding && <Mark>{t('order.refunding')}</Mark>}
              </span>
              <span className={classes.quiet}>{payment.external_id}</span>
            </span>
          ),
        }),
        column.accessor('paid_at', {
          meta: { label: t('attention.columns.paidAt'), width: 128, hideBelow: 640 },
          cell: ({ getValue }) => <DateTime at={getValue()} />,
        }),
        column.display({
          id: 'acts',
          meta: { label: t('order.columns.acts'), width: 56, isBare: true, isFixed: true },
          cell: ({ row: { original: payment } }) =>
            payment.acts.length > 0 && (
              <Menu shadow="none" position="bottom-end" withinPortal>
                <Menu.Target>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size={32}
                    aria-label={t('attention.acts', { id: payment.id })}
                  >
                    <IconDots size={16} stroke={1.5} />
                  </ActionIcon>
                </Menu.Target>
                <Menu.Dropdown>
                  {payment.acts.map((act) => (
                    <Menu.Item key={act} onClick={() => onAct({ payment, act })}>
                      {t(`attention.act.${act}`)}
                    </Menu.Item>
                  ))}
                </Menu.Dropdown>
              </Menu>
            ),
        }),
      ]),
    [t, locale, onAct],
  );
}

function Decision({ payment, act, onClose }: Question & { readonly onClose: () => void }) {
  const { t } = useTranslation('sales');
  const { locale } = useFormat();
  const [note, setNote] = useState('');
  const [days, setDays] = useState<number | string>(payment.days ?? 30);
  const [userId, setUserId] = useState<number | string>('');
  const resolve = useAct('resolvePayment', {
    message: ({ refunding }) => ({ text: t(refunding ? 'refund.begun' : `attention.done.${act}`) }),
  });
  const isNamed = act === 'days' && payment.user === null;
  const amount = formatPrice(payment, locale);
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={t(`attention.act.${act}`)}
      action={t(`attention.button.${act}`)}
      isDangerous={act === 'take_back'}
      onConfirm={() =>
        resolve.run({
          id: payment.id,
          act,
          note: note.trim(),
          ...(act === 'days' && { days: Number(days) }),
          ...(isNamed && { user_id: Number(userId) }),
        })
      }
    >
      <p>{t(`attention.what.${act}`, { amount, name: payment.user?.name ?? '' })}</p>
      {act === 'days' && (
        <NumberInput
          mt={12}
          label={t('attention.days')}
          {...(payment.days !== null && { description: t('attention.daysHint') })}
          min={1}
          max={3650}
          allowDecimal={false}
          value={days}
          onChange={setDays}
        />
      )}
      {isNamed && (
        <NumberInput
          mt={12}
          label={t('attention.userId')}
          description={t('attention.userIdHint')}
          min={1}
          allowDecimal={false}
          value={userId}
          onChange={setUserId}
        />
      )}
      <TextInput
        mt={12}
        label={t('refund.note')}
        maxLength={200}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
    </Confirm>
  );
}
