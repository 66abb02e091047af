// Reconciliation: compares a month's payments in a provider's list with the recorded ones, and lists the differences.
import { Button, Select } from '@mantine/core';
import { IconScale } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PaymentDifference } from '../../../../contract/sales/sales.ts';
import type { Output } from '../../../../contract/table.ts';
import { localDay } from '../../../../domain/calendar.ts';
import { toDecimal } from '../../../../domain/sales/money.ts';
import { CsvExport } from '../../components/csv-export.tsx';
import { DateTime } from '../../components/figures.tsx';
import { EmptyState, ErrorState } from '../../components/placeholder.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { createColumns } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/data-table.tsx';
import { useAct } from '../../data/use-act.ts';
import { useOperation } from '../../data/use-operation.ts';
import type { Reading } from '../../data/use-paged-rows.ts';
import { csvLine } from '../../format/csv.ts';
import { formatPrice } from '../../format/price.ts';
import { useFormat } from '../../format/use-format.tsx';
import { buildHash } from '../../router/route.ts';
import { panelNow } from '../../state/connection.ts';
import classes from './sales.module.css';
import { UserLink } from './user-link.tsx';

type Reply = Output<'reconcilePayments'>;

/** State of a table whose data are already loaded. */
const READ: Reading = { isPending: false, error: null, refetch: () => undefined };
/** Months that can be chosen, including the current one. */
const MONTHS = 12;
const FACTS_COLUMNS = [
  'reason',
  'payment',
  'external_id',
  'order',
  'user',
  'paid_at',
  'provider_amount',
  'provider_currency',
  'amount',
  'currency',
];

function monthsBack(zone: string): readonly string[] {
  const [year = 0, month = 1] = localDay(panelNow(), zone).split('-').map(Number);
  return Array.from({ length: MONTHS }, (_, index) =>
    new Date(Date.UTC(year, month - 1 - index, 1)).toISOString().slice(0, 7),
  );
}

/** Page `#/sales/reconciliation`. */
export function Reconciliation() {
  const { t } = useTranslation('sales');
  const { timeZone, locale } = useFormat();
  const providers = useOperation('listProviders', {});
  const months = monthsBack(timeZone);
  const [providerId, setProviderId] = useState<string | null>(null);
  const [month, setMonth] = useState(months[0] ?? '');
  const [reply, setReply] = useState<Reply | null>(null);
  const compare = useAct('reconcilePayments', { onDone: setReply });
  if (providers.data === undefined) {
    if (providers.error === null) return <Skeleton height={96} />;
    return <ErrorState failure={providers.error} onRetry={() => void providers.refetch()} />;
  }
  const all = providers.data.items;
  const chosen = all.find(({ id }) => String(id) === providerId) ?? all[0];
  if (chosen === undefined) {
    return (
      <EmptyState
        icon={<IconScale size={20} stroke={1.5} />}
        title={t('reconciliation.none')}
        text={t('reconciliation.noneHint')}
      />
    );
  }
  const monthName = (text: string) =>
    new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'long', timeZone: 'UTC' }).format(
      new Date(`${text}-15T00:00:00Z`),
    );
  return (
    <>
      <div className={classes.choice}>
        <Select
          label={t('reconciliation.provider')}
          data={all.map(({ id, name }) => ({ value: String(id), label: name }))}
          allowDeselect={false}
          comboboxProps={{ shadow: 'none' }}
          value={String(chosen.id)}
          onChange={(id) => {
            setProviderId(id);
            setReply(null);
          }}
        />
        <Select
          label={t('reconciliation.month')}
          data={months.map((value) => ({ value, label: monthName(value) }))}
          allowDeselect={false}
          comboboxProps={{ shadow: 'none' }}
          value={month}
          onChange={(value) => {
            setMonth(value ?? month);
            setReply(null);
          }}
        />
        <Button loading={compare.isRunning} onClick={() => compare.start({ provider_id: chosen.id, month })}>
          {t('reconciliation.act')}
        </Button>
        {reply !== null && reply.differences.length > 0 && <DifferenceExport reply={reply} />}
      </div>
      {reply === null ? (
        <p className={classes.quiet} role="status">
          {t(compare.isRunning ? 'reconciliation.running' : 'reconciliation.hint')}
        </p>
      ) : (
        <Result reply={reply} />
      )}
    </>
  );
}

