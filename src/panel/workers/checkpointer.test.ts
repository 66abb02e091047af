// The WAL is checkpointed beside reads and writes, starts again from its beginning when it is long, and is truncated when the panel is
// idle.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestLog } from '../../../tests/support/log.ts';
import { type Checkpoints, createCheckpoints, IDLE_BYTES, MAX_PAGES, PAGES } from '../../core/kernel/checkpoints.ts';
import { createWriteQueue, type WriteQueue } from '../../core/kernel/write-queue.ts';
import { type FileStore, openStore } from '../../store/index.ts';
import { type CheckpointerThread, createCheckpointer } from './checkpointer.ts';

let folder = '';
let database = '';
let store: FileStore;
let thread: CheckpointerThread;
let queue: WriteQueue;
let checkpoints: Checkpoints;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-checkpoint-'));
  database = join(folder, 'panel.db');
  store = openStore(database);
  thread = createCheckpointer({ database });
  queue = createWriteQueue({
    commit: store.writeTogether,
    soon: (work) => void setImmediate(work),
    onTurnEnd: () => checkpoints.countTurn(),
  });
  checkpoints = createCheckpoints({ store, log: createTestLog(), checkpointer: thread, runAlone: queue.runAlone });
});
afterEach(async () => {
  await checkpoints.close();
  await thread.close();
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

let written = 0;
/** Writes at least this many pages, through the write queue. */
const fill = (pages: number) =>
  queue.run(() => store.write(() => store.settings.set({ announcement: `${++written} ${'x'.repeat(pages * 4096)}` })));

test('what was written reaches the database file, without being asked for', async () => {
  await fill(PAGES);
  expect(store.journal().pending).toBeGreaterThanOrEqual(PAGES);
  await checkpoints.close();
  expect(store.journal().pending).toBe(0);
});

test('a checkpoint waits for no transaction, and none waits for it', async () => {
  await fill(10);
  const db = store.connection();
  db.exec('BEGIN IMMEDIATE');
  store.settings.set({ announcement: 'open' });
  expect(await thread.checkpoint('passive')).toBe('done');
  expect(await thread.checkpoint('truncate')).toBe('done');
  db.exec('COMMIT');
  expect(store.settings.get().announcement).toBe('open');
});

test('a long journal begins again from its start', async () => {
  for (let pages = 0; pages <= MAX_PAGES * 3; pages += PAGES) await fill(PAGES);
  // The WAL never shrinks while it is written to: its size shows the longest it has been.
  expect(store.journal().bytes).toBeLessThan(2 * MAX_PAGES * 4096);
});

test('an idle journal is emptied, one in use is not', async () => {
  // Not enough for a checkpoint at once.
  await fill(PAGES / 2);
  expect(store.journal().bytes).toBeGreaterThan(IDLE_BYTES);
  await checkpoints.tidy();
  expect(store.journal().bytes).toBeGreaterThan(IDLE_BYTES);
  await checkpoints.tidy();
  expect(store.journal().bytes).toBe(0);
});

test('a reader of an old state, as a backup is, loses nothing and stops nothing', async () => {
  await fill(1);
  const reader = new Database(database, { readonly: true });
  const before = reader.prepare("SELECT value FROM settings WHERE name = 'announcement'").pluck();
  reader.exec('BEGIN');
  const old = before.get();
  await fill(PAGES);
  await fill(PAGES);
  expect(await thread.checkpoint('truncate')).toBe('done');
  expect(before.get()).toBe(old);
  reader.exec('COMMIT');
  reader.close();
  expect(store.settings.get().announcement.startsWith(`${written} x`)).toBe(true);
});
