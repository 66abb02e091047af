// Files that were cut, changed, forged or never were backups: refused, with the live database byte for byte as it was, and served.
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeBackupFile } from '../../src/adapters/backup-file.ts';
import { PanelError } from '../../src/core/kernel/panel-error.ts';
import type { BackupProblem } from '../../src/core/ports/backups.ts';
import { countRows } from '../../src/store/backup/check.ts';
import { copyDatabase } from '../../src/store/backup/copy.ts';
import { sampleInbound } from '../support/subscription-samples.ts';
import { sampleNode } from '../support/temp-store.ts';
import { FORGERIES } from './forgeries.ts';
import { fillWithUsers, type Machine, PASSPHRASE, PASSWORD, startMachine } from './machine.ts';

const SEED = 20_261_120;

/** mulberry32: the same numbers on every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

let machine: Machine;
/** Whole backups: in clear and with a passphrase. */
let clear: Buffer;
let encrypted: Buffer;
/** A copy of the database, to be forged. */
let copy: string;
let before: string;
let tried = 0;

/** The data folder as it must stay: every file, but for those that the test itself puts among the backups. */
function hashFolder({ folder }: Machine): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (name === 'backups' || name.endsWith('-shm')) continue;
    hash.update(name).update(statSync(path).isFile() ? readFileSync(path) : readdirSync(path).join());
  }
  return hash.digest('hex');
}

beforeAll(async () => {
  machine = await startMachine();
  await fillWithUsers(machine, 20);
  // For the forgeries of connections. No panel needs its node.
  machine.store.write(() => {
    const { id: _, ...inbound } = sampleInbound({ nodeId: machine.store.nodes.insert(sampleNode({ enabled: false })) });
    machine.store.inbounds.insert(inbound);
  });
  const { folder } = machine.backups;
  clear = readFileSync(join(folder, (await machine.act('createBackup', {})).name));
  encrypted = readFileSync(join(folder, (await machine.act('createBackup', { passphrase: PASSPHRASE })).name));
  copy = join(machine.place, 'copy.db');
  copyDatabase(machine.database, copy, false);
  // An idle panel would do it later, and change both files.
  machine.store.connection().pragma('wal_checkpoint(TRUNCATE)');
  before = hashFolder(machine);
});

afterAll(async () => {
  await machine[Symbol.asyncDispose]();
});

/** Tries to restore a file; what it was refused for. */
async function tryRestore(bytes: Buffer | string, passphrase?: string): Promise<BackupProblem | 'restored'> {
  const name = 'tried.gatehouse-backup';
  const path = join(machine.backups.folder, name);
  if (typeof bytes === 'string') copyFileSync(bytes, path);
  else writeFileSync(path, bytes);
  tried += 1;
  try {
    const { fingerprint } = await machine.act('checkBackup', { name, ...(passphrase !== undefined && { passphrase }) });
    const confirm = fingerprint ?? '';
    await machine.act('restoreBackup', {
      name,
      confirm,
      password: PASSWORD,
      ...(passphrase !== undefined && { passphrase }),
    });
    return 'restored';
  } catch (error) {
    if (error instanceof PanelError && error.code === 'backup_refused') return error.errors?.[0]?.code as BackupProblem;
    throw error;
  }
}

async function expectUntouched(): Promise<void> {
  expect(hashFolder(machine)).toBe(before);
  expect((await machine.act('listUsers', {})).total).toBe(20);
  expect(existsSync(join(machine.folder, 'workshop'))).toBe(false);
}

/** A backup around a database that somebody forged, with everything else as it should be. */
function forge(change: (db: Database.Database) => void, edit: (file: string) => void = () => {}): string {
  const database = join(machine.place, 'forged.db');
  copyFileSync(copy, database);
  const db = new Database(database);
  db.unsafeMode(true);
  change(db);
  let counts = {};
  try {
    counts = countRows(db);
  } catch {
    // Where that fails the file says something else, and is refused for that or for the other.
  }
  const schema = Number(db.pragma('user_version', { simple: true }));
  db.close();
  edit(database);
  return pack(database, schema, counts);
}

