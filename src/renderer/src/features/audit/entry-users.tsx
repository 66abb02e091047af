// The users that an action on many changed, by name, a page at a time.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorState } from '../../components/placeholder.tsx';
import { DrawerSection } from '../../components/record-drawer.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useOperation } from '../../data/use-operation.ts';
import { showHidden } from '../../format/show-hidden.ts';
import { useFormat } from '../../format/use-format.tsx';
import { buildHash } from '../../router/route.ts';
import classes from './audit.module.css';
import type { EntryTexts } from './use-entry-texts.ts';

const PAGE = 50;
const ACTIONS: ReadonlySet<string> = new Set(['bulkUsers', 'createUsers', 'undoActs']);

/** Whether an action applies to many users. */
export function isOnMany(action: string): boolean {
  return ACTIONS.has(action);
}

interface EntryUsersProps {
  readonly id: number;
  readonly texts: EntryTexts;
}

export function EntryUsers({ id, texts }: EntryUsersProps) {
  const { t } = useTranslation('audit');
  const format = useFormat();
  /** The cursors of the pages so far. */
  const [pageStarts, setPageStarts] = useState<readonly number[]>([0]);
  const page = useOperation(
    'listAuditUsers',
    { id, after: pageStarts.at(-1) ?? 0, limit: PAGE },
    { keepPrevious: true },
  );
  const { data } = page;
  if (data?.total === 0) return null;
  const from = (pageStarts.length - 1) * PAGE;
  const next = data?.next_after ?? null;
  const hasMore = data !== undefined && next !== null && from + data.items.length < data.total;
  return (
    <DrawerSection title={t('changedUsers')}>
      {data === undefined ? (
        page.error === null ? (
          <Skeleton width="60%" />
        ) : (
          <ErrorState size="small" failure={page.error} onRetry={() => void page.refetch()} />
        )
      ) : (
        <>
          <ul className={classes.links} aria-label={t('changedUsers')} aria-busy={page.isPlaceholderData}>
            {data.items.map((user) => {
              const name =
                user.name === null
                  ? texts.describeTarget({ kind: 'user', id: String(user.id) })
                  : showHidden(user.name);
              return (
                <li key={user.id}>
                  {user.present ? (
                    <a href={buildHash(['users', user.id])}>{name}</a>
                  ) : (
                    <>
                      {name} <span className={classes.quiet}>{t('deletedUser')}</span>
                    </>
                  )}
                </li>
              );
            })}
          </ul>
          {data.total > PAGE && (
            <div className={classes.foot}>
              <span>
                {t('shown', {
                  from: format.number(from + 1),
                  to: format.number(from + data.items.length),
                  total: format.number(data.total),
                })}
              </span>
              <Button
                variant="default"
                disabled={pageStarts.length === 1 || page.isPlaceholderData}
                onClick={() => setPageStarts(pageStarts.slice(0, -1))}
              >
                {t('earlier')}
              </Button>
              <Button
                variant="default"
                disabled={!hasMore || page.isPlaceholderData}
                onClick={() => next !== null && setPageStarts([...pageStarts, next])}
              >
                {t('later')}
              </Button>
            </div>
          )}
        </>
      )}
    </DrawerSection>
  );
}
