// A real store in a folder of its own, and users to put into it, for every test that needs a database.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Credentials } from '../../src/core/ports/credentials.ts';
import type { Reserve } from '../../src/core/ports/disk-space.ts';
import type { NodeRow } from '../../src/core/ports/nodes.ts';
import type { Store } from '../../src/core/ports/ports.ts';
import type { TariffRow } from '../../src/core/ports/tariffs.ts';
import type { NewUser, UserRow } from '../../src/core/ports/users.ts';
import { type Account, computeUserState, extraBytes } from '../../src/domain/users/account.ts';
import { nextChangeAt, type TermFlags } from '../../src/domain/users/settle.ts';
import type { Connection } from '../../src/store/database.ts';
import { type FileStore, openStore } from '../../src/store/index.ts';
import { PLAIN_USER } from './plain-user.ts';

export interface TempFolder extends Disposable {
  readonly path: string;
  readonly file: string;
}

/** A folder that goes with its scope. */
export function tempFolder(): TempFolder {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-store-'));
  return {
    path,
    file: join(path, 'panel.sqlite'),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

export interface TempStore extends Disposable {
  readonly store: FileStore;
  readonly db: Connection;
  readonly file: string;
}

/** Reserved disk space that can be released without end: a store with it can be marked as one whose disk is full. */
export const RESERVE: Reserve = {
  state: () => 'whole',
  freeBytes: () => 0,
  bytesLeft: () => 2 ** 30,
  missingBytes: () => 0,
  release: () => true,
  restore: async () => true,
};

/** An empty, migrated store. */
export function tempStore(options: { readonly reserve?: Reserve } = {}): TempStore {
  const folder = tempFolder();
  const store = openStore(folder.file, options);
  return {
    store,
    db: store.connection(),
    file: folder.file,
    [Symbol.dispose]: () => {
      store.close();
      folder[Symbol.dispose]();
    },
  };
}

let made = 0;

/** Those of the user with this number, unique to the user. */
export function sampleCredentials(number: number): Credentials {
  const digits = String(number).padStart(16, '0');
  const key = Buffer.from(digits.padStart(32, '0')).toString('base64');
  return { uuid: `00000000-0000-4000-8000-${digits.slice(-12)}`, password: `password-${digits}`, key, wireguard: key };
}

/** A user with a unique link and credentials. */
export function sampleUser(fields: Partial<NewUser> = {}): NewUser {
  made += 1;
  return {
    ...PLAIN_USER,
    token: `token-${String(made).padStart(16, '0')}`,
    credentials: sampleCredentials(made),
    heldAt: fields.hold ? 0 : null,
    ...fields,
  };
}

/** The notices before the end of a term, as a new panel has them. */
export const NOTICES = [7, 3, 1] as const;

/** Stores an account as a write at `now` leaves it: state, extra and due moment follow from it. */
export function storeAccount(
  store: Store,
  account: Account,
  flags: TermFlags,
  now: number,
  fields: Partial<NewUser> = {},
): UserRow {
  const { grants, heldAt = account.hold && 0, ...facts } = account;
  const derived = {
    state: computeUserState(account, now),
    extra: extraBytes(grants, now),
    dueAt: nextChangeAt(account, flags, now, NOTICES),
  };
  const id = store.users.insert(sampleUser({ ...facts, heldAt: heldAt ?? null, ...flags, ...derived, ...fields }));
  for (const { id: _, ...grant } of grants) store.grants.insert({ ...grant, userId: id, note: '' });
  const row = store.users.get(id);
  if (row === undefined) throw new Error('a user was not stored');
  return row;
}

export function sampleTariff(fields: Partial<TariffRow> = {}): Omit<TariffRow, 'id'> {
  return {
    name: 'Monthly',
    trafficLimit: 50_000_000_000,
    duration: { months: 1 },
    deviceLimit: 3,
    concurrentLimit: 4,
    resetStrategy: 'month',
    starts: 'on_creation',
    inbounds: null,
    price: { amount: 499, currency: 'EUR' },
    archived: false,
    createdAt: 1,
    updatedAt: 2,
    version: 1,
    ...fields,
  };
}

export function sampleNode(fields: Partial<NodeRow> = {}): Omit<NodeRow, 'id'> {
  return {
    name: 'Frankfurt',
    kind: 'local',
    address: 'de1.example.com',
    enabled: true,
    allowsPrivate: false,
    draining: false,
    weight: 100,
    note: '',
    status: 'unknown',
    coreName: null,
    coreVersion: null,
    engineStartedAt: null,
    usersOnline: 0,
    lastSeenAt: null,
    errorCode: null,
    errorText: null,
    unserved: [],
    restart: null,
    agentPort: null,
    agentPin: null,
    agentProtocol: null,
    load: null,
    clockOffset: null,
    agentVersion: null,
    linksEndsAt: null,
    linksLate: null,
    linksFailure: null,
    waitingEntries: null,
    waitingBytes: null,
    waitingSince: null,
    restoredAt: null,
    createdAt: 0,
    updatedAt: 0,
    ...fields,
  };
}
