// A look at a database file that may be another process's: read only, nothing is written beside it that was not there.
import { openConnection } from './database.ts';

/** What SQLite's quick check finds wrong with the file, in its words; null where it is whole. Throws where it cannot be opened. */
export function quickCheck(file: string): string | null {
  const db = openConnection(file, { readonly: true });
  try {
    const found = String(db.pragma('quick_check(1)', { simple: true }));
    return found === 'ok' ? null : found;
  } finally {
    db.close();
  }
}
