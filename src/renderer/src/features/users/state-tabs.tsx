// The states as tabs, each with the number of users under the other filters.
import { useQueries } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { USER_STATES } from '../../../../contract/users/users.ts';
import { FilterTabs } from '../../components/filters.tsx';
import { usePanel } from '../../data/panel.tsx';
import { operationQuery, useOperation } from '../../data/use-operation.ts';
import { setQuery } from '../../router/router.ts';
import { type Filter, listFilterNames, withoutFilter } from './filter.ts';

/** Counting waits until typing pauses, so that the rows come first. */
const REST_MS = 400;
/** No tab is selected: the filter has several states. */
const SEVERAL = 'several';
const TABS = [undefined, ...USER_STATES] as const;

export function StateTabs({ filter, total }: { readonly filter: Filter; readonly total: number | undefined }) {
  const { t } = useTranslation(['users', 'common']);
  const counts = useCounts(filter);
  const items = TABS.map((state) => ({
    value: state ?? '',
    label: state === undefined ? t('users:tabs.all') : t(`common:state.${state}`),
    count: state === filter.state ? (total ?? counts(state)) : counts(state),
  }));
  return (
    <FilterTabs
      label={t('users:tabs.label')}
      value={Array.isArray(filter.state) ? SEVERAL : (filter.state ?? '')}
      items={items}
      onChange={(state) => setQuery({ state: state === '' ? null : state }, { push: true })}
    />
  );
}

type State = (typeof TABS)[number];

/** Without other filters the overview has the counts; otherwise each state is counted. */
function useCounts(filter: Filter): (state: State) => number | undefined {
  const panel = usePanel();
  const rest = withoutFilter(filter, 'state');
  const isNarrowed = listFilterNames(rest).length > 0;
  const question = JSON.stringify(rest);
  const settled = useSettled(question);
  const overview = useOperation('getOverview', {}, { enabled: !isNarrowed });
  const results = useQueries({
    queries: TABS.map((state) =>
      operationQuery(
        panel,
        'listUsers',
        { ...(JSON.parse(settled) as Filter), ...(state && { state }), limit: 1 },
        { enabled: isNarrowed && settled === question },
      ),
    ),
  });
  return (state) => {
    if (!isNarrowed) return state === undefined ? overview.data?.users.total : overview.data?.users[state];
    return settled === question ? results[TABS.indexOf(state)]?.data?.total : undefined;
  };
}

/** A value once it has not changed for a while. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), REST_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
