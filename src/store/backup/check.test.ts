// Checks of a database of unknown origin, before any row of it is used.
import { copyFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FORGERIES } from '../../../tests/backup/forgeries.ts';
import { sampleInbound } from '../../../tests/support/subscription-samples.ts';
import {
  sampleNode,
  sampleTariff,
  sampleUser,
  type TempFolder,
  tempFolder,
} from '../../../tests/support/temp-store.ts';
import { openStore } from '../index.ts';
import { loadMigrations } from '../migrate.ts';
import { checkDatabase, countRows, findFault, isDatabase } from './check.ts';

const SEALED = { place: 'b:two', keyId: 'k1', nonce: Buffer.alloc(12, 1), ciphertext: Buffer.alloc(16, 2) };

let folder: TempFolder;
/** Path of a database with users, a tariff and a node with a connection. */
let whole: string;
beforeAll(() => {
  folder = tempFolder();
  whole = join(folder.path, 'whole.db');
  const store = openStore(whole);
  store.write(() => {
    const tariffId = store.tariffs.insert(sampleTariff());
    const { id: _, ...inbound } = sampleInbound({ nodeId: store.nodes.insert(sampleNode()) });
    store.inbounds.insert(inbound);
    for (const name of ['Anna', 'Boris', 'Vera'])
      store.users.insert(sampleUser({ name, tariffId, contact: `${name}@example.com`, tags: ['vip'] }));
    store.sealed.save(SEALED);
    store.sealed.save({ ...SEALED, place: 'a:one' });
  });
  store.connection().pragma('journal_mode = DELETE');
  store.close();
});
afterAll(() => folder[Symbol.dispose]());

/** A copy of it after `change`. */
function forged(change: (db: Database.Database) => void): string {
  const path = join(folder.path, 'forged.db');
  copyFileSync(whole, path);
  const db = new Database(path);
  db.unsafeMode(true);
  change(db);
  db.close();
  return path;
}

/** The fault that is found in such a copy. */
function findForgedFault(change: (db: Database.Database) => void): string | null {
  const db = new Database(forged(change), { readonly: true });
  try {
    return findFault(db);
  } finally {
    db.close();
  }
}

it("is the panel's own where nothing was changed, with what is in it", () => {
  const before = readFileSync(whole);
  const judged = checkDatabase(whole);
  expect(judged).toMatchObject({ problem: null, schema: loadMigrations().length });
  if (judged.problem !== null) return;
  expect(judged.counts).toMatchObject({ users: 3, tariffs: 1, nodes: 1, grants: 0, sealed: 2, user_credentials: 12 });
  expect(Object.keys(judged.counts).filter((name) => name.startsWith('sqlite_'))).toEqual([]);
  expect(judged.sealed.map(({ place, keyId }) => [place, keyId])).toEqual([
    ['a:one', 'k1'],
    ['b:two', 'k1'],
  ]);
  expect(Buffer.from(judged.sealed[0]?.ciphertext ?? [])).toEqual(SEALED.ciphertext);
  expect(readFileSync(whole).equals(before)).toBe(true);
});

/** SQLite's check does not find it; the restore does, as it inserts each row again. */
const UNSEEN = 'a value that the schema forbids';

it.each(FORGERIES.filter(([what]) => what !== UNSEEN))('with %s is %s', (_what, problem, change) => {
  expect(checkDatabase(forged(change))).toMatchObject({ problem });
});

it('names what is foreign in it, and is not bothered by what Litestream makes', () => {
  const table = forged((db) =>
    db.exec('CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER); CREATE TABLE "lo\not" (x)'),
  );
  expect(checkDatabase(table)).toEqual({ problem: 'foreign', detail: 'table lo ot' });
  const lacking = forged((db) => db.exec('DROP INDEX inbounds_node_tag'));
  expect(checkDatabase(lacking)).toMatchObject({ problem: 'foreign', detail: 'index inbounds_node_tag' });
  const copied = forged((db) =>
    db.exec(`CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);
             CREATE TABLE _litestream_lock (id INTEGER)`),
  );
  expect(checkDatabase(copied)).toMatchObject({ problem: null });
});

it('that was cut or overwritten is damaged, and what is none foreign', () => {
  const path = forged(() => {});
  truncateSync(path, 40_960);
  expect(checkDatabase(path)).toMatchObject({ problem: 'damaged' });
  const bytes = readFileSync(whole);
  writeFileSync(path, bytes.fill(0x5a, 100, 12_000));
  expect(checkDatabase(path)).toMatchObject({ problem: 'damaged' });
  writeFileSync(path, 'a text that is longer than the head of a database '.repeat(50));
  expect(checkDatabase(path)).toMatchObject({ problem: 'foreign' });
  writeFileSync(path, '');
  expect(checkDatabase(path)).toMatchObject({ problem: 'foreign' });
});

