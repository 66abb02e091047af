// Replaces the live database by a restored one, so that a crash at any moment leaves one of them, complete.
//
// `<database>.restored` is a complete database that is to replace the present one. The rename to that name decides the restore, and the
// next process that opens the database finishes it. Until then the present database is untouched.
import { existsSync, renameSync, rmSync } from 'node:fs';
import { PanelError } from '../../core/kernel/panel-error.ts';
import { syncParentFolder } from '../database.ts';
import { type FileStore, type OpenOptions, openStore } from '../index.ts';
import { listOtherProcesses } from './other-processes.ts';

const buildNextPath = (database: string) => `${database}.restored`;

/** Decides a swap to `ready`, a complete and synced file on the database's disk. */
export function decideSwap(ready: string, database: string): void {
  renameSync(ready, buildNextPath(database));
  syncParentFolder(database);
}

/** Reverts the decision, before `finishSwap`. */
export function undecideSwap(database: string): void {
  rmSync(buildNextPath(database), { force: true });
  syncParentFolder(database);
}

/**
 * Finishes a decided swap; false: there is none. No connection may be open. The journal of the former database is deleted first: SQLite
 * must not apply it to the new one.
 */
export function finishSwap(database: string): boolean {
  const next = buildNextPath(database);
  if (!existsSync(next)) return false;
  for (const end of ['-wal', '-shm', '-journal']) rmSync(`${database}${end}`, { force: true });
  renameSync(next, database);
  syncParentFolder(database);
  return true;
}

export interface SwappableStore {
  readonly store: FileStore;
  /**
   * Replaces the database by `ready`, a complete one, in one turn of the event loop, so that nobody sees a closed store. No other
   * connection may be open: PanelError `database_in_use`. If it fails before the decision, it throws and the present database stays.
   */
  swap(ready: string): void;
}

/** Opens the database file as `openStore` does, after finishing a swap that was decided. */
export function openSwappableStore(file: string, options: Pick<OpenOptions, 'reserve'> = {}): SwappableStore {
  finishSwap(file);
  let current = openStore(file, options);
  // Callers keep this object and its parts, so a swap replaces the functions in them.
  const store: FileStore = {
    ...current,
    connection: () => current.connection(),
    read: (work) => current.read(work),
    write: (work, importance) => current.write(work, importance),
    writeTogether: (works) => current.writeTogether(works),
    journal: () => current.journal(),
    sizeBytes: () => current.sizeBytes(),
    close: () => current.close(),
  };

  function reopen(): void {
    current.close();
    finishSwap(file);
    current = openStore(file, options);
    for (const [name, part] of Object.entries(current)) {
      if (typeof part === 'object') Object.assign(store[name as keyof FileStore], part);
    }
  }

  return {
    store,
    swap(ready) {
      requireAlone(file);
      emptyWal(current);
      try {
        decideSwap(ready, file);
        reopen();
      } catch (error) {
        undecideSwap(file);
        reopen();
        throw error;
      }
    },
  };
}

/** Throws PanelError `database_in_use`, which names the other processes that have the database open. */
export function requireAlone(file: string): void {
  const others = listOtherProcesses(file);
  if (others.length > 0) throw createInUseError(others.join(', '));
}

function createInUseError(message: string): PanelError {
  return new PanelError('database_in_use', [{ pointer: '#/database', code: 'in_use', message }]);
}

/**
 * Checkpoints the whole WAL, so that the file alone is complete. Does not wait for other connections, as that would block the panel. Throws
 * PanelError `database_in_use`.
 */
function emptyWal(store: FileStore): void {
  const db = store.connection();
  const timeout = db.pragma('busy_timeout', { simple: true });
  db.pragma('busy_timeout = 0');
  try {
    const [found] = db.pragma('wal_checkpoint(TRUNCATE)') as readonly { readonly busy: number }[];
    if (found?.busy !== 0) throw createInUseError('another process');
  } finally {
    db.pragma(`busy_timeout = ${timeout}`);
  }
}
