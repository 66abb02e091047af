// What a backup's copy of the database contains and lacks, down to its bytes.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sampleUser, type TempFolder, tempFolder } from '../../../tests/support/temp-store.ts';
import { listTables } from '../database.ts';
import { openStore } from '../index.ts';
import { checkDatabase } from './check.ts';
import { copyDatabase } from './copy.ts';

const CIPHERTEXT = Buffer.from('ciphertext of a secret, sixteen bytes and more');
const HASH = 'c0ffee'.padEnd(64, '0');

/** A store with rows of every kind that must not leave the machine. */
function filled(file: string) {
  const store = openStore(file);
  store.write(() => {
    store.users.insert(sampleUser({ name: 'Anna' }));
    const nonce = Buffer.alloc(12, 1);
    for (const place of ['inbound:1:reality', 'administrator:totp-pending']) {
      store.sealed.save({ place, keyId: 'key', nonce, ciphertext: CIPHERTEXT });
    }
    store.sessions.insert({ address: '', device: 'a device', createdAt: 0, lastSeenAt: 0, browserId: null }, HASH);
    store.administrator.setSetupToken({ hash: HASH, endsAt: 1 });
    store.administrator.setAttempts(NETWORK, 1, 1);
    store.browsers.insert(HASH, 1);
    store.twoFactor.setPending({ sessionId: 1, endsAt: 1 });
  });
  return store;
}

const targetIn = ({ path }: TempFolder) => join(path, 'copy');

const NETWORK = 'network:203.0.113.9';

describe('copyDatabase', () => {
  test('leaves out sealed secrets, sessions and one-time tokens, with every trace of them', () => {
    using folder = tempFolder();
    const store = filled(folder.file);
    const { counts, sealed } = copyDatabase(folder.file, targetIn(folder), false);
    expect(counts).toMatchObject({ users: 1, sealed: 0, sessions: 0, setup_token: 0, two_factor_pending: 0 });
    expect(sealed).toMatchObject([{ place: 'inbound:1:reality', ciphertext: CIPHERTEXT }]);
    const bytes = readFileSync(targetIn(folder));
    for (const trace of [CIPHERTEXT, HASH, 'a device', NETWORK]) expect(bytes.includes(trace)).toBe(false);
    expect(bytes.includes('Anna')).toBe(true);
    // The live database still has all of them.
    expect(store.sealed.all()).toHaveLength(2);
    expect(store.sessions.byHash(HASH)?.id).toBe(1);
    store.close();
  });

  test('keeps sealed secrets where it stays on the machine, but not those of an enrolment that was begun', () => {
    using folder = tempFolder();
    filled(folder.file).close();
    copyDatabase(folder.file, targetIn(folder), true);
    const judged = checkDatabase(targetIn(folder));
    expect(judged.problem === null && judged.sealed.map(({ place }) => place)).toEqual(['inbound:1:reality']);
  });

  test('has what was committed a moment ago, is a file of its own and its owner’s alone', () => {
    using folder = tempFolder();
    const store = filled(folder.file);
    store.write(() => store.users.insert(sampleUser({ name: 'just now' })));
    expect(copyDatabase(folder.file, targetIn(folder), false).counts.users).toBe(2);
    store.close();
    const copy = openStore(targetIn(folder), { readonly: true });
    expect(copy.users.count({ q: 'just now' }, 0)).toBe(1);
    copy.close();
    if (process.platform !== 'win32') expect(statSync(targetIn(folder)).mode & 0o777).toBe(0o600);
  });

  test('leaves out the tables of Litestream', () => {
    using folder = tempFolder();
    const store = filled(folder.file);
    store
      .connection()
      .exec('CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER); CREATE TABLE _litestream_lock (id)');
    copyDatabase(folder.file, targetIn(folder), false);
    store.close();
    const copy = openStore(targetIn(folder), { readonly: true });
    expect(listTables(copy.connection()).filter((name) => name.includes('litestream'))).toEqual([]);
    copy.close();
  });

  test('refuses to write over anything', () => {
    using folder = tempFolder();
    const store = filled(folder.file);
    expect(() => copyDatabase(folder.file, folder.file, false)).toThrow('EEXIST');
    expect(store.users.count({}, 0)).toBe(1);
    store.close();
  });
});
