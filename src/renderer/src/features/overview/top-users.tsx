// The users with the most traffic this month, as a bar chart.
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../../contract/table.ts';
import { SectionCard } from '../../components/page.tsx';
import { EmptyState } from '../../components/placeholder.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useFormat } from '../../format/use-format.tsx';
import { buildHash } from '../../router/route.ts';
import classes from './overview.module.css';

const ROWS = [0, 1, 2, 3, 4];

export function TopUsers({ overview }: { readonly overview: Output<'getOverview'> | undefined }) {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const users = overview?.top_users;
  const most = Math.max(1, ...(users ?? []).map(({ up, down }) => up + down));
  return (
    <SectionCard
      title={t('top.title')}
      flush
      actions={
        <a className={classes.more} href={buildHash(['users'], { sort: '-used' })}>
          {t('top.all')}
        </a>
      }
    >
      {users?.length === 0 ? (
        <EmptyState size="small" title={t('top.empty')} />
      ) : (
        <ol className={classes.rows}>
          {users === undefined
            ? ROWS.map((row) => (
                <li key={row} className={classes.topRow}>
                  <Skeleton width="50%" />
                </li>
              ))
            : users.map(({ id, name, up, down }) => (
                <li key={id}>
                  <a
                    className={classes.topRow}
                    href={buildHash(['users', id])}
                    title={`↓ ${format.bytes(down)}  ↑ ${format.bytes(up)}`}
                  >
                    <span className={classes.bar} style={{ width: `${((up + down) / most) * 100}%` }} />
                    <span className={classes.topName}>{name}</span>
                    <span className={classes.topValue}>{format.bytes(up + down)}</span>
                  </a>
                </li>
              ))}
        </ol>
      )}
    </SectionCard>
  );
}
