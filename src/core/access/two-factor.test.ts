// The second factor: enrolment within its time and session, codes and recovery codes that work once, and disabling it.
import { Secret, TOTP } from 'otpauth';
import { expect, it } from 'vitest';
import { createTestClock } from '../../../tests/support/clock.ts';
import { coreParts } from '../../../tests/support/core.ts';
import { tempStore } from '../../../tests/support/temp-store.ts';
import type { CallOf } from '../../contract/operation.ts';
import type { OPERATIONS } from '../../contract/table.ts';
import { createCore } from '../create-core.ts';
import { PanelError } from '../kernel/panel-error.ts';
import type { Call, HandledId } from '../ports/call.ts';

const PASSWORD = 'correct horse battery';
const MINUTE = 60_000;
const START = Date.UTC(2026, 10, 20);

/** A core with an administrator who is signed in and has given the password. */
async function open(temp: ReturnType<typeof tempStore>) {
  const clock = createTestClock(START);
  const core = createCore(coreParts(temp, { clock }));
  await core.local.setUp('admin', PASSWORD);

  async function call<Id extends HandledId>(id: Id, input: CallOf<(typeof OPERATIONS)[Id]>, by: Partial<Call> = {}) {
    const actor = { kind: 'unknown', id: null, name: '', access: 'read' } as const;
    try {
      // Without an address nothing is delayed; attempts.test.ts covers that.
      return await core.call(id, input as never, { actor, requestId: 'test', address: null, ...by });
    } catch (error) {
      if (error instanceof PanelError) return error.code;
      throw error;
    }
  }
  async function succeed<Id extends HandledId>(...[id, input, by]: Parameters<typeof call<Id>>) {
    const reply = await call(id, input, by);
    if (typeof reply === 'string') throw new Error(reply);
    return reply;
  }
  const signIn = (code?: string) =>
    call('signIn', { name: 'admin', password: PASSWORD, ...(code !== undefined && { code }) });
  /** Signs in; returns the actor. */
  async function begin(code?: string) {
    const reply = await signIn(code);
    const actor = typeof reply === 'string' ? null : core.authenticateSession(String(reply.sessionToken));
    if (actor === null) throw new Error(String(reply));
    return actor;
  }
  const codeAt = (secret: string, ms = clock.now()) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: ms });
  /** Enables it for a session; returns the secret and the recovery codes. */
  async function enrol(actor: Awaited<ReturnType<typeof begin>>) {
    const { secret } = (await succeed('beginTwoFactor', { password: PASSWORD }, { actor })).body;
    const { recovery_codes: codes } = (await succeed('confirmTwoFactor', { code: codeAt(secret) }, { actor })).body;
    return { secret, codes };
  }
  return { core, clock, call, succeed, signIn, begin, codeAt, enrol };
}

it('is turned on by a code of the session that began it, within ten minutes', async () => {
  using temp = tempStore();
  const { clock, call, succeed, begin, codeAt } = await open(temp);
  const [actor, other] = [await begin(), await begin()];
  expect(await call('confirmTwoFactor', { code: '123456' }, { actor })).toBe('not_found');
  expect(await call('beginTwoFactor', {}, { actor })).toBe('proof_required');
  const { secret, uri } = (await succeed('beginTwoFactor', { password: PASSWORD }, { actor })).body;
  expect(uri).toContain(`secret=${secret}`);
  expect(uri).toContain('admin');
  expect(await call('confirmTwoFactor', { code: codeAt(secret) }, { actor: other })).toBe('not_found');
  expect(await call('confirmTwoFactor', { code: codeAt(secret, START + 10 * MINUTE) }, { actor })).toBe(
    'wrong_password',
  );
  clock.set(START + 10 * MINUTE);
  expect(await call('confirmTwoFactor', { code: codeAt(secret) }, { actor })).toBe('not_found');
  const again = (await succeed('beginTwoFactor', { password: PASSWORD }, { actor })).body.secret;
  expect(again).not.toBe(secret);
  clock.set(START + 20 * MINUTE - 1);
  expect(await call('confirmTwoFactor', { code: codeAt(again) }, { actor })).toMatchObject({ status: 200 });
  expect(await call('confirmTwoFactor', { code: codeAt(again) }, { actor })).toBe('not_found');
});

