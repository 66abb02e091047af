// A store on a full disk: refused writes, essential writes, and recovery.
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { tempFolder } from '../../tests/support/temp-store.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { Reserve } from '../core/ports/disk-space.ts';
import type { Store } from '../core/ports/ports.ts';
import { type Connection, openConnection } from './database.ts';
import { isDiskFull } from './disk-space.ts';
import { createStore, openStore } from './index.ts';

const PIECES = 40;

interface Disk extends Disposable {
  readonly store: Store;
  readonly db: Connection;
  /** Leaves no space but the reserve. */
  fill(): void;
  /** Frees the space again. */
  clear(): void;
  left(): number;
}

/** A database on a disk of limited size; each piece of the reserve allows one page more. `pieces` null: without a reserve. */
function openDisk(pieces: number | null = PIECES): Disk {
  const folder = tempFolder();
  openStore(folder.file).close();
  const db = openConnection(folder.file);
  let limit = 0;
  const allow = (pages: number) => {
    limit = pages;
    db.pragma(`max_page_count = ${pages}`);
  };
  let left = pieces;
  let isFilled = false;
  const reserve: Reserve = {
    state: () => (left === null ? 'none' : left === PIECES ? 'whole' : 'broken'),
    freeBytes: () => (isFilled ? 0 : 2 ** 30),
    bytesLeft: () => (left ?? 0) * 2 ** 20,
    missingBytes: () => (left === PIECES ? 0 : 1),
    release() {
      if (left === null || left === 0) return false;
      left -= 1;
      allow(limit + 1);
      return true;
    },
    async restore() {
      if (isFilled) return left === PIECES;
      if (left !== null) left = PIECES;
      return left === PIECES;
    },
  };
  return {
    store: createStore(db, folder.file, reserve),
    db,
    fill: () => {
      isFilled = true;
      allow(Number(db.pragma('page_count', { simple: true })));
    },
    clear: () => {
      isFilled = false;
      allow(2 ** 31);
    },
    left: () => left ?? 0,
    [Symbol.dispose]: () => {
      db.close();
      folder[Symbol.dispose]();
    },
  };
}

/** Writes a row of more than two pages. */
function note(store: Store): number {
  return store.audit.append({
    at: 1,
    actorKind: 'panel',
    actorId: null,
    actorName: 'panel',
    action: 'x',
    outcome: 'done',
    target: null,
    detail: JSON.stringify({ text: 'x'.repeat(9000) }),
    address: null,
    requestId: 'x',
  });
}

const countAuditRows = (store: Store) => store.read(() => store.audit.page({ limit: 100 }).length);
const checkpoint = ({ db }: Disk) => db.pragma('wal_autocheckpoint', { simple: true });

it('refuses what is ordinary from the first failure on, untried', () => {
  using disk = openDisk();
  const { store } = disk;
  disk.fill();
  expect(() => store.write(() => note(store))).toThrow(new PanelError('storage_full'));
  expect([store.diskSpace.isFull(), checkpoint(disk)]).toEqual([true, 0]);
  let isTried = false;
  expect(() => store.write(() => (isTried = true))).toThrow('storage_full');
  expect(isTried).toBe(false);
  expect(countAuditRows(store)).toBe(0);
});

it('writes what is essential out of the reserve, once, taking no more than it needs', () => {
  using disk = openDisk();
  const { store } = disk;
  disk.fill();
  for (const count of [1, 2, 3]) {
    store.write(() => note(store), 'essential');
    expect(countAuditRows(store)).toBe(count);
  }
  expect(store.diskSpace.isFull()).toBe(true);
  expect(disk.left()).toBeGreaterThan(PIECES - 30);
  expect(disk.left()).toBeLessThan(PIECES);
});

it('refuses what is essential too once the reserve is used up', () => {
  using disk = openDisk(1);
  const { store } = disk;
  disk.fill();
  expect(() => store.write(() => note(store), 'essential')).toThrow('storage_full');
  expect(countAuditRows(store)).toBe(0);
});

it('passes other failures on, essential or not', () => {
  using disk = openDisk();
  const fail = () => {
    throw new PanelError('not_found');
  };
  expect(() => disk.store.write(fail, 'essential')).toThrow('not_found');
  expect(disk.store.diskSpace.isFull()).toBe(false);
});

it('is as before once there is room for the reserve', async () => {
  using disk = openDisk();
  const { store } = disk;
  disk.fill();
  store.diskSpace.markFull();
  expect(store.diskSpace.isFull()).toBe(true);
  await store.diskSpace.recover();
  store.write(() => note(store), 'essential');
  await store.diskSpace.recover();
  expect(store.diskSpace.isFull()).toBe(true);
  disk.clear();
  await store.diskSpace.recover();
  expect([store.diskSpace.isFull(), disk.left(), checkpoint(disk)]).toEqual([false, PIECES, 40_000]);
  store.write(() => note(store));
});

it('does without a reserve on a disk too small for one', async () => {
  using disk = openDisk(null);
  const { store } = disk;
  disk.fill();
  expect(() => store.write(() => note(store))).toThrow('storage_full');
  await store.diskSpace.recover();
  expect(store.diskSpace.isFull()).toBe(true);
  disk.clear();
  await store.diskSpace.recover();
  expect(store.diskSpace.isFull()).toBe(false);
});

it('begins full where the reserve was left broken', () => {
  using disk = openDisk(PIECES - 1);
  expect(disk.store.diskSpace.isFull()).toBe(true);
});

it('tells want of room from other failures', () => {
  using folder = tempFolder();
  const sqlite = (code: string) => new Database.SqliteError('', code);
  expect(isDiskFull(sqlite('SQLITE_FULL'), folder.file)).toBe(true);
  expect(isDiskFull(Object.assign(new Error(), { code: 'ENOSPC' }), folder.file)).toBe(true);
  // With enough space an I/O error means a broken disk.
  expect(isDiskFull(sqlite('SQLITE_IOERR_WRITE'), folder.file)).toBe(false);
  expect(isDiskFull(sqlite('SQLITE_CONSTRAINT'), folder.file)).toBe(false);
});
