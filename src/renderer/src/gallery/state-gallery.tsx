// A list in each state it can be in: loading, empty, nothing found, failed, showing former rows.
import { PanelCallError } from '../../../contract/client.ts';
import { buildProblem } from '../../../contract/errors.ts';
import type { User } from '../../../contract/users/users.ts';
import { Identity } from '../components/identity.tsx';
import { SectionCard } from '../components/page.tsx';
import { EmptyState } from '../components/placeholder.tsx';
import { StateDot } from '../components/state.tsx';
import { createColumns } from '../components/table/columns.ts';
import { DataTable } from '../components/table/data-table.tsx';
import type { Reading } from '../data/use-paged-rows.ts';
import { fakeUser } from './fake-transport.ts';
import classes from './gallery.module.css';

const column = createColumns<User>();
const columns = column.columns([
  column.accessor('name', {
    meta: { label: 'User', isFixed: true, sort: 'name' },
    cell: ({ row: { original } }) => <Identity name={original.name} detail={original.contact} />,
  }),
  column.accessor('state', {
    meta: { label: 'State', width: 140, sort: 'state' },
    cell: ({ getValue }) => <StateDot state={getValue()} />,
  }),
]);

const READY: Reading = { isPending: false, error: null, refetch: () => {} };
const FAILED = new PanelCallError(buildProblem('storage_full', '0b6f7d0e5c2b4f5e9a3d1c8e7f60a1b2'));
const USERS = [3, 1, 2].map(fakeUser);
const NO_USERS: readonly User[] = [];

const CASES: readonly (readonly [string, readonly User[], Reading, boolean?])[] = [
  ['Loading', NO_USERS, { ...READY, isPending: true }],
  ['Empty', NO_USERS, READY],
  ['Nothing found', NO_USERS, READY, true],
  ['Failed', NO_USERS, { ...READY, error: FAILED }],
  ['Former rows', USERS, { ...READY, isPlaceholderData: true }],
  ['Ready', USERS, READY],
];

export function StateGallery() {
  return (
    <div className={classes.cards}>
      {CASES.map(([title, rows, reading, isFiltered]) => (
        <SectionCard key={title} title={title}>
          <DataTable
            label={title}
            columns={columns}
            rows={rows}
            reading={reading}
            rowId={({ id }) => id}
            rowName={({ name }) => name}
            empty={<EmptyState size="small" title="No users yet" text="A user is a person with a link." />}
            onClearFilters={isFiltered ? () => {} : undefined}
          />
        </SectionCard>
      ))}
    </div>
  );
}
