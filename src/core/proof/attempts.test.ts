// How failed attempts delay each other, and what they do not delay: another network, a known browser, a session.
import { expect, it } from 'vitest';
import { createTestClock } from '../../../tests/support/clock.ts';
import { coreParts } from '../../../tests/support/core.ts';
import { tempStore } from '../../../tests/support/temp-store.ts';
import { nodeCrypto } from '../../adapters/crypto.ts';
import type { CallOf } from '../../contract/operation.ts';
import type { OPERATIONS } from '../../contract/table.ts';
import { createCore } from '../create-core.ts';
import type { CoreParts } from '../kernel/core.ts';
import { createEnv } from '../kernel/env.ts';
import { PanelError } from '../kernel/panel-error.ts';
import type { Call, HandledId } from '../ports/call.ts';
import { countAttempt, pruneAttempts, stepUpScope, waitAfter } from './attempts.ts';
import { hashCode } from './proof.ts';

const PASSWORD = 'correct horse battery';
const DAY = 86_400_000;
const ATTACKER = '198.51.100.7';
const OWNER = '203.0.113.9';

it('waits longer after each failure, and never longer than 15 minutes', () => {
  expect([0, 1, 2, 3, 4, 5, 12].map(waitAfter)).toEqual([0, 0, 0, 1000, 2000, 4000, 512_000]);
  expect([13, 14, 50, 5000].map(waitAfter)).toEqual([900_000, 900_000, 900_000, 900_000]);
});

it('lets at most 50 guesses an hour be looked at', () => {
  let at = 0;
  let looked = 0;
  while (at < 3_600_000) {
    looked += 1;
    at += waitAfter(looked);
  }
  expect(looked).toBeLessThan(50);
});

/** A core with an administrator; `call` resolves to the reply, or to the code of the refusal. */
async function open(temp: ReturnType<typeof tempStore>, changes: Partial<CoreParts> = {}) {
  const clock = createTestClock(Date.UTC(2026, 10, 20));
  const core = createCore(coreParts(temp, { clock, ...changes }));
  await core.local.setUp('admin', PASSWORD);

  async function call<Id extends HandledId>(id: Id, input: CallOf<(typeof OPERATIONS)[Id]>, by: Partial<Call>) {
    const actor = { kind: 'unknown', id: null, name: '', access: 'read' } as const;
    try {
      return await core.call(id, input as never, { actor, requestId: 'test', address: OWNER, ...by });
    } catch (error) {
      if (error instanceof PanelError) return error.code;
      throw error;
    }
  }
  const signIn = (password: string, address: string, browserToken?: string) =>
    call('signIn', { name: 'admin', password }, { address, ...(browserToken !== undefined && { browserToken }) });
  /** Sends wrong passwords until they are refused without verification. */
  const exhaust = async (address: string, browserToken?: string) => {
    const outcomes = [];
    while (outcomes.at(-1) !== 'slow_down') outcomes.push(await signIn('wrong', address, browserToken));
    return outcomes;
  };
  /** Signs in; returns the tokens of browser and session. */
  const begin = async (address: string, browserToken?: string) => {
    const reply = await signIn(PASSWORD, address, browserToken);
    if (typeof reply === 'string') throw new Error(reply);
    return { browser: String(reply.browserToken), session: String(reply.sessionToken) };
  };
  return { core, clock, call, signIn, exhaust, begin };
}

it('slows a network, and no other one', async () => {
  using temp = tempStore();
  const { signIn, exhaust } = await open(temp);
  expect(await exhaust(ATTACKER)).toEqual(['sign_in_failed', 'sign_in_failed', 'sign_in_failed', 'slow_down']);
  expect(await signIn(PASSWORD, ATTACKER)).toBe('slow_down');
  expect(await signIn(PASSWORD, OWNER)).toMatchObject({ status: 200 });
});

it('takes an IPv6 /64 as one network', async () => {
  using temp = tempStore();
  const { signIn, exhaust } = await open(temp);
  await exhaust('2001:db8:1:2::1');
  expect(await signIn(PASSWORD, '2001:db8:1:2:ffff::9')).toBe('slow_down');
  expect(await signIn(PASSWORD, '2001:db8:1:3::1')).toMatchObject({ status: 200 });
});

