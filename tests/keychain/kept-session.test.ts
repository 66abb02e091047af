// "Stay signed in on this computer" with a real keychain: the session goes on after a restart as long as it lasts, and opens nothing
// that asks for the password and the code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { TOTP } from 'otpauth';
import { describe, expect, inject, test } from 'vitest';
import { dataFolder, runEntry, startDesktop } from './panel.ts';
import { openSession, type Session } from './session.ts';

const noKeychain = inject('noKeychain');
const ADMIN = { name: 'admin', password: 'correct horse battery' };
const SIGN_IN = { do: 'call', id: 'signIn', input: ADMIN } as const;
const SIGN_OUT = { do: 'call', id: 'signOut', input: {} } as const;
const STAY = { do: 'stay', stays: true } as const;
const HOUR_MS = 3_600_000;

type Desktop = Awaited<ReturnType<typeof startDesktop>>;
const readToken = async (desktop: Desktop) => (await desktop.callProcess({ do: 'state' })).token;
const keptIn = (session: Session, { first }: Desktop) => runEntry(session, `session:${first.instanceId}`, 'get');

/** The first start: an administrator, signed in. */
async function setUp(session: Session): Promise<Desktop> {
  const desktop = await startDesktop(session);
  const input = { token: 'here', ...ADMIN };
  expect(await desktop.callProcess({ do: 'call', id: 'setUp', input })).not.toHaveProperty('error');
  expect(await readToken(desktop)).toEqual(expect.any(String));
  return desktop;
}

/** The first start, after which the session is kept; its token. */
async function afterStaying(session: Session): Promise<string> {
  const desktop = await setUp(session);
  expect(await desktop.callProcess(STAY)).toEqual({ isKept: true });
  const token = await readToken(desktop);
  expect(keptIn(session, desktop)).toBe(token);
  expect(await desktop.leave()).toBe(0);
  return String(token);
}

/** Runs SQL in the database of a panel that has ended. */
function inDatabase(session: Session, sql: string, ...values: number[]): void {
  const database = new Database(join(dataFolder(session), 'panel.db'));
  database.prepare(sql).run(...values);
  database.close();
}

describe.skipIf(noKeychain !== null)(`with a real keychain ${noKeychain ?? ''}`.trim(), () => {
  test('is not kept unless it is wished', async () => {
    await using session = await openSession();
    await session.startKeyring('open');
    const first = await setUp(session);
    expect(keptIn(session, first)).toBeNull();
    await first.leave();
    const second = await startDesktop(session);
    expect(second.first.token).toBeNull();
    await second.leave();
  });

  test('is kept, and goes on after a restart and after a kill', async () => {
    await using session = await openSession();
    await session.startKeyring('open');
    const token = await afterStaying(session);
    const second = await startDesktop(session);
    expect(second.first.token).toBe(token);
    expect(await second.callProcess({ do: 'call', id: 'listSessions', input: {} })).not.toHaveProperty('error');
    await second.kill();
    await session.stopKeyring();
    await session.startKeyring('open');
    const third = await startDesktop(session);
    expect(third.first.token).toBe(token);
    await third.leave();
  });

  test('is in the keychain and in no file', async () => {
    await using session = await openSession();
    await session.startKeyring('open');
    const token = await afterStaying(session);
    for (const name of ['data/panel.db', 'data/logs/panel.log', 'desktop.json']) {
      expect(readFileSync(join(session.folder, name)).includes(token), name).toBe(false);
    }
  });

  test('is deleted at sign-out, and stored again at the next sign-in', async () => {
    await using session = await openSession();
    await session.startKeyring('open');
    const token = await afterStaying(session);
    const second = await startDesktop(session);
    await second.callProcess(SIGN_OUT);
    expect(keptIn(session, second)).toBeNull();
    await second.leave();
    const third = await startDesktop(session);
    expect(third.first.token).toBeNull();
    await third.callProcess(SIGN_IN);
    expect(keptIn(session, third)).toBe(await readToken(third));
    expect(keptIn(session, third)).not.toBe(token);
    expect(await third.callProcess({ do: 'stay', stays: false })).toEqual({ isKept: true });
    expect(keptIn(session, third)).toBeNull();
    await third.leave();
  });

  test.each([
    ['idle for 12 hours', 'UPDATE sessions SET last_seen_at = last_seen_at - ?', 12 * HOUR_MS],
    ['30 days old', 'UPDATE sessions SET created_at = created_at - ?', 30 * 24 * HOUR_MS],
    ['ended elsewhere', 'DELETE FROM sessions WHERE id > ?', 0],
  ])('is not resumed when it is %s, and leaves the keychain', async (_what, sql, value) => {
    await using session = await openSession();
    await session.startKeyring('open');
    await afterStaying(session);
    inDatabase(session, sql, value);
    const second = await startDesktop(session);
    expect(second.first.token).toBeNull();
    expect(keptIn(session, second)).toBeNull();
    expect(await second.callProcess({ do: 'call', id: 'listSessions', input: {} })).toEqual({ error: 'signed_out' });
    await second.leave();
  });

  test('a token of another making opens nothing', async () => {
    await using session = await openSession();
    await session.startKeyring('open');
    await afterStaying(session);
    const second = await startDesktop(session);
    const account = `session:${second.first.instanceId}`;
    await second.leave();
    runEntry(session, account, 'set', 'of another making');
    const third = await startDesktop(session);
    expect(third.first.token).toBeNull();
    await third.leave();
  });

  test('a locked keychain means to sign in, and loses nothing', async () => {
    await using session = await openSession();
    await session.startKeyring('open');
    const token = await afterStaying(session);
    await session.lock();
    const second = await startDesktop(session);
    expect(second.first.token).toBeNull();
    expect(await second.callProcess(SIGN_IN)).not.toHaveProperty('error');
    expect(await second.callProcess(STAY)).toEqual({ isKept: false });
    await second.leave();
    await session.unlock();
    const third = await startDesktop(session);
    expect(third.first.token).toBe(token);
    await third.leave();
  });

  test('without a keychain it says that it is not kept', async () => {
    await using session = await openSession();
    const desktop = await setUp(session);
    expect(await desktop.callProcess(STAY)).toEqual({ isKept: false });
    expect(await desktop.leave()).toBe(0);
    const second = await startDesktop(session);
    expect(second.first.token).toBeNull();
    await second.leave();
  });

  test('replaces neither the password nor the code', async () => {
    await using session = await openSession();
    await session.startKeyring('open');
    await afterStaying(session);
    const second = await startDesktop(session);
    const call = (id: string, input: object) => second.callProcess({ do: 'call', id, input });
    const key = { name: 'bot', access: 'full', expires_in_days: null };
    expect(await call('createKey', { ...key, password: 'a guess' })).toEqual({ error: 'wrong_password' });
    const { reply } = await call('beginTwoFactor', { password: ADMIN.password });
    const totp = new TOTP({ secret: (reply as { secret: string }).secret });
    const code = totp.generate();
    expect(await call('confirmTwoFactor', { code })).toHaveProperty('reply.recovery_codes');
    await second.leave();

    const third = await startDesktop(session);
    expect(third.first.token).toEqual(expect.any(String));
    const withoutCode = { ...key, password: ADMIN.password };
    for (const input of [withoutCode, { ...withoutCode, code }]) {
      expect(await third.callProcess({ do: 'call', id: 'createKey', input })).toEqual({ error: 'wrong_password' });
    }
    await third.callProcess(SIGN_OUT);
    expect(await third.callProcess(SIGN_IN)).toEqual({ error: 'sign_in_failed' });
    await third.leave();
  });
});