function pack(database: string, schema: number, counts: Readonly<Record<string, number>>, secrets = {}): string {
  const path = join(machine.place, `forged-${tried}.gatehouse-backup`);
  const database_bytes = statSync(database).size;
  const header = { version: '0.1.0', created_at: 0, database_bytes, secrets: 'none', key: null };
  const manifest = { schema, database_bytes, counts, links_at: null, secrets, left_out: [] };
  writeBackupFile({ path, header, manifest, database, key: null });
  return path;
}

describe('500 mutations', () => {
  test('cut anywhere', async () => {
    const random = createRandom(SEED);
    const cuts = [
      0,
      1,
      15,
      16,
      19,
      20,
      40,
      clear.length - 1,
      clear.length - 17,
      ...Array.from({ length: 61 }, () => random(clear.length)),
    ];
    for (const at of cuts) {
      const expected = at < 16 ? 'not_a_backup' : 'truncated';
      expect([at, await tryRestore(clear.subarray(0, at))]).toEqual([at, expected]);
    }
    for (let count = 0; count < 50; count += 1) {
      const at = 16 + random(encrypted.length - 16);
      expect([at, await tryRestore(encrypted.subarray(0, at), PASSPHRASE)]).toEqual([at, 'truncated']);
    }
    await expectUntouched();
  });

  test('one bit changed anywhere', async () => {
    const random = createRandom(SEED + 1);
    const seen = new Set<string>();
    for (const [file, passphrase] of [
      [clear, undefined],
      [encrypted, PASSPHRASE],
    ] as const) {
      for (let count = 0; count < 100; count += 1) {
        const at = random(file.length);
        const changed = Buffer.from(file);
        changed.writeUInt8(changed.readUInt8(at) ^ (1 << random(8)), at);
        const found = await tryRestore(changed, passphrase);
        seen.add(found);
        expect([at, found === 'restored']).toEqual([at, false]);
      }
    }
    expect([...seen].sort()).toEqual(expect.arrayContaining(['damaged']));
    await expectUntouched();
  });

  test('pieces left out, doubled, exchanged, overwritten or added', async () => {
    const random = createRandom(SEED + 2);
    for (let count = 0; count < 20; count += 1) {
      const [from, to] = [random(clear.length), random(clear.length)].sort((a, b) => a - b) as [number, number];
      const zeroed = Buffer.from(clear).fill(0, from, to + 1);
      const without = Buffer.concat([clear.subarray(0, from), clear.subarray(to + 1)]);
      const doubled = Buffer.concat([clear.subarray(0, to + 1), clear.subarray(from)]);
      const longer = Buffer.concat([clear, Buffer.alloc(1 + random(100), count)]);
      for (const bytes of [zeroed, without, doubled, longer]) expect(await tryRestore(bytes)).not.toBe('restored');
    }
    expect(await tryRestore(Buffer.concat([clear, clear]))).toBe('damaged');
    await expectUntouched();
  });

  test('databases with a bit changed, in a file that is whole', async () => {
    const random = createRandom(SEED + 3);
    const original = readFileSync(copy);
    const reader = new Database(copy, { readonly: true });
    const counts = countRows(reader);
    reader.close();
    const database = join(machine.place, 'flipped.db');
    const found = new Map<string, number>();
    for (let count = 0; count < 100; count += 1) {
      const changed = Buffer.from(original);
      const at = random(changed.length);
      changed.writeUInt8(changed.readUInt8(at) ^ (1 << random(8)), at);
      writeFileSync(database, changed);
      // A letter of a note may have changed: then it is a good database, and looking is all that is done with it.
      const verdict = await machine.backups.check({ path: pack(database, 1, counts) }, null);
      tried += 1;
      found.set(verdict.problem ?? 'good', (found.get(verdict.problem ?? 'good') ?? 0) + 1);
    }
    expect(found.get('damaged') ?? 0).toBeGreaterThan(0);
    await expectUntouched();
  });
});

