// How long sessions live, what counts as their use, and who may end them.
import { expect, it } from 'vitest';
import { createTestClock } from '../../../tests/support/clock.ts';
import { coreParts } from '../../../tests/support/core.ts';
import { tempStore } from '../../../tests/support/temp-store.ts';
import type { CallOf } from '../../contract/operation.ts';
import type { OPERATIONS } from '../../contract/table.ts';
import type { Call, HandledId } from '../call.ts';
import { createCore } from '../create-core.ts';
import { PanelError } from '../panel-error.ts';

const PASSWORD = 'correct horse battery';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 10, 20);
const at = (ms: number) => new Date(ms).toISOString();

/** A core with an administrator. */
async function open(temp: ReturnType<typeof tempStore>) {
  const clock = createTestClock(START);
  const core = createCore(coreParts(temp, { clock }));
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
  /** Signs in with a new browser; the token. */
  async function signIn(device = 'Firefox on Linux'): Promise<string> {
    const reply = await call('signIn', { name: 'admin', password: PASSWORD }, { device });
    if (typeof reply === 'string') throw new Error(reply);
    return String(reply.sessionToken);
  }
  /** Who is behind a token, without using the session. */
  function actorOf(token: string) {
    const actor = core.authenticateSession(token, false);
    if (actor === null) throw new Error('signed out');
    return actor;
  }
  /** What was touched is written in its turn. */
  const settled = () => call('signOut', {}, { actor: { kind: 'administrator', id: 1, name: 'admin', access: 'full' } });
  const isOpen = (token: string) => core.authenticateSession(token, false) !== null;
  return { core, clock, call, signIn, actorOf, isOpen, settled };
}

it('gives each session a token of its own, of two halves of 256 bits', async () => {
  using temp = tempStore();
  const { signIn, core, actorOf, isOpen } = await open(temp);
  const tokens = [await signIn(), await signIn()];
  for (const token of tokens) expect(token).toMatch(/^[\w-]{86}$/);
  expect(new Set(tokens).size).toBe(2);
  expect(actorOf(tokens[0] ?? '')).toMatchObject({ kind: 'administrator', id: 1, name: 'admin', access: 'full' });
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
  const { signIn, clock, call, actorOf } = await open(temp);
  await signIn('Safari on iPhone');
  clock.advance(11 * HOUR);
  const own = await signIn();
  const list = await call('listSessions', {}, { actor: actorOf(own) });
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
  expect(await call('listSessions', {}, { actor: actorOf(own) })).toMatchObject({
    body: { items: [{ current: true }] },
  });
});

it('is ended by its own sign-out, by another, or with all others', async () => {
  using temp = tempStore();
  const { signIn, call, actorOf, isOpen } = await open(temp);
  const tokens = [await signIn(), await signIn(), await signIn(), await signIn()] as const;
  const [own, ended, third, fourth] = tokens;
  const actor = actorOf(own);
  const by = { actor };
  const id = actorOf(ended).sessionId ?? 0;
  expect(await call('endSession', { id }, by)).toBe('proof_required');
  expect(await call('endSession', { id, password: PASSWORD }, by)).not.toHaveProperty('sessionToken');
  expect(await call('endSession', { id }, by)).toBe('not_found');
  expect(tokens.map(isOpen)).toEqual([true, false, true, true]);
  expect(await call('signOut', {}, { actor: actorOf(fourth) })).toMatchObject({ sessionToken: null });
  expect(tokens.map(isOpen)).toEqual([true, false, true, false]);
  expect(await call('endOtherSessions', {}, by)).toMatchObject({ body: { ended: 1 } });
  expect([own, third].map(isOpen)).toEqual([true, false]);
  expect(await call('endSession', { id: actor.sessionId ?? 0 }, by)).toMatchObject({ sessionToken: null });
  expect(isOpen(own)).toBe(false);
});

it('has a proof for five minutes, in that very millisecond, and none by a clock that was set back', async () => {
  using temp = tempStore();
  const { signIn, call, clock, actorOf } = await open(temp);
  const actor = actorOf(await signIn());
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
  const { signIn, call, actorOf } = await open(temp);
  const actor = actorOf(await signIn());
  expect(await call('panelState', {})).toMatchObject({ body: { set_up: true, signed_in: null, base_url: null } });
  expect(await call('panelState', {}, { actor })).toMatchObject({ body: { signed_in: { name: 'admin' } } });
});

it('is refused with the same words for a wrong name and a wrong password, each in the audit log', async () => {
  using temp = tempStore();
  const { signIn, call, actorOf } = await open(temp);
  const wrong = [
    await call('signIn', { name: 'admin', password: 'wrong' }),
    await call('signIn', { name: 'other', password: PASSWORD }),
  ];
  expect(wrong).toEqual(['sign_in_failed', 'sign_in_failed']);
  const actor = actorOf(await signIn());
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
