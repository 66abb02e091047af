// Statements are prepared once and found again by their text.
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
 * `LIMIT` with a parameter. A bare parameter there makes SQLite prepare the statement anew whenever another value is bound, even the
 * same one (its planner looks at it): 25 us for a list of users.
 */
export function limitTo(parameter: '?' | `:${string}`): string {
  return `LIMIT ${parameter} + 0`;
}

/**
 * An equality with a parameter, for an index. A bare one has SQLite prepare the statement anew at every other value, as `LIMIT` does: 60 us
 * for a page of users behind a cursor.
 */
export function equals(column: string, parameter: `:${string}`): string {
  return `${column} = +${parameter}`;
}

// The texts are made of a few parts, so there are some hundreds of them at most; the bound is for what nobody foresaw.
const KEPT = 400;

/** For statements whose text is put together at run time. */
export function createStatements(db: Connection): Statements {
  const raw = createCache((sql: string) => db.prepare<[Params], readonly Cell[]>(sql).raw());
  const plucked = createCache((sql: string) => db.prepare<[Params], Cell>(sql).pluck());
  return {
    rows: <Row extends readonly Cell[]>(sql: string, params: Params) => raw(sql).all(params) as unknown as Row[],
    column: <T extends Cell>(sql: string, params: Params) => plucked(sql).all(params) as T[],
    value: <T extends Cell>(sql: string, params: Params) => plucked(sql).get(params) as T | undefined,
  };
}

/** Keeps what was made of the last texts. */
export function createCache<Key, T>(make: (key: Key) => T): (key: Key) => T {
  const kept = new Map<Key, T>();
  return (key) => {
    let found = kept.get(key);
    if (found === undefined) {
      const oldest = kept.keys().next();
      if (kept.size >= KEPT && !oldest.done) kept.delete(oldest.value);
      found = make(key);
      kept.set(key, found);
    }
    return found;
  };
}
