// Audit entries about the user, the newest first.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { User } from '../../../../../contract/users/users.ts';
import { DateTime } from '../../../components/figures.tsx';
import { ErrorState } from '../../../components/placeholder.tsx';
import { DrawerSection } from '../../../components/record-drawer.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { useFormat } from '../../../format/use-format.tsx';
import { buildHash } from '../../../router/route.ts';
import type { Plans } from '../use-plans.ts';
import { describeAct, describeActor, FIRST, useHistory } from './history.ts';
import classes from './record.module.css';

const MORE = 500;

/** Actions whose entries have further details or an undo. */
const LINKED: ReadonlySet<string> = new Set(['bulkUsers', 'undoActs', 'extendUser', 'shortenUser', 'resetUserTraffic']);

export function HistorySection({ user, plans }: { readonly user: User; readonly plans: Plans }) {
  const { t } = useTranslation(['users', 'audit']);
  const format = useFormat();
  const [limit, setLimit] = useState(FIRST);
  const history = useHistory(user.id, { limit });
  const { data, error } = history;
  return (
    <DrawerSection title={t('history.title')}>
      {error !== null && data === undefined ? (
        <ErrorState size="small" failure={error} onRetry={() => void history.refetch()} />
      ) : data === undefined ? (
        <Skeleton width="60%" />
      ) : data.items.length === 0 ? (
        <p className={classes.quiet}>{t('history.empty')}</p>
      ) : (
        <ol className={classes.history}>
          {data.items.map((entry) => (
            <li key={entry.id} className={classes.entry} data-refused={entry.outcome === 'refused' || undefined}>
              <span className={classes.entryText}>
                {LINKED.has(entry.action) ? (
                  <a href={buildHash(['audit', entry.id])}>{describeAct(t, format, plans, entry)}</a>
                ) : (
                  describeAct(t, format, plans, entry)
                )}
                {entry.outcome === 'refused' && <span className={classes.quiet}> ({t('history.refused')})</span>}
              </span>
              <span className={classes.entryBy}>
                {describeActor(t, entry)} · <DateTime at={entry.at} style="dateTime" />
              </span>
            </li>
          ))}
        </ol>
      )}
      {data?.next_before !== null && data !== undefined && (
        <div className={classes.more}>
          {limit === FIRST ? (
            <Button variant="default" onClick={() => setLimit(MORE)} loading={history.isPlaceholderData}>
              {t('history.older')}
            </Button>
          ) : (
            <Button variant="default" component="a" href={buildHash(['audit'], { target: `user:${user.id}` })}>
              {t('history.all')}
            </Button>
          )}
        </div>
      )}
    </DrawerSection>
  );
}
