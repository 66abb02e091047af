// Fills a new database with very many users: what every single insert would do to indexes and counts is done once, at the end.

import type { Store } from '../core/ports/ports.ts';
import type { NewUser } from '../core/ports/users.ts';
import type { Cell, Connection } from './database.ts';
import { connectionOf } from './index.ts';
import { UNFINISHED } from './migrate.ts';
import { createUserLinks } from './users/links.ts';
import { createSearchIndex, searchedText } from './users/search.ts';
import { encodeUser, INSERT_USER } from './users/writes.ts';

export interface BulkLoader {
  /**
   * Inserts the users, ids growing in their order, and returns how many. What they refer to must be there. A load that breaks off
   * leaves a file that is refused from then on (`unfinished`): it is made anew.
   */
  loadUsers(users: Iterable<NewUser>): number;
}

/** Users in one transaction. */
const CHUNK = 100_000;

/** How the text indexes work while they are filled, and what they are put back to: SQLite's own defaults. */
const FILLING = { automerge: 0, crisismerge: 256, hashsize: 268_435_456 };
const USUAL = { automerge: 4, crisismerge: 16, hashsize: 1_048_576 };

/** For a store without users that nobody else has open. Throws if there are any. */
export function bulkLoader(store: Store): BulkLoader {
  const db = connectionOf(store);
  return {
    loadUsers: (users) => {
      if (db.prepare('SELECT 1 FROM users').get() !== undefined)
        throw new Error('a bulk load is for an empty database');
      const version = Number(db.pragma('user_version', { simple: true }));
      const taken = store.write(() => {
        db.pragma(`user_version = ${UNFINISHED}`);
        tune(db, FILLING);
        return takeDown(db);
      });
      const count = insertAll(store, db, users);
      store.write(() => {
        for (const sql of taken) db.exec(sql);
        db.exec(
          `INSERT INTO user_counts (tariff_id, state, count)
           SELECT coalesce(tariff_id, 0), state, count(*) FROM users GROUP BY 1, 2`,
        );
      });
      for (const table of SEARCHED) db.exec(`INSERT INTO ${table} (${table}) VALUES ('optimize')`);
      store.write(() => {
        tune(db, USUAL);
        db.pragma(`user_version = ${version}`);
      });
      return count;
    },
  };
}

const SEARCHED = ['user_text', 'user_grams'] as const;

function tune(db: Connection, settings: Readonly<Record<string, number>>): void {
  for (const table of SEARCHED) {
    for (const [name, value] of Object.entries(settings)) {
      db.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('${name}', ${value})`);
    }
  }
}

/** Drops indexes and triggers of the users; returns what makes them again, word for word. */
function takeDown(db: Connection): string[] {
  const made = db
    .prepare<[], { readonly type: string; readonly name: string; readonly sql: string }>(
      "SELECT type, name, sql FROM sqlite_schema WHERE tbl_name = 'users' AND type IN ('index', 'trigger') ORDER BY rowid",
    )
    .all();
  for (const { type, name } of made) db.exec(`DROP ${type} ${name}`);
  return made.map(({ sql }) => sql);
}

function insertAll(store: Store, db: Connection, users: Iterable<NewUser>): number {
  const insert = db.prepare<Cell[]>(INSERT_USER);
  const links = createUserLinks(db);
  const search = createSearchIndex(db);
  const waiting = users[Symbol.iterator]();
  let count = 0;
  let isMore = true;
  while (isMore) {
    store.write(() => {
      for (let done = 0; done < CHUNK; done += 1) {
        const next = waiting.next();
        if (next.done) {
          isMore = false;
          return;
        }
        const id = Number(insert.run(...encodeUser(next.value)).lastInsertRowid);
        links.insert(id, next.value);
        search.insert(id, searchedText(next.value));
        count += 1;
      }
    });
  }
  return count;
}
