// How long sessions live, what counts as their use, and who may end them.
import { expect, it } from 'vitest';
import { pairAdmin } from '../../../tests/support/bot-admin.ts';
import { createTestClock } from '../../../tests/support/clock.ts';
import { coreParts } from '../../../tests/support/core.ts';
import { RESERVE, tempStore } from '../../../tests/support/temp-store.ts';
import { nodeCrypto } from '../../adapters/crypto.ts';
import type { CallOf } from '../../contract/operation.ts';
import type { OPERATIONS } from '../../contract/table.ts';
import { createCore } from '../create-core.ts';
import type { CoreParts } from '../kernel/core.ts';
import { PanelError } from '../kernel/panel-error.ts';
import type { Call, HandledId } from '../ports/call.ts';
import { hashCode, SECRET_PLACE } from '../proof/proof.ts';
import { pruneSessions } from './session.ts';

const PASSWORD = 'correct horse battery';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 10, 20);
const at = (ms: number) => new Date(ms).toISOString();

/** A core with an administrator. */
async function open(temp: ReturnType<typeof tempStore>, changes: Partial<CoreParts> = {}) {
  const clock = createTestClock(START);
  const core = createCore(coreParts(temp, { clock, ...changes }));
  await core.local.setUp('admin', PASSWORD);

  async function call<Id extends HandledId>(id: Id, input: CallOf<(typeof OPERATIONS)[Id]>, by: Partial<Call> = {}) {
    const actor = { kind: 'unknown', id: null, name: '', access: 'read' } as const;
    try {
      return await core.call(id, input as never, { actor, requestId: 'test', address: '203.0.113.9', ...by });
    } catch (error) {
      if (error instanceof PanelError) return error.code;
      throw error;
    }
  }
  /** Signs in with a new browser; returns the token. */
  async function signIn(device = 'Firefox on Linux'): Promise<string> {
    const reply = await call('signIn', { name: 'admin', password: PASSWORD }, { device });
    if (typeof reply === 'string') throw new Error(reply);
    return String(reply.sessionToken);
  }
  /** The actor of a token, without counting as use of the session. */
  function getActor(token: string) {
    const actor = core.authenticateSession(token, false);
    if (actor === null) throw new Error('signed out');
    return actor;
  }
  /** Waits for the queued write of the session's last use. */
  const settled = () => call('signOut', {}, { actor: { kind: 'administrator', id: 1, name: 'admin', access: 'full' } });
  const isOpen = (token: string) => core.authenticateSession(token, false) !== null;
  return { core, clock, call, signIn, getActor, isOpen, settled };
}

it('gives each session a token of its own, of two halves of 256 bits', async () => {
  using temp = tempStore();
  const { signIn, core, getActor, isOpen } = await open(temp);
  const tokens = [await signIn(), await signIn()];
  for (const token of tokens) expect(token).toMatch(/^[\w-]{86}$/);
  expect(new Set(tokens).size).toBe(2);
  expect(getActor(tokens[0] ?? '')).toMatchObject({ kind: 'administrator', id: 1, name: 'admin', access: 'full' });
  expect(isOpen('x'.repeat(43))).toBe(false);
  await core.local.resetPassword(`${PASSWORD}!`);
  expect(tokens.map(isOpen)).toEqual([false, false]);
});

it('ends after 12 hours without use, in that very millisecond', async () => {
  using temp = tempStore();
  const { signIn, clock, isOpen } = await open(temp);
  const token = await signIn();
  clock.set(START + 12 * HOUR - 1);
  expect(isOpen(token)).toBe(true);
  clock.advance(1);
  expect(isOpen(token)).toBe(false);
});

it('lives on by use, noted once a minute, but not by a page that only listens', async () => {
  using temp = tempStore();
  const { core, signIn, clock, isOpen, settled } = await open(temp);
  const [used, touched, listened] = [await signIn(), await signIn(), await signIn()];
  clock.set(START + MINUTE - 1);
  core.authenticateSession(used);
  await settled();
  clock.set(START + MINUTE);
  core.authenticateSession(touched);
  core.authenticateSession(listened, false);
  await settled();
  clock.set(START + 12 * HOUR);
  expect([used, touched, listened].map(isOpen)).toEqual([false, true, false]);
  clock.advance(MINUTE);
  expect(isOpen(touched)).toBe(false);
});

