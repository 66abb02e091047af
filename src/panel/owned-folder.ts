// A data folder with its lock, open database and first settings, for a panel or a command.
import { join } from 'node:path';
import { nodeCrypto } from '../adapters/crypto.ts';
import { FILES, hasLostDatabase, prepareDataFolder } from '../adapters/data-folder.ts';
import { openReserve } from '../adapters/disk-reserve.ts';
import { acquireLock, type InstanceLock, type LockOwner, lockOwner } from '../adapters/instance-lock.ts';
import { isRefusal } from '../adapters/refusal.ts';
import { startRefusal } from '../adapters/start-obstacle.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { Reserve } from '../core/ports/disk-space.ts';
import type { Crypto, Store } from '../core/ports/ports.ts';
import type { SettingValues } from '../core/ports/settings.ts';
import { isTimeZone } from '../domain/time-zone.ts';
import { openSwappableStore } from '../store/backup/swap.ts';
import { isDiskFull } from '../store/disk-space.ts';
import type { FileStore } from '../store/index.ts';

export type OwnedFolder = {
  readonly store: FileStore;
  readonly settings: SettingValues;
  /** The database's path, for a second connection. */
  readonly database: string;
  /** Replaces the database; the store continues with the new one. */
  swap(ready: string): void;
  /** Closes the database, which checkpoints its WAL, and releases the lock. */
  close(): void;
};

/** What the desktop application owns a folder for; a panel of the command line has the name of its command. */
export const DESKTOP = 'desktop';

/** Whether the owner of a folder is a running panel and not a command. */
export function isPanel(owner: LockOwner): owner is NonNullable<LockOwner> {
  return owner !== null && ['serve', DESKTOP].includes(owner.command);
}

/** Commands end soon, running panels do not. */
const WAIT_FOR_COMMAND_MS = 5000;

/** Locks the folder for `purpose`, the command's name as shown to a second process. Throws a refusal: `data_folder`, `in_use`, `database`. */
export function ownFolder(folder: string, purpose: string): OwnedFolder {
  prepareDataFolder(folder);
  const lock = lockFolder(folder, purpose);
  const database = join(folder, FILES.database);
  if (purpose !== 'restore' && hasLostDatabase(folder)) {
    lock.release();
    throw startRefusal('databaseMissing', { path: database });
  }
  try {
    const { store, settings, swap } = openDatabase(database, openReserve(join(folder, FILES.reserve)));
    return {
      store,
      settings,
      database,
      swap,
      close() {
        try {
          store.close();
        } finally {
          lock.release();
        }
      },
    };
  } catch (error) {
    lock.release();
    if (isRefusal(error)) throw error;
    if (isOutOfSpace(error, database)) throw startRefusal('diskFull', { folder });
    throw startRefusal('databaseUnusable', { path: database }, error);
  }
}

/** On a full disk it is opened with space from the reserve: reads and sign-in work without free space. */
function openDatabase(database: string, reserve: Reserve) {
  for (;;) {
    try {
      const { store, swap } = openSwappableStore(database, { reserve });
      try {
        return { store, swap, settings: ensureFirstSettings(store, nodeCrypto) };
      } catch (error) {
        store.close();
        throw error;
      }
    } catch (error) {
      if (!isOutOfSpace(error, database) || !reserve.release()) throw error;
    }
  }
}

function isOutOfSpace(error: unknown, database: string): boolean {
  return isDiskFull(error, database) || (error instanceof PanelError && error.code === 'storage_full');
}

function lockFolder(folder: string, purpose: string): InstanceLock {
  const tryLock = (waitMs: number) => {
    try {
      return acquireLock(folder, purpose, waitMs);
    } catch (error) {
      throw startRefusal('folderLocked', { folder }, error);
    }
  };
  const lock = tryLock(0) ?? (isPanel(lockOwner(folder)) ? null : tryLock(WAIT_FOR_COMMAND_MS));
  if (lock) return lock;
  const owner = lockOwner(folder);
  if (owner === null) throw startRefusal('inUse', { folder });
  if (owner.command === DESKTOP) throw startRefusal('inUseByDesktop', { folder, pid: owner.pid });
  throw startRefusal('inUseByCommand', { folder, ...owner });
}

/** 192 random bits, 32 characters of base64url. */
const SECRET_PATH_BYTES = 24;
const INSTANCE_ID_BYTES = 6;

/** Creates the settings of the first start in one transaction: secret path, cookie name, time zone. Existing ones are kept. Returns the settings. */
export function ensureFirstSettings(
  { settings, write }: Store,
  crypto: Crypto,
  zone = machineTimeZone(),
): SettingValues {
  const missing: Partial<SettingValues> = {
    ...(!settings.has('secretPath') && { secretPath: base64url(crypto.randomBytes(SECRET_PATH_BYTES)) }),
    ...(!settings.has('instanceId') && { instanceId: hex(crypto.randomBytes(INSTANCE_ID_BYTES)) }),
    ...(!settings.has('timeZone') && { timeZone: zone }),
  };
  if (Object.keys(missing).length > 0) write(() => settings.set(missing));
  const values = settings.get();
  // Damaged values are not replaced: a panel without a secret path must not be served, and a new one would change its address.
  if (values.secretPath === '' || values.instanceId === '') throw new Error('its secret path or its id is damaged');
  return values;
}

/** The machine's time zone if it is valid, otherwise UTC. */
function machineTimeZone(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return timeZone && isTimeZone(timeZone) ? timeZone : 'UTC';
}

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
