// Migrates a database to this version's schema, or leaves it unchanged: forward only, one transaction each, after a verified backup.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type Connection,
  claimFile,
  databaseRefusal,
  fileSize,
  getErrorCode,
  openConnection,
  rollBackJournal,
  syncFile,
  syncParentFolder,
} from './database.ts';

/** SQLite's application id ("Gate" in ASCII), which `file` also shows. */
export const APPLICATION_ID = 0x47617465;
/** The version during a bulk load; a file that still has it is incomplete. */
export const UNFINISHED = -1;

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the text with normalized line ends. */
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

/** The version of a file, 0 if it is missing or empty; only reads. Throws a refusal for a newer, diverged, foreign or unfinished file. */
export function inspect(file: string, migrations: readonly Migration[]): number {
  if (fileSize(file) === 0) return 0;
  let db: Connection | undefined;
  try {
    db = openReadonly(file);
    return readSchemaVersion(db, migrations);
  } catch (error) {
    const code = getErrorCode(error);
    if (code === 'SQLITE_NOTADB') throw databaseRefusal('foreign', 'the file is not a database');
    if (code.startsWith('SQLITE_CORRUPT'))
      throw databaseRefusal('damaged', 'the database is damaged: restore a backup');
    throw error;
  } finally {
    db?.close();
  }
}

function openReadonly(file: string): Connection {
  try {
    return openConnection(file, { readonly: true });
  } catch (error) {
    if (getErrorCode(error) !== 'SQLITE_READONLY_ROLLBACK') throw error;
    rollBackJournal(file);
    return openConnection(file, { readonly: true });
  }
}

function readSchemaVersion(db: Connection, migrations: readonly Migration[]): number {
  const version = Number(db.pragma('user_version', { simple: true }));
  const applicationId = Number(db.pragma('application_id', { simple: true }));
  const hasTables = db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined;
  if (!hasTables && version === 0 && applicationId === 0) return 0;
  if (applicationId !== APPLICATION_ID) throw databaseRefusal('foreign', 'the file belongs to another application');
  if (version === UNFINISHED) throw databaseRefusal('unfinished', 'a bulk load into this database did not finish');
  if (version > migrations.length) {
    throw databaseRefusal('newer', `the database has version ${version}, this panel knows up to ${migrations.length}`);
  }
  const applied = db.prepare('SELECT version, checksum FROM schema_migrations ORDER BY version').raw().all();
  const expected = migrations.slice(0, version).map((migration) => [migration.version, migration.checksum]);
  if (JSON.stringify(applied) !== JSON.stringify(expected)) {
    throw databaseRefusal('diverged', 'the database was made by migrations that differ from those of this panel');
  }
  return version;
}

/**
 * Applies the missing migrations. A database with rows is first checked and backed up to `backups/` beside it. A failing statement undoes
 * its migration and throws.
 */
export function migrate(db: Connection, file: string, from: number, migrations: readonly Migration[]): void {
  if (from === migrations.length) return;
  if (from > 0) {
    const found = db.pragma('quick_check(1)', { simple: true });
    if (found !== 'ok') throw databaseRefusal('damaged', 'the database is damaged: restore a backup');
    backUp(db, file, from);
  }
  // Rebuilding a table would delete the rows that refer to it; foreign keys are checked after each migration instead.
  db.pragma('foreign_keys = OFF');
  try {
    for (const migration of migrations) apply(db, migration, migrations);
  } finally {
    db.pragma('foreign_keys = ON');
  }
}

function apply(db: Connection, migration: Migration, migrations: readonly Migration[]): void {
  const run = db.transaction(() => {
    // Read inside the transaction: another process may have migrated meanwhile.
    const version = readSchemaVersion(db, migrations);
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

const BACKUPS_RETAINED = 3;
const BACKUP_NAME = /^pre-migration-(\d{4})\.sqlite$/;

/** Writes `backups/pre-migration-<version>.sqlite` beside the file, checks it, and deletes all but the newest three. */
function backUp(db: Connection, file: string, version: number): void {
  const folder = join(dirname(file), 'backups');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `pre-migration-${String(version).padStart(4, '0')}.sqlite`);
  const unfinished = `${path}.unfinished`;
  rmSync(unfinished, { force: true });
  claimFile(unfinished);
  db.prepare('VACUUM INTO ?').run(unfinished);
  verifyBackup(db, unfinished);
  syncFile(unfinished);
  renameSync(unfinished, path);
  syncParentFolder(path);
  const names = readdirSync(folder)
    .filter((name) => BACKUP_NAME.test(name))
    .sort();
  for (const name of names.slice(0, -BACKUPS_RETAINED)) rmSync(join(folder, name), { force: true });
}

function verifyBackup(original: Connection, path: string): void {
  const copy = openConnection(path, { readonly: true });
  try {
    const found = copy.pragma('integrity_check(1)', { simple: true });
    if (found !== 'ok') throw databaseRefusal('damaged', 'the backup before the migration is damaged');
    if (JSON.stringify(readSummary(copy)) !== JSON.stringify(readSummary(original))) {
      throw databaseRefusal('damaged', 'the backup before the migration is incomplete');
    }
  } finally {
    copy.close();
  }
}

/** The version and the number of rows of each table, including SQLite's own. */
function readSummary(db: Connection): unknown {
  const tables = db
    .prepare<[], string>("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name")
    .pluck()
    .all();
  const counts = tables.map((name) => [name, db.prepare(`SELECT count(*) FROM "${name}"`).pluck().get()]);
  return [db.pragma('user_version', { simple: true }), db.pragma('application_id', { simple: true }), counts];
}
