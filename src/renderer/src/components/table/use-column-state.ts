// The columns, order, widths and sort order of a list; choices are stored in this browser.
import type { SortingState, Updater } from '@tanstack/react-table';
import { useEffect, useMemo, useState } from 'react';
import { changeTableView, type TableView, useView } from '../../state/view.ts';
import type { ColumnLook } from './columns.ts';

export interface ColumnState {
  readonly tableState: {
    readonly sorting: SortingState;
    readonly columnVisibility: Record<string, boolean>;
    readonly columnOrder: string[];
  };
  readonly onSortingChange: (change: Updater<SortingState>) => void;
  canSort(id: string): boolean;
  getWidth(id: string): number | undefined;
  /** null: the list stores no choices. */
  readonly onResize: ((id: string, width: number | null) => void) | null;
}

const NO_VIEW: TableView = {};

export function useColumnState(
  remember: string | undefined,
  looks: ReadonlyMap<string, ColumnLook>,
  sort: string | undefined,
  onSort: ((sort: string) => void) | undefined,
): ColumnState {
  const view = useView(({ tables }) => (remember === undefined ? NO_VIEW : (tables[remember] ?? NO_VIEW)));
  const [own, setOwn] = useState<SortingState>(() => parseSorting(sort, looks));
  const sorting = useMemo(() => (onSort ? parseSorting(sort, looks) : own), [onSort, sort, looks, own]);
  const tableState = useMemo(
    () => ({ sorting, columnVisibility: computeVisibility(looks, view), columnOrder: computeOrder(looks, view) }),
    [sorting, looks, view],
  );
  return {
    tableState,
    onSortingChange(change) {
      const next = typeof change === 'function' ? change(sorting) : change;
      if (onSort) onSort(next.map(({ id, desc }) => `${desc ? '-' : ''}${looks.get(id)?.sort ?? id}`).join());
      else setOwn(next);
    },
    canSort: (id) => looks.get(id)?.sort !== undefined,
    getWidth: (id) => view.widths?.[id] ?? looks.get(id)?.width,
    onResize:
      remember === undefined
        ? null
        : (id, width) => {
            const { [id]: _, ...others } = view.widths ?? {};
            changeTableView(remember, { widths: width === null ? others : { ...others, [id]: width } });
          },
  };
}

const NARROWEST = 64;
const WIDEST = 640;
const KEY_STEP = 16;

/** The width limited to the allowed range, in px. */
export function widthWithin(width: number): number {
  return Math.round(Math.min(Math.max(width, NARROWEST), WIDEST));
}

/** The width after an arrow key; null: another key. */
export function widthByKey(key: string, width: number): number | null {
  const step = { ArrowLeft: -KEY_STEP, ArrowRight: KEY_STEP }[key];
  return step === undefined ? null : widthWithin(width + step);
}

function parseSorting(sort: string | undefined, looks: ReadonlyMap<string, ColumnLook>): SortingState {
  const field = sort?.replace(/^-/, '');
  const id = [...looks].find(([, look]) => look.sort === field)?.[0];
  return sort === undefined || id === undefined ? [] : [{ id, desc: sort.startsWith('-') }];
}

/** Whether a column is shown: by choice, else by default. */
export function isShown(id: string, look: ColumnLook, view: TableView): boolean {
  return look.isFixed === true || (view.shown?.[id] ?? look.isHidden !== true);
}

function computeVisibility(looks: ReadonlyMap<string, ColumnLook>, view: TableView): Record<string, boolean> {
  return Object.fromEntries([...looks].map(([id, look]) => [id, isShown(id, look, view)]));
}

/** The chosen order; columns that are newer than the choice stay at their default position. */
export function computeOrder(looks: ReadonlyMap<string, ColumnLook>, view: TableView): string[] {
  const all = [...looks.keys()];
  if (view.order === undefined) return all;
  const order = view.order.filter((id) => looks.has(id));
  for (const [index, id] of all.entries()) {
    if (!order.includes(id)) order.splice(index, 0, id);
  }
  return order;
}

/** Calls back once for each new range of rows on screen. */
export function useOnWindow(
  onWindow: ((start: number, end: number) => void) | undefined,
  start: number,
  end: number,
): void {
  useEffect(() => onWindow?.(start, end), [onWindow, start, end]);
}
