// Brings a database to the schema of this version, or leaves it exactly as it is: forward only, one transaction each, a backup before.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { backUp } from './backup/backup.ts';
import { type Connection, fileSize, openConnection, playBack } from './database.ts';
import { refusal } from './refusal.ts';

/** Marks the file as ours ("Gate" in ASCII), for SQLite and for `file`. */
export const APPLICATION_ID = 0x47617465;
/** The version while a bulk load runs; a file that still has it was left half filled. */
export const UNFINISHED = -1;

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the text, line ends made even. */
  readonly checksum: string;
}

const FOLDER = new URL('./migrations/', import.meta.url);

/** The migrations beside this module, `NNNN_name.sql`, from 1 without a gap. */
export function loadMigrations(folder: URL = FOLDER): readonly Migration[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  return files.sort().map((name, index) => {
    const version = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1]);
    if (version !== index + 1) throw new Error(`migration ${name} is out of order`);
    const sql = readFileSync(new URL(name, folder), 'utf8').replaceAll('\r\n', '\n');
    return { version, name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
  });
}

/**
 * Judges a file without writing to it. Returns its version, 0 where there is nothing yet. Refuses what is newer, diverged,
 * foreign or unfinished.
 */
export function inspect(file: string, migrations: readonly Migration[]): number {
  if (fileSize(file) === 0) return 0;
  let db: Connection | undefined;
  try {
    db = openToLook(file);
    return versionOf(db, migrations);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'SQLITE_NOTADB') throw refusal('foreign', 'the file is not a database');
    if (code.startsWith('SQLITE_CORRUPT')) throw refusal('damaged', 'the database is damaged: restore a backup');
    throw error;
  } finally {
    db?.close();
  }
}

function openToLook(file: string): Connection {
  try {
    return openConnection(file, { readonly: true });
  } catch (error) {
    if (codeOf(error) !== 'SQLITE_READONLY_ROLLBACK') throw error;
    playBack(file);
    return openConnection(file, { readonly: true });
  }
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '');

function versionOf(db: Connection, migrations: readonly Migration[]): number {
  const version = Number(db.pragma('user_version', { simple: true }));
  const applicationId = Number(db.pragma('application_id', { simple: true }));
  const hasTables = db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined;
  if (!hasTables && version === 0 && applicationId === 0) return 0;
  if (applicationId !== APPLICATION_ID) throw refusal('foreign', 'the file belongs to another application');
  if (version === UNFINISHED) throw refusal('unfinished', 'a bulk load into this database did not finish');
  if (version > migrations.length) {
    throw refusal('newer', `the database has version ${version}, this panel knows up to ${migrations.length}`);
  }
  const applied = db.prepare('SELECT version, checksum FROM schema_migrations ORDER BY version').raw().all();
  const expected = migrations.slice(0, version).map((migration) => [migration.version, migration.checksum]);
  if (JSON.stringify(applied) !== JSON.stringify(expected)) {
    throw refusal('diverged', 'the database was made by migrations that differ from those of this panel');
  }
  return version;
}

/**
 * Applies what is missing. Before it touches a database that holds something: a check of the file and a verified backup in
 * `backups/` beside it. A failing statement undoes its migration and throws.
 */
export function migrate(db: Connection, file: string, from: number, migrations: readonly Migration[]): void {
  if (from === migrations.length) return;
  if (from > 0) {
    const found = db.pragma('quick_check(1)', { simple: true });
    if (found !== 'ok') throw refusal('damaged', 'the database is damaged: restore a backup');
    backUp(db, file, from);
  }
  // A table that is rebuilt would take along the rows that refer to it; each migration is checked as a whole instead.
  db.pragma('foreign_keys = OFF');
  try {
    for (const migration of migrations) apply(db, migration, migrations);
  } finally {
    db.pragma('foreign_keys = ON');
  }
}

function apply(db: Connection, migration: Migration, migrations: readonly Migration[]): void {
  const run = db.transaction(() => {
    // Read inside the transaction: another process may have been faster.
    const version = versionOf(db, migrations);
    if (version >= migration.version) return;
    if (version === 0) begin(db);
    db.exec(migration.sql);
    db.prepare('INSERT INTO schema_migrations (version, name, checksum) VALUES (?, ?, ?)').run(
      migration.version,
      migration.name,
      migration.checksum,
    );
    db.pragma(`user_version = ${migration.version}`);
    const broken = db.pragma('foreign_key_check');
    if (!Array.isArray(broken) || broken.length > 0) throw new Error(`${migration.name} leaves broken references`);
  });
  run.immediate();
}

function begin(db: Connection): void {
  db.pragma(`application_id = ${APPLICATION_ID}`);
  db.exec(
    'CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL) STRICT',
  );
}
