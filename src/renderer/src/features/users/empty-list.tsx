// Shown if no user matches: which filter to remove, and how many users would then be listed.
import { Button } from '@mantine/core';
import { IconUserSearch, IconUsers } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/placeholder.tsx';
import { usePanel } from '../../data/panel.tsx';
import { operationQuery } from '../../data/use-operation.ts';
import { buildHash } from '../../router/route.ts';
import { setQuery } from '../../router/router.ts';
import { type Filter, type FilterName, listFilterNames, without, withoutFilter } from './filter.ts';
import type { Plans } from './use-plans.ts';
import classes from './users.module.css';

interface NothingFoundProps {
  readonly filter: Filter;
  readonly formatFilter: (name: FilterName) => string;
}

export function NothingFound({ filter, formatFilter }: NothingFoundProps) {
  const { t } = useTranslation('users');
  const panel = usePanel();
  const names = listFilterNames(filter);
  const counts = useQueries({
    queries: names.map((name) => operationQuery(panel, 'listUsers', { ...withoutFilter(filter, name), limit: 1 })),
  });
  return (
    <EmptyState
      icon={<IconUserSearch size={20} stroke={1.5} />}
      title={t('nothing.title')}
      text={names.length > 1 ? t('nothing.many') : t('nothing.one')}
      action={
        <div className={classes.drops}>
          {names.map((name, index) => {
            const total = counts[index]?.data?.total;
            // Hidden, as without this filter the list would be empty too.
            if (total === 0 && names.length > 1) return null;
            return (
              <Button key={name} variant="default" onClick={() => setQuery(without([name]), { push: true })}>
                {t('nothing.drop', { name: formatFilter(name) })}
                {total !== undefined && (
                  <span className={classes.dropCount}>{t('nothing.would', { count: total })}</span>
                )}
              </Button>
            );
          })}
          {names.length > 1 && (
            <Button variant="subtle" onClick={() => setQuery(without(names), { push: true })}>
              {t('nothing.all')}
            </Button>
          )}
        </div>
      }
    />
  );
}

// Shown in a panel without users: their purpose, and the first action.

export function NoUsers({ plans, onCreate }: { readonly plans: Plans; readonly onCreate: () => void }) {
  const { t } = useTranslation('users');
  const hasPlan = plans.isPending || plans.usable.length > 0;
  return (
    <EmptyState
      icon={<IconUsers size={20} stroke={1.5} />}
      title={t('empty')}
      text={hasPlan ? t('emptyHint') : t('emptyNoPlans')}
      action={
        hasPlan ? (
          <Button onClick={onCreate}>{t('create')}</Button>
        ) : (
          <Button component="a" href={buildHash(['plans', 'new'])}>
            {t('makePlan')}
          </Button>
        )
      }
    />
  );
}
