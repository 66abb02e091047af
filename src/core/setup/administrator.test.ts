// The administrator: created once by a link that is valid for an hour, or at the terminal; and what a password reset ends.
import { expect, it } from 'vitest';
import { createTestClock } from '../../../tests/support/clock.ts';
import { coreParts } from '../../../tests/support/core.ts';
import { RESERVE, tempStore } from '../../../tests/support/temp-store.ts';
import type { CallOf } from '../../contract/operation.ts';
import type { OPERATIONS } from '../../contract/table.ts';
import { createCore } from '../create-core.ts';
import { PanelError } from '../kernel/panel-error.ts';
import type { Actor, Call, HandledId } from '../ports/call.ts';

const PASSWORD = 'correct horse battery';
const NEXT = 'staple battery horse';
const HOUR = 3_600_000;
const START = Date.UTC(2026, 10, 20);
const STRANGER: Actor = { kind: 'unknown', id: null, name: '', access: 'read' };

function open(temp: ReturnType<typeof tempStore>) {
  const clock = createTestClock(START);
  const core = createCore(coreParts(temp, { clock }));
  async function call<Id extends HandledId>(id: Id, input: CallOf<(typeof OPERATIONS)[Id]>, by: Partial<Call> = {}) {
    return core.call(id, input as never, { actor: STRANGER, requestId: 'test', address: '203.0.113.9', ...by });
  }
  /** The code and the field errors of a refusal. */
  const catchRefusal = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: unknown) => {
        if (!(error instanceof PanelError)) throw error;
        return error.errors === undefined
          ? error.code
          : [error.code, ...error.errors.map(({ pointer, code }) => `${pointer} ${code}`)];
      },
    );
  async function signIn(password = PASSWORD, browserToken?: string) {
    const input = { name: 'admin', password };
    const reply = await call('signIn', input, browserToken === undefined ? {} : { browserToken });
    const actor = core.authenticateSession(String(reply.sessionToken));
    if (actor === null) throw new Error('signed out');
    return { actor, token: String(reply.sessionToken), browser: String(reply.browserToken) };
  }
  /** The newest audit row. */
  async function lastRow(actor: Actor) {
    const { items } = (await call('listAudit', { limit: 1 }, { actor })).body;
    return items[0];
  }
  const makeKey = (actor: Actor) =>
    call('createKey', { name: 'bot', access: 'read', expires_in_days: null, password: PASSWORD }, { actor });
  return { core, clock, call, catchRefusal, signIn, lastRow, makeKey };
}

const link = (token: string) => ({ token, name: 'admin', password: PASSWORD });

it('is made by the setup link within an hour, in that very millisecond', async () => {
  using temp = tempStore();
  const { core, clock, call, catchRefusal } = open(temp);
  const token = (await core.local.renewSetupToken()) ?? '';
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(await catchRefusal(call('setUp', link(`${token}x`)))).toBe('not_found');
  clock.set(START + HOUR);
  expect(await catchRefusal(call('setUp', link(token)))).toBe('not_found');
  clock.set(START + HOUR - 1);
  const reply = await call('setUp', { ...link(token), language: 'ru' });
  expect(reply).toMatchObject({ status: 201, body: { name: 'admin' } });
  expect(core.settings().language).toBe('ru');
  expect(core.authenticateSession(String(reply.sessionToken))).toMatchObject({ kind: 'administrator', name: 'admin' });
  expect(temp.store.administrator.get()).toMatchObject({ createdAt: START + HOUR - 1 });
  expect([temp.store.administrator.setupToken(), core.local.isSetUp()]).toEqual([null, true]);
});

it('is made by the last link alone, and not without one', async () => {
  using temp = tempStore();
  const { core, call, catchRefusal } = open(temp);
  expect(await catchRefusal(call('setUp', link('x')))).toBe('not_found');
  const first = (await core.local.renewSetupToken()) ?? '';
  const second = (await core.local.renewSetupToken()) ?? '';
  expect(await catchRefusal(call('setUp', link(first)))).toBe('not_found');
  expect([core.local.isSetUp(), core.settings().language]).toEqual([false, 'en']);
  expect((await call('setUp', link(second))).status).toBe(201);
  expect(core.settings().language).toBe('en');
});

