// The selected rows, also on pages that are not loaded, or all rows that match the filter.
import { useCallback, useMemo, useState } from 'react';

export type RowId = number | string;

export interface Selection {
  readonly ids: ReadonlySet<RowId>;
  /** All rows that match the filter, loaded or not: the action then gets the filter instead of ids. */
  readonly isAll: boolean;
  has(id: RowId): boolean;
  toggle(id: RowId): void;
  /** Selects or clears several at once, as shift-click does. */
  set(ids: readonly RowId[], isOn: boolean): void;
  selectAll(): void;
  clear(): void;
}

interface State {
  readonly ids: ReadonlySet<RowId>;
  readonly isAll: boolean;
}

const NOTHING: State = { ids: new Set(), isAll: false };

/** Toggles one row; removing a row from "all" returns to the rows that were selected one by one before. */
export function toggled({ ids, isAll }: State, id: RowId): State {
  const next = new Set(ids);
  if (isAll || next.has(id)) next.delete(id);
  else next.add(id);
  return { ids: next, isAll: false };
}

export function withRows({ ids }: State, rows: readonly RowId[], isOn: boolean): State {
  const next = new Set(ids);
  for (const id of rows) {
    if (isOn) next.add(id);
    else next.delete(id);
  }
  return { ids: next, isAll: false };
}

/** `key`: the list's filter; another filter clears the selection, which could otherwise contain rows that are not visible. */
export function useSelection(key = ''): Selection {
  const [state, setState] = useState<State & { readonly key: string }>({ ...NOTHING, key });
  const current = state.key === key ? state : NOTHING;
  const change = useCallback(
    (next: (state: State) => State) => setState((before) => ({ ...next(before.key === key ? before : NOTHING), key })),
    [key],
  );
  return useMemo(
    () => ({
      ...current,
      has: (id) => current.isAll || current.ids.has(id),
      toggle: (id) => change((before) => toggled(before, id)),
      set: (ids, isOn) => change((before) => withRows(before, ids, isOn)),
      selectAll: () => change(({ ids }) => ({ ids, isAll: true })),
      clear: () => change(() => NOTHING),
    }),
    [current, change],
  );
}
