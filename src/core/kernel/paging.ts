// Pages of the lists that stand in the order of their ids: by offset, or behind the cursor that the page before gave.
import { parseForeignJson } from '../../domain/foreign-json.ts';
import { PanelError, requireAll } from './panel-error.ts';
import { fromBase64Url, toBase64Url } from './wire.ts';

/** What is asked of a list. */
export interface PageInput {
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string | undefined;
}

/** What a list replies with. */
export interface PageOf<Item> {
  items: Item[];
  total: number;
  limit: number;
  offset: number;
  next_cursor: string | null;
}

/** Rows in the order of the list, at most `limit`; `after`: only those behind the row with this id. */
type ReadRows<Row> = (limit: number, offset: number, after: number | undefined) => readonly Row[];

/** One page of a list. `name` is what its cursors begin with, so that a cursor of one list is none of another. */
export function pageById<Row extends { readonly id: number }, Item>(
  name: string,
  { limit, offset, cursor }: PageInput,
  total: number,
  read: ReadRows<Row>,
  view: (row: Row) => Item,
): PageOf<Item> {
  const after = cursor === undefined ? undefined : readCursor(offset, () => decodeId(name, cursor));
  const found = read(limit + 1, offset, after);
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const isMore = found.length > limit && last !== undefined;
  return { items: rows.map(view), total, limit, offset, next_cursor: isMore ? encodeCursor([name, last.id]) : null };
}

/** Of a cursor. */
const BOUNDS = { bytes: 8192, values: 20, depth: 1 };

export function encodeCursor(parts: readonly (string | number | null)[]): string {
  return toBase64Url(JSON.stringify(parts));
}

/** What a cursor holds; empty where it is none. */
export function decodeCursor(cursor: string): readonly unknown[] {
  try {
    const parts = parseForeignJson(fromBase64Url(cursor) ?? '', BOUNDS);
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

export function refuseCursor(message = 'is not a cursor of this list'): PanelError {
  return new PanelError('validation', [{ parameter: 'cursor', code: 'invalid', message }]);
}

/** What a cursor says. Refuses an offset beside it. */
export function readCursor<T>(offset: number, read: () => T): T {
  return requireAll(read, () => {
    if (offset !== 0) throw refuseCursor('goes without offset');
  });
}

function decodeId(name: string, cursor: string): number {
  const [list, id, ...others] = decodeCursor(cursor);
  if (list !== name || typeof id !== 'number' || !Number.isSafeInteger(id) || others.length > 0) throw refuseCursor();
  return id;
}