it('is made once: no link, no terminal makes another', async () => {
  using temp = tempStore();
  const { core, call, catchRefusal, signIn } = open(temp);
  const token = (await core.local.renewSetupToken()) ?? '';
  await core.local.setUp('admin', PASSWORD);
  expect(await catchRefusal(call('setUp', link(token)))).toBe('already_set_up');
  expect(await catchRefusal(core.local.setUp('other', PASSWORD))).toBe('already_set_up');
  expect(await core.local.renewSetupToken()).toBeNull();
  expect(temp.store.administrator.get()?.name).toBe('admin');
  expect((await signIn()).actor.name).toBe('admin');
});

it('gets no password that is guessed soon, wherever it is chosen', async () => {
  using temp = tempStore();
  const { core, call, catchRefusal, signIn } = open(temp);
  const token = (await core.local.renewSetupToken()) ?? '';
  const setUp = (password: string) => catchRefusal(call('setUp', { token, name: 'mallory', password }));
  expect(await setUp('password1')).toEqual(['validation', '#/password common_password']);
  expect(await setUp('mallory2026')).toEqual(['validation', '#/password weak_password']);
  expect(await catchRefusal(core.local.setUp('', 'short'))).toEqual([
    'validation',
    '#/name invalid',
    '#/password invalid',
  ]);
  expect(await catchRefusal(core.local.setUp('mallory', 'mallory2026'))).toEqual([
    'validation',
    '#/password weak_password',
  ]);
  expect(core.local.isSetUp()).toBe(false);

  await core.local.setUp('admin', PASSWORD);
  const { actor } = await signIn();
  const change = (new_password: string) =>
    catchRefusal(call('changePassword', { password: PASSWORD, new_password }, { actor }));
  expect(await change('password1')).toEqual(['validation', '#/new_password common_password']);
  expect(await catchRefusal(core.local.resetPassword('short'))).toEqual(['validation', '#/password invalid']);
  expect(await catchRefusal(core.local.resetPassword('password1'))).toEqual([
    'validation',
    '#/password common_password',
  ]);
  expect((await signIn()).actor).toMatchObject({ name: 'admin' });
});

it('changes the password: all other sessions end, keys if that is asked for, and a row says how many', async () => {
  using temp = tempStore();
  const { core, clock, call, catchRefusal, signIn, lastRow, makeKey } = open(temp);
  await core.local.setUp('admin', PASSWORD);
  const [own, ...others] = [await signIn(), await signIn(), await signIn()];
  await makeKey(own.actor);
  clock.advance(1000);
  const heard = new Promise<void>((resolve) => {
    core.onEndedSessions(resolve);
  });
  const input = { password: PASSWORD, new_password: NEXT };
  const reply = await call('changePassword', input, { actor: own.actor, browserToken: own.browser });
  expect(reply.body).toEqual({ sessions_ended: 2, keys_revoked: 0 });
  await heard;
  for (const { token } of others) expect(core.authenticateSession(token, false)).toBeNull();
  expect(core.authenticateSession(own.token)).toBeNull();
  const actor = core.authenticateSession(String(reply.sessionToken));
  if (actor === null) throw new Error('signed out');
  expect(await lastRow(actor)).toMatchObject({
    action: 'changePassword',
    target: 'administrator:1',
    detail: { sessions_ended: 2, keys_revoked: 0 },
  });
  expect(temp.store.administrator.get()).toMatchObject({ createdAt: START, passwordChangedAt: START + 1000 });
  expect(await catchRefusal(signIn())).toBe('sign_in_failed');

  const again = { password: NEXT, new_password: PASSWORD, revoke_keys: true };
  expect((await call('changePassword', again, { actor })).body).toEqual({ sessions_ended: 0, keys_revoked: 1 });
  expect(temp.store.keys.all().map(({ revokedAt }) => revokedAt)).toEqual([START + 1000]);
});