it('ends after 30 days, however much it is used', async () => {
  using temp = tempStore();
  const { core, signIn, clock, isOpen, settled } = await open(temp);
  const token = await signIn();
  while (clock.now() < START + 30 * DAY - HOUR) {
    clock.advance(HOUR);
    expect(core.authenticateSession(token)).not.toBeNull();
    await settled();
  }
  clock.set(START + 30 * DAY - 1);
  expect(isOpen(token)).toBe(true);
  clock.advance(1);
  expect(isOpen(token)).toBe(false);
});

it('lists what is open with its end, and which is one’s own', async () => {
  using temp = tempStore();
  const { signIn, clock, call, getActor } = await open(temp);
  await signIn('Safari on iPhone');
  clock.advance(11 * HOUR);
  const own = await signIn();
  const list = await call('listSessions', {}, { actor: getActor(own) });
  expect(list).toMatchObject({
    body: {
      items: [
        {
          current: true,
          address: '203.0.113.9',
          device: 'Firefox on Linux',
          created_at: at(START + 11 * HOUR),
          ends_at: at(START + 23 * HOUR),
        },
        { current: false, device: 'Safari on iPhone', last_seen_at: at(START), ends_at: at(START + 12 * HOUR) },
      ],
    },
  });
  clock.advance(HOUR);
  expect(await call('listSessions', {}, { actor: getActor(own) })).toMatchObject({
    body: { items: [{ current: true }] },
  });
});

it('is ended by its own sign-out, by another, or with all others', async () => {
  using temp = tempStore();
  const { signIn, call, getActor, isOpen } = await open(temp);
  const tokens = [await signIn(), await signIn(), await signIn(), await signIn()] as const;
  const [own, ended, third, fourth] = tokens;
  const actor = getActor(own);
  const by = { actor };
  const id = getActor(ended).sessionId ?? 0;
  expect(await call('endSession', { id }, by)).toBe('proof_required');
  expect(await call('endSession', { id, password: PASSWORD }, by)).not.toHaveProperty('sessionToken');
  expect(await call('endSession', { id }, by)).toBe('not_found');
  expect(tokens.map(isOpen)).toEqual([true, false, true, true]);
  expect(await call('signOut', {}, { actor: getActor(fourth) })).toMatchObject({ sessionToken: null });
  expect(tokens.map(isOpen)).toEqual([true, false, true, false]);
  expect(await call('endOtherSessions', {}, by)).toMatchObject({ body: { ended: 1 } });
  expect([own, third].map(isOpen)).toEqual([true, false]);
  expect(await call('endSession', { id: actor.sessionId ?? 0 }, by)).toMatchObject({ sessionToken: null });
  expect(isOpen(own)).toBe(false);
});

it('has a proof for five minutes, in that very millisecond, and none by a clock that was set back', async () => {
  using temp = tempStore();
  const { signIn, call, clock, getActor } = await open(temp);
  const actor = getActor(await signIn());
  const prove = (input: { password?: string }) => call('prove', input, { actor });
  expect(await prove({})).toBe('proof_required');
  expect(await prove({ password: 'wrong' })).toBe('wrong_password');
  expect(await prove({})).toBe('proof_required');
  expect(await prove({ password: PASSWORD })).toMatchObject({ body: { proven_until: at(START + 5 * MINUTE) } });
  clock.set(START + 5 * MINUTE - 1);
  expect(await prove({})).toMatchObject({ body: { proven_until: at(START + 5 * MINUTE) } });
  clock.advance(1);
  expect(await prove({})).toBe('proof_required');
  clock.set(START - 1);
  expect(await prove({})).toBe('proof_required');
  clock.set(START);
  expect(await prove({})).toMatchObject({ status: 200 });
});

it('says to strangers only what the page before sign-in needs', async () => {
  using temp = tempStore();
  const { signIn, call, getActor } = await open(temp);
  const actor = getActor(await signIn());
  expect(await call('panelState', {})).toMatchObject({ body: { set_up: true, signed_in: null, base_url: null } });
  expect(await call('panelState', {}, { actor })).toMatchObject({ body: { signed_in: { name: 'admin' } } });
});