it('puts the strangers of a network from which attempts failed behind those of others, and none of them out', async () => {
  using temp = tempStore();
  const { passwords } = coreParts(temp);
  const turns: (number | null | undefined)[] = [];
  const { signIn, begin } = await open(temp, {
    passwords: {
      ...passwords,
      verify(password, hash, turn) {
        turns.push(turn?.strangerAfter);
        return passwords.verify(password, hash, turn);
      },
    },
  });
  const { browser } = await begin(OWNER);
  expect(turns.splice(0)).toEqual([0]);
  // Each from a new /64 network.
  for (let network = 0; network < 20; network += 1)
    expect(await signIn('wrong', `2001:db8:1:${network}::1`)).toBe('sign_in_failed');
  expect(turns.splice(0)).toEqual([...Array.from({ length: 17 }, (_, failed) => failed), 16, 16, 16]);
  for (const last of [1, 2]) await signIn('wrong', `192.0.2.${last}`);
  expect(turns.splice(0)).toEqual([0, 1]);
  await signIn('wrong', '2001:db8:1:0::2');
  await signIn('wrong', '2001:db8:2:0::1');
  await signIn('wrong', '192.0.3.1');
  await signIn('wrong', OWNER, browser);
  expect(turns.splice(0)).toEqual([17, 0, 0, null]);
  expect(await signIn(PASSWORD, '2001:db8:1:ff::1')).toMatchObject({ status: 200 });
});

it('lets a browser that signed in before sign in from the network of an attack', async () => {
  using temp = tempStore();
  const { signIn, exhaust, begin } = await open(temp);
  const { browser } = await begin(OWNER);
  await exhaust(OWNER);
  expect(await signIn(PASSWORD, OWNER)).toBe('slow_down');
  expect(await signIn(PASSWORD, OWNER, 'x'.repeat(43))).toBe('slow_down');
  expect(await signIn(PASSWORD, OWNER, browser)).toMatchObject({ status: 200, browserToken: browser });
});

it('counts what is typed wrong in such a browser, and forgets the browser after 180 days', async () => {
  using temp = tempStore();
  const { clock, signIn, exhaust, begin } = await open(temp);
  const { browser } = await begin(OWNER);
  await exhaust(OWNER, browser);
  expect(await signIn(PASSWORD, ATTACKER, browser)).toBe('slow_down');
  clock.advance(181 * DAY);
  await exhaust(ATTACKER);
  expect(await signIn(PASSWORD, ATTACKER, browser)).toBe('slow_down');
});

it('forgets other browsers with the former password, and all of them from the terminal', async () => {
  using temp = tempStore();
  const { core, call, signIn, exhaust, begin } = await open(temp);
  const first = await begin(OWNER);
  const second = await begin(OWNER);
  const actor = core.authenticateSession(first.session);
  if (actor === null) throw new Error('signed out');
  const change = { password: PASSWORD, new_password: `${PASSWORD}!` };
  await call('changePassword', change, { actor, browserToken: first.browser });
  await exhaust(ATTACKER);
  expect(await signIn(`${PASSWORD}!`, ATTACKER, second.browser)).toBe('slow_down');
  expect(await signIn(`${PASSWORD}!`, ATTACKER, first.browser)).toMatchObject({ status: 200 });
  await core.local.resetPassword(PASSWORD);
  await exhaust(ATTACKER);
  expect(await signIn(PASSWORD, ATTACKER, first.browser)).toBe('slow_down');
});

it('asks who is signed in for the password whatever others do, and counts his own failures by session', async () => {
  using temp = tempStore();
  const { core, call, exhaust, begin } = await open(temp);
  const [own, other] = [await begin(OWNER), await begin(OWNER)];
  await exhaust(OWNER);
  await exhaust(OWNER, own.browser);
  const rotate = (session: string, password: string) => {
    const actor = core.authenticateSession(session);
    if (actor === null) throw new Error('signed out');
    return call('rotateSecretPath', { password }, { actor });
  };
  expect(await rotate(own.session, PASSWORD)).toMatchObject({ status: 200 });
  const wrong = [];
  while (wrong.at(-1) !== 'slow_down') wrong.push(await rotate(other.session, 'wrong'));
  expect(wrong).toEqual(['wrong_password', 'wrong_password', 'wrong_password', 'slow_down']);
  expect(await rotate(other.session, PASSWORD)).toBe('slow_down');
  expect(await rotate(own.session, PASSWORD)).toMatchObject({ status: 200 });
});

it('stores the counts of as many networks as it may, and forgets a day after the last failure', async () => {
  using temp = tempStore();
  const { administrator } = temp.store;
  const { clock, signIn, exhaust } = await open(temp);
  await exhaust(ATTACKER);
  clock.advance(DAY);
  expect(await signIn('wrong', ATTACKER)).toBe('sign_in_failed');
  expect(administrator.attempts(`network:${ATTACKER}`).failed).toBe(1);
  temp.store.write(() => {
    for (let number = 0; number < 20; number++) administrator.setAttempts(`network:${number}`, 1, clock.now() + number);
    administrator.dropOldAttempts(0, 5);
  });
  expect([14, 15, 19].map((number) => administrator.attempts(`network:${number}`).failed)).toEqual([0, 1, 1]);
});

