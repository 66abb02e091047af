// The list of every screen: sorting, selection, opening by mouse or keyboard, virtual scrolling, and loading states.
import { useTable } from '@tanstack/react-table';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { Reading, RowSource } from '../../data/use-paged-rows.ts';
import { MAX_PRINTED, usePrinting } from '../../state/printing.ts';
import { useView } from '../../state/view.ts';
import type { ActRuns } from '../acts/acts.ts';
import { EmptyState, ErrorState } from '../placeholder.tsx';
import { useIsSlow } from '../skeleton.tsx';
import { type Columns, features, mapColumnLooks } from './columns.ts';
import classes from './data-table.module.css';
import { useRowControl } from './row-control.ts';
import type { RowId, Selection } from './selection.ts';
import { TableHead } from './table-head.tsx';
import { SkeletonRows, TableRow, WaitingRow } from './table-row.tsx';
import { useColumnState, useOnWindow } from './use-column-state.ts';
import { useRowWindow } from './use-row-window.ts';

export interface DataTableProps<Row extends object> {
  /** Accessible name: what is listed. */
  readonly label: string;
  readonly columns: Columns<Row>;
  readonly rows: readonly Row[] | RowSource<Row>;
  readonly reading: Reading;
  rowId(row: Row): RowId;
  /** The row's name, for its checkbox and keys. */
  rowName(row: Row): string;
  /** The address of a row's record; left out: rows do not open. */
  buildHref?(row: Row): string;
  /** The row whose record is open. */
  readonly openId?: RowId | null | undefined;
  /** Its index, if it is known without loading all rows, so that the list can scroll to it. */
  readonly openIndex?: number;
  /** The order of the loaded rows; a leading `-` means descending. Without `onSort` the list itself sorts the rows. */
  readonly sort?: string | undefined;
  readonly onSort?: (sort: string) => void;
  readonly selection?: Selection | undefined;
  /** Actions on a row, by keys and in the palette for the focused row. */
  readonly rowActs?: (row: Row) => ActRuns;
  /** Shown if there are no rows at all. */
  readonly empty: ReactNode;
  /** Removes all filters; passed only while there are some, to distinguish "nothing matches" from "nothing exists". */
  readonly onClearFilters?: (() => void) | undefined;
  /** Stores this list's columns under this name. */
  readonly remember?: string;
  /** A changed key means other rows: the list scrolls to its top. */
  readonly listKey?: string;
  /** Called with the range of visible rows, so that they can be loaded. */
  readonly onWindow?: (start: number, end: number) => void;
  /** Shown over the lower edge: the bulk bar. */
  readonly children?: ReactNode;
}

const ROW_HEIGHTS = { comfortable: 44, compact: 36 } as const;
const HEAD_HEIGHT = 36;
const SKELETON_ROWS = 12;

export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { rows, reading, empty, onClearFilters } = props;
  const isEmpty = ('count' in rows ? rows.count : rows.length) === 0;
  if (reading.error !== null && isEmpty) {
    return <ErrorState failure={reading.error} onRetry={() => void reading.refetch()} />;
  }
  if (!reading.isPending && isEmpty) {
    return onClearFilters === undefined ? empty : <NothingFound onClear={onClearFilters} />;
  }
  return <RowList {...props} />;
}