it('is refused with the same words for a wrong name and a wrong password, each in the audit log', async () => {
  using temp = tempStore();
  const { signIn, call, getActor } = await open(temp);
  const wrong = [
    await call('signIn', { name: 'admin', password: 'wrong' }),
    await call('signIn', { name: 'other', password: PASSWORD }),
  ];
  expect(wrong).toEqual(['sign_in_failed', 'sign_in_failed']);
  const actor = getActor(await signIn());
  expect(await call('listAudit', { action: 'signIn', limit: 10 }, { actor })).toMatchObject({
    body: {
      items: [
        { outcome: 'done', actor: { kind: 'administrator', id: 1, name: 'admin' } },
        { outcome: 'refused', actor: { kind: 'unknown' } },
        { outcome: 'refused', actor: { kind: 'unknown' } },
      ],
    },
  });
});

it('ends the session that the browser had, or that it comes from, and no other', async () => {
  using temp = tempStore();
  const { call, signIn, isOpen, getActor } = await open(temp);
  const again = async (by: Partial<Call>) => {
    const reply = await call('signIn', { name: 'admin', password: PASSWORD }, by);
    if (typeof reply === 'string') throw new Error(reply);
    expect(reply.body).toEqual({ name: 'admin' });
    return { session: String(reply.sessionToken), browserToken: reply.browserToken };
  };
  const other = await signIn();
  const first = await again({});
  const browserToken = String(first.browserToken);
  const second = await again({ browserToken });
  expect(second.browserToken).toBe(browserToken);
  expect([other, first.session, second.session].map(isOpen)).toEqual([true, false, true]);
  // Without the browser's cookie.
  const third = await again({ actor: getActor(second.session) });
  expect([other, second.session, third.session].map(isOpen)).toEqual([true, false, true]);
});

it('says to who listens that sessions have ended, once for each act', async () => {
  using temp = tempStore();
  const { core, call, signIn, getActor } = await open(temp);
  let times = 0;
  const stop = core.onEndedSessions(() => {
    times += 1;
  });
  /** How many notifications an action caused. */
  const saidBy = async (act: () => Promise<unknown>) => {
    const before = times;
    await act();
    await new Promise(setImmediate);
    return times - before;
  };
  const own = await signIn();
  const by = { actor: getActor(own) };
  const other = getActor(await signIn()).sessionId ?? 0;
  await new Promise(setImmediate);
  expect(await saidBy(() => call('endSession', { id: other, password: PASSWORD }, by))).toBe(1);
  expect(await saidBy(() => call('endOtherSessions', {}, by))).toBe(1);
  expect(await saidBy(() => call('listSessions', {}, by))).toBe(0);
  expect(await saidBy(() => call('signOut', {}, by))).toBe(1);
  expect(await saidBy(() => signIn())).toBe(1);
  stop();
  expect(await saidBy(() => signIn())).toBe(0);
});

it('is in the audit log with its device, and so is how it ended', async () => {
  using temp = tempStore();
  const { call, signIn, getActor } = await open(temp);
  const ended = getActor(await signIn('Safari on iPhone')).sessionId ?? 0;
  await signIn('Chrome on Android');
  const by = { actor: getActor(await signIn()) };
  // The desktop's window has neither an address nor a device.
  await call('signIn', { name: 'admin', password: PASSWORD }, { address: null });
  const list = await call('listSessions', {}, by);
  expect(list).toHaveProperty('body.items[0]', expect.objectContaining({ address: '', device: '', current: false }));
  await call('endSession', { id: ended, password: PASSWORD }, by);
  await call('endOtherSessions', {}, by);
  await call('signOut', {}, by);
  const rows = temp.store.audit.page({ limit: 20 }).map(({ action, target, detail }) => [action, target, detail]);
  const device = (name: string) => JSON.stringify({ device: name });
  expect(rows.filter(([action]) => action !== 'setUp')).toEqual([
    ['signOut', 'administrator:1', '{}'],
    ['endOtherSessions', null, '{"ended":2}'],
    ['endSession', `session:${ended}`, '{}'],
    ['signIn', 'administrator:1', device('')],
    ['signIn', 'administrator:1', device('Firefox on Linux')],
    ['signIn', 'administrator:1', device('Chrome on Android')],
    ['signIn', 'administrator:1', device('Safari on iPhone')],
  ]);
});

