// Caches what was read until the next write to the database.
import type { Connection } from './database.ts';

/**
 * What `read` gives, read again only after something was written, no matter what and by which connection: SQLite counts the commits of other
 * connections (data_version) and the rows that this one changed (total_changes), and neither number ever comes back.
 */
export function untilWritten<T>(db: Connection, read: () => T): () => T {
  const theirs = db.prepare<[], number>('PRAGMA data_version').pluck();
  const ours = db.prepare<[], number>('SELECT total_changes()').pluck();
  let known: { readonly mark: string; readonly value: T } | null = null;
  return () => {
    // What an open transaction has written may be undone, and that is not counted.
    if (db.inTransaction) return read();
    const mark = `${theirs.get()} ${ours.get()}`;
    if (known === null || known.mark !== mark) known = { mark, value: read() };
    return known.value;
  };
}
