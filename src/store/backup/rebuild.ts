// Makes a new database of the rows of a judged one. Pages of a file from elsewhere never become the live database: every row passes the
// schema's own checks on its way, and counts and the search index are made anew from the users.
import type { Connection } from '../database.ts';
import { loadMigrations, type Migration, migrate } from '../migrate.ts';
import { createSearchIndex, searchedText } from '../users/search.ts';
import { openWorkFile } from '../work-file.ts';
import { tablesOf } from './inspect-rows.ts';

/** Not taken over: made by the migrations, made anew, bound to another machine's key, or of one moment only. */
const LEFT: ReadonlySet<string> = new Set([
  ...['schema_migrations', 'user_counts', 'events', 'events_pruned', 'sealed'],
  ...['sessions', 'setup_token', 'two_factor_pending'],
]);
const CHUNK = 5000;

/**
 * Writes `target`, a new file (0600), from `source`, which `judgeDatabase` found good with this version of the schema, and brings it
 * to the present version. Throws where a row does not keep the schema's rules.
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
    const taken = takeDown(db);
    copyRows(db, source);
    for (const sql of taken) db.exec(sql);
    migrate(db, target, 0, migrations);
    db.transaction(() => fillCounts(db))();
    db.transaction(() => fillSearch(db))();
  } finally {
    db.close();
  }
}

/** Drops indexes and triggers, which cost less made at the end; returns what makes them again, word for word. */
function takeDown(db: Connection): readonly string[] {
  const made = db
    .prepare<[], { readonly type: string; readonly name: string; readonly sql: string }>(
      "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY rowid",
    )
    .all();
  for (const { type, name } of made) db.exec(`DROP ${type} "${name}"`);
  return made.map(({ sql }) => sql);
}

function copyRows(db: Connection, source: string): void {
  // Tables come by name; what refers to what is looked at when all are there.
  db.pragma('foreign_keys = OFF');
  db.prepare('ATTACH ? AS source').run(source);
  try {
    db.transaction(() => {
      for (const table of tablesOf(db)) if (!LEFT.has(table)) copyTable(db, table);
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

/** Ids that were given once are never given again, whether their rows are still there or not. */
function copySequences(db: Connection): void {
  db.exec('DELETE FROM main.sqlite_sequence');
  const known = tablesOf(db).map((name) => `'${name}'`);
  db.exec(
    `INSERT INTO main.sqlite_sequence (name, seq)
     SELECT name, max(seq) FROM source.sqlite_sequence WHERE name IN (${known.join(', ')}) GROUP BY name`,
  );
}

function fillCounts(db: Connection): void {
  db.exec(
    `DELETE FROM user_counts;
     INSERT INTO user_counts (tariff_id, state, count)
     SELECT coalesce(tariff_id, 0), state, count(*) FROM users GROUP BY 1, 2`,
  );
}

interface Searched {
  readonly id: number;
  readonly name: string;
  readonly contact: string;
  readonly note: string;
  readonly tags: string;
}

function fillSearch(db: Connection): void {
  const next = db.prepare<[number], Searched>(
    `SELECT id, name, contact, note, tags FROM users WHERE id > ? ORDER BY id LIMIT ${CHUNK}`,
  );
  const index = createSearchIndex(db);
  let afterId = 0;
  for (let rows = next.all(afterId); rows.length > 0; rows = next.all(afterId)) {
    for (const row of rows) index.insert(row.id, searchedText({ ...row, tags: JSON.parse(row.tags) as string[] }));
    afterId = rows.at(-1)?.id ?? afterId;
  }
}
