// Checks a database file of unknown origin before any row of it is used: it must be the panel's, of a known version, consistent and
// complete.
import { closeSync, openSync, readSync } from 'node:fs';
import Database from 'better-sqlite3';
import { BACKUP_PLACE_KINDS } from '../../contract/backup-places.ts';
import { NETWORKS, PROTOCOLS } from '../../contract/inbounds.ts';
import { PROVIDER_KINDS } from '../../contract/sales/providers.ts';
import type { SealedRow } from '../../core/ports/sealed.ts';
import { type Connection, isDatabaseRefusal, listTables, openConnection } from '../database.ts';
import { inspect, loadMigrations, type Migration, migrate } from '../migrate.ts';

export type DatabaseProblem = 'foreign' | 'newer' | 'damaged';

export type CheckedDatabase =
  | {
      readonly problem: DatabaseProblem;
      /** The name of the foreign part, or SQLite's message; null: unknown. */
      readonly detail: string | null;
    }
  | {
      readonly problem: null;
      readonly schema: number;
      readonly counts: RowCounts;
      /** The sealed secrets in it, which only their master key opens. */
      readonly sealed: readonly SealedRow[];
    };

/** Number of rows by table. */
export type RowCounts = Readonly<Record<string, number>>;

const MAGIC = 'SQLite format 3\0';

/** Tables that Litestream makes in the database it copies: left out of backups, and ignored in checks. */
export const LITESTREAM_TABLES = ['_litestream_seq', '_litestream_lock'] as const;
/** Names come from an untrusted file. */
const MAX_DETAIL = 120;

/** Whether a file has SQLite's header. */
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
 * Checks `file`, which no other connection may have open. Nothing in it is executed: a file with anything that the panel's own migrations
 * do not make (triggers, views, tables, columns) is foreign. The file stays unchanged.
 */
export function checkDatabase(file: string, migrations: readonly Migration[] = loadMigrations()): CheckedDatabase {
  try {
    const schema = inspect(file, migrations);
    if (schema === 0) return { problem: 'foreign', detail: null };
    const db = openConnection(file, { readonly: true });
    try {
      return checkContents(db, schema, migrations);
    } finally {
      db.close();
    }
  } catch (error) {
    return { problem: classifyError(error), detail: null };
  }
}

function checkContents(db: Connection, schema: number, migrations: readonly Migration[]): CheckedDatabase {
  const foreign = findForeign(readSchema(db), expectedSchema(schema, migrations));
  if (foreign !== null) return { problem: 'foreign', detail: foreign };
  const fault = findFault(db);
  if (fault !== null) return { problem: 'damaged', detail: sanitizeDetail(fault) };
  const sealed = db
    .prepare<[], SealedRow>('SELECT place, key_id AS keyId, nonce, ciphertext FROM sealed ORDER BY place')
    .all();
  return { problem: null, schema, counts: countRows(db), sealed };
}

/** One line for each table, index, trigger and view. */
type Schema = readonly { readonly name: string; readonly line: string }[];

/** The schema without SQLite's own tables, those of Litestream and the SQL of shadow tables, which differs by SQLite's version. */
function readSchema(db: Connection): Schema {
  const shadows = db.prepare<[], string>("SELECT name FROM pragma_table_list WHERE type = 'shadow'").pluck().all();
  const rows = db
    .prepare<[string], [type: string, name: string, table: string, sql: string | null]>(
      `SELECT type, name, tbl_name, sql FROM sqlite_schema
       WHERE name NOT IN ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4')
         AND tbl_name NOT IN (SELECT value FROM json_each(?)) ORDER BY type, name, tbl_name, sql`,
    )
    .raw()
    .all(JSON.stringify(LITESTREAM_TABLES));
  return rows.map(([type, name, table, sql]) => ({
    name: `${type} ${name}`,
    line: JSON.stringify([type, name, table, shadows.includes(name) ? null : sql]),
  }));
}

/** The first part of a schema that the panel does not make, or that is missing; null: none. */
function findForeign(found: Schema, expected: Schema): string | null {
  const lacks = (schema: Schema) => {
    const lines = new Set(schema.map(({ line }) => line));
    return ({ line }: Schema[number]) => !lines.has(line);
  };
  const other = found.find(lacks(expected)) ?? expected.find(lacks(found));
  return other === undefined ? null : sanitizeDetail(other.name);
}

function sanitizeDetail(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ').slice(0, MAX_DETAIL);
}

/** The schema that the migrations up to `version` make. */
function expectedSchema(version: number, migrations: readonly Migration[]): Schema {
  const db = new Database(':memory:');
  try {
    migrate(db, ':memory:', 0, migrations.slice(0, version));
    return readSchema(db);
  } finally {
    db.close();
  }
}

