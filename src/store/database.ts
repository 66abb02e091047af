// Opens the one SQLite file, with settings that are read back: a connection that is not what it should be is not used.
import { accessSync, chmodSync, closeSync, constants, openSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { refusal } from './refusal.ts';

export type Connection = Database.Database;
export type Cell = string | number | null;

/** Older ones can corrupt a WAL database that two connections use (sqlite.org/wal.html#walresetbug). */
const OLDEST_SQLITE = [3, 51, 3] as const;

/** When SQLite writes the journal back by itself: at so many pages. */
export const CHECKPOINT_PAGES = 4000;

/**
 * What is set on every connection, and what reading it back must give. No mmap: with it, one stray write or a failing disk
 * becomes structural damage. synchronous FULL: an acknowledged write survives a power cut (the driver's own default loses it).
 */
const PRAGMAS: readonly { name: string; set: string; is: string | number; readonly?: false }[] = [
  { name: 'busy_timeout', set: '10000', is: 10_000 },
  { name: 'journal_mode', set: 'WAL', is: 'wal', readonly: false },
  { name: 'synchronous', set: 'FULL', is: 2 },
  { name: 'fullfsync', set: 'ON', is: 1 },
  { name: 'foreign_keys', set: 'ON', is: 1 },
  { name: 'trusted_schema', set: 'OFF', is: 0 },
  { name: 'cell_size_check', set: 'ON', is: 1 },
  { name: 'temp_store', set: 'MEMORY', is: 2 },
  { name: 'mmap_size', set: '0', is: 0 },
  { name: 'cache_size', set: '-8000', is: -8000 },
  { name: 'journal_size_limit', set: '67108864', is: 67_108_864, readonly: false },
  { name: 'wal_autocheckpoint', set: String(CHECKPOINT_PAGES), is: CHECKPOINT_PAGES, readonly: false },
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
 * Plays back the journal that a process left which was killed before the file was in WAL mode: only a writer can, and until then nobody
 * can read. Nothing else of the file is changed, whosever it is.
 */
export function playBack(file: string): void {
  const db = new Database(file, { fileMustExist: true });
  try {
    db.prepare('SELECT 1 FROM sqlite_schema').get();
  } finally {
    db.close();
  }
}

/** Opens the file and asserts every setting. The caller has judged whose file it is: this one writes to it. */
export function openConnection(file: string, options: { readonly readonly?: boolean } = {}): Connection {
  const isReadonly = options.readonly ?? false;
  // SQLite would open a file that may not be written for reading alone, and say so at the first write.
  if (!isReadonly) accessSync(file, constants.R_OK | constants.W_OK);
  const db = new Database(file, { readonly: isReadonly, fileMustExist: true, timeout: 10_000 });
  try {
    assertVersion(db);
    for (const pragma of PRAGMAS) {
      if (isReadonly && pragma.readonly === false) continue;
      db.pragma(`${pragma.name} = ${pragma.set}`);
      const found = db.pragma(pragma.name, { simple: true });
      if (found !== pragma.is) throw refusal('settings', `PRAGMA ${pragma.name} is ${found} and not ${pragma.is}`);
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
    if (part < least) throw refusal('settings', `SQLite ${text} is older than ${OLDEST_SQLITE.join('.')}`);
  }
}