describe('forged databases', () => {
  test.each(FORGERIES)('%s', async (_what, problem, change) => {
    expect(await tryRestore(forge(change))).toBe(problem);
    await expectUntouched();
  });

  test('counts that do not hold', async () => {
    expect(await tryRestore(pack(copy, 1, { users: 1 }))).toBe('damaged');
    await expectUntouched();
  });

  test('half of a database in a file that is whole', async () => {
    const halve = (file: string) => truncateSync(file, Math.floor(statSync(file).size / 2));
    expect(await tryRestore(forge(() => {}, halve))).toBe('damaged');
    await expectUntouched();
  });
});

test('files that are something else', async () => {
  const other = join(machine.place, 'other.db');
  const db = new Database(other);
  db.exec('CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT)');
  db.close();
  expect(await tryRestore(other)).toBe('foreign');
  expect(await tryRestore(pack(other, 1, {}))).toBe('foreign');
  const others = ['', 'hello', 'PK\u0003\u0004 a zip', '{"backup": true}', 'GATEHOUSE', 'SQLite format 2\0'];
  for (const text of others) expect([text, await tryRestore(Buffer.from(text))]).toEqual([text, 'not_a_backup']);
  expect(await tryRestore(Buffer.from('SQLite format 3\0'))).toBe('foreign');
  expect(await tryRestore(Buffer.concat([Buffer.from('GATEHOUSE BACKUP'), Buffer.alloc(100, 0xff)]))).toBe('damaged');
  await expectUntouched();
});

test('names and links lead nowhere else', async () => {
  const { folder } = machine.backups;
  const target = join(machine.place, 'elsewhere.gatehouse-backup');
  writeFileSync(target, clear);
  symlinkSync(target, join(folder, 'link.gatehouse-backup'));
  symlinkSync('/etc/passwd', join(folder, 'passwd.gatehouse-backup'));
  for (const name of ['link.gatehouse-backup', 'passwd.gatehouse-backup']) {
    await expect(machine.act('checkBackup', { name })).rejects.toThrow('not_found');
    await expect(machine.act('deleteBackup', { name })).rejects.toThrow('not_found');
    expect(machine.backups.open(name)).toBeNull();
  }
  expect((await machine.act('listBackups', {})).items.map(({ name }) => name)).not.toContain('link.gatehouse-backup');
  const tricks = [
    '../panel.db',
    '../elsewhere.gatehouse-backup',
    '..',
    '.',
    '',
    'a/b.gatehouse-backup',
    '/etc/passwd',
    'a\\b.gatehouse-backup',
    'x\0.gatehouse-backup',
    '.gatehouse-backup',
    'pre-migration-0001.sqlite-wal',
    `${'a'.repeat(200)}.gatehouse-backup`,
  ];
  for (const name of tricks) {
    expect([name, machine.backups.open(name)]).toEqual([name, null]);
    expect([name, machine.backups.remove(name)]).toEqual([name, false]);
    await expect(machine.backups.check({ name }, null)).rejects.toThrow('not_found');
  }
  expect(existsSync(target)).toBe(true);
  await expectUntouched();
});

test('that were more than 500', () => {
  expect(tried).toBeGreaterThan(500);
});

test('secrets in a file in clear, which no panel writes, are refused: they would be of accounts of somebody else', async () => {
  const db = new Database(copy, { readonly: true });
  const counts = countRows(db);
  const schema = Number(db.pragma('user_version', { simple: true }));
  db.close();
  expect(await tryRestore(pack(copy, schema, counts))).toBe('restored');
  expect(await tryRestore(pack(copy, schema, counts, { 'bot:token': '1:AAplanted' }))).toBe('damaged');
});