it('is counted where it fails, and apart where it was refused unseen', async () => {
  using temp = tempStore();
  const lines: unknown[] = [];
  const log = { info() {}, error() {}, warn: (event: string, fields: object) => void lines.push([event, fields]) };
  const { core, call, signIn, getActor } = await open(temp, { log: log as unknown as CoreParts['log'] });
  const own = getActor(await signIn());
  for (let count = 0; count < 3; count += 1) await call('signIn', { name: 'admin', password: 'wrong' });
  expect(await call('signIn', { name: 'admin', password: PASSWORD })).toBe('slow_down');
  const failed = await call('getFailedAttempts', {}, { actor: own });
  expect(failed).toMatchObject({ body: { sign_ins: { count: 4, networks: 1 }, keys: { count: 0, networks: 0 } } });
  await core.stop();
  expect(lines).toEqual([['failed sign-ins', expect.objectContaining({ count: 4, throttled: 1 })]]);
});

it('from a browser that is not known is told to the administrator in the chat', async () => {
  using temp = tempStore();
  const { call } = await open(temp);
  const { queued } = pairAdmin(temp.store);
  temp.store.write(() => temp.store.settings.set({ adminNotices: { on: ['sign_in'], quiet: null } }));
  const signIn = async (by: Partial<Call>) => {
    const reply = await call('signIn', { name: 'admin', password: PASSWORD }, by);
    return typeof reply === 'string' ? undefined : reply.browserToken;
  };
  const browserToken = await signIn({ device: 'Firefox on Linux', requestId: 'first' });
  expect(queued(START)).toEqual([expect.stringMatching(/Firefox on Linux.*203\.0\.113\.9/s)]);
  await signIn({ requestId: 'second', ...(browserToken !== undefined && { browserToken }) });
  await signIn({ requestId: 'third', address: null });
  await call('signIn', { name: 'admin', password: 'wrong' }, { requestId: 'fourth' });
  expect(queued(START)).toEqual([]);
  await signIn({ requestId: 'fifth' });
  expect(queued(START)).toEqual([expect.stringMatching(/unknown program.*203\.0\.113\.9/s)]);
});

it('is asked for the code after the password, which counts as no wrong code', async () => {
  using temp = tempStore();
  const { call } = await open(temp);
  temp.store.write(() => {
    temp.store.twoFactor.save({ enabledAt: START, lastStep: 0 });
    temp.store.twoFactor.replaceCodes([hashCode(nodeCrypto, 'recovery')]);
  });
  const signIn = (address: string, code?: string) =>
    call('signIn', { name: 'admin', password: PASSWORD, ...(code !== undefined && { code }) }, { address });
  for (let host = 1; host <= 5; host += 1) expect(await signIn(`203.0.113.${host}`)).toBe('sign_in_failed');
  expect(await signIn('203.0.113.9', 'recovery')).toMatchObject({ status: 200 });
});