/** A file that SQLite cannot read is damaged; any other error is a failure of the panel and is thrown. */
function classifyError(error: unknown): DatabaseProblem {
  if (isDatabaseRefusal(error)) {
    const { reason } = error;
    if (reason === 'newer') return 'newer';
    if (reason === 'foreign' || reason === 'diverged') return 'foreign';
    if (reason === 'damaged' || reason === 'unfinished') return 'damaged';
  }
  const code = error instanceof Database.SqliteError ? error.code : '';
  // A missing table or column: a database of another program, or one from before there were migrations.
  if (code === 'SQLITE_ERROR') return 'foreign';
  if (code !== '' && code !== 'SQLITE_FULL' && code !== 'SQLITE_NOMEM' && code !== 'SQLITE_CANTOPEN') return 'damaged';
  throw error;
}

/** JSON lists of texts and of numbers: the schema's CHECK only ensures that it is a list. */
const LISTS = [
  ['users', 'tags', 'text'],
  ['users', 'inbounds', 'integer'],
  ['tariffs', 'inbounds', 'integer'],
  ['inbounds', 'alpn', 'text'],
] as const;

/** Enums of the contract that grow, so that the schema has no CHECK for them. */
const ENUMS = [
  ['inbounds', 'protocol', PROTOCOLS],
  ['inbounds', 'network', NETWORKS],
  ['providers', 'kind', PROVIDER_KINDS],
  ['backup_places', 'kind', BACKUP_PLACE_KINDS],
] as const;

export function countRows(db: Connection): RowCounts {
  const countTableRows = (name: string) => Number(db.prepare(`SELECT count(*) FROM "${name}"`).pluck().get());
  return Object.fromEntries(listTables(db).map((name) => [name, countTableRows(name)]));
}

/** The first fault in the rows of a database with the panel's schema; null: none. */
export function findFault(db: Connection): string | null {
  const found = String(db.pragma('integrity_check(1)', { simple: true }));
  if (found !== 'ok') return found;
  const [broken] = db.pragma('foreign_key_check') as readonly { readonly table: string }[];
  if (broken) return `${broken.table} refers to a missing row`;
  const wide = listTables(db).find((name) => holdsWideNumbers(db, name));
  if (wide) return `${wide} holds numbers that are too large`;
  if (holdsWideNumbers(db, 'sqlite_sequence')) return 'an id is too large';
  if (hasUserWithoutCredentials(db)) return 'a user lacks credentials';
  const unknown = ENUMS.find(([table, column, values]) => holdsUnknown(db, table, column, values));
  if (unknown) return `${unknown[0]}.${unknown[1]} holds an unknown value`;
  const list = LISTS.find(([table, column, type]) => holdsOther(db, table, column, type));
  return list ? `${list[0]}.${list[1]} holds something else` : null;
}

function hasUserWithoutCredentials(db: Connection): boolean {
  const sql =
    "SELECT 1 FROM user_credentials WHERE user_id = users.id AND family IN ('uuid', 'password', 'key', 'wireguard')";
  return db.prepare(`SELECT 1 FROM users WHERE (SELECT count(*) FROM (${sql})) < 4 LIMIT 1`).get() !== undefined;
}

/** Half of the integers that JavaScript represents exactly, so that ids can still grow. */
const WIDEST = { id: 2 ** 52, seq: 2 ** 52 } as const;

function holdsWideNumbers(db: Connection, table: string): boolean {
  const columns =
    table === 'sqlite_sequence'
      ? ['seq']
      : db.prepare<[string], string>("SELECT name FROM pragma_table_info(?) WHERE type = 'INTEGER'").pluck().all(table);
  if (columns.length === 0) return false;
  const most = (column: string) => WIDEST[column as keyof typeof WIDEST] ?? Number.MAX_SAFE_INTEGER;
  const wide = columns.map((column) => `"${column}" NOT BETWEEN ${-Number.MAX_SAFE_INTEGER} AND ${most(column)}`);
  return db.prepare(`SELECT 1 FROM "${table}" WHERE ${wide.join(' OR ')} LIMIT 1`).get() !== undefined;
}

function holdsUnknown(db: Connection, table: string, column: string, values: readonly string[]): boolean {
  const sql = `SELECT 1 FROM ${table} WHERE ${column} NOT IN (SELECT value FROM json_each(?)) LIMIT 1`;
  return db.prepare<[string]>(sql).get(JSON.stringify(values)) !== undefined;
}

function holdsOther(db: Connection, table: string, column: string, type: string): boolean {
  const sql = `SELECT 1 FROM ${table}, json_each(${table}.${column}) AS item WHERE ${table}.${column} IS NOT NULL AND item.type <> ? LIMIT 1`;
  return db.prepare<[string]>(sql).get(type) !== undefined;
}
