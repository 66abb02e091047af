// A restored database replaces the present one atomically: after a crash at any point there is the old one or the new one, complete.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sampleTariff, type TempFolder, tempFolder } from '../../../tests/support/temp-store.ts';
import { openStore } from '../index.ts';

import { decideSwap, finishSwap, openSwappableStore, undecideSwap } from './swap.ts';

/** A closed database with one plan of that name. */
function createDatabase(file: string, name: string): string {
  const store = openStore(file);
  store.write(() => store.tariffs.insert(sampleTariff({ name })));
  store.close();
  return file;
}

function planIn(file: string): string | undefined {
  const { store } = openSwappableStore(file);
  const [plan] = store.tariffs.page({}, 10, 0);
  store.close();
  return plan?.name;
}

/** The old database as a killed process leaves it, with its last write only in the journal. */
function crashed({ path, file }: TempFolder): void {
  const store = openStore(file);
  store.write(() => store.tariffs.insert(sampleTariff({ name: 'old' })));
  for (const end of ['', '-wal']) copyFileSync(`${file}${end}`, join(path, `kept${end}`));
  store.close();
  for (const end of ['', '-wal']) renameSync(join(path, `kept${end}`), `${file}${end}`);
  createDatabase(join(path, 'ready'), 'new');
}

describe('a crash', () => {
  const steps: readonly (readonly [when: string, expected: string, until: (file: string, ready: string) => void])[] = [
    ['before the decision', 'old', () => {}],
    ['right after it', 'new', (file, ready) => decideSwap(ready, file)],
    [
      'when the old journal is gone',
      'new',
      (file, ready) => {
        decideSwap(ready, file);
        rmSync(`${file}-wal`);
      },
    ],
    [
      'when the new one has its name',
      'new',
      (file, ready) => {
        decideSwap(ready, file);
        rmSync(`${file}-wal`);
        renameSync(`${file}.restored`, file);
      },
    ],
    [
      'at the end',
      'new',
      (file, ready) => {
        decideSwap(ready, file);
        finishSwap(file);
      },
    ],
    [
      'after a decision that was taken back',
      'old',
      (file, ready) => {
        decideSwap(ready, file);
        undecideSwap(file);
      },
    ],
  ];

  test.each(steps)('%s', (_when, expected, until) => {
    using folder = tempFolder();
    crashed(folder);
    until(folder.file, join(folder.path, 'ready'));
    expect(planIn(folder.file)).toBe(expected);
    // The second time nothing is left to do.
    expect(planIn(folder.file)).toBe(expected);
    expect(existsSync(`${folder.file}.restored`)).toBe(false);
  });
});

test('a store that is open reads the restored data, also through statements prepared before', () => {
  using folder = tempFolder();
  const ready = createDatabase(join(folder.path, 'ready'), 'new');
  const { store, swap } = openSwappableStore(createDatabase(folder.file, 'old'));
  const { tariffs, write } = store;
  expect(tariffs.get(1)?.name).toBe('old');
  swap(ready);
  expect(tariffs.get(1)?.name).toBe('new');
  write(() => tariffs.insert(sampleTariff({ name: 'next' })));
  expect(store.read(() => store.tariffs.count({}))).toBe(2);
  store.close();
  expect(planIn(folder.file)).toBe('new');
});

/** Opens the database in another process, in a read transaction if `sql` starts one, until its stdin ends. */
async function openElsewhere(
  file: string,
  sql: string,
): Promise<AsyncDisposable & { readonly pid: number | undefined }> {
  const script = `
    const Database = require('better-sqlite3');
    const db = new Database(process.argv[1]);
    db.exec(process.argv[2]);
    console.log('open');
    process.stdin.resume();`;
  const cwd = join(import.meta.dirname, '../../..');
  const child = spawn(process.execPath, ['-e', script, file, sql], { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return {
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await once(child, 'close');
    },
  };
}

test.runIf(process.platform === 'linux').each([
  ['is idle', 'PRAGMA user_version'],
  ['reads', 'BEGIN; SELECT count(*) FROM users'],
])('a swap while another process has the database open and %s is refused and names it', async (_, sql) => {
  using folder = tempFolder();
  const ready = createDatabase(join(folder.path, 'ready'), 'new');
  const { store, swap } = openSwappableStore(createDatabase(folder.file, 'old'));
  const refusal = (pid: number | undefined) => [expect.objectContaining({ message: `process ${pid} (node)` })];
  {
    await using other = await openElsewhere(folder.file, sql);
    expect(() => swap(ready)).toThrow(expect.objectContaining({ code: 'database_in_use', errors: refusal(other.pid) }));
    store.write(() => store.tariffs.insert(sampleTariff({ name: 'goes on' })));
  }
  swap(ready);
  expect(store.tariffs.get(1)?.name).toBe('new');
  store.close();
});

test('a swap does not wait for a reader whom the system does not name', () => {
  using folder = tempFolder();
  const ready = createDatabase(join(folder.path, 'ready'), 'new');
  const { store, swap } = openSwappableStore(createDatabase(folder.file, 'old'));
  // A connection of this process, which does not count as another process.
  const reader = openStore(folder.file, { readonly: true });
  reader.connection().exec('BEGIN; SELECT count(*) FROM users');
  store.write(() => store.tariffs.insert(sampleTariff({ name: 'later' })));
  const timeout = () => store.connection().pragma('busy_timeout', { simple: true });
  const before = timeout();
  expect(() => swap(ready)).toThrow(expect.objectContaining({ code: 'database_in_use' }));
  expect([store.tariffs.get(1)?.name, timeout()]).toEqual(['old', before]);
  reader.close();
  store.close();
});

test('a swap that fails leaves the present database open and as it was', () => {
  using folder = tempFolder();
  const { store, swap } = openSwappableStore(createDatabase(folder.file, 'old'));
  expect(() => swap(join(folder.path, 'nowhere'))).toThrow('ENOENT');
  expect(store.tariffs.get(1)?.name).toBe('old');
  store.write(() => store.tariffs.insert(sampleTariff({ name: 'goes on' })));
  store.close();
  expect(readdirSync(folder.path).filter((name) => name.endsWith('.restored'))).toEqual([]);
});
