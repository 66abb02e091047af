// The store as the composition root opens it: one file, judged, brought up to date, and put behind the core's ports.

import type { Importance, Reserve } from '../core/ports/disk-space.ts';
import type { Store } from '../core/ports/ports.ts';
import { createAdministratorStore } from './administrator.ts';
import { createAuditStore } from './audit.ts';
import { type Connection, claimFile, fileSize, openConnection } from './database.ts';
import { createDiskSpace } from './disk-space.ts';
import { createEventStore } from './events.ts';
import { createGrantStore } from './grants.ts';
import { createIdempotencyStore } from './idempotency.ts';
import { createInboundStore } from './inbounds.ts';
import { createKeyStore } from './keys.ts';
import { inspect, loadMigrations, type Migration, migrate } from './migrate.ts';
import { createNodeStore } from './nodes.ts';
import { refusal } from './refusal.ts';
import { createSealedStore } from './sealed.ts';
import { createSessionStore } from './sessions.ts';
import { createSettingStore } from './settings.ts';
import { createTariffStore } from './tariffs.ts';
import { createTrafficStore } from './traffic.ts';
import { createTwoFactorStore } from './two-factor.ts';
import { createUserStore } from './users/users.ts';

export interface OpenOptions {
  /** Another connection reads beside the writer's; the file must be up to date. */
  readonly readonly?: boolean;
  /** Other migrations than those of this version: for tests of the migrating itself. */
  readonly migrations?: readonly Migration[];
  /** What the disk keeps back for essential writes; without it a full disk fails all of them. */
  readonly reserve?: Reserve | null;
}

/**
 * Opens the database file, which is made if it is missing (its folder is not), for its owner alone. Throws a `Refusal`
 * (refusal.ts) for a file that this version must not touch, and leaves it as it is.
 */
export function openStore(file: string, options: OpenOptions = {}): Store {
  const db = openDatabase(file, options);
  try {
    return createStore(db, file, options.reserve);
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The connection behind a store, judged and migrated. */
export function openDatabase(file: string, options: OpenOptions = {}): Connection {
  const migrations = options.migrations ?? loadMigrations();
  const isReadonly = options.readonly ?? false;
  const version = inspect(file, migrations);
  if (isReadonly) {
    if (version < migrations.length) throw refusal('outdated', 'the database is not migrated yet');
    return openConnection(file, { readonly: true });
  }
  claimFile(file);
  const db = openConnection(file);
  try {
    migrate(db, file, version, migrations);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The ports over an open connection. `file` is where it lies, for its size. */
export function createStore(db: Connection, file: string, reserve: Reserve | null = null): Store {
  const transaction = db.transaction((work: () => unknown) => work());
  const diskSpace = createDiskSpace(db, file, reserve);
  const store: Store = {
    read: <T>(work: () => T) => (db.inTransaction ? work() : (transaction.deferred(work) as T)),
    write: <T>(work: () => T, importance: Importance = 'ordinary') => {
      if (db.inTransaction) return transaction(work) as T;
      return diskSpace.write(() => transaction.immediate(work) as T, importance);
    },
    users: createUserStore(db),
    grants: createGrantStore(db),
    tariffs: createTariffStore(db),
    inbounds: createInboundStore(db),
    nodes: createNodeStore(db),
    traffic: createTrafficStore(db),
    events: createEventStore(db),
    audit: createAuditStore(db),
    keys: createKeyStore(db),
    sessions: createSessionStore(db),
    administrator: createAdministratorStore(db),
    settings: createSettingStore(db),
    idempotency: createIdempotencyStore(db),
    sealed: createSealedStore(db),
    twoFactor: createTwoFactorStore(db),
    diskSpace,
    sizeBytes: () => fileSize(file) + fileSize(`${file}-wal`),
    close: () => {
      db.close();
    },
  };
  connections.set(store, db);
  return store;
}

const connections = new WeakMap<Store, Connection>();
const fronts = new WeakMap<Store, () => Store>();

/** Says that `front` is used in place of a store that may become another one. */
export function standFor(front: Store, inner: () => Store): void {
  fronts.set(front, inner);
}

/** The connection under a store that this module made: for what no port is for, as filling a new database. */
export function connectionOf(store: Store): Connection {
  const db = connections.get(fronts.get(store)?.() ?? store);
  if (db === undefined) throw new Error('not a store of this module');
  return db;
}
