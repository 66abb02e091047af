// The columns of a list: how a screen describes each, and the table features that all lists share.
import {
  type ColumnDef,
  columnOrderingFeature,
  columnVisibilityFeature,
  createColumnHelper,
  createSortedRowModel,
  metaHelper,
  rowSortingFeature,
  sortFn_alphanumeric,
  sortFn_basic,
  sortFn_text,
  tableFeatures,
} from '@tanstack/react-table';

/** How a column is shown in the list. */
export interface ColumnLook {
  /** Its name, in the head and in the menu of columns. */
  readonly label: string;
  /** px; a column without it gets the remaining width. */
  readonly width?: number;
  readonly align?: 'end';
  /** Not shown in lists narrower than this: the least important first. */
  readonly hideBelow?: 480 | 640 | 860 | 1100 | 1320;
  /** The panel's name of its order; the column can then be sorted. Lists that are loaded whole sort by the column's value. */
  readonly sort?: string;
  /** Sorted downwards first, as amounts and dates are. */
  readonly descFirst?: boolean;
  /** Cannot be hidden: it identifies the row. */
  readonly isFixed?: boolean;
  /** Hidden until chosen. */
  readonly isHidden?: boolean;
  /** No name in the head, as for a column of buttons. */
  readonly isBare?: boolean;
}

export const features = tableFeatures({
  rowSortingFeature,
  columnVisibilityFeature,
  columnOrderingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric, text: sortFn_text, basic: sortFn_basic },
  columnMeta: metaHelper<ColumnLook>(),
});

export type Features = typeof features;

// The values of columns differ; TanStack's own helper types a list of them so.
// biome-ignore lint/suspicious/noExplicitAny: the library's type of mixed columns.
export type Columns<Row extends object> = ColumnDef<Features, Row, any>[];

/** `const column = createColumns<User>()`, then `column.columns([column.accessor('name', { meta: { label: t('name') }, cell: … })])`. */
export function createColumns<Row extends object>() {
  return createColumnHelper<Features, Row>();
}

/** How a column is shown, by its id. */
export function mapColumnLooks<Row extends object>(columns: Columns<Row>): ReadonlyMap<string, ColumnLook> {
  return new Map(columns.map((column) => [getColumnId(column), column.meta ?? { label: '' }]));
}

function getColumnId<Row extends object>(column: Columns<Row>[number]): string {
  return column.id ?? ('accessorKey' in column ? String(column.accessorKey) : '');
}
