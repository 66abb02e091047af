// Makes a new database from the rows of a checked one. Pages of an untrusted file never become the live database: every row passes the
// schema's own checks, and counts and the search index are computed from the users.
import { parseOwnJson } from '../../domain/own-json.ts';
import { type Connection, listTables, openWorkFile } from '../database.ts';
import { loadMigrations, type Migration, migrate } from '../migrate.ts';
import { buildSearchText, createSearchIndex } from '../users/search.ts';
import { FILL_COUNTS } from '../users/states.ts';
import { getWholeClass } from './restore-classes.ts';

const CHUNK = 5000;

/**
 * Writes `target`, a new file (0600), from `source`, which `checkDatabase` accepted, and migrates it to the present version. Throws if a
 * row breaks a rule of the schema.
 */
export function rebuildDatabase(
  source: string,
  target: string,
  schema: number,
  migrations: readonly Migration[] = loadMigrations(),
): void {
  const db = openWorkFile(target);
  try {
    migrate(db, target, 0, migrations.slice(0, schema));
    const dropped = dropIndexes(db);
    copyRows(db, source);
    for (const sql of dropped) db.exec(sql);
    migrate(db, target, 0, migrations);
    db.transaction(() => db.exec(FILL_COUNTS))();
    db.transaction(() => fillSearch(db))();
  } finally {
    db.close();
  }
}

/** Drops indexes and triggers, which are cheaper to create at the end; returns their SQL. */
function dropIndexes(db: Connection): readonly string[] {
  const made = db
    .prepare<[], { readonly type: string; readonly name: string; readonly sql: string }>(
      "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY rowid",
    )
    .all();
  for (const { type, name } of made) db.exec(`DROP ${type} "${name}"`);
  return made.map(({ sql }) => sql);
}

function copyRows(db: Connection, source: string): void {
  // Tables are copied in the order of their names; references are checked at the end.
  db.pragma('foreign_keys = OFF');
  db.prepare('ATTACH ? AS source').run(source);
  try {
    db.transaction(() => {
      for (const table of listTables(db)) if (getWholeClass(table) === null) copyTable(db, table);
      copySequences(db);
    })();
  } finally {
    db.exec('DETACH source');
  }
}

function copyTable(db: Connection, table: string): void {
  const names = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table);
  const columns = names.map((name) => `"${name}"`).join(', ');
  db.exec(`INSERT INTO main."${table}" (${columns}) SELECT ${columns} FROM source."${table}"`);
}

/** Copies the sequences, so that the id of a deleted row is not used again. */
function copySequences(db: Connection): void {
  db.exec('DELETE FROM main.sqlite_sequence');
  const known = listTables(db).map((name) => `'${name}'`);
  db.exec(
    `INSERT INTO main.sqlite_sequence (name, seq)
     SELECT name, max(seq) FROM source.sqlite_sequence WHERE name IN (${known.join(', ')}) GROUP BY name`,
  );
}

interface Searched {
  readonly id: number;
  readonly name: string;
  readonly contact: string;
  readonly note: string;
  readonly tags: string;
  readonly externalId: string | null;
}

function fillSearch(db: Connection): void {
  const next = db.prepare<[number], Searched>(
    `SELECT id, name, contact, note, tags, external_id AS externalId FROM users WHERE id > ? ORDER BY id LIMIT ${CHUNK}`,
  );
  const index = createSearchIndex(db);
  let afterId = 0;
  for (let rows = next.all(afterId); rows.length > 0; rows = next.all(afterId)) {
    for (const row of rows) index.insert(row.id, buildSearchText({ ...row, tags: parseOwnJson(row.tags) as string[] }));
    afterId = rows.at(-1)?.id ?? afterId;
  }
}
