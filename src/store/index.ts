// Opens the store: one SQLite file, checked and migrated, behind the core's ports.
import type { Importance, Reserve } from '../core/ports/disk-space.ts';
import type { Store } from '../core/ports/ports.ts';
import {
  createAdministratorStore,
  createBrowserStore,
  createKeyStore,
  createSealedStore,
  createSessionStore,
  createTwoFactorStore,
} from './administrator.ts';
import { createBackupPlaceStore } from './backup-places.ts';
import { createBotStore } from './bot.ts';
import { createBroadcastStore } from './broadcasts.ts';
import { type Connection, claimFile, databaseRefusal, fileSize, openConnection } from './database.ts';
import { createDiskSpace } from './disk-space.ts';
import { createGroupCommit } from './group-commit.ts';
import { createImportStore } from './imports.ts';
import { createInboundStore } from './inbounds.ts';
import { createLinkReadStore } from './link-reads.ts';
import { inspect, loadMigrations, type Migration, migrate } from './migrate.ts';
import { createConnectedStore } from './nodes/connected.ts';
import { createNodeStore } from './nodes/nodes.ts';
import { createReissueStore } from './nodes/reissues.ts';
import { createSyncStore } from './nodes/sync.ts';
import { createAuditStore, createEventStore, createIdempotencyStore, createUndoStore } from './records.ts';
import { createPaymentStore } from './sales/payments.ts';
import { createPromoStore } from './sales/promos.ts';
import { createProviderStore } from './sales/providers.ts';
import { createReferralStore } from './sales/referrals.ts';
import { createSalesStore } from './sales/sales.ts';
import { createSettingStore } from './settings.ts';
import { createTariffStore } from './tariffs.ts';
import { createTrafficStore } from './traffic.ts';
import { createUserDayStore } from './user-days.ts';
import { createGrantStore, createUserStore } from './users/users.ts';
import { createWebhookStore } from './webhooks.ts';

/** The store of one file, with functions that no port has. */
export interface FileStore extends Store {
  /** The connection, for work that no port covers, such as filling a new database. */
  connection(): Connection;
}

export interface OpenOptions {
  /** Opens read-only, beside the writer's connection; the file must be migrated. */
  readonly readonly?: boolean;
  /** Other migrations than those of this version, for tests of migrating. */
  readonly migrations?: readonly Migration[];
  /** Disk space reserved for essential writes; without it those fail on a full disk too. */
  readonly reserve?: Reserve | null;
}

/**
 * Opens the database file; creates it (0600) if it is missing, but not its folder. Throws a `DatabaseRefusal` for a file that this version
 * must not change, and leaves it unchanged.
 */
export function openStore(file: string, options: OpenOptions = {}): FileStore {
  const db = openDatabase(file, options);
  try {
    return createStore(db, file, options.reserve);
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The connection of a store, with its file checked and migrated. */
export function openDatabase(file: string, options: OpenOptions = {}): Connection {
  const migrations = options.migrations ?? loadMigrations();
  const isReadonly = options.readonly ?? false;
  const version = inspect(file, migrations);
  if (isReadonly) {
    if (version < migrations.length) throw databaseRefusal('outdated', 'the database is not migrated yet');
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

/** The ports over an open connection. `file`: its path, for its size. */
export function createStore(db: Connection, file: string, reserve: Reserve | null = null): FileStore {
  const transaction = db.transaction((work: () => unknown) => work());
  const diskSpace = createDiskSpace(db, file, reserve);
  const journal = db.prepare<[], [busy: number, pages: number, written: number]>('PRAGMA wal_checkpoint(NOOP)').raw();
  return {
    connection: () => db,
    read: <T>(work: () => T) => (db.inTransaction ? work() : (transaction.deferred(work) as T)),
    write: <T>(work: () => T, importance: Importance = 'ordinary') => {
      if (db.inTransaction) return transaction(work) as T;
      return diskSpace.write(() => transaction.immediate(work) as T, importance);
    },
    writeTogether: createGroupCommit(db, file, diskSpace),
    users: createUserStore(db),
    grants: createGrantStore(db),
    tariffs: createTariffStore(db),
    imports: createImportStore(db),
    inbounds: createInboundStore(db),
    nodes: createNodeStore(db),
    sync: createSyncStore(db),
    reissues: createReissueStore(db),
    connected: createConnectedStore(db),
    linkReads: createLinkReadStore(db),
    traffic: createTrafficStore(db),
    userDays: createUserDayStore(db),
    events: createEventStore(db),
    audit: createAuditStore(db),
    undo: createUndoStore(db),
    keys: createKeyStore(db),
    sessions: createSessionStore(db),
    browsers: createBrowserStore(db),
    administrator: createAdministratorStore(db),
    settings: createSettingStore(db),
    idempotency: createIdempotencyStore(db),
    sealed: createSealedStore(db),
    twoFactor: createTwoFactorStore(db),
    webhooks: createWebhookStore(db),
    providers: createProviderStore(db),
    backupPlaces: createBackupPlaceStore(db),
    sales: createSalesStore(db),
    promos: createPromoStore(db),
    referrals: createReferralStore(db),
    broadcasts: createBroadcastStore(db),
    payments: createPaymentStore(db),
    bot: createBotStore(db),
    diskSpace,
    journal: () => {
      const [, pages = 0, written = 0] = journal.get() ?? [];
      return { pages, pending: pages - written, bytes: fileSize(`${file}-wal`) };
    },
    sizeBytes: () => fileSize(file) + fileSize(`${file}-wal`),
    close: () => {
      db.close();
    },
  };
}
