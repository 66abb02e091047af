// A data folder whose lock this process holds, with its database open: what a running panel and a command without one begin with.
import { join } from 'node:path';
import { nodeCrypto } from '../adapters/crypto.ts';
import { type InstanceLock, lockOwner, takeLock } from '../adapters/instance-lock.ts';
import { openReserve } from '../adapters/reserve.ts';
import { PanelError } from '../core/panel-error.ts';
import type { Reserve } from '../core/ports/disk-space.ts';
import type { Store } from '../core/ports/ports.ts';
import type { SettingValues } from '../core/ports/settings.ts';
import { isDiskFull } from '../store/disk-full.ts';
import { openReopenable } from '../store/reopenable.ts';
import { FILES, prepareDataFolder } from './data-folder.ts';
import { ensureFirstSettings } from './first-start.ts';
import { isRefusal, reasonOf, refusal } from './refusal.ts';

export type OwnedFolder = {
  readonly store: Store;
  readonly settings: SettingValues;
  /** The database's path, for a second connection. */
  readonly database: string;
  /** Puts a complete database in the place of the present one; the store goes on with it. */
  exchange(ready: string): void;
  /** Writes what is in the journal into the database, closes it and gives the lock back. */
  close(): void;
};

/** Another command is done in a moment; a running panel is not. */
const WAIT_FOR_COMMAND_MS = 5000;

/**
 * Takes the folder for `purpose` (the command's name, told to whoever comes second). Throws a refusal: `data_folder`, `in_use`,
 * `database`.
 */
export function ownFolder(folder: string, purpose: string): OwnedFolder {
  prepareDataFolder(folder);
  const lock = lockFolder(folder, purpose);
  const database = join(folder, FILES.database);
  try {
    const { store, settings, exchange } = openDatabase(database, openReserve(join(folder, FILES.reserve)));
    return {
      store,
      settings,
      database,
      exchange,
      close() {
        store.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    if (isRefusal(error)) throw error;
    if (isForWantOfRoom(error, database)) {
      throw refusal('data_folder', `The disk of the data folder ${folder} is full. Free some space, then start again.`);
    }
    throw refusal('database', `The database ${database} cannot be used: ${reasonOf(error)}.`);
  }
}

/** On a full disk it is opened out of the reserve: whoever reads, and the administrator, need not wait for room. */
function openDatabase(database: string, reserve: Reserve) {
  for (;;) {
    try {
      const { store, exchange } = openReopenable(database, { reserve });
      try {
        return { store, exchange, settings: ensureFirstSettings(store, nodeCrypto) };
      } catch (error) {
        store.close();
        throw error;
      }
    } catch (error) {
      if (!isForWantOfRoom(error, database) || !reserve.release()) throw error;
    }
  }
}

function isForWantOfRoom(error: unknown, database: string): boolean {
  return isDiskFull(error, database) || (error instanceof PanelError && error.code === 'storage_full');
}

function lockFolder(folder: string, purpose: string): InstanceLock {
  const take = (waitMs: number) => {
    try {
      return takeLock(folder, purpose, waitMs);
    } catch (error) {
      throw refusal('data_folder', `The data folder ${folder} cannot be locked: ${reasonOf(error)}.`);
    }
  };
  const lock = take(0) ?? (lockOwner(folder)?.command === 'serve' ? null : take(WAIT_FOR_COMMAND_MS));
  if (lock) return lock;
  const owner = lockOwner(folder);
  const who = owner === null ? 'Another panel' : `Another panel (process ${owner.pid}, \`panel ${owner.command}\`)`;
  throw refusal('in_use', `${who} is using the data folder ${folder}. Stop it, or name another folder with --data.`);
}
