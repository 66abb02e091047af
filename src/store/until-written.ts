// Caches a value until the next write to the database.
import type { Connection } from './database.ts';

/**
 * Calls `read` again only after a write by any connection: SQLite counts the commits of other connections (data_version) and the rows that
 * this one changed (total_changes), and both numbers only increase.
 */
export function untilWritten<T>(db: Connection, read: () => T): () => T {
  const theirs = db.prepare<[], number>('PRAGMA data_version').pluck();
  const ours = db.prepare<[], number>('SELECT total_changes()').pluck();
  let known: { readonly mark: string; readonly value: T } | null = null;
  return () => {
    // Not cached: a rollback of the open transaction would not be counted.
    if (db.inTransaction) return read();
    const mark = `${theirs.get()} ${ours.get()}`;
    if (known === null || known.mark !== mark) known = { mark, value: read() };
    return known.value;
  };
}
