// The overview of sales: income by currency and method, orders, renewals, and charts of the income by day.
import { Button, SegmentedControl } from '@mantine/core';
import { IconReceipt } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SALES_DAYS } from '../../../../contract/sales/sales.ts';
import type { Output } from '../../../../contract/table.ts';
import { localDaysBetween } from '../../../../domain/calendar.ts';
import { DAY_MS } from '../../../../domain/limits.ts';
import { languageEntry } from '../../../../i18n/languages.ts';
import { Chart } from '../../components/chart/chart.tsx';
import type { ChartData, SeriesColor } from '../../components/chart/series.ts';
import { SectionCard } from '../../components/page.tsx';
import { EmptyState, ErrorState } from '../../components/placeholder.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useOperation } from '../../data/use-operation.ts';
import { formatPrice } from '../../format/price.ts';
import { useFormat } from '../../format/use-format.tsx';
import { buildHash } from '../../router/route.ts';
import { panelNow } from '../../state/connection.ts';
import classes from './sales.module.css';

type Sales = Output<'getSales'>;
type Method = Sales['methods'][number]['method'];
type Days = (typeof SALES_DAYS)[number];

export function SalesOverview() {
  const { t } = useTranslation('sales');
  const [days, setDays] = useState<Days>(30);
  const sales = useOperation('getSales', { days }, { keepPrevious: true });
  return (
    <>
      <SegmentedControl
        className={classes.period ?? ''}
        aria-label={t('period.label')}
        data={SALES_DAYS.map((value) => ({ value: String(value), label: t(`period.d${value}`) }))}
        value={String(days)}
        onChange={(value) => setDays(SALES_DAYS.find((one) => String(one) === value) ?? 30)}
      />
      {sales.data === undefined ? (
        sales.error === null ? (
          <Skeleton height={96} />
        ) : (
          <ErrorState failure={sales.error} onRetry={() => void sales.refetch()} />
        )
      ) : sales.data.income.length === 0 && sales.data.trials.taken === 0 && sales.data.churn.lost === 0 ? (
        <EmptyState
          icon={<IconReceipt size={20} stroke={1.5} />}
          title={t('none')}
          text={t('noneHint')}
          action={
            <Button component="a" href={buildHash(['users'])}>
              {t('toUsers')}
            </Button>
          }
        />
      ) : (
        <>
          <Figures sales={sales.data} />
          {sales.data.income
            .filter(({ amount }) => amount > 0)
            .map(({ currency }) => (
              <IncomeByDay key={currency} sales={sales.data} currency={currency} />
            ))}
          {sales.data.methods.length > 0 && <IncomeByMethod methods={sales.data.methods} />}
        </>
      )}
    </>
  );
}

function Figures({ sales }: { readonly sales: Sales }) {
  const { t } = useTranslation('sales');
  const format = useFormat();
  return (
    <section className={classes.figures} aria-label={t('figures.label')}>
      {sales.income.map(({ currency, amount, refunded, orders }) => (
        <div key={currency} className={classes.figure}>
          <span className={classes.figureLabel}>{t('figures.income', { currency })}</span>
          <span className={classes.figureValue}>{formatPrice({ amount, currency }, format.locale)}</span>
          <span className={classes.figureNote}>
            {t('figures.incomeNote', { count: orders })}
            {refunded > 0 &&
              ` · ${t('figures.refunded', { amount: formatPrice({ amount: refunded, currency }, format.locale) })}`}
          </span>
        </div>
      ))}
      <div className={classes.figure}>
        <span className={classes.figureLabel}>{t('figures.orders')}</span>
        <span className={classes.figureValue}>{format.number(sales.orders)}</span>
        <span className={classes.figureNote}>{t('figures.ordersNote')}</span>
      </div>
      <div className={classes.figure}>
        <span className={classes.figureLabel}>{t('figures.renewals')}</span>
        <span className={classes.figureValue}>{format.number(sales.renewals)}</span>
        <span className={classes.figureNote}>{t('figures.renewalsNote')}</span>
      </div>
      <Share name="trials" part={sales.trials.bought} whole={sales.trials.taken} />
      <Share name="churn" part={sales.churn.lost} whole={sales.churn.lost + sales.churn.kept} />
    </section>
  );
}

interface ShareProps {
  readonly name: 'trials' | 'churn';
  readonly part: number;
  readonly whole: number;
}

/** A figure in percent; a dash if `whole` is 0. */
function Share({ name, part, whole }: ShareProps) {
  const { t } = useTranslation('sales');
  const { locale } = useFormat();
  const percent = new Intl.NumberFormat(languageEntry(locale).tag, { style: 'percent', maximumFractionDigits: 0 });
  return (
    <div className={classes.figure}>
      <span className={classes.figureLabel}>{t(`figures.${name}`)}</span>
      <span className={classes.figureValue}>{whole === 0 ? '—' : percent.format(part / whole)}</span>
      <span className={classes.figureNote}>{t(`figures.${name}Note`, { part, count: whole })}</span>
    </div>
  );
}

