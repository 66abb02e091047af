// Whether a failure of SQLite lies in the rows it was given, and not in the disk or in memory.
import Database from 'better-sqlite3';

const FAULTS = /^SQLITE_(CONSTRAINT|MISMATCH|CORRUPT|NOTADB|TOOBIG|RANGE)/;

export function isDataFault(error: unknown): boolean {
  return error instanceof Database.SqliteError && FAULTS.test(error.code);
}
