// Opens SQLite files, the live one and those in the making, and says why one is refused or a statement failed.
import { accessSync, chmodSync, closeSync, constants, fsyncSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';

export type Connection = Database.Database;
export type Cell = string | number | null;

/**
 * `newer`: written by a later version of the panel. `diverged`: its migrations are not ours. `foreign`: not a database of the
 * panel. `damaged`: SQLite finds it inconsistent. `unfinished`: a bulk load broke off. `outdated`: opened for reading only, but
 * not migrated yet. `settings`: SQLite does not accept the settings that keep data safe.
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

/** The code of a failure of SQLite or of the file system; '' for any other error. */
export function getErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

const DATA_FAULTS = /^SQLITE_(CONSTRAINT|MISMATCH|CORRUPT|NOTADB|TOOBIG|RANGE)/;

/** Whether a failure of SQLite is caused by the rows it was given, and not by the disk or by memory. */
export function isDataFault(error: unknown): boolean {
  return error instanceof Database.SqliteError && DATA_FAULTS.test(error.code);
}

/** Older ones can corrupt a WAL database that two connections use (sqlite.org/wal.html#walresetbug). */
const OLDEST_SQLITE = [3, 51, 3] as const;

/**
 * At this many pages SQLite checkpoints the WAL by itself, on the thread that commits. A panel's own checkpoints
 * (core/kernel/checkpoints.ts) come long before; this is for the other commands, and bounds the WAL where a thread fails.
 */
export const CHECKPOINT_PAGES = 40_000;

/**
 * What is set on every connection, and what reading it back must give. No mmap: with it, one stray write or a failing disk
 * damages the file. synchronous FULL: an acknowledged write survives a power cut (the driver's own default loses it).
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

/** The size of a file in bytes; 0 where there is none. */
export function fileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Makes the file if it is missing, for its owner alone; SQLite gives the journal the same mode. */
export function claimFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
  }
}

/**
 * Rolls back the journal of a process that was killed before the file was in WAL mode. Only a writer can do that, and readers fail
 * until it is done. Nothing else in the file changes, also where it is not the panel's.
 */
export function rollBackJournal(file: string): void {
  const db = new Database(file, { fileMustExist: true });
  try {
    db.prepare('SELECT 1 FROM sqlite_schema').get();
  } finally {
    db.close();
  }
}

/** Opens the file and asserts every setting: a connection without them is not used. The caller has checked that the file is the panel's. */
export function openConnection(file: string, options: { readonly readonly?: boolean } = {}): Connection {
  const isReadonly = options.readonly ?? false;
  // SQLite opens a file without write permission for reading only, and fails at the first write.
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

/** What SQLite's quick check finds wrong with a file, in its words; null where it finds nothing. Only reads. Throws where it cannot open it. */
export function quickCheck(file: string): string | null {
  const db = openConnection(file, { readonly: true });
  try {
    const found = String(db.pragma('quick_check(1)', { simple: true }));
    return found === 'ok' ? null : found;
  } finally {
    db.close();
  }
}

/** The tables that hold rows: no views, no virtual tables with their shadow tables, none of SQLite's own. */
export function listTables(db: Connection): readonly string[] {
  return db
    .prepare<[], string>(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .pluck()
    .all();
}

/** For a database in the making, which counts only once it is finished: without a journal, and synced once, at the end. */
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
 * Opens or makes a file (0600) that no other connection uses. What is deleted in it is overwritten. References are not enforced: the
 * caller checks them at the end. An unfinished file is to be thrown away.
 */
export function openWorkFile(file: string): Connection {
  claimFile(file);
  const db = new Database(file, { fileMustExist: true });
  for (const setting of WORK_PRAGMAS) db.pragma(setting);
  return db;
}

/** Writes a file's contents to the disk. */
export function syncFile(path: string): void {
  const handle = openSync(path, 'r+');
  fsyncSync(handle);
  closeSync(handle);
}

/** Writes the names in a file's folder to the disk. Windows cannot open a folder; there a rename is durable with its file. */
export function syncParentFolder(path: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(dirname(path), 'r');
  fsyncSync(handle);
  closeSync(handle);
}
