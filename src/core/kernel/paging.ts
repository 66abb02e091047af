// Pagination of lists ordered by id: by offset, or by the cursor of the previous page.
import { parseForeignJson } from '../../domain/foreign-json.ts';
import { PanelError, requireAll } from './panel-error.ts';
import { fromBase64Url, toBase64Url } from './wire.ts';

/** Input of a list. */
export interface PageInput {
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string | undefined;
}

/** Output of a list. */
export interface PageOf<Item> {
  items: Item[];
  total: number;
  limit: number;
  offset: number;
  next_cursor: string | null;
}

/** Rows in list order, at most `limit`; `after`: only rows after this id. */
type ReadRows<Row> = (limit: number, offset: number, after: number | undefined) => readonly Row[];

/** One page of a list. `name` is the prefix of its cursors, so that a cursor of another list is refused. */
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

/** Limits of a cursor. */
const BOUNDS = { bytes: 8192, values: 20, depth: 1 };

export function encodeCursor(parts: readonly (string | number | null)[]): string {
  return toBase64Url(JSON.stringify(parts));
}

/** The content of a cursor; empty if it is invalid. */
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

/** Reads a cursor. Rejects a cursor combined with an offset. */
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
