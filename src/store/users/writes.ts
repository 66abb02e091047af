// Making, changing and deleting users: each write touches the columns that differ and no index besides.
import type { NewUser, UserRow } from '../../core/ports/users.ts';
import type { Cell, Connection } from '../database.ts';
import { createCache } from '../statements.ts';
import { createUserLinks } from './links.ts';
import { TEXT_COLUMNS, WRITTEN } from './row.ts';
import { createSearchIndex, searchedText } from './search.ts';

export interface UserWrites {
  insert(user: NewUser): number;
  save(before: UserRow, after: UserRow): void;
  remove(id: number): void;
}

/** The statement that makes a user of the cells of `WRITTEN`. */
export const INSERT_USER = `INSERT INTO users (${WRITTEN.map(({ name }) => name).join(', ')})
  VALUES (${WRITTEN.map(() => '?').join(', ')})`;

/** The cells of `WRITTEN`. */
export function encodeUser(user: NewUser): Cell[] {
  return WRITTEN.map(({ cell }) => cell(user));
}

// The rows of users' traffic are ordered by time: the times there are, found by one look each, and in each the one user.
const removeOver = (table: string, time: string) => `
  WITH RECURSIVE times (t) AS (
    SELECT min(${time}) FROM ${table}
    UNION ALL SELECT (SELECT min(${time}) FROM ${table} WHERE ${time} > t) FROM times WHERE t IS NOT NULL
  )
  DELETE FROM ${table} WHERE user_id = ? AND ${time} IN (SELECT t FROM times)`;

/** Everything here belongs into a transaction. */
export function createUserWrites(db: Connection): UserWrites {
  const insert = db.prepare<Cell[]>(INSERT_USER);
  const removals = [
    removeOver('user_hours', 'hour'),
    removeOver('user_days', 'day'),
    removeOver('user_months', 'month'),
    'DELETE FROM users WHERE id = ?',
  ].map((sql) => db.prepare<[number]>(sql));
  const links = createUserLinks(db);
  const search = createSearchIndex(db);
  // One statement for each set of columns that was ever written together, by the sum of their bits.
  const updateOf = createCache((columns: number) => {
    const names = WRITTEN.filter((_, index) => Math.floor(columns / 2 ** index) % 2 === 1).map(({ name }) => name);
    return db.prepare<Cell[]>(`UPDATE users SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE id = ?`);
  });

  return {
    insert: (user) => {
      const id = Number(insert.run(...encodeUser(user)).lastInsertRowid);
      links.insert(id, user);
      search.insert(id, searchedText(user));
      return id;
    },
    save: (before, after) => {
      const isTextSame = hasSameText(before, after);
      const cells: Cell[] = [];
      let columns = 0;
      for (let index = isTextSame ? TEXT_COLUMNS : 0; index < WRITTEN.length; index += 1) {
        const cell = WRITTEN[index]?.cell(after) ?? null;
        if (cell === WRITTEN[index]?.cell(before)) continue;
        cells.push(cell);
        columns += 2 ** index;
      }
      if (columns === 0) return;
      cells.push(before.id);
      updateOf(columns).run(...cells);
      links.save(before.id, before, after);
      if (isTextSame) return;
      const text = searchedText(after);
      if (text !== searchedText(before)) search.replace(before.id, text);
    },
    remove: (id) => {
      for (const removal of removals) removal.run(id);
      search.remove(id);
    },
  };
}

function hasSameText(a: UserRow, b: UserRow): boolean {
  return a.name === b.name && a.contact === b.contact && a.note === b.note && a.tags === b.tags;
}
