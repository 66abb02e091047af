// A machine with a panel on it, without its doors: a data folder, a vault with a key of its own, and a core that keeps backups.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemTimers } from '../../src/adapters/clock.ts';
import { createPasswordHasher } from '../../src/adapters/passwords.ts';
import { openBackupPlaces } from '../../src/adapters/places/place-thread.ts';
import { openVault } from '../../src/adapters/vault/vault.ts';
import { parseInput, splitInput } from '../../src/contract/input/input.ts';
import type { CallOf, OutputOf } from '../../src/contract/operation.ts';
import { OPERATIONS } from '../../src/contract/table.ts';
import { createCore } from '../../src/core/create-core.ts';
import type { Core } from '../../src/core/kernel/core.ts';
import type { Backups } from '../../src/core/ports/backups.ts';
import type { HandledId } from '../../src/core/ports/call.ts';
import type { Clock, Timers, Vault } from '../../src/core/ports/ports.ts';
import { createBackups } from '../../src/panel/backup/backups.ts';
import { machineParts } from '../../src/panel/machine-parts.ts';
import { backedUpCertificates } from '../../src/panel/own-authority.ts';
import { ownFolder } from '../../src/panel/owned-folder.ts';
import { createCheckpointer } from '../../src/panel/workers/checkpointer.ts';
import { createHeavyWriter } from '../../src/panel/workers/heavy-writer.ts';
import type { FileStore } from '../../src/store/index.ts';
import { CHEAP_COST } from '../support/cheap-password.ts';
import { createTestLog, type TestLog } from '../support/log.ts';
import { proven, provenActor } from '../support/proven.ts';

export const PASSWORD = 'correct horse battery';
export const PASSPHRASE = 'a passphrase for backups';

export interface MachineOptions {
  /** Where its data and key lie; a fresh place unless given, which then stays at the end. */
  readonly place?: string;
  readonly clock?: Clock;
  readonly timers?: Timers;
  /** How links begin there; null: not known yet. */
  readonly origin?: string | null;
  /** Whether an administrator is made. */
  readonly isSetUp?: boolean;
}

export interface Machine extends AsyncDisposable {
  readonly core: Core;
  readonly store: FileStore;
  readonly backups: Backups;
  readonly vault: Vault;
  readonly folder: string;
  readonly database: string;
  readonly place: string;
  readonly log: TestLog;
  /** Runs an operation as the administrator; `sessionId` where it matters. Rejects with PanelError. */
  act<Id extends HandledId>(
    id: Id,
    input: CallOf<(typeof OPERATIONS)[Id]>,
    sessionId?: number,
  ): Promise<OutputOf<(typeof OPERATIONS)[Id]>>;
  /** Begins a session; its token. */
  signIn(): Promise<string>;
  close(): Promise<void>;
}

export async function startMachine(options: MachineOptions = {}): Promise<Machine> {
  const place = options.place ?? mkdtempSync(join(tmpdir(), 'gatehouse-backup-'));
  const folder = join(place, 'data');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { clock = systemClock, timers = systemTimers, origin = 'https://192.0.2.1:8443' } = options;
  const log = createTestLog();
  const { store, database, swap, close: release } = ownFolder(folder, 'serve');
  const { instanceId } = store.settings.get();
  const keeping = { instanceId, keyFile: join(place, 'key'), dataFolder: folder, log };
  const vault = await openVault({ ...keeping, sealed: store.sealed });
  const heavy = createHeavyWriter({ database }, { clock, log }, () => origin ?? '');
  const checkpointer = createCheckpointer({ database });
  const parts = machineParts();
  const backups = createBackups({
    folder,
    database,
    store,
    swap,
    vault,
    clock,
    version: parts.version,
    openEmptyVault: () => openVault({ ...keeping, sealed: { keyId: () => null } }),
    certificates: backedUpCertificates({ folder, store, vault, log, clock }, () => null),
    linksOrigin: () => store.settings.get().publicUrl ?? origin,
    releaseDatabase: async () => {
      await heavy.close();
      await checkpointer.close();
    },
    passphraseCost: 10,
  });
  const core = createCore({
    ...parts,
    store,
    clock,
    timers,
    log,
    vault,
    heavy,
    checkpointer,
    backups,
    backupPlaces: openBackupPlaces(folder),
    host: () => null,
    origin: () => origin ?? '',
    passwords: createPasswordHasher(CHEAP_COST),
  });
  core.start();
  if (options.isSetUp !== false && !core.local.isSetUp()) await core.local.setUp('admin', PASSWORD);

  const actor = { kind: 'administrator', id: 1, name: 'admin', access: 'full' } as const;
  const close = async () => {
    await core.stop();
    await heavy.close();
    await checkpointer.close();
    release();
  };
  return {
    core,
    store,
    backups,
    vault,
    folder,
    database,
    place,
    log,
    close,
    async act(id, input, sessionId) {
      const parsed = parseInput(OPERATIONS[id], splitInput(OPERATIONS[id], proven(id, input, PASSWORD)));
      if (!parsed.ok) throw new Error(`${id}: ${JSON.stringify(parsed.errors)}`);
      const who = sessionId === undefined ? provenActor(id, input, actor) : { ...actor, sessionId };
      const { body } = await core.call(id, parsed.value, {
        actor: who,
        requestId: 'test',
        address: null,
      });
      return body;
    },
    async signIn() {
      const call = { actor, requestId: 'test', address: null };
      const reply = await core.call('signIn', { name: 'admin', password: PASSWORD }, call);
      return String(reply.sessionToken);
    },
    async [Symbol.asyncDispose]() {
      await close();
      if (options.place === undefined) rmSync(place, { recursive: true, force: true });
    },
  };
}

/** Restores a file as the command line, after a check whose differences are confirmed. */
export async function restoreConfirmed(
  { core }: Machine,
  path: string,
  passphrase: string | null = null,
  acceptsKeys = false,
): Promise<OutputOf<(typeof OPERATIONS)['restoreBackup']>> {
  const { fingerprint: confirmed } = await core.local.checkBackup(path, passphrase);
  return core.local.restore(path, passphrase, { confirmed, acceptsKeys });
}

/** A plan and so many users of it; their ids and links. */
export async function fillWithUsers({ act }: Machine, count: number): Promise<ReadonlyMap<number, string>> {
  const { id: tariff_id } = await act('createTariff', { name: 'Monthly', duration: { months: 1 } });
  const links = new Map<number, string>();
  for (let number = 1; number <= count; number += 1) {
    const user = await act('createUser', {
      name: `User ${number}`,
      tariff_id,
      tags: ['filled'],
      note: `note ${number}`,
    });
    links.set(user.id, user.sub_url ?? '');
  }
  return links;
}

/** All users of a machine and their links. */
export async function listLinks({ act }: Machine): Promise<ReadonlyMap<number, string>> {
  const links = new Map<number, string>();
  for (let offset = 0; ; offset += 500) {
    const { items } = await act('listUsers', { limit: 500, offset, sort: 'id' });
    for (const { id, sub_url } of items) links.set(id, sub_url ?? '');
    if (items.length < 500) return links;
  }
}
