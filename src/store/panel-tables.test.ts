// The panel's own tables: keys, sessions, the administrator, settings and stored replies.
import { describe, expect, it } from 'vitest';
import { tempStore } from '../../tests/support/temp-store.ts';
import type { StoredReply } from '../core/ports/idempotency.ts';
import type { KeyRow } from '../core/ports/keys.ts';
import type { SettingValues } from '../core/ports/settings.ts';

describe('keys and sessions', () => {
  const hash = (letter: string) => letter.repeat(64);
  it('keys are found by hash, counted while they hold, revoked once', () => {
    using temp = tempStore();
    const { keys } = temp.store;
    const key: Omit<KeyRow, 'id'> = {
      name: 'bot',
      access: 'full',
      prefix: 'pnl_1234',
      createdAt: 1,
      expiresAt: null,
      revokedAt: null,
      unconfirmed: 0,
      lastUsedAt: null,
      lastUsedFrom: null,
    };
    const a = keys.insert(key, hash('a'));
    const b = keys.insert({ ...key, access: 'read', expiresAt: 100 }, hash('b'));
    expect([keys.byHash(hash('a')), keys.byHash(hash('c'))]).toEqual([{ ...key, id: a }, undefined]);
    expect([keys.countByAccess(99), keys.countByAccess(100)]).toEqual([
      { read: 1, full: 1 },
      { read: 0, full: 1 },
    ]);
    keys.touch(a, 5, '::1');
    keys.revoke(a, 6);
    keys.revoke(a, 7);
    expect(keys.get(a)).toMatchObject({ lastUsedAt: 5, lastUsedFrom: '::1', revokedAt: 6 });
    expect([keys.revokeAll(8), keys.revokeAll(9), keys.get(b)?.revokedAt]).toEqual([1, 0, 8]);
    expect(keys.all().map(({ id }) => id)).toEqual([b, a]);
    expect(() => keys.insert(key, hash('a'))).toThrow(/UNIQUE/);
  });

  it('keys found before are found as they were written since, and as they were where a write was taken back', () => {
    using temp = tempStore();
    const { store } = temp;
    const { keys } = store;
    const key: Omit<KeyRow, 'id'> = {
      name: 'bot',
      access: 'full',
      prefix: 'pnl_1234',
      createdAt: 1,
      expiresAt: null,
      revokedAt: null,
      unconfirmed: 0,
      lastUsedAt: null,
      lastUsedFrom: null,
    };
    const id = keys.insert(key, hash('a'));
    const found = () => keys.byHash(hash('a'));
    expect(found()?.lastUsedAt).toBeNull();
    keys.touch(id, 5, '::1');
    expect(found()?.lastUsedAt).toBe(5);
    const takenBack = () =>
      store.write(() => {
        keys.revoke(id, 6);
        expect(found()?.revokedAt).toBe(6);
        keys.insert(key, hash('b'));
        expect(keys.byHash(hash('b'))?.name).toBe('bot');
        throw new Error('taken back');
      });
    expect(takenBack).toThrow('taken back');
    expect([found()?.revokedAt, keys.byHash(hash('b'))]).toEqual([null, undefined]);
    keys.revoke(id, 7);
    expect(found()?.revokedAt).toBe(7);
    const other = keys.insert(key, hash('c'));
    expect(keys.byHash(hash('c'))?.id).toBe(other);
    keys.revokeAll(8);
    expect(keys.byHash(hash('c'))?.revokedAt).toBe(8);
  });

  it('sessions end alone, together and by age', () => {
    using temp = tempStore();
    const { sessions } = temp.store;
    const add = (letter: string, createdAt: number, lastSeenAt: number) =>
      sessions.insert({ address: '::1', device: 'Firefox', createdAt, lastSeenAt, browserId: null }, hash(letter));
    const [a, b, c] = [add('a', 1, 50), add('b', 20, 20), add('c', 30, 60)];
    sessions.touch(a, 70);
    expect(sessions.byHash(hash('a'))).toEqual({
      id: a,
      address: '::1',
      device: 'Firefox',
      createdAt: 1,
      lastSeenAt: 70,
    });
    expect(sessions.all().map(({ id }) => id)).toEqual([c, b, a]);
    sessions.removeOld(21, 2);
    expect(sessions.all().map(({ id }) => id)).toEqual([c]);
    expect([sessions.remove(c), sessions.remove(c)]).toEqual([true, false]);
    const [d, e] = [add('d', 1, 1), add('e', 1, 1)];
    expect([sessions.removeAll(e), sessions.all().map(({ id }) => id)]).toEqual([1, [e]]);
    expect([sessions.removeAll(null), sessions.byHash(hash('d')), d > c]).toEqual([1, undefined, true]);
  });
});

describe('the administrator', () => {
  it('is one, with attempts and a setup token', () => {
    using temp = tempStore();
    const { administrator } = temp.store;
    expect([administrator.get(), administrator.attempts('a'), administrator.setupToken()]).toEqual([
      undefined,
      { failed: 0, lastAt: 0 },
      null,
    ]);
    const row = { name: 'admin', passwordHash: 'scrypt$…', createdAt: 1, passwordChangedAt: 2 };
    administrator.save(row);
    administrator.save({ ...row, name: 'root' });
    expect(administrator.get()).toEqual({ ...row, name: 'root' });
    administrator.setAttempts('a', 3, 9);
    administrator.setAttempts('a', 4, 10);
    administrator.setAttempts('b', 1, 11);
    expect(administrator.attempts('a')).toEqual({ failed: 4, lastAt: 10 });
    administrator.setAttempts('a', 0, 12);
    expect([administrator.attempts('a').failed, administrator.attempts('b').failed]).toEqual([0, 1]);
    administrator.clearAttempts();
    expect(administrator.attempts('b').failed).toBe(0);
    const token = { hash: 'f'.repeat(64), endsAt: 5 };
    administrator.setSetupToken(token);
    expect(administrator.setupToken()).toEqual(token);
    administrator.setSetupToken(null);
    expect(administrator.setupToken()).toBeNull();
  });
});

