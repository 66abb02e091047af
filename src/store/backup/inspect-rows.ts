// Looks through a whole database: whether SQLite finds it consistent, whether JavaScript can hold its numbers, and how much is in it.
import type { Connection } from '../database.ts';

/** How many rows each table has, by its name. */
export type RowCounts = Readonly<Record<string, number>>;

/** Text in lists that are stored as JSON, and numbers in such lists: a CHECK sees only that it is a list. */
const LISTS = [
  ['users', 'tags', 'text'],
  ['users', 'inbounds', 'integer'],
  ['tariffs', 'inbounds', 'integer'],
  ['inbounds', 'alpn', 'text'],
] as const;

/** The tables that rows are kept in: no views, no virtual tables and what lies under them, none of SQLite's own. */
export function tablesOf(db: Connection): readonly string[] {
  return db
    .prepare<[], string>(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .pluck()
    .all();
}

export function countRows(db: Connection): RowCounts {
  const countOf = (name: string) => Number(db.prepare(`SELECT count(*) FROM "${name}"`).pluck().get());
  return Object.fromEntries(tablesOf(db).map((name) => [name, countOf(name)]));
}

/** What is wrong with a database whose schema is the panel's; null where nothing is. */
export function wrongIn(db: Connection): string | null {
  const found = String(db.pragma('integrity_check(1)', { simple: true }));
  if (found !== 'ok') return found;
  const [broken] = db.pragma('foreign_key_check') as readonly { readonly table: string }[];
  if (broken) return `${broken.table} refers to what is not there`;
  const wide = tablesOf(db).find((name) => holdsWideNumbers(db, name));
  if (wide) return `${wide} holds numbers that are too large`;
  if (holdsWideNumbers(db, 'sqlite_sequence')) return 'an id is too large';
  const list = LISTS.find(([table, column, type]) => holdsOther(db, table, column, type));
  return list ? `${list[0]}.${list[1]} holds something else` : null;
}

/** Ids have room to grow: half of what can be held. */
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

function holdsOther(db: Connection, table: string, column: string, type: string): boolean {
  const sql = `SELECT 1 FROM ${table}, json_each(${table}.${column}) AS item WHERE ${table}.${column} IS NOT NULL AND item.type <> ? LIMIT 1`;
  return db.prepare<[string]>(sql).get(type) !== undefined;
}