it('counts the codes of strangers together: networks are many, and a code has six digits', async () => {
  using temp = tempStore();
  const { signIn, call, begin } = await open(temp);
  const { browser } = await begin(OWNER);
  temp.store.write(() => {
    temp.store.twoFactor.save({ enabledAt: 1, lastStep: 0 });
    temp.store.twoFactor.replaceCodes([hashCode(nodeCrypto, 'good')]);
  });
  const withCode = (address: string, code: string, token?: string) =>
    call(
      'signIn',
      { name: 'admin', password: PASSWORD, code },
      { address, ...(token !== undefined && { browserToken: token }) },
    );
  expect(await signIn(PASSWORD, OWNER)).toBe('sign_in_failed');
  for (const last of [1, 2, 3]) expect(await withCode(`192.0.2.${last}`, 'wrong')).toBe('sign_in_failed');
  // Not verified, so the code was not used up.
  expect(await withCode('192.0.2.4', 'good')).toBe('sign_in_failed');
  expect(await withCode('192.0.2.4', 'good', browser)).toMatchObject({ status: 200 });
});

it('counts who proves his identity by his session, else by his network; the terminal is not counted', () => {
  const actor = { kind: 'administrator', id: 1, name: 'admin', access: 'full' } as const;
  const call = { actor, requestId: 'test', address: OWNER };
  expect(stepUpScope({ ...call, actor: { ...actor, sessionId: 7 } })).toEqual({ name: 'session:7', isStranger: false });
  expect(stepUpScope(call)).toEqual({ name: `network:${OWNER}`, isStranger: true });
  expect(stepUpScope({ ...call, actor: { ...actor, sessionId: 7 }, address: null })).toBeNull();
});

it('says how long to wait, in seconds, which a clock that was set back does not lengthen, and then writes nothing', async () => {
  using temp = tempStore();
  const clock = createTestClock(Date.UTC(2026, 10, 20));
  const env = createEnv(coreParts(temp, { clock }), () => {});
  const scope = { name: `network:${ATTACKER}`, isStranger: true };
  for (const failed of [0, 1, 2]) expect((await countAttempt(env, scope)).failed).toBe(failed);
  const before = temp.store.administrator.attempts(scope.name);
  const turns = env.queue.drained();
  clock.advance(-DAY / 2);
  await expect(countAttempt(env, scope)).rejects.toMatchObject({ code: 'slow_down', retryAfter: 1 });
  clock.advance(DAY / 2 + 1);
  await expect(countAttempt(env, scope)).rejects.toMatchObject({ code: 'slow_down', retryAfter: 1 });
  await turns;
  expect(temp.store.administrator.attempts(scope.name)).toEqual(before);
  clock.advance(999);
  expect((await countAttempt(env, scope)).failed).toBe(3);
  expect((await countAttempt(env, null)).failed).toBe(0);
});

it('forgets the oldest count when one more than it stores begins, and not for a further failure', async () => {
  using temp = tempStore();
  const { administrator } = temp.store;
  const clock = createTestClock(Date.UTC(2026, 10, 20));
  const env = createEnv(coreParts(temp, { clock }), () => {});
  temp.store.write(() => {
    for (let number = 0; number < 10_001; number++)
      administrator.setAttempts(`network:${number}`, 1, clock.now() - 20_000 + number);
  });
  const oldest = () => [0, 1].map((number) => administrator.attempts(`network:${number}`).failed);
  await countAttempt(env, { name: 'network:10000', isStranger: true });
  expect(oldest()).toEqual([1, 1]);
  await countAttempt(env, { name: 'network:another', isStranger: true });
  expect(oldest()).toEqual([0, 0]);
});

it('forgets no count of codes, a session or a browser for those of networks, of which an attacker has as many as he likes', async () => {
  using temp = tempStore();
  const { administrator } = temp.store;
  const clock = createTestClock(Date.UTC(2026, 10, 20));
  const env = createEnv(coreParts(temp, { clock }), () => {});
  const counted = ['codes', 'session:1', 'browser:1'];
  temp.store.write(() => {
    for (const scope of counted) administrator.setAttempts(scope, 7, clock.now() - 30_000);
    for (let number = 0; number < 10_000; number++)
      administrator.setAttempts(
        number % 2 ? `network:${number}` : `around:${number}`,
        1,
        clock.now() - 20_000 + number,
      );
  });
  await countAttempt(env, { name: 'network:another', isStranger: true });
  expect(counted.map((scope) => administrator.attempts(scope).failed)).toEqual([7, 7, 7]);
  const networks = ['around:0', 'network:1', 'network:9999', 'network:another'];
  expect(networks.map((scope) => administrator.attempts(scope).failed)).toEqual([0, 0, 1, 1]);
});

