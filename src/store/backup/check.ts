// Judges a database file that came from elsewhere before a row of it is used: is it the panel's, of a version known here, and whole?
import { closeSync, openSync, readSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { SealedRow } from '../../core/ports/administrator.ts';
import { type Connection, openConnection } from '../database.ts';
import { inspect, loadMigrations, type Migration, migrate } from '../migrate.ts';
import { isRefusal } from '../refusal.ts';
import { countRows, type RowCounts, wrongIn } from './inspect-rows.ts';

export type DatabaseProblem = 'foreign' | 'newer' | 'damaged';

export type Judged =
  | { readonly problem: DatabaseProblem }
  | {
      readonly problem: null;
      readonly schema: number;
      readonly counts: RowCounts;
      /** Sealed secrets that lie in it; only the key that sealed them opens them. */
      readonly sealed: readonly SealedRow[];
    };

const MAGIC = 'SQLite format 3\0';

/** Whether a file begins as SQLite's do. */
export function isDatabase(file: string): boolean {
  const beginning = Buffer.alloc(MAGIC.length);
  const handle = openSync(file, 'r');
  try {
    readSync(handle, beginning, 0, beginning.length, 0);
  } finally {
    closeSync(handle);
  }
  return beginning.toString('latin1') === MAGIC;
}

/**
 * Judges `file`, which nobody else has open. Nothing in it is run: a file with anything that the panel's own migrations do not
 * make (triggers, views, tables, columns) is foreign. The file stays as it is.
 */
export function judgeDatabase(file: string, migrations: readonly Migration[] = loadMigrations()): Judged {
  try {
    const schema = inspect(file, migrations);
    if (schema === 0) return { problem: 'foreign' };
    const db = openConnection(file, { readonly: true });
    try {
      return judge(db, schema, migrations);
    } finally {
      db.close();
    }
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

function judge(db: Connection, schema: number, migrations: readonly Migration[]): Judged {
  if (schemaOf(db) !== expectedSchema(schema, migrations)) return { problem: 'foreign' };
  if (wrongIn(db) !== null) return { problem: 'damaged' };
  const sealed = db
    .prepare<[], SealedRow>('SELECT place, key_id AS keyId, nonce, ciphertext FROM sealed ORDER BY place')
    .all();
  return { problem: null, schema, counts: countRows(db), sealed };
}

/** Everything there is, word for word, but for SQLite's own tables and what a virtual table keeps below it in words of its own. */
function schemaOf(db: Connection): string {
  const below = db.prepare<[], string>("SELECT name FROM pragma_table_list WHERE type = 'shadow'").pluck().all();
  const rows = db
    .prepare<[], [type: string, name: string, table: string, sql: string | null]>(
      `SELECT type, name, tbl_name, sql FROM sqlite_schema
       WHERE name NOT IN ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4') ORDER BY type, name, tbl_name, sql`,
    )
    .raw()
    .all();
  return JSON.stringify(rows.map(([type, name, table, sql]) => [type, name, table, below.includes(name) ? null : sql]));
}

/** The schema that the migrations up to `version` make. */
function expectedSchema(version: number, migrations: readonly Migration[]): string {
  const db = new Database(':memory:');
  try {
    migrate(db, ':memory:', 0, migrations.slice(0, version));
    return schemaOf(db);
  } finally {
    db.close();
  }
}

/** Whatever SQLite cannot make sense of is damage; what is not SQLite's is a failure of ours. */
function problemOf(error: unknown): DatabaseProblem {
  if (isRefusal(error)) {
    const { reason } = error;
    if (reason === 'newer') return 'newer';
    if (reason === 'foreign' || reason === 'diverged') return 'foreign';
    if (reason === 'damaged' || reason === 'unfinished') return 'damaged';
  }
  const code = error instanceof Database.SqliteError ? error.code : '';
  // A table or column that is not there: somebody else's database, or one from before there were migrations.
  if (code === 'SQLITE_ERROR') return 'foreign';
  if (code !== '' && code !== 'SQLITE_FULL' && code !== 'SQLITE_NOMEM' && code !== 'SQLITE_CANTOPEN') return 'damaged';
  throw error;
}
