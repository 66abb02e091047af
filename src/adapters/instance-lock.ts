// One owner of a data folder at a time: two panels on one database would corrupt its data.
//
// The lock is SQLite's own lock on an empty file, an open exclusive transaction. The operating system releases it when the process ends,
// also by SIGKILL or power loss, so there are no stale locks and no reused process ids. It works the same on Linux, macOS and Windows, and
// within one process. owner.json beside it is for messages only.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { parseOwnJson } from '../domain/own-json.ts';

export type InstanceLock = { release(): void };

/** The owner of a lock, as owner.json says. */
export type LockOwner = { readonly pid: number; readonly command: string } | null;

/** Empty. It also marks a folder as a panel's or a machine's. */
export const LOCK_FILE = 'lock';
const OWNER_FILE = 'owner.json';
/** The garbage collector closes a connection without a reference, which would release its lock. */
const locks = new Set<Database.Database>();

/**
 * Takes the lock of a data folder, waiting up to `waitMs` (the thread is blocked meanwhile). null: another process has it. `command` names
 * this owner in other processes' messages. Throws the file system's error if the folder cannot be written.
 */
export function acquireLock(folder: string, command: string, waitMs = 0): InstanceLock | null {
  const database = new Database(join(folder, LOCK_FILE), { timeout: waitMs });
  try {
    // Without a journal file, so that the lock is one empty file.
    database.pragma('journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw error;
  }
  locks.add(database);
  const owner = join(folder, OWNER_FILE);
  try {
    writeFileSync(owner, JSON.stringify({ pid: process.pid, command }), { mode: 0o600 });
  } catch {
    // On a full disk the lock still works; only its owner is not shown.
  }
  return {
    release() {
      if (!database.open) return;
      rmSync(owner, { force: true });
      database.close();
      locks.delete(database);
    },
  };
}

/** The owner of a data folder's lock, for a message after `acquireLock` has returned null. */
export function lockOwner(folder: string): LockOwner {
  try {
    const { pid, command } = parseOwnJson<Partial<Record<string, unknown>>>(
      readFileSync(join(folder, OWNER_FILE), 'utf8'),
    );
    return typeof pid === 'number' && Number.isSafeInteger(pid) && typeof command === 'string'
      ? { pid, command }
      : null;
  } catch {
    return null;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
}