it('that lacks what tells its version is foreign, and one whose schema cannot be read damaged', () => {
  expect(checkDatabase(forged((db) => db.exec('DROP TABLE schema_migrations')))).toMatchObject({ problem: 'foreign' });
  expect(
    checkDatabase(forged((db) => db.exec('ALTER TABLE schema_migrations RENAME checksum TO other'))),
  ).toMatchObject({
    problem: 'foreign',
  });
  const broken = forged((db) => {
    db.pragma('writable_schema = ON');
    db.exec("UPDATE sqlite_schema SET sql = 'CREATE TABLE nodes (' WHERE name = 'nodes'");
  });
  expect(checkDatabase(broken)).toMatchObject({ problem: 'damaged' });
});

it.runIf(process.platform === 'linux')('is left open by nothing', () => {
  const open = () => readdirSync('/proc/self/fd').length;
  const foreign = forged((db) => db.exec('CREATE TABLE loot (x)'));
  const before = open();
  checkDatabase(foreign);
  checkDatabase(whole);
  isDatabase(whole);
  expect(open()).toBe(before);
});

it('is compared with the schema of its own version', () => {
  const [first] = loadMigrations();
  if (!first) throw new Error('no migration');
  const second = { ...first, version: 2, name: '0002_more.sql', sql: 'CREATE TABLE more (x) STRICT', checksum: 'x' };
  expect(checkDatabase(whole, [first, second])).toMatchObject({ problem: null, schema: 1 });
  expect(checkDatabase(whole, [{ ...first, checksum: 'x' }])).toMatchObject({ problem: 'foreign' });
  expect(checkDatabase(whole, [])).toMatchObject({ problem: 'newer' });
});

it('begins as databases of SQLite do', () => {
  expect(isDatabase(whole)).toBe(true);
  const path = join(folder.path, 'other');
  for (const text of ['', 'SQLite format', 'SQLite format 2\0', 'GATEHOUSE BACKUP and more']) {
    writeFileSync(path, text);
    expect([text, isDatabase(path)]).toEqual([text, false]);
  }
});

it('has its rows counted by table, virtual ones included', () => {
  const db = new Database(whole, { readonly: true });
  expect(countRows(db)).toMatchObject({ users: 3, sealed: 2, schema_migrations: 1 });
  db.close();
});

describe('what is wrong with it', () => {
  it('is nothing where it is whole', () => {
    expect(findForgedFault(() => {})).toBeNull();
    // The largest ids and numbers that are accepted.
    expect(
      findForgedFault((db) => db.exec(`UPDATE sqlite_sequence SET seq = ${2 ** 52} WHERE name = 'users'`)),
    ).toBeNull();
    expect(
      findForgedFault((db) => db.exec(`INSERT INTO node_hours VALUES (1, 0, ${Number.MAX_SAFE_INTEGER}, 0)`)),
    ).toBeNull();
  });

  it.each<[string, (db: Database.Database) => void]>([
    [
      'node_hours holds numbers that are too large',
      (db) => db.exec('INSERT INTO node_hours VALUES (9007199254740992, 0, 1, 1)'),
    ],
    ['an id is too large', (db) => db.exec(`UPDATE sqlite_sequence SET seq = ${2 ** 52 + 1} WHERE name = 'users'`)],
    [
      'a user lacks credentials',
      (db) => db.exec("UPDATE user_credentials SET family = 'other' WHERE user_id = 2 AND family = 'uuid'"),
    ],
    [
      'users refers to a missing row',
      (db) => {
        db.pragma('foreign_keys = OFF');
        db.exec('UPDATE users SET tariff_id = 777 WHERE id = 1');
      },
    ],
    ['users.tags holds something else', (db) => db.exec("UPDATE users SET tags = '[1]' WHERE id = 1")],
    ['users.inbounds holds something else', (db) => db.exec('UPDATE users SET inbounds = \'[1, "2"]\' WHERE id = 3')],
    ['tariffs.inbounds holds something else', (db) => db.exec("UPDATE tariffs SET inbounds = '[1.5]'")],
  ])('%s', (fault, change) => {
    expect(findForgedFault(change)).toBe(fault);
  });
});