it('gives ten recovery codes of 120 bits, ends other sessions, and asks for the proof again', async () => {
  using temp = tempStore();
  const { core, call, begin, enrol } = await open(temp);
  const [actor, other] = [await begin(), await begin()];
  expect(await call('getTwoFactor', {}, { actor })).toMatchObject({
    body: { enabled: false, enabled_at: null, recovery_codes_left: 0 },
  });
  const { codes } = await enrol(actor);
  expect(codes).toHaveLength(10);
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){5}$/);
  expect(await call('getTwoFactor', {}, { actor })).toMatchObject({
    body: { enabled: true, enabled_at: new Date(START).toISOString(), recovery_codes_left: 10 },
  });
  const listed = await call('listSessions', {}, { actor });
  expect(listed).toMatchObject({ body: { items: [{ id: actor.sessionId }] } });
  expect(core.authenticateSession('x'.repeat(43))).toBeNull();
  expect(other.sessionId).not.toBe(actor.sessionId);
  expect(await call('renewRecoveryCodes', {}, { actor })).toBe('proof_required');
  expect(await call('renewRecoveryCodes', { password: PASSWORD }, { actor })).toBe('wrong_password');
});

it('is asked for at sign-in, and takes each code once and none before it', async () => {
  using temp = tempStore();
  const { clock, signIn, begin, codeAt, enrol } = await open(temp);
  const { secret } = await enrol(await begin());
  expect(await signIn()).toBe('sign_in_failed');
  expect(await signIn(codeAt(secret))).toBe('sign_in_failed');
  clock.advance(MINUTE);
  const code = codeAt(secret);
  expect(await signIn('000000')).toBe('sign_in_failed');
  expect(await signIn(` ${code.slice(0, 3)} ${code.slice(3)} `)).toMatchObject({ status: 200 });
  expect(await signIn(code)).toBe('sign_in_failed');
  expect(await signIn(codeAt(secret, clock.now() - MINUTE / 2))).toBe('sign_in_failed');
  expect(await signIn(codeAt(secret, clock.now() + MINUTE / 2))).toMatchObject({ status: 200 });
});

it('takes each recovery code once, as people type it, until there are new ones', async () => {
  using temp = tempStore();
  const { clock, call, succeed, signIn, begin, codeAt, enrol } = await open(temp);
  const actor = await begin();
  const { secret, codes } = await enrol(actor);
  const [first = '', second = '', third = ''] = codes;
  expect(await signIn(first)).toMatchObject({ status: 200 });
  expect(await signIn(first)).toBe('sign_in_failed');
  expect(await signIn(` ${second.toUpperCase().replaceAll('-', ' ')} `)).toMatchObject({ status: 200 });
  expect(await call('getTwoFactor', {}, { actor })).toMatchObject({ body: { recovery_codes_left: 8 } });
  clock.advance(MINUTE);
  const proof = { password: PASSWORD, code: codeAt(secret) };
  const { recovery_codes: others } = (await succeed('renewRecoveryCodes', proof, { actor })).body;
  expect(others).toHaveLength(10);
  expect(await signIn(third)).toBe('sign_in_failed');
  expect(await signIn(others[9])).toMatchObject({ status: 200 });
});

it('is turned off with password and code, or from the terminal', async () => {
  using temp = tempStore();
  const { core, clock, call, signIn, begin, codeAt, enrol } = await open(temp);
  const actor = await begin();
  const proof = { password: PASSWORD };
  expect(await call('disableTwoFactor', proof, { actor })).toBe('not_found');
  expect(await call('renewRecoveryCodes', proof, { actor })).toBe('not_found');
  const { secret, codes } = await enrol(actor);
  expect(await call('disableTwoFactor', proof, { actor })).toBe('wrong_password');
  clock.advance(MINUTE);
  const off = await call('disableTwoFactor', { ...proof, code: codeAt(secret) }, { actor });
  expect(off).toMatchObject({ body: { enabled: false, enabled_at: null, recovery_codes_left: 0 } });
  expect(await signIn()).toMatchObject({ status: 200 });
  clock.advance(MINUTE);
  const next = await enrol(actor);
  expect(await signIn(codes[5])).toBe('sign_in_failed');
  await core.local.resetPassword(PASSWORD);
  expect(core.local.hasSecondFactor()).toBe(true);
  expect(await signIn()).toBe('sign_in_failed');
  expect(await signIn(next.codes[0])).toMatchObject({ status: 200 });
  await core.local.resetPassword(PASSWORD, true);
  expect(core.local.hasSecondFactor()).toBe(false);
  expect(await signIn()).toMatchObject({ status: 200 });
});