function Result({ reply }: { readonly reply: Reply }) {
  const { t } = useTranslation('sales');
  const { locale } = useFormat();
  const columns = useColumns();
  const { sums, differences, foreign, whole } = reply;
  return (
    <>
      {sums.length === 0 && <p role="status">{t('reconciliation.noPayments')}</p>}
      {sums.map(({ currency, theirs, ours, payments }) => {
        const price = (amount: number) => formatPrice({ amount, currency }, locale);
        const count = differences.filter((one) => one.ours.currency === currency || one.theirs?.currency === currency);
        return (
          <section key={currency} className={classes.figures} aria-label={`${t('reconciliation.sums')}: ${currency}`}>
            <div className={classes.figure}>
              <span className={classes.figureLabel}>{t('reconciliation.theirs', { currency })}</span>
              <span className={classes.figureValue}>{price(theirs)}</span>
              <span className={classes.figureNote}>{t('reconciliation.theirsNote')}</span>
            </div>
            <div className={classes.figure}>
              <span className={classes.figureLabel}>{t('reconciliation.ours', { currency })}</span>
              <span className={classes.figureValue}>{price(ours)}</span>
              <span className={classes.figureNote}>{t('reconciliation.oursNote', { count: payments })}</span>
            </div>
            <div className={classes.figure}>
              <span className={classes.figureLabel}>{t('reconciliation.difference', { currency })}</span>
              <span className={`${classes.figureValue} ${theirs === ours ? '' : classes.different}`}>
                {price(theirs - ours)}
              </span>
              <span className={classes.figureNote}>
                {count.length === 0 ? t('reconciliation.equal') : t('reconciliation.differs', { count: count.length })}
              </span>
            </div>
          </section>
        );
      })}
      {!whole && <p className={classes.quiet}>{t('reconciliation.partly')}</p>}
      {foreign.map(({ currency, amount, payments }) => (
        <p key={currency} className={classes.quiet}>
          {t('reconciliation.foreign', { count: payments, amount: formatPrice({ amount, currency }, locale) })}
        </p>
      ))}
      {differences.length > 0 && (
        <DataTable
          label={t('reconciliation.list')}
          columns={columns}
          rows={differences}
          reading={READ}
          rowId={({ payment_id }) => payment_id}
          rowName={({ payment_id: id }) => t('attention.number', { id })}
          listKey="differences"
          empty={null}
        />
      )}
    </>
  );
}

const column = createColumns<PaymentDifference>();

function useColumns() {
  const { t } = useTranslation('sales');
  const { locale } = useFormat();
  return useMemo(
    () =>
      column.columns([
        column.accessor('reason', {
          meta: { label: t('reconciliation.columns.reason'), isFixed: true },
          cell: ({ row: { original: one } }) => (
            <span className={classes.reason}>
              <span>{t(`reconciliation.reason.${one.reason}`)}</span>
              <UserLink user={one.user} isNarrow />
              <span className={classes.narrowSums}>
                {t('reconciliation.columns.theirs')}{' '}
                {one.theirs === null ? t('reconciliation.notListed') : formatPrice(one.theirs, locale)}
                {' · '}
                {t('reconciliation.columns.ours')} {formatPrice(one.ours, locale)}
              </span>
              <span className={classes.quiet}>
                {[one.order_id === null ? '' : t('order.number', { id: one.order_id }), one.external_id]
                  .filter((text) => text !== '')
                  .join(' · ')}
              </span>
            </span>
          ),
        }),
        column.accessor(({ user }) => user?.name ?? '', {
          id: 'user',
          meta: { label: t('reconciliation.columns.user'), width: 180, hideBelow: 860 },
          cell: ({ row: { original: one } }) => <UserLink user={one.user} absent={t('attention.noUser')} />,
        }),
        column.accessor(({ theirs }) => theirs?.amount ?? 0, {
          id: 'theirs',
          meta: { label: t('reconciliation.columns.theirs'), width: 120, align: 'end', hideBelow: 640 },
          cell: ({ row: { original: one } }) =>
            one.theirs === null ? (
              <span className={classes.quiet}>{t('reconciliation.notListed')}</span>
            ) : (
              formatPrice(one.theirs, locale)
            ),
        }),
        column.accessor(({ ours }) => ours.amount, {
          id: 'ours',
          meta: { label: t('reconciliation.columns.ours'), width: 110, align: 'end', hideBelow: 640 },
          cell: ({ row: { original: one } }) => formatPrice(one.ours, locale),
        }),
        column.accessor('paid_at', {
          meta: { label: t('reconciliation.columns.paidAt'), width: 128, hideBelow: 640 },
          cell: ({ getValue }) => <DateTime at={getValue()} />,
        }),
        column.display({
          id: 'acts',
          meta: { label: t('order.columns.acts'), width: 80, isBare: true, isFixed: true },
          cell: ({ row: { original: one } }) =>
            (one.reason === 'unapplied' || one.reason === 'refunded_there') && (
              <a className={classes.link} href={buildHash(['sales', 'attention'])}>
                {t('reconciliation.toAttention')}
              </a>
            ),
        }),
      ]),
    [t, locale],
  );
}

function DifferenceExport({ reply }: { readonly reply: Reply }) {
  const { t } = useTranslation('sales');
  return (
    <CsvExport
      name="reconciliation"
      columns={FACTS_COLUMNS}
      read={async () => ({ lines: reply.differences.map(formatLine), next_before: null })}
      texts={{
        act: t('reconciliation.csv'),
        running: (done) => t('export.running', { done }),
        done: (values) => t('reconciliation.csvDone', values),
      }}
    />
  );
}

function formatLine(one: PaymentDifference): string {
  return csvLine([
    one.reason,
    one.payment_id,
    one.external_id,
    one.order_id,
    one.user?.name ?? null,
    one.paid_at,
    one.theirs === null ? null : toDecimal(one.theirs),
    one.theirs?.currency ?? null,
    toDecimal(one.ours),
    one.ours.currency,
  ]);
}