/** Income by provider and by hand; the bars compare amounts of the same currency. */
function IncomeByMethod({ methods }: Pick<Sales, 'methods'>) {
  const { t } = useTranslation('sales');
  const { locale } = useFormat();
  const computeMaxAmount = (currency: string) =>
    Math.max(1, ...methods.filter((one) => one.currency === currency).map(({ amount }) => amount));
  return (
    <SectionCard title={t('methods.title')} flush>
      <table className={classes.days}>
        <thead className="visually-hidden">
          <tr>
            <th scope="col">{t('methods.method')}</th>
            <th scope="col">{t('days.income')}</th>
          </tr>
        </thead>
        <tbody>
          {methods.map(({ method, currency, amount, orders }) => (
            <tr key={`${method} ${currency}`}>
              <th scope="row">{t(`order.method.${method}`)}</th>
              <td>
                <span className={classes.income}>
                  <span
                    className={classes.bar}
                    style={{ width: `${(amount / computeMaxAmount(currency)) * 50}%` }}
                    aria-hidden
                  />
                  <span className="figures">{formatPrice({ amount, currency }, locale)}</span>
                  <span className={classes.quiet}>{t('figures.incomeNote', { count: orders })}</span>
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </SectionCard>
  );
}

/** Methods of payment with a colour of their own; further ones are one series. */
const MAX_SERIES = 7;
const CHART_HEIGHT = 220;

/** Series of the daily income by method, from the first day of the period to today. */
function incomeChart(
  sales: Sales,
  currency: string,
  zone: string,
  formatMethod: (method: Method | null) => string,
): ChartData {
  const own = sales.days.filter((one) => one.currency === currency);
  // Start a day earlier, which is before the first day in every time zone.
  const before = Date.parse(`${sales.since}T00:00:00Z`) - DAY_MS;
  const days = localDaysBetween(before, panelNow(), zone).filter(({ day }) => day >= sales.since);
  const moments = days.map(({ from }) => from);
  const indexByDay = new Map(days.map(({ day }, index) => [day, index]));
  const methods = sales.methods.filter((one) => one.currency === currency).map(({ method }) => method);
  const sumPerDay = (isOwn: (method: Method) => boolean) => {
    const values = new Array<number>(moments.length).fill(0);
    for (const { day, method, amount } of own) {
      const index = isOwn(method) ? indexByDay.get(day) : undefined;
      if (index !== undefined) values[index] = (values[index] ?? 0) + amount;
    }
    return values;
  };
  const named = methods.length > MAX_SERIES + 1 ? methods.slice(0, MAX_SERIES) : methods;
  const series = named.map((method, index) => ({
    id: method,
    label: formatMethod(method),
    color: (index + 1) as SeriesColor,
    values: sumPerDay((one) => one === method),
  }));
  const rest = methods.slice(named.length);
  const others = {
    id: 'rest',
    label: formatMethod(null),
    color: 8,
    values: sumPerDay((one) => rest.includes(one)),
  } as const;
  return { moments, step: 'day', series: rest.length === 0 ? series : [...series, others] };
}

/** The income by day and method in one currency, as a chart or a table. */
function IncomeByDay({ sales, currency }: { readonly sales: Sales; readonly currency: string }) {
  const { t } = useTranslation('sales');
  const { timeZone } = useFormat();
  const [isTable, setTable] = useState(false);
  const chart = useMemo(() => {
    const formatMethod = (method: Method | null) => (method === null ? t('days.rest') : t(`order.method.${method}`));
    return incomeChart(sales, currency, timeZone, formatMethod);
  }, [sales, currency, timeZone, t]);
  const title = `${t('days.title')}, ${currency}`;
  return (
    <SectionCard
      title={title}
      flush={isTable}
      actions={
        <SegmentedControl
          aria-label={t('days.as')}
          data={(['chart', 'table'] as const).map((value) => ({ value, label: t(`days.${value}`) }))}
          value={isTable ? 'table' : 'chart'}
          onChange={(value) => setTable(value === 'table')}
        />
      }
    >
      {isTable ? (
        <DayTable sales={sales} currency={currency} />
      ) : (
        <Chart label={title} height={CHART_HEIGHT} {...chart} hasLegend currency={currency} />
      )}
    </SectionCard>
  );
}

/** Days with income, newest first. */
function DayTable({ sales, currency }: { readonly sales: Sales; readonly currency: string }) {
  const { t } = useTranslation('sales');
  const { locale } = useFormat();
  const sums = new Map<string, number>();
  for (const { day, currency: own, amount } of sales.days)
    if (own === currency) sums.set(day, (sums.get(day) ?? 0) + amount);
  const days = [...sums].toReversed();
  const dayName = new Intl.DateTimeFormat(languageEntry(locale).tag, { dateStyle: 'medium', timeZone: 'UTC' });
  return (
    <table className={classes.days}>
      <thead className="visually-hidden">
        <tr>
          <th scope="col">{t('days.day')}</th>
          <th scope="col">{t('days.income')}</th>
        </tr>
      </thead>
      <tbody>
        {days.map(([day, amount]) => (
          <tr key={day}>
            <th scope="row">{dayName.format(new Date(`${day}T00:00:00Z`))}</th>
            <td>
              <span className="figures">{formatPrice({ amount, currency }, locale)}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
