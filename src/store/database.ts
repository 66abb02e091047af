// Opens SQLite files, live ones and work files, and classifies refusals and errors.
import { accessSync, chmodSync, closeSync, constants, fsyncSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';

export type Connection = Database.Database;
export type Cell = string | number | null;

/**
 * `newer`: written by a later version of the panel. `diverged`: its migrations differ from this program's. `foreign`: not a database of the
 * panel. `damaged`: SQLite finds it inconsistent. `unfinished`: an aborted bulk load. `outdated`: opened read-only, but not migrated yet.
 * `settings`: SQLite does not accept the settings that keep data safe.
 */
export type RefusalReason = 'newer' | 'diverged' | 'foreign' | 'damaged' | 'unfinished' | 'outdated' | 'settings';

export interface DatabaseRefusal extends Error {
  readonly name: 'DatabaseRefused';
  readonly reason: RefusalReason;
}

/** An error that says why a database was refused; the file is unchanged. */
export function databaseRefusal(reason: RefusalReason, message: string): DatabaseRefusal {
  return Object.assign(new Error(message), { name: 'DatabaseRefused' as const, reason });
}

export function isDatabaseRefusal(error: unknown): error is DatabaseRefusal {
  return error instanceof Error && error.name === 'DatabaseRefused';
}

/** The code of an error of SQLite or of the file system; '' for any other error. */
export function getErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

const DATA_FAULTS = /^SQLITE_(CONSTRAINT|MISMATCH|CORRUPT|NOTADB|TOOBIG|RANGE)/;

/** Whether an error of SQLite is caused by the written rows, not by the disk or memory. */
export function isDataFault(error: unknown): boolean {
  return error instanceof Database.SqliteError && DATA_FAULTS.test(error.code);
}

/** Older versions can corrupt a WAL database that two connections use (sqlite.org/wal.html#walresetbug). */
const OLDEST_SQLITE = [3, 51, 3] as const;

/**
 * At this many pages SQLite checkpoints the WAL by itself, on the thread that commits. A panel's own checkpoints
 * (core/kernel/checkpoints.ts) come long before; this one is for other commands, and bounds the WAL if the thread fails.
 */
export const CHECKPOINT_PAGES = 40_000;

/**
 * Settings of every connection, and the value that must be read back. No mmap: with it, one stray write or a failing disk damages the file.
 * synchronous FULL: an acknowledged write survives a power cut (the driver's default does not ensure that).
 */
const PRAGMAS: readonly { name: string; set: string; expected: string | number; readonly?: false }[] = [
  { name: 'busy_timeout', set: '10000', expected: 10_000 },
  { name: 'journal_mode', set: 'WAL', expected: 'wal', readonly: false },
  { name: 'synchronous', set: 'FULL', expected: 2 },
  { name: 'fullfsync', set: 'ON', expected: 1 },
  { name: 'foreign_keys', set: 'ON', expected: 1 },
  { name: 'trusted_schema', set: 'OFF', expected: 0 },
  { name: 'cell_size_check', set: 'ON', expected: 1 },
  { name: 'temp_store', set: 'MEMORY', expected: 2 },
  { name: 'mmap_size', set: '0', expected: 0 },
  { name: 'cache_size', set: '-8000', expected: -8000 },
  { name: 'journal_size_limit', set: '67108864', expected: 67_108_864, readonly: false },
  { name: 'wal_autocheckpoint', set: String(CHECKPOINT_PAGES), expected: CHECKPOINT_PAGES, readonly: false },
];

/** The size of a file in bytes; 0 if it does not exist. */
export function fileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Creates the file (0600) if it is missing; SQLite gives the journal the same mode. */
export function claimFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
  }
}

/**
 * Rolls back the journal of a process that was killed before the file was in WAL mode. Only a writer can do that, and readers fail until it
 * is done. Nothing else in the file changes, even if it is not the panel's.
 */
export function rollBackJournal(file: string): void {
  const db = new Database(file, { fileMustExist: true });
  try {
    db.prepare('SELECT 1 FROM sqlite_schema').get();
  } finally {
    db.close();
  }
}

/** Opens the file and verifies every setting; throws if one is missing. The caller has checked that the file is the panel's. */
export function openConnection(file: string, options: { readonly readonly?: boolean } = {}): Connection {
  const isReadonly = options.readonly ?? false;
  // SQLite opens a file without write permission read-only, and fails only at the first write.
  if (!isReadonly) accessSync(file, constants.R_OK | constants.W_OK);
  const db = new Database(file, { readonly: isReadonly, fileMustExist: true, timeout: 10_000 });
  try {
    assertVersion(db);
    for (const pragma of PRAGMAS) {
      if (isReadonly && pragma.readonly === false) continue;
      db.pragma(`${pragma.name} = ${pragma.set}`);
      const found = db.pragma(pragma.name, { simple: true });
      if (found !== pragma.expected) {
        throw databaseRefusal('settings', `PRAGMA ${pragma.name} is ${found} and not ${pragma.expected}`);
      }
    }
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function assertVersion(db: Connection): void {
  const text = String(db.prepare('SELECT sqlite_version()').pluck().get());
  const version = text.split('.').map(Number);
  for (const [index, least] of OLDEST_SQLITE.entries()) {
    const part = version[index] ?? 0;
    if (part > least) return;
    if (part < least) throw databaseRefusal('settings', `SQLite ${text} is older than ${OLDEST_SQLITE.join('.')}`);
  }
}

/** The faults that SQLite's quick check finds, in its words; null: none. Only reads. Throws if it cannot open the file. */
export function quickCheck(file: string): string | null {
  const db = openConnection(file, { readonly: true });
  try {
    const found = String(db.pragma('quick_check(1)', { simple: true }));
    return found === 'ok' ? null : found;
  } finally {
    db.close();
  }
}

/** Tables with rows of their own: no views, no virtual tables with their shadow tables, none of SQLite's own. */
export function listTables(db: Connection): readonly string[] {
  return db
    .prepare<[], string>(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .pluck()
    .all();
}

/** For a work file, which is used only when complete: without a journal, and synced once, at the end. */
const WORK_PRAGMAS = [
  'journal_mode = MEMORY',
  'synchronous = OFF',
  'foreign_keys = OFF',
  'trusted_schema = OFF',
  'cell_size_check = ON',
  'secure_delete = ON',
  'temp_store = MEMORY',
  'mmap_size = 0',
] as const;

/**
 * Opens or creates a work file (0600) that no other connection uses. Deleted data is overwritten. Foreign keys are not enforced: the caller
 * checks them at the end. An incomplete file must be deleted.
 */
export function openWorkFile(file: string): Connection {
  claimFile(file);
  const db = new Database(file, { fileMustExist: true });
  for (const setting of WORK_PRAGMAS) db.pragma(setting);
  return db;
}

/** Syncs a file's contents to disk. */
export function syncFile(path: string): void {
  const handle = openSync(path, 'r+');
  fsyncSync(handle);
  closeSync(handle);
}

/** Syncs the names in a file's folder to disk. Windows cannot open a folder; there a rename is durable with its file. */
export function syncParentFolder(path: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(dirname(path), 'r');
  fsyncSync(handle);
  closeSync(handle);
}