it('resets the password at the terminal: sessions, keys, accounts at Telegram and waits end, the second factor only where that is said', async () => {
  using temp = tempStore();
  const { core, clock, call, catchRefusal, signIn, lastRow, makeKey } = open(temp);
  expect(await catchRefusal(core.local.resetPassword(NEXT))).toBe('not_found');
  await core.local.setUp('admin', PASSWORD);
  const before = await signIn();
  await makeKey(before.actor);
  for (let count = 0; count < 3; count += 1) await catchRefusal(call('signIn', { name: 'admin', password: 'wrong' }));
  expect(await catchRefusal(signIn())).toBe('slow_down');
  temp.store.write(() => temp.store.twoFactor.save({ enabledAt: START, lastStep: 0 }));
  const { bot } = temp.store;
  const message = { chatId: 7, dedupeKey: null, method: 'sendMessage', payload: { text: 'Paid' }, priority: 2 };
  temp.store.write(() => {
    bot.saveAdmin({ telegramId: 7, name: 'Thief', pairedAt: START, provenAt: null });
    bot.invite({ tokenHash: 'a'.repeat(64), purpose: 'admin', userId: null, expiresAt: START + HOUR });
    bot.enqueue(message, START);
  });
  clock.advance(5);
  expect(await core.local.resetPassword(NEXT)).toEqual({ keys: 1, sessions: 1, telegram: 1 });
  // Telegram accounts and pairing links are removed.
  expect([bot.admins(), bot.invitation('a'.repeat(64)), bot.countMessages()]).toEqual([[], undefined, 0]);
  expect(core.local.hasSecondFactor()).toBe(true);
  expect(core.authenticateSession(before.token)).toBeNull();
  expect(temp.store.administrator.get()).toMatchObject({ createdAt: START, passwordChangedAt: START + 5 });
  expect(temp.store.keys.all()[0]?.revokedAt).toBe(START + 5);

  expect(await core.local.resetPassword(PASSWORD, true)).toEqual({ keys: 0, sessions: 0, telegram: 0 });
  expect(core.local.hasSecondFactor()).toBe(false);
  const { actor } = await signIn();
  const rows = (await call('listAudit', { action: 'resetPassword', limit: 5 }, { actor })).body.items;
  expect(rows.map(({ actor: { kind }, target, address, detail }) => [kind, target, address, detail])).toEqual([
    ['cli', 'administrator:1', null, { keys: 0, sessions: 0, telegram: 0, two_factor_off: true }],
    ['cli', 'administrator:1', null, { keys: 1, sessions: 1, telegram: 1, two_factor_off: false }],
  ]);
  expect((await lastRow(actor))?.action).toBe('signIn');
});

it('gives the panel a new secret path from the terminal, and notes how an update went', async () => {
  using temp = tempStore();
  const { core, call, signIn } = open(temp);
  await core.local.setUp('admin', PASSWORD);
  const { actor } = await signIn();
  const before = core.settings().secretPath;
  await core.local.rotateSecretPath();
  expect(core.settings().secretPath).not.toBe(before);
  expect(core.settings().secretPath).toMatch(/^[\w-]{22,}$/);

  const outcome = { from: '0.1.0', to: '0.2.0', reason: null, restored: false };
  await core.local.recordUpdate({ ...outcome, result: 'updated' });
  await core.local.recordUpdate({ ...outcome, result: 'rolled_back' });
  expect(core.settings().updateLast).toEqual({ ...outcome, result: 'rolled_back', at: START });
  const { items } = (await call('listAudit', { limit: 3 }, { actor })).body;
  expect(items.map(({ action, outcome: end, target }) => [action, end, target])).toEqual([
    ['updatePanel', 'refused', null],
    ['updatePanel', 'done', null],
    ['rotateSecretPath', 'done', 'addresses'],
  ]);
  expect(items.map(({ request_id }) => /^[0-9a-f]{32}$/.test(request_id))).toEqual([true, true, true]);
});

it('is made once where the link is used several times at once, and a wrong link costs no hash', async () => {
  using temp = tempStore();
  const { core, call, catchRefusal } = open(temp);
  const token = (await core.local.renewSetupToken()) ?? '';
  const names = ['anna', 'boris', 'vera'];
  const ends = await Promise.all(names.map((name) => catchRefusal(call('setUp', { token, name, password: PASSWORD }))));
  expect(ends.toSorted()).toEqual(['already_set_up', 'already_set_up', 'done']);
  expect(temp.store.administrator.get()?.name).toBe(names[ends.indexOf('done')]);
  expect(temp.store.sessions.all()).toHaveLength(1);

  let hashes = 0;
  const parts = coreParts(temp);
  const passwords = {
    ...parts.passwords,
    hash: (password: string) => {
      hashes += 1;
      return parts.passwords.hash(password);
    },
  };
  const counted = createCore({ ...parts, passwords });
  const input = { ...link('x'), password: PASSWORD };
  const by: Call = { actor: STRANGER, requestId: 'test', address: '203.0.113.9' };
  expect(await catchRefusal(Promise.resolve().then(() => counted.call('setUp', input, by)))).toBe('already_set_up');
  expect(hashes).toBe(0);
});

