// The head of a list: names that sort, edges that resize, and the checkbox of all rows.
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import type { ReactTable } from '@tanstack/react-table';
import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { ColumnLook, Features } from './columns.ts';
import classes from './data-table.module.css';
import type { RowId, Selection } from './selection.ts';
import { type ColumnState, widthByKey, widthWithin } from './use-column-state.ts';

interface TableHeadProps<Row extends object> {
  readonly table: ReactTable<Features, Row>;
  readonly looks: ReadonlyMap<string, ColumnLook>;
  readonly state: ColumnState;
  readonly selection: Selection | undefined;
  /** Ids of the loaded rows. */
  readonly ids: readonly RowId[];
}

const ARIA_SORT = { asc: 'ascending', desc: 'descending' } as const;

export function TableHead<Row extends object>({ table, looks, state, selection, ids }: TableHeadProps<Row>) {
  const { t } = useTranslation('frame');
  return (
    <thead>
      {table.getHeaderGroups().map((group) => (
        <tr key={group.id} aria-rowindex={1}>
          {selection && (
            <th className={classes.check} scope="col">
              <SelectAll selection={selection} ids={ids} />
            </th>
          )}
          {group.headers.map(({ id, column }) => {
            const look = looks.get(id);
            const sorted = column.getIsSorted();
            const canSort = column.getCanSort() && look?.isBare !== true && state.canSort(id);
            return (
              <th
                key={id}
                className={classes.head}
                scope="col"
                data-align={look?.align}
                data-below={look?.hideBelow}
                aria-label={look?.label}
                aria-sort={canSort ? (sorted ? ARIA_SORT[sorted] : 'none') : undefined}
              >
                {canSort ? (
                  <button
                    type="button"
                    className={classes.sort}
                    data-sorted={sorted || undefined}
                    title={t('table.sortBy', { column: look?.label ?? '' })}
                    onClick={column.getToggleSortingHandler()}
                    {...(state.onResize && {
                      'aria-keyshortcuts': 'Shift+ArrowLeft Shift+ArrowRight',
                      onKeyDown: (event: KeyboardEvent) =>
                        event.shiftKey && resizeByKey(event, (width) => state.onResize?.(id, width)),
                    })}
                  >
                    {look?.label}
                    {sorted === 'desc' ? <IconArrowDown size={14} stroke={1.75} aria-hidden /> : null}
                    {sorted === 'asc' ? <IconArrowUp size={14} stroke={1.75} aria-hidden /> : null}
                  </button>
                ) : (
                  <span className={look?.isBare ? 'visually-hidden' : classes.name}>{look?.label}</span>
                )}
                {state.onResize && look?.isBare !== true && (
                  <ColumnEdge label={look?.label ?? ''} onResize={(width) => state.onResize?.(id, width)} />
                )}
              </th>
            );
          })}
        </tr>
      ))}
    </thead>
  );
}

function SelectAll({ selection, ids }: { readonly selection: Selection; readonly ids: readonly RowId[] }) {
  const { t } = useTranslation('frame');
  const box = useRef<HTMLInputElement>(null);
  const chosen = ids.filter((id) => selection.has(id)).length;
  const isWhole = ids.length > 0 && chosen === ids.length;
  useEffect(() => {
    if (box.current) box.current.indeterminate = chosen > 0 && !isWhole;
  });
  return (
    <input
      ref={box}
      type="checkbox"
      checked={isWhole}
      // Before rows are loaded a click would select nothing.
      disabled={ids.length === 0}
      onChange={() => (selection.isAll ? selection.clear() : selection.set(ids, !isWhole))}
      aria-label={t('table.selectAll')}
    />
  );
}

// The edge of a column's head: dragging it, or its arrow keys, change the column's width.

interface ColumnEdgeProps {
  readonly label: string;
  /** px; null: automatic width. */
  readonly onResize: (width: number | null) => void;
}

const measureWidth = (element: Element) => element.closest('th')?.getBoundingClientRect().width ?? 0;

function resizeByKey(event: KeyboardEvent, onResize: (width: number) => void): void {
  const width = widthByKey(event.key, measureWidth(event.currentTarget));
  if (width === null) return;
  event.preventDefault();
  event.stopPropagation();
  onResize(width);
}

/** Not a Tab stop: sortable heads handle the keys themselves, and the column menu sets every column's width. */
function ColumnEdge({ label, onResize }: ColumnEdgeProps) {
  const { t } = useTranslation('frame');
  const start = useRef<{ readonly x: number; readonly width: number } | null>(null);
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    start.current = { x: event.clientX, width: measureWidth(event.currentTarget) };
  };
  const onPointerMove = ({ clientX }: PointerEvent<HTMLElement>) => {
    if (start.current) onResize(widthWithin(start.current.width + clientX - start.current.x));
  };
  return (
    <button
      type="button"
      className={classes.edge}
      aria-label={t('table.resize', { column: label })}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => {
        start.current = null;
      }}
      tabIndex={-1}
      onKeyDown={(event) => resizeByKey(event, onResize)}
      onDoubleClick={() => onResize(null)}
    />
  );
}
