// Saved views: converts address and columns to their stored form and back. Dates of terms are stored relative to now.
import type { ColumnLook } from '../../components/table/columns.ts';
import { computeOrder, isShown } from '../../components/table/use-column-state.ts';
import type { TableView } from '../../state/view.ts';
import { buildExpiryFilter, findExpiryRange, parseFilter, parseSort } from './filter.ts';

/** The stored parameter of a range of `findExpiryRange`. */
const TERM = 'expires';

/** The filters and sort order of an address in stored form: the same text for the same list. */
export function formatStoredQuery(query: URLSearchParams, now: number): string {
  const { expires_after: after, expires_before: before, ...others } = parseFilter(query);
  const range = findExpiryRange({ expires_after: after, expires_before: before }, now);
  const sort = parseSort(query);
  const members = Object.entries({
    ...others,
    ...(range === 'own' ? { expires_after: after, expires_before: before } : range !== '' && { [TERM]: range }),
    ...(sort !== '-id' && { sort }),
  });
  const stored = members.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return new URLSearchParams(stored.toSorted()).toString();
}

/** Restores the address of a view. */
export function parseStoredQuery(stored: string, now: number): URLSearchParams {
  const query = new URLSearchParams(stored);
  const terms = buildExpiryFilter(query.get(TERM) ?? '', now);
  query.delete(TERM);
  for (const [name, value] of Object.entries(terms)) if (value !== null) query.set(name, value);
  return query;
}

/** The columns that a list shows, in their order. */
export function shownColumns(looks: ReadonlyMap<string, ColumnLook>, view: TableView): string[] {
  return computeOrder(looks, view).filter((id) => {
    const look = looks.get(id);
    return look !== undefined && isShown(id, look, view);
  });
}

/** The columns of a view in the list's stored form. */
export function buildTableView(
  columns: readonly string[],
  looks: ReadonlyMap<string, ColumnLook>,
): Pick<TableView, 'shown' | 'order'> {
  const all = [...looks.keys()];
  return {
    shown: Object.fromEntries(all.map((id) => [id, columns.includes(id)])),
    order: [...columns, ...all.filter((id) => !columns.includes(id))],
  };
}