it('drops what slows nothing any more: counts of which the last failure is a day ago', () => {
  using temp = tempStore();
  const { store } = temp;
  const now = Date.UTC(2026, 10, 20);
  const ages = { codes: DAY + 1, 'session:1': DAY, 'network:1': DAY + 1, 'network:2': DAY - 1 };
  store.write(() => {
    for (const [scope, age] of Object.entries(ages)) store.administrator.setAttempts(scope, 7, now - age);
  });
  store.write(() => pruneAttempts(store, now));
  expect(Object.keys(ages).map((scope) => store.administrator.attempts(scope).failed)).toEqual([0, 7, 0, 7]);
});

it('begins to count the codes of strangers again once one was right', async () => {
  using temp = tempStore();
  const { call, begin } = await open(temp);
  await begin(OWNER);
  temp.store.write(() => {
    temp.store.twoFactor.save({ enabledAt: 1, lastStep: 0 });
    temp.store.twoFactor.replaceCodes([hashCode(nodeCrypto, 'good')]);
  });
  const signIn = (code: string, last: number) =>
    call('signIn', { name: 'admin', password: PASSWORD, code }, { address: `192.0.2.${last}` });
  for (const last of [1, 2]) expect(await signIn('wrong', last)).toBe('sign_in_failed');
  expect(await signIn('good', 3)).toMatchObject({ status: 200 });
  expect(temp.store.administrator.attempts('codes').failed).toBe(0);
});

it('counts the codes of a known browser apart from those of strangers', async () => {
  using temp = tempStore();
  const { call, begin } = await open(temp);
  const { browser } = await begin(OWNER);
  temp.store.write(() => {
    temp.store.twoFactor.save({ enabledAt: 1, lastStep: 0 });
    temp.store.twoFactor.replaceCodes([hashCode(nodeCrypto, 'good')]);
  });
  const input = { name: 'admin', password: PASSWORD, code: 'wrong' };
  expect(await call('signIn', input, { browserToken: browser })).toBe('sign_in_failed');
  expect(temp.store.administrator.attempts('codes').failed).toBe(0);
  expect(await call('signIn', input, { address: ATTACKER })).toBe('sign_in_failed');
  expect(temp.store.administrator.attempts('codes').failed).toBe(1);
});

it('does not count a sign-in that the queue of strangers refuses, nor lengthens a wait by it', async () => {
  using temp = tempStore();
  const { administrator } = temp.store;
  let isFull = false;
  const verify = async () => {
    if (isFull) throw new PanelError('sign_in_busy', undefined, 5);
    return false;
  };
  const hasher = coreParts(temp).passwords;
  const { clock, signIn } = await open(temp, { passwords: { ...hasher, verify } });
  const scopes = [`network:${OWNER}`, 'around:203.0.113.0/24'];
  const counts = () => scopes.map((scope) => administrator.attempts(scope));
  for (const step of [0, 1, 2, 3]) {
    const before = counts();
    isFull = true;
    clock.advance(10_000);
    for (let count = 0; count < 5; count += 1) expect(await signIn('wrong', OWNER)).toBe('sign_in_busy');
    expect(counts()).toEqual(before);
    isFull = false;
    expect(await signIn('wrong', OWNER)).toBe('sign_in_failed');
    expect(counts().map(({ failed }) => failed)).toEqual([step + 1, step + 1]);
  }
});

it('takes out of the count what is cancelled, and nothing else', async () => {
  using temp = tempStore();
  const { administrator } = temp.store;
  const clock = createTestClock(Date.UTC(2026, 10, 20));
  const env = createEnv(coreParts(temp, { clock }), () => {});
  const scope = { name: `network:${ATTACKER}`, isStranger: true, around: 'around:198.51.100.0' };
  const [first, second] = [await countAttempt(env, scope), await countAttempt(env, scope)];
  await first.cancel();
  expect(administrator.attempts(scope.name).failed).toBe(1);
  administrator.setAttempts(scope.name, 0, clock.now());
  await second.cancel();
  expect([scope.name, scope.around].map((name) => administrator.attempts(name).failed)).toEqual([0, 0]);
});
