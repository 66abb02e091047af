// Prepared statements, cached by their text.
import type { Uses } from '../contract/errors.ts';
import type { Cell, Connection } from './database.ts';

/** Named parameters of one statement. */
export type Params = Readonly<Record<string, Cell>>;

export interface Statements {
  /** Rows as arrays of cells. */
  rows<Row extends readonly Cell[]>(sql: string, params: Params): Row[];
  /** The first column of each row. */
  column<T extends Cell>(sql: string, params: Params): T[];
  /** The first column of the first row. */
  value<T extends Cell>(sql: string, params: Params): T | undefined;
}

/**
 * `LIMIT` with a parameter. With a bare parameter SQLite prepares the statement again whenever a value is bound, even the same one (its
 * planner uses it): 25 us for a list of users.
 */
export function limitTo(parameter: '?' | `:${string}`): string {
  return `LIMIT ${parameter} + 0`;
}

/**
 * An equality with a parameter, for an index. With a bare one SQLite prepares the statement again for every other value, as for `LIMIT`: 60
 * us for a page of users after a cursor.
 */
export function equals(column: string, parameter: `:${string}`): string {
  return `${column} = +${parameter}`;
}

/** Records that are named; the rest is only counted. */
const NAMED_USES = 10;

/** Finds the records that use another one: `count` counts them by its id, `select` returns their ids and names in order. */
export function createUses(db: Connection, count: string, select: string): (id: number) => Uses {
  const total = db.prepare<[number], number>(count).pluck();
  const first = db.prepare<[number, number], Uses['first'][number]>(`${select} ${limitTo('?')}`);
  return (id) => ({ total: total.get(id) ?? 0, first: first.all(id, NAMED_USES) });
}

// The texts are built from a few parts, so there are some hundreds of them; the limit is a safeguard.
const MAX_CACHED = 400;

/** Prepared statements for SQL that is built at run time. */
export function createStatements(db: Connection): Statements {
  const raw = createCache((sql: string) => db.prepare<[Params], readonly Cell[]>(sql).raw());
  const plucked = createCache((sql: string) => db.prepare<[Params], Cell>(sql).pluck());
  return {
    rows: <Row extends readonly Cell[]>(sql: string, params: Params) => raw(sql).all(params) as unknown as Row[],
    column: <T extends Cell>(sql: string, params: Params) => plucked(sql).all(params) as T[],
    value: <T extends Cell>(sql: string, params: Params) => plucked(sql).get(params) as T | undefined,
  };
}

/** Caches a value for each key; the oldest entry is dropped. */
export function createCache<Key, T>(make: (key: Key) => T): (key: Key) => T {
  const cached = new Map<Key, T>();
  return (key) => {
    let found = cached.get(key);
    if (found === undefined) {
      const oldest = cached.keys().next();
      if (cached.size >= MAX_CACHED && !oldest.done) cached.delete(oldest.value);
      found = make(key);
      cached.set(key, found);
    }
    return found;
  };
}