/** Mounted only while there are rows, so that it measures the right element. */
function RowList<Row extends object>(props: DataTableProps<Row>) {
  const { columns, rows, reading, rowId, rowName, buildHref, openId, selection, children } = props;
  const { t } = useTranslation('frame');
  const rowHeight = ROW_HEIGHTS[useView((view) => view.density)];
  const isPrinting = usePrinting(({ isOn }) => isOn);
  const scroller = useRef<HTMLDivElement>(null);
  const source = 'at' in rows && 'count' in rows ? rows : null;
  const count = source ? source.count : (rows as readonly Row[]).length;
  const view = useRowWindow(scroller, count, rowHeight, HEAD_HEIGHT, props.listKey);

  const data = useMemo(() => {
    if (source === null) return rows as readonly Row[];
    const loaded: Row[] = [];
    for (let index = view.start; index < view.end; index++) {
      const row = source.at(index);
      if (row !== undefined) loaded.push(row);
    }
    return loaded;
  }, [source, rows, view.start, view.end]);

  const looks = useMemo(() => mapColumnLooks(columns), [columns]);
  const state = useColumnState(props.remember, looks, props.sort, props.onSort);
  const table = useTable({
    features,
    columns,
    data,
    getRowId: (row) => String(rowId(row)),
    enableSortingRemoval: false,
    manualSorting: source !== null || props.onSort !== undefined,
    state: state.tableState,
    onSortingChange: state.onSortingChange,
  });
  const model = table.getRowModel();
  const rowAt = (index: number) => {
    if (source === null) return model.rows[index];
    const row = source.at(index);
    return row && model.rowsById[String(rowId(row))];
  };
  const open = openId === undefined || openId === null ? null : String(openId);
  const openIndex =
    props.openIndex ?? (source === null && open !== null ? model.rows.findIndex(({ id }) => id === open) : -1);
  const control = useRowControl({
    ...props,
    openId: open,
    openIndex,
    count,
    rowAt: (index) => rowAt(index)?.original,
    scroller,
    reveal: view.reveal,
  });
  const isSlow = useIsSlow(reading.isPending);
  const { reveal } = view;
  useEffect(() => {
    if (openIndex >= 0) reveal(openIndex);
  }, [openIndex, reveal]);
  useOnWindow(props.onWindow, view.start, view.end);

  const visible = table.getVisibleLeafColumns().map(({ id }) => id);
  const shape = visible.join(' ');
  const indexes = Array.from({ length: view.end - view.start }, (_, step) => view.start + step);
  return (
    <div className={classes.frame}>
      <div ref={scroller} className={classes.scroller} data-stale={reading.isPlaceholderData || undefined}>
        <table
          className={classes.table}
          aria-label={props.label}
          aria-rowcount={count + 1}
          aria-busy={reading.isPending || reading.isPlaceholderData || undefined}
        >
          <colgroup>
            {selection && <col className={classes.checkColumn} />}
            {visible.map((id) => (
              <col key={id} data-below={looks.get(id)?.hideBelow} style={{ width: state.getWidth(id) }} />
            ))}
          </colgroup>
          <TableHead table={table} looks={looks} state={state} selection={selection} ids={data.map(rowId)} />
          <tbody {...control.handlers}>
            {reading.isPending && count === 0 ? (
              isSlow && <SkeletonRows count={SKELETON_ROWS} columns={visible} looks={looks} hasCheck={!!selection} />
            ) : (
              <>
                <Space height={view.before} />
                {indexes.map((index) => {
                  const row = rowAt(index);
                  if (row === undefined)
                    return <WaitingRow key={`at ${index}`} index={index} columns={visible} hasCheck={!!selection} />;
                  const id = rowId(row.original);
                  return (
                    <TableRow
                      key={row.id}
                      row={row}
                      index={index}
                      shape={shape}
                      looks={looks}
                      name={rowName(row.original)}
                      isOpen={open === String(id)}
                      isActive={control.active === index}
                      canOpen={buildHref !== undefined}
                      isSelected={selection ? selection.has(id) : null}
                    />
                  );
                })}
                <Space height={view.after} />
              </>
            )}
          </tbody>
        </table>
      </div>
      {isPrinting && count > MAX_PRINTED && <p>{t('table.printed', { printed: MAX_PRINTED, count })}</p>}
      <span className="visually-hidden" role="status">
        {reading.isPending ? '' : t('table.rows', { count })}
      </span>
      {children}
    </div>
  );
}

/** Takes the height of the rows that are not rendered. */
function Space({ height }: { readonly height: number }) {
  return height > 0 ? (
    <tr aria-hidden className={classes.space} style={{ height }}>
      <td />
    </tr>
  ) : null;
}

function NothingFound({ onClear }: { readonly onClear: () => void }) {
  const { t } = useTranslation('frame');
  return (
    <EmptyState
      title={t('table.nothingFound')}
      text={t('table.nothingFoundHint')}
      action={
        <button type="button" className={classes.clear} onClick={onClear}>
          {t('table.clearFilters')}
        </button>
      }
    />
  );
}
