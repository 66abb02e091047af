// One owner of a data folder at a time: two writers on one database are how panels lose data.
//
// The lock is SQLite's own lock on an empty file, held by an open exclusive transaction. The operating system keeps it and takes it
// back the moment the process ends, by SIGKILL or power loss too: there is no stale lock to judge, and no process id that
// somebody else has by now. It works the same on Linux, macOS and Windows, and within one process. owner.json beside it only
// tells a person who holds the lock; nothing is decided by it.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

export type InstanceLock = { release(): void };

/** Who seems to hold a lock, as far as is known. */
export type LockOwner = { readonly pid: number; readonly command: string } | null;

const LOCK_FILE = 'lock';
const OWNER_FILE = 'owner.json';
/** A connection that nobody refers to is closed by the garbage collector, and its lock would be gone. */
const held = new Set<Database.Database>();

/**
 * Takes the lock of a data folder, waiting up to `waitMs` (the thread is blocked meanwhile). null: another process has it.
 * `command` names the owner in the other's message. Throws what the file system says where the folder cannot be written.
 */
export function takeLock(folder: string, command: string, waitMs = 0): InstanceLock | null {
  const database = new Database(join(folder, LOCK_FILE), { timeout: waitMs });
  try {
    // Without a journal file nothing but the empty file is ever made.
    database.pragma('journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw error;
  }
  held.add(database);
  const owner = join(folder, OWNER_FILE);
  try {
    writeFileSync(owner, JSON.stringify({ pid: process.pid, command }), { mode: 0o600 });
  } catch {
    // A full disk: the lock holds, only nobody is told whose it is.
  }
  return {
    release() {
      if (!database.open) return;
      rmSync(owner, { force: true });
      database.close();
      held.delete(database);
    },
  };
}

/** Who holds the lock of a data folder, for a message: asked after `takeLock` has answered null. */
export function lockOwner(folder: string): LockOwner {
  try {
    const { pid, command } = JSON.parse(readFileSync(join(folder, OWNER_FILE), 'utf8'));
    return Number.isSafeInteger(pid) && typeof command === 'string' ? { pid, command } : null;
  } catch {
    return null;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
}
