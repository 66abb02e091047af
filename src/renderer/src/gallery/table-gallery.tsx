// A list of a million users, read page by page: selection, keys, columns, the scaled scrollbar.
import { Button } from '@mantine/core';
import { useMemo } from 'react';
import type { User } from '../../../contract/users/users.ts';
import { SelectionBar } from '../components/acts/selection-bar.tsx';
import { Identity } from '../components/identity.tsx';
import { Page, PageHeader } from '../components/page.tsx';
import { EmptyState } from '../components/placeholder.tsx';
import { StateDot } from '../components/state.tsx';
import { ColumnMenu } from '../components/table/column-menu.tsx';
import { createColumns } from '../components/table/columns.ts';
import { DataTable } from '../components/table/data-table.tsx';
import { useSelection } from '../components/table/selection.ts';
import { TrafficBar } from '../components/traffic-bar.tsx';
import { usePagedRows } from '../data/use-paged-rows.ts';
import { buildHash } from '../router/route.ts';
import { setQuery, useRoute } from '../router/router.ts';

const column = createColumns<User>();

export function TableGallery() {
  const { path, query } = useRoute();
  const sort = query.get('sort') ?? '-id';
  const users = usePagedRows('listUsers', {});
  const selection = useSelection();
  const columns = useMemo(
    () =>
      column.columns([
        column.accessor('name', {
          meta: { label: 'User', isFixed: true, sort: 'name' },
          cell: ({ row: { original } }) => (
            <Identity name={original.name} detail={original.contact} href={buildHash(['table', original.id])} />
          ),
        }),
        column.accessor('state', {
          meta: { label: 'State', width: 140 },
          cell: ({ getValue }) => <StateDot state={getValue()} />,
        }),
        column.accessor('used_down', {
          meta: { label: 'Traffic', width: 240, sort: 'used', hideBelow: 640 },
          cell: ({ row: { original: user } }) => (
            <TrafficBar used={user.used_up + user.used_down} limit={user.traffic_limit} extra={user.traffic_extra} />
          ),
        }),
        column.accessor('id', { meta: { label: 'Id', width: 120, align: 'end', sort: 'id', isHidden: true } }),
      ]),
    [],
  );
  const count = selection.isAll ? (users.total ?? 0) : selection.ids.size;
  return (
    <Page fill>
      <PageHeader title="A million users" actions={<ColumnMenu remember="gallery" columns={columns} />} />
      <DataTable
        {...users}
        label="Users"
        columns={columns}
        rowId={({ id }) => id}
        rowName={({ name }) => name}
        buildHref={({ id }) => buildHash(['table', id])}
        openId={path[1]}
        sort={sort}
        onSort={(next) => setQuery({ sort: next })}
        selection={selection}
        remember="gallery"
        empty={<EmptyState title="No users" />}
      >
        <SelectionBar
          count={count}
          {...(users.total !== undefined && { total: users.total })}
          onSelectAll={selection.selectAll}
          onClear={selection.clear}
        >
          <Button variant="default">Extend</Button>
          <Button variant="default" color="red">
            Delete
          </Button>
        </SelectionBar>
      </DataTable>
    </Page>
  );
}
