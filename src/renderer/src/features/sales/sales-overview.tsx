// What came in: the income of each currency, orders and renewals, and the income by day.
import { Button, SegmentedControl } from '@mantine/core';
import { IconReceipt } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SALES_DAYS } from '../../../../contract/sales/sales.ts';
import type { Output } from '../../../../contract/table.ts';
import { languageEntry } from '../../../../i18n/languages.ts';
import { SectionCard } from '../../components/page.tsx';
import { EmptyState, ErrorState } from '../../components/placeholder.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useOperation } from '../../data/use-operation.ts';
import { formatPrice } from '../../format/price.ts';
import { useFormat } from '../../format/use-format.tsx';
import { hashOf } from '../../router/route.ts';
import classes from './sales.module.css';

type Sales = Output<'getSales'>;
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
            <Button component="a" href={hashOf(['users'])}>
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

/** A part of a whole in percent; nothing where there is no whole. */
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

/** What came by each provider, and by hand; bars compare what is of one currency. */
function IncomeByMethod({ methods }: Pick<Sales, 'methods'>) {
  const { t } = useTranslation('sales');
  const { locale } = useFormat();
  const mostOf = (currency: string) =>
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
                  <span className={classes.bar} style={{ width: `${(amount / mostOf(currency)) * 50}%` }} aria-hidden />
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

/** A bar for each day with income, the newest first; the figures stand beside them. */
function IncomeByDay({ sales, currency }: { readonly sales: Sales; readonly currency: string }) {
  const { t } = useTranslation('sales');
  const { locale } = useFormat();
  const days = sales.days.filter((one) => one.currency === currency).toReversed();
  const most = Math.max(1, ...days.map(({ amount }) => amount));
  const dayName = new Intl.DateTimeFormat(languageEntry(locale).tag, { dateStyle: 'medium', timeZone: 'UTC' });
  return (
    <SectionCard title={`${t('days.title')}, ${currency}`} flush>
      <table className={classes.days}>
        <thead className="visually-hidden">
          <tr>
            <th scope="col">{t('days.day')}</th>
            <th scope="col">{t('days.income')}</th>
          </tr>
        </thead>
        <tbody>
          {days.map(({ day, amount }) => (
            <tr key={day}>
              <th scope="row">{dayName.format(new Date(`${day}T00:00:00Z`))}</th>
              <td>
                <span className={classes.income}>
                  <span className={classes.bar} style={{ width: `${(amount / most) * 60}%` }} aria-hidden />
                  <span className="figures">{formatPrice({ amount, currency }, locale)}</span>
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </SectionCard>
  );
}
