// Fills a new database with very many users: creates indexes and counts once, at the end, instead of with every row.
import type { NewUser } from '../core/ports/users.ts';
import type { Cell, Connection } from './database.ts';
import type { FileStore } from './index.ts';
import { UNFINISHED } from './migrate.ts';
import { createCredentialWrites } from './users/credentials.ts';
import { encodeUser, INSERT_USER } from './users/row.ts';
import { buildSearchText, createSearchIndex } from './users/search.ts';
import { FILL_COUNTS } from './users/states.ts';
import { createUserLinks } from './users/users.ts';

export interface BulkLoader {
  /**
   * Inserts the users in the order of their ids; returns their number. Records that they refer to must exist. An aborted load leaves a file
   * that is refused (`unfinished`) and has to be deleted.
   */
  loadUsers(users: Iterable<NewUser>): number;
}

/** Users of one transaction. */
const CHUNK = 100_000;

/** Settings of the text indexes while they are filled, and SQLite's own defaults, set again after that. */
const FILLING = { automerge: 0, crisismerge: 256, hashsize: 268_435_456 };
const DEFAULTS = { automerge: 4, crisismerge: 16, hashsize: 1_048_576 };

/** For a store without users and without another connection. Throws if there are users. */
export function bulkLoader(store: FileStore): BulkLoader {
  const db = store.connection();
  return {
    loadUsers: (users) => {
      if (db.prepare('SELECT 1 FROM users').get() !== undefined)
        throw new Error('a bulk load is for an empty database');
      const version = Number(db.pragma('user_version', { simple: true }));
      const dropped = store.write(() => {
        db.pragma(`user_version = ${UNFINISHED}`);
        tune(db, FILLING);
        return dropIndexes(db);
      });
      const count = insertAll(store, db, users);
      store.write(() => {
        for (const sql of dropped) db.exec(sql);
        db.exec(FILL_COUNTS);
      });
      for (const table of SEARCHED) db.exec(`INSERT INTO ${table} (${table}) VALUES ('optimize')`);
      store.write(() => {
        tune(db, DEFAULTS);
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

/** Drops indexes and triggers of the users and their credentials; returns their SQL. */
function dropIndexes(db: Connection): string[] {
  const made = db
    .prepare<[], { readonly type: string; readonly name: string; readonly sql: string }>(
      "SELECT type, name, sql FROM sqlite_schema WHERE tbl_name IN ('users', 'user_credentials', 'user_inbound_credentials') AND type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY rowid",
    )
    .all();
  for (const { type, name } of made) db.exec(`DROP ${type} ${name}`);
  return made.map(({ sql }) => sql);
}

function insertAll(store: FileStore, db: Connection, users: Iterable<NewUser>): number {
  const insert = db.prepare<Cell[]>(INSERT_USER);
  const credentials = createCredentialWrites(db);
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
        credentials.insert(id, next.value.credentials);
        links.insert(id, next.value);
        search.insert(id, buildSearchText(next.value));
        count += 1;
      }
    });
  }
  return count;
}
