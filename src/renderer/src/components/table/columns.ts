// The columns of a list: how screens describe them, and the table features that all lists share.
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

/** The presentation of a column. */
export interface ColumnLook {
  /** Its name, in the head and in the column menu. */
  readonly label: string;
  /** px; left out: it takes the remaining width. */
  readonly width?: number;
  readonly align?: 'end';
  /** Hidden in lists narrower than this: the least important columns first. */
  readonly hideBelow?: 480 | 640 | 860 | 1100 | 1320;
  /** The panel's name of this sort order; left out: not sortable. Lists that are loaded completely sort by the column's value. */
  readonly sort?: string;
  /** The first click sorts in descending order, as for amounts and dates. */
  readonly descFirst?: boolean;
  /** Cannot be hidden: it identifies the row. */
  readonly isFixed?: boolean;
  /** Hidden until chosen. */
  readonly isHidden?: boolean;
  /** Without a name in the head, as for a column of buttons. */
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

/** The presentation of each column, by its id. */
export function mapColumnLooks<Row extends object>(columns: Columns<Row>): ReadonlyMap<string, ColumnLook> {
  return new Map(columns.map((column) => [getColumnId(column), column.meta ?? { label: '' }]));
}

function getColumnId<Row extends object>(column: Columns<Row>[number]): string {
  return column.id ?? ('accessorKey' in column ? String(column.accessorKey) : '');
}