it('needs the code where the second factor is on, and says at once that its secret cannot be read', async () => {
  using temp = tempStore();
  let state: 'unlocked' | 'locked' = 'unlocked';
  const { vault } = coreParts(temp);
  const { call } = await open(temp, { vault: { ...vault, state: () => state } });
  const { store } = temp;
  store.write(() => {
    store.twoFactor.save({ enabledAt: START, lastStep: 0 });
    store.sealed.save(vault.seal(SECRET_PLACE, 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'));
  });
  const signIn = (password: string, code?: string) =>
    call('signIn', { name: 'admin', password, ...(code !== undefined && { code }) });
  expect(await signIn(PASSWORD)).toBe('sign_in_failed');
  expect(await signIn(PASSWORD, '000000')).toBe('sign_in_failed');
  state = 'locked';
  expect(await signIn('wrong', '123456')).toBe('vault_unavailable');
});

it('is nothing without the administrator, and is noted as used where that can be written', async () => {
  using temp = tempStore();
  const warned: unknown[] = [];
  const log = { info() {}, error() {}, warn: (event: string, fields: object) => void warned.push([event, fields]) };
  const { core, signIn, clock, settled, isOpen } = await open(temp, { log: log as unknown as CoreParts['log'] });
  const token = await signIn();
  temp.db.exec("CREATE TRIGGER broken BEFORE UPDATE ON sessions BEGIN SELECT raise(ABORT, 'no room'); END");
  clock.advance(MINUTE);
  expect(core.authenticateSession(token), 'it goes on all the same').not.toBeNull();
  await settled();
  expect(warned).toEqual([['session not touched', { error: expect.stringContaining('no room') }]]);
  temp.db.exec('DROP TRIGGER broken; DELETE FROM administrator');
  expect(isOpen(token)).toBe(false);
});

it('is removed once it has ended, by idleness or by age', async () => {
  using temp = tempStore();
  const { store } = temp;
  const insert = (createdAt: number, lastSeenAt: number) =>
    store.write(() =>
      store.sessions.insert(
        { address: '', device: '', createdAt, lastSeenAt, browserId: null },
        `${createdAt}-${lastSeenAt}`.padEnd(64, 'f'),
      ),
    );
  const now = START + 40 * DAY;
  const [present, idle, old] = [
    insert(now - 30 * DAY + 1, now - 12 * HOUR + 1),
    insert(now - DAY, now - 12 * HOUR - 1),
    insert(now - 30 * DAY - 1, now),
  ];
  store.write(() => pruneSessions(store, now));
  const left = store.sessions.all().map(({ id }) => id);
  expect([present, idle, old].map((id) => left.includes(id))).toEqual([true, false, false]);
});

it('says what a known browser and the signed in may know, and what the disk has', async () => {
  using temp = tempStore({ reserve: RESERVE });
  const clock = createTestClock(START);
  const core = createCore(coreParts(temp, { clock }));
  const stranger = { actor: { kind: 'unknown', id: null, name: '', access: 'read' }, requestId: 'test' } as const;
  const stateFor = async (by: Partial<Call>) =>
    (await core.call('panelState', {}, { ...stranger, address: '203.0.113.9', ...by })).body;
  expect(await stateFor({})).toMatchObject({ set_up: false, two_factor: null, version: null });
  expect(await stateFor({ address: null })).toMatchObject({ two_factor: false, version: null });
  await core.local.setUp('admin', PASSWORD);
  const input = { name: 'admin', password: PASSWORD };
  const { sessionToken, browserToken } = await core.call('signIn', input, { ...stranger, address: '203.0.113.9' });
  const actor = core.authenticateSession(String(sessionToken), false) ?? stranger.actor;
  const known = { browserToken: String(browserToken) };
  expect(await stateFor(known)).toMatchObject({ set_up: true, two_factor: false, version: null });
  temp.store.write(() => temp.store.twoFactor.save({ enabledAt: START, lastStep: 0 }));
  for (const by of [known, { actor }, { address: null }])
    expect(await stateFor(by)).toMatchObject({ two_factor: true });
  expect(await stateFor({})).toMatchObject({ two_factor: null });

  expect(await stateFor({ actor })).toMatchObject({ disk_full: false, version: '0' });
  temp.store.diskSpace.markFull();
  expect(await stateFor({ actor })).toMatchObject({ disk_full: true });
  expect(await stateFor({})).toMatchObject({ disk_full: false });
});

it('begins and ends while the disk is full', async () => {
  using temp = tempStore({ reserve: RESERVE });
  const { core, call, clock, signIn, getActor, isOpen, settled } = await open(temp);
  temp.store.diskSpace.markFull();
  const own = await signIn();
  const other = await signIn();
  const by = { actor: getActor(own) };
  expect(await call('prove', { password: PASSWORD }, by)).toMatchObject({ status: 200 });
  const third = await signIn();
  expect(await call('endSession', { id: getActor(third).sessionId ?? 0 }, by)).toMatchObject({ status: 204 });
  expect(await call('endOtherSessions', {}, by)).toMatchObject({ body: { ended: 1 } });
  expect([other, third].map(isOpen)).toEqual([false, false]);
  clock.advance(11 * HOUR);
  core.authenticateSession(own);
  await settled();
  clock.advance(2 * HOUR);
  expect(isOpen(own), 'it was noted as used').toBe(true);
  expect(await call('signOut', {}, by)).toMatchObject({ status: 204 });
  expect(isOpen(own)).toBe(false);
});
