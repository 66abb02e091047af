// The users: search, filters, records, and actions on one or many.
import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconPlus, IconSend } from '@tabler/icons-react';
import { useCallback, useDeferredValue, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { User } from '../../../../contract/users/users.ts';
import { useShortcuts } from '../../components/acts/keys.ts';
import { useActs } from '../../components/acts/use-acts.ts';
import { FilterChips } from '../../components/filters.tsx';
import { Page, PageHeader } from '../../components/page.tsx';
import { ColumnMenu } from '../../components/table/column-menu.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import { useSelection } from '../../components/table/selection.ts';
import { useOperation } from '../../data/use-operation.ts';
import { usePagedRows } from '../../data/use-paged-rows.ts';
import { useFormat } from '../../format/use-format.tsx';
import { buildHash, changedQuery } from '../../router/route.ts';
import { leave, navigate, setQuery, useRoute } from '../../router/router.ts';
import { BroadcastDrawer } from './broadcast/broadcast-drawer.tsx';
import { BulkBar } from './bulk/bulk-bar.tsx';
import { BulkDrawer } from './bulk/bulk-drawer.tsx';
import type { BulkJob } from './bulk/run-bulk.ts';
import { useUserColumns } from './columns.tsx';
import { CreateDrawer } from './create/create-drawer.tsx';
import { NothingFound, NoUsers } from './empty-list.tsx';
import { ExportButton } from './export-button.tsx';
import { buildBulkFilter, listFilterNames, parseFilter, parseSort, without } from './filter.ts';
import { FilterMenu, useFilterLabels } from './filter-menu.tsx';
import { useOpenWindow } from './record/open-window.ts';
import { UserDrawer } from './record/user-drawer.tsx';
import { SearchField } from './search-field.tsx';
import { StateTabs } from './state-tabs.tsx';
import { useNeighbours } from './use-neighbours.ts';
import { usePlans } from './use-plans.ts';
import { useUserViews } from './use-user-views.ts';
import classes from './users.module.css';
import { ViewsMenu } from './views-menu.tsx';

const NEW = 'new';
const BROADCAST = 'broadcast';

export function UsersPage() {
  const { t } = useTranslation('users');
  const format = useFormat();
  const { path, query } = useRoute();
  const filter = parseFilter(query);
  const sort = parseSort(query);
  const plans = usePlans();
  const bot = useOperation('getBot', {});
  const users = usePagedRows('listUsers', { ...filter, sort });
  const selection = useSelection(JSON.stringify(filter));
  const [bulk, setBulk] = useState<BulkJob | null>(null);
  const formatFilter = useFilterLabels(filter, plans);
  const openWindow = useOpenWindow();

  const search = changedQuery(query, { do: null }).toString();
  // Rows are rendered again with the answer, not with every key.
  const deferredSearch = useDeferredValue(search);
  const buildHref = useCallback(
    ({ id }: User) => buildHash(['users', id], new URLSearchParams(deferredSearch)),
    [deferredSearch],
  );
  const columns = useUserColumns(plans.getPlanName, buildHref);
  const views = useUserViews(columns);
  const list = buildHash(['users'], new URLSearchParams(search));
  const close = () => leave(list);
  const create = () => navigate(buildHash(['users', NEW], new URLSearchParams(search)));

  const openPart = ({ id }: User, part: string) =>
    navigate(buildHash(['users', id], changedQuery(query, { do: part })));

  const names = listFilterNames(filter);
  const chips = names
    .filter((name) => name !== 'q' && (name !== 'state' || Array.isArray(filter.state)))
    .map((name) => ({
      id: name,
      label: formatFilter(name),
      onRemove: () => setQuery(without([name]), { push: true }),
    }));
  const selected = selection.isAll ? (users.total ?? 0) : selection.ids.size;

  const target = selection.isAll ? { filter: buildBulkFilter(filter) } : { ids: [...selection.ids].map(Number) };

  useActs({ 'users.create': create });
  useShortcuts([{ keys: 'escape', label: t('keys.clear'), group: 'list', run: selection.clear }], {
    isOn: selected > 0,
  });

  const open = path[1];
  const id = open !== undefined && /^[1-9]\d{0,15}$/.test(open) ? Number(open) : null;
  const neighbours = useNeighbours(users.rows, id);
  return (
    <Page fill>
      <PageHeader
        title={t('title')}
        aside={users.total === undefined ? '' : format.number(users.total)}
        actions={
          <>
            <ExportButton filter={filter} sort={sort} plans={plans} />
            {bot.data?.enabled === true && (
              <Tooltip label={t('broadcast.title')}>
                <ActionIcon
                  variant="default"
                  size={32}
                  aria-label={t('broadcast.title')}
                  onClick={() => navigate(buildHash(['users', BROADCAST], new URLSearchParams(search)))}
                >
                  <IconSend size={16} stroke={1.5} />
                </ActionIcon>
              </Tooltip>
            )}
            <ColumnMenu remember={views.remember} columns={columns} />
            <Button leftSection={<IconPlus size={16} stroke={1.75} />} onClick={create}>
              {t('create')}
            </Button>
          </>
        }
      />
      <div className={classes.tools}>
        <SearchField />
        <FilterChips chips={chips} onClear={() => setQuery(without(names), { push: true })}>
          <FilterMenu filter={filter} plans={plans} />
        </FilterChips>
      </div>
      <div className={classes.tabs}>
        <StateTabs filter={filter} total={users.reading.isPlaceholderData ? undefined : users.total} />
        <ViewsMenu views={views} />
      </div>
      <DataTable
        {...users}
        label={t('title')}
        columns={columns}
        rowId={({ id }) => id}
        rowName={({ name }) => name}
        buildHref={buildHref}
        openId={id}
        openIndex={neighbours.index}
        sort={sort}
        onSort={(next) => setQuery({ sort: next === '-id' ? null : next })}
        selection={selection}
        rowActs={(user) => ({
          'users.extend': () => openPart(user, 'extend'),
          'users.shorten': () => openPart(user, 'shorten'),
          'users.grant': () => openPart(user, 'grant'),
          'users.window': openWindow && (() => openWindow(user.id)),
        })}
        remember={views.remember}
        empty={
          names.length > 0 ? (
            <NothingFound filter={filter} formatFilter={formatFilter} />
          ) : (
            <NoUsers plans={plans} onCreate={create} />
          )
        }
      >
        <BulkBar
          selection={selection}
          count={selected}
          total={users.total}
          onAct={(action) => setBulk({ action, target, count: selected })}
        />
      </DataTable>
      <UserDrawer
        id={id}
        isUnknown={open !== undefined && open !== NEW && open !== BROADCAST && id === null}
        plans={plans}
        neighbours={neighbours}
        onGo={(user) => navigate(buildHash(['users', user.id], new URLSearchParams(search)), { replace: true })}
        onClose={close}
      />
      <BroadcastDrawer isOpen={open === BROADCAST} filter={filter} formatFilter={formatFilter} onClose={close} />
      <CreateDrawer isOpen={open === NEW} plans={plans} list={list} onClose={close} />
      <BulkDrawer job={bulk} onClose={() => setBulk(null)} onDone={selection.clear} />
    </Page>
  );
}