describe('browsers that signed in before', () => {
  it('are found by their hash, and the oldest are forgotten first', () => {
    using temp = tempStore();
    const { browsers } = temp.store;
    for (const [index, letter] of ['a', 'b', 'c'].entries()) browsers.insert(letter.repeat(64), index);
    const findBrowserId = (letter: string) => browsers.byHash(letter.repeat(64))?.id;
    const [a = 0] = [findBrowserId('a')];
    browsers.touch(a, 9);
    browsers.dropOld(0, 2);
    expect([findBrowserId('a'), findBrowserId('b'), browsers.byHash('a'.repeat(64))?.signedInAt]).toEqual([
      a,
      undefined,
      9,
    ]);
    browsers.dropOld(3, 2);
    expect([findBrowserId('a'), findBrowserId('c')]).toEqual([a, undefined]);
    browsers.removeAll(a);
    expect(findBrowserId('a')).toBe(a);
    browsers.removeAll(null);
    expect(findBrowserId('a')).toBeUndefined();
  });
});

describe('settings', () => {
  it('have defaults, are kept, and survive values that cannot be read', () => {
    using temp = tempStore();
    const { settings } = temp.store;
    const defaults = settings.get();
    expect(defaults).toMatchObject({ timeZone: 'UTC', host: '127.0.0.1', port: 8443, subPath: 'sub', rateLimit: 1200 });
    expect(settings.has('port')).toBe(false);
    const set: Partial<SettingValues> = {
      port: 9000,
      hostNames: ['a', 'b'],
      supportUrl: null,
      timeZone: 'Europe/Riga',
    };
    settings.set(set);
    settings.set({ port: 9001 });
    expect(settings.get()).toEqual({ ...defaults, ...set, port: 9001 });
    expect([settings.has('port'), settings.has('host')]).toEqual([true, false]);
    const write = temp.db.prepare('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)');
    for (const [name, value] of [
      ['port', '"many"'],
      ['timeZone', '"Mars/Olympus"'],
      ['hostNames', '[1]'],
      ['language', '"tlh"'],
      ['userViews', '{"lastId":1,"items":[{"id":1,"name":"No columns","query":""}]}'],
      ['unheardOf', '1'],
    ]) {
      write.run(name, value);
    }
    expect(settings.get()).toEqual({ ...defaults, supportUrl: null });
    expect(() => write.run('port', 'no JSON')).toThrow(/CHECK/);
  });
});

describe('idempotency', () => {
  it('finds a reply in its scope while it is valid, and accepts the key again afterwards', () => {
    using temp = tempStore();
    const { idempotency } = temp.store;
    const reply: StoredReply = { fingerprint: 'f', status: 201, body: '{"id":1}', location: '/users/1' };
    idempotency.saveReply('1 POST /users', 'k', 100, reply);
    expect(idempotency.get('1 POST /users', 'k', 100)).toEqual(reply);
    expect(idempotency.get('1 POST /users', 'k', 101)).toBeUndefined();
    expect(idempotency.get('2 POST /users', 'k', 0)).toBeUndefined();
    const other = { ...reply, fingerprint: 'g', body: null, location: null };
    idempotency.saveReply('1 POST /users', 'k', 200, other);
    expect(idempotency.get('1 POST /users', 'k', 0)).toEqual(other);
    idempotency.prune(201);
    expect(idempotency.get('1 POST /users', 'k', 0)).toBeUndefined();
  });
});

describe('the second factor', () => {
  it('takes each step and each recovery code once', () => {
    using temp = tempStore();
    const { twoFactor } = temp.store;
    expect([twoFactor.get(), twoFactor.spendStep(5), twoFactor.pending()]).toEqual([null, false, null]);
    twoFactor.save({ enabledAt: 1, lastStep: 10 });
    expect([10, 11, 11, 9, 12].map((step) => twoFactor.spendStep(step))).toEqual([false, true, false, false, true]);
    expect(twoFactor.get()).toEqual({ enabledAt: 1, lastStep: 12 });
    const codes = ['a', 'b'].map((letter) => letter.repeat(64));
    twoFactor.replaceCodes(codes);
    expect(codes.map((code) => twoFactor.spendCode(code))).toEqual([true, true]);
    expect(twoFactor.spendCode(codes[0] ?? '')).toBe(false);
    twoFactor.replaceCodes(codes);
    twoFactor.setPending({ sessionId: 3, endsAt: 4 });
    expect([twoFactor.countCodes(), twoFactor.pending()]).toEqual([2, { sessionId: 3, endsAt: 4 }]);
    twoFactor.save(null);
    twoFactor.setPending(null);
    expect([twoFactor.get(), twoFactor.countCodes(), twoFactor.pending()]).toEqual([null, 0, null]);
  });
});