it('is in the audit log, by the link under its own name, at the terminal as the command line', async () => {
  for (const isLink of [true, false]) {
    using temp = tempStore();
    const { core, call } = open(temp);
    const token = (await core.local.renewSetupToken()) ?? '';
    if (isLink) await call('setUp', { ...link(token), name: 'anna' });
    else await core.local.setUp('anna', PASSWORD);
    const [row] = temp.store.audit.page({ limit: 5 });
    expect(row).toMatchObject({
      action: 'setUp',
      target: 'administrator:1',
      outcome: 'done',
      detail: JSON.stringify({ name: 'anna' }),
      actorKind: isLink ? 'administrator' : 'cli',
      actorName: isLink ? 'anna' : 'command line',
    });
  }
});

it('has a session in its browser after a new password, which the next sign-in there ends', async () => {
  using temp = tempStore();
  const { core, call, signIn } = open(temp);
  await core.local.setUp('admin', PASSWORD);
  const own = await signIn();
  const input = { password: PASSWORD, new_password: NEXT };
  const changed = await call('changePassword', input, { actor: own.actor, browserToken: own.browser });
  const token = String(changed.sessionToken);
  expect(core.authenticateSession(token, false)).not.toBeNull();
  await signIn(NEXT, own.browser);
  expect(core.authenticateSession(token, false)).toBeNull();
  // A caller without a session, such as the desktop's window before sign-in, gets none.
  const window: Actor = { kind: 'administrator', id: 1, name: 'admin', access: 'full' };
  const again = await call(
    'changePassword',
    { password: NEXT, new_password: PASSWORD },
    { actor: window, address: null },
  );
  expect(again.body).toEqual({ sessions_ended: 1, keys_revoked: 0 });
  expect(again.sessionToken).toBeUndefined();
});

it('says at the terminal too that sessions have ended', async () => {
  using temp = tempStore();
  const { core } = open(temp);
  await core.local.setUp('admin', PASSWORD);
  const heard = new Promise<void>((resolve) => {
    core.onEndedSessions(resolve);
  });
  await core.local.resetPassword(NEXT);
  await heard;
});

it('is made, and gets a new password, while the disk is full', async () => {
  using temp = tempStore({ reserve: RESERVE });
  const { core, call, signIn } = open(temp);
  const token = (await core.local.renewSetupToken()) ?? '';
  temp.store.diskSpace.markFull();
  expect(await call('setUp', link(token))).toMatchObject({ status: 201 });
  const { actor } = await signIn();
  const input = { password: PASSWORD, new_password: NEXT };
  expect(await call('changePassword', input, { actor })).toMatchObject({ status: 200 });
  expect(await core.local.resetPassword(PASSWORD)).toMatchObject({ sessions: 1 });
});

it('gets no new password that has the name of the administrator in it, which only the panel knows by then', async () => {
  using temp = tempStore();
  const { core, call, catchRefusal } = open(temp);
  await core.local.setUp('mallory', PASSWORD);
  const reply = await call('signIn', { name: 'mallory', password: PASSWORD });
  const actor = core.authenticateSession(String(reply.sessionToken)) ?? STRANGER;
  const change = call('changePassword', { password: PASSWORD, new_password: 'mallory2026' }, { actor });
  expect(await catchRefusal(change)).toEqual(['validation', '#/new_password weak_password']);
  expect(await catchRefusal(core.local.resetPassword('mallory2026'))).toEqual([
    'validation',
    '#/password weak_password',
  ]);
});

it('signs in at once after it was made, whoever has tried before', async () => {
  using temp = tempStore();
  const { core, call, catchRefusal, signIn } = open(temp);
  for (let count = 0; count < 3; count += 1) await catchRefusal(call('signIn', { name: 'admin', password: 'wrong' }));
  expect(await catchRefusal(signIn())).toBe('slow_down');
  await core.local.setUp('admin', PASSWORD);
  expect((await signIn()).actor.name).toBe('admin');
});

it('is heard of in the pages when the secret path changes at the terminal', async () => {
  using temp = tempStore();
  const { core } = open(temp);
  const heard = new Promise<void>((resolve) => {
    core.subscribe(() => resolve());
  });
  await core.local.rotateSecretPath();
  await heard;
});
