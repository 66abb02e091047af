// The number of users of each plan as a bar chart, and the changes of the last 30 days.
import { useTranslation } from 'react-i18next';
import { SectionCard } from '../../components/page.tsx';
import { EmptyState, ErrorState } from '../../components/placeholder.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useOperation } from '../../data/use-operation.ts';
import { useFormat } from '../../format/use-format.tsx';
import { buildHash } from '../../router/route.ts';
import classes from './overview.module.css';

const EVERY_MS = 60_000;
const ROWS = [0, 1, 2];

export function UsersByPlan() {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const { data, error, refetch } = useOperation('getUserStats', {}, { pollMs: EVERY_MS, keepPrevious: true });
  const plans = data?.by_tariff;
  const most = Math.max(1, ...(plans ?? []).map(({ total }) => total));
  return (
    <SectionCard
      title={t('plans.title')}
      flush
      description={
        data === undefined
          ? ''
          : t('plans.changes', { created: data.total.created, expired: data.total.expired, count: data.days.length })
      }
    >
      {error !== null && data === undefined ? (
        <ErrorState size="small" failure={error} onRetry={() => void refetch()} />
      ) : plans?.length === 0 ? (
        <EmptyState size="small" title={t('plans.empty')} />
      ) : (
        <ol className={classes.rows}>
          {plans === undefined
            ? ROWS.map((row) => (
                <li key={row} className={classes.topRow}>
                  <Skeleton width="50%" />
                </li>
              ))
            : plans.map(({ tariff_id, name, total, active }) => {
                const bars = (
                  <>
                    <span className={classes.bar} style={{ width: `${(total / most) * 100}%` }} />
                    <span className={classes.topName}>{name ?? t('plans.none')}</span>
                    <span className={classes.topValue}>
                      {t('plans.users', { active: format.number(active), total: format.number(total) })}
                    </span>
                  </>
                );
                return tariff_id === null ? (
                  <li key="none" className={classes.topRow}>
                    {bars}
                  </li>
                ) : (
                  <li key={tariff_id}>
                    <a className={classes.topRow} href={buildHash(['users'], { tariff_id: String(tariff_id) })}>
                      {bars}
                    </a>
                  </li>
                );
              })}
        </ol>
      )}
    </SectionCard>
  );
}
