// Proof of identity: for whom and how long it is valid, the cost of wrong ones, and codes that work once.
import { Secret, TOTP } from 'otpauth';
import { expect, it } from 'vitest';
import { createTestClock } from '../../../tests/support/clock.ts';
import { coreParts } from '../../../tests/support/core.ts';
import { tempStore } from '../../../tests/support/temp-store.ts';
import { createHeavyEnv } from '../create-core.ts';
import type { Env } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { createTransaction } from '../kernel/transaction.ts';
import type { Actor, Call } from '../ports/call.ts';
import type { Vault } from '../ports/ports.ts';
import {
  acceptCode,
  compactCode,
  hashCode,
  provenUntil,
  requireFreshProof,
  requireProof,
  requireReachableFactor,
  SECRET_PLACE,
  verifyPassword,
} from './proof.ts';

const PASSWORD = 'correct horse battery';
const MINUTE = 60_000;
const START = Date.UTC(2026, 10, 20);
const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const RECOVERY = 'abcd-efgh-jkmn-pqrs-tvwx-yz01';

const ADMIN: Actor = { kind: 'administrator', id: 1, name: 'admin', access: 'full' };
const buildCall = (actor: Partial<Actor> = {}): Call => ({
  actor: { ...ADMIN, ...actor } as Actor,
  requestId: 'test',
  address: '203.0.113.9',
});

async function open(temp: ReturnType<typeof tempStore>) {
  const clock = createTestClock(START);
  const parts = coreParts(temp, { clock });
  let state: ReturnType<Vault['state']> = 'unlocked';
  const env: Env = createHeavyEnv({ ...parts, vault: { ...parts.vault, state: () => state } });
  const { store } = temp;
  const passwordHash = await env.passwords.hash(PASSWORD);
  const sessionId = store.write(() => {
    store.administrator.save({ name: 'admin', passwordHash, createdAt: START, passwordChangedAt: START });
    return store.sessions.insert(
      { address: '203.0.113.9', device: '', createdAt: START, lastSeenAt: START, browserId: null },
      'a'.repeat(64),
    );
  });
  const session = buildCall({ sessionId });
  const refused = async (work: Promise<unknown> | (() => unknown)): Promise<string> => {
    try {
      await (typeof work === 'function' ? work() : work);
    } catch (error) {
      if (error instanceof PanelError) return error.code;
      throw error;
    }
    return 'accepted';
  };
  const enrol = () =>
    store.write(() => {
      store.twoFactor.save({ enabledAt: START, lastStep: 0 });
      store.sealed.save(env.vault.seal(SECRET_PLACE, SECRET));
      store.twoFactor.replaceCodes([hashCode(env.crypto, RECOVERY)]);
    });
  const accepts = (code: string | undefined) =>
    store.write(() => acceptCode(createTransaction(env, { name: 'prove', by: session }, clock.now()), code));
  const codeAt = (ms = clock.now()) => new TOTP({ secret: Secret.fromBase32(SECRET) }).generate({ timestamp: ms });
  const rows = () => store.audit.page({ limit: 20 }).map(({ action, outcome, detail }) => [action, outcome, detail]);
  const setVault = (next: typeof state) => {
    state = next;
  };
  return { env, clock, store, sessionId, session, refused, enrol, accepts, codeAt, rows, setVault };
}

it('holds for the session in which it was given, for less than five minutes', async () => {
  using temp = tempStore();
  const { env, clock, session, sessionId, refused, rows } = await open(temp);
  expect(provenUntil(env, sessionId, clock.now())).toBeNull();
  expect(await refused(requireProof(env, 'createKey', {}, session))).toBe('proof_required');
  expect(await refused(requireProof(env, 'createKey', { password: PASSWORD }, session))).toBe('accepted');
  expect(provenUntil(env, sessionId, START)).toBe(START + 5 * MINUTE);
  expect(await refused(requireProof(env, 'createKey', {}, session))).toBe('accepted');
  expect(await refused(requireProof(env, 'createKey', {}, buildCall({ sessionId: sessionId + 1 })))).toBe(
    'proof_required',
  );
  expect(await refused(requireProof(env, 'createKey', {}, buildCall()))).toBe('proof_required');
  clock.set(START + 5 * MINUTE - 1);
  expect(await refused(() => requireFreshProof(env, session))).toBe('accepted');
  clock.set(START + 5 * MINUTE);
  expect(await refused(() => requireFreshProof(env, session))).toBe('proof_required');
  // A clock that was set back ends the proof.
  clock.set(START - 1);
  expect(await refused(() => requireFreshProof(env, session))).toBe('proof_required');
  expect(provenUntil(env, undefined, START)).toBeNull();
  expect(rows()).toEqual([]);
});

it('is asked of everybody but the owner at the terminal', async () => {
  using temp = tempStore();
  const { env, session, refused } = await open(temp);
  await requireProof(env, 'createKey', { password: PASSWORD }, session);
  const { sessionId } = session.actor;
  expect(await refused(() => requireFreshProof(env, buildCall({ kind: 'cli', id: null })))).toBe('accepted');
  for (const kind of ['key', 'bot', 'panel', 'unknown'] as const) {
    const own = sessionId === undefined ? {} : { sessionId };
    expect([kind, await refused(() => requireFreshProof(env, buildCall({ kind, ...own })))]).toEqual([
      kind,
      'proof_required',
    ]);
  }
});

it('that is wrong is a failed attempt with an audit row; a right one is given without a session too', async () => {
  using temp = tempStore();
  const { env, session, refused, rows, sessionId, clock } = await open(temp);
  expect(await refused(requireProof(env, 'createKey', { password: 'wrong' }, session))).toBe('wrong_password');
  expect(rows()).toEqual([['createKey', 'refused', '{}']]);
  expect(provenUntil(env, sessionId, clock.now())).toBeNull();
  for (let count = 0; count < 2; count += 1)
    await refused(requireProof(env, 'createKey', { password: 'wrong' }, session));
  expect(await refused(requireProof(env, 'createKey', { password: PASSWORD }, session))).toBe('slow_down');
  clock.advance(MINUTE);
  expect(await refused(requireProof(env, 'createKey', { password: PASSWORD }, session))).toBe('accepted');
  // The count starts again.
  for (let count = 0; count < 2; count += 1)
    expect(await refused(requireProof(env, 'createKey', { password: 'wrong' }, session))).toBe('wrong_password');
  const local = { ...buildCall(), address: null };
  expect(await refused(requireProof(env, 'createKey', { password: PASSWORD }, local))).toBe('accepted');
});

it('needs the code as well where the second factor is on', async () => {
  using temp = tempStore();
  const { env, session, refused, enrol, codeAt, rows, clock } = await open(temp);
  enrol();
  const prove = (code?: string) =>
    refused(requireProof(env, 'prove', { password: PASSWORD, ...(code !== undefined && { code }) }, session));
  expect(await prove()).toBe('wrong_password');
  expect(rows()).toHaveLength(1);
  expect(await prove(codeAt())).toBe('accepted');
  expect(await prove(codeAt()), 'a code works once').toBe('wrong_password');
  clock.advance(MINUTE);
  expect(await prove(` ${codeAt().slice(0, 3)}-${codeAt().slice(3)} `)).toBe('accepted');
});

it('takes no code a second time, nor an earlier one', async () => {
  using temp = tempStore();
  const { enrol, accepts, codeAt, clock } = await open(temp);
  expect(accepts(undefined), 'there is no second factor').toBe(true);
  enrol();
  expect(accepts(undefined)).toBe(false);
  expect(accepts('')).toBe(false);
  expect(accepts('000000')).toBe(false);
  expect(accepts('12345')).toBe(false);
  expect(accepts('1234567')).toBe(false);
  const [before, present] = [codeAt(START - 30_000), codeAt(START)];
  expect(accepts(present)).toBe(true);
  expect(accepts(present)).toBe(false);
  expect(accepts(before)).toBe(false);
  clock.advance(30_000);
  expect(accepts(codeAt())).toBe(true);
  expect(accepts(RECOVERY.toUpperCase().replaceAll('-', ' '))).toBe(true);
  expect(accepts(RECOVERY)).toBe(false);
});

it('refuses a code of the app at once where its secret cannot be read, and no recovery code', async () => {
  using temp = tempStore();
  const { env, enrol, refused, setVault, session, rows } = await open(temp);
  const reach = (code?: string) => refused(() => requireReachableFactor(env, code));
  setVault('locked');
  expect(await reach('123456'), 'there is no second factor').toBe('accepted');
  enrol();
  expect(await reach('123456')).toBe('vault_unavailable');
  expect(await reach('123-456')).toBe('vault_unavailable');
  expect(await reach(RECOVERY)).toBe('accepted');
  expect(await reach()).toBe('accepted');
  expect(await refused(requireProof(env, 'prove', { password: 'wrong', code: '123456' }, session))).toBe(
    'vault_unavailable',
  );
  expect(rows(), 'no password was looked at').toEqual([]);
  for (const state of ['unlocked', 'headless'] as const) {
    setVault(state);
    expect(await reach('123456')).toBe('accepted');
  }
});

it('looks at the name where one is given, and takes as long without an administrator', async () => {
  using temp = tempStore();
  const { env, store } = await open(temp);
  const verify = (name: string | null, password: string) => verifyPassword(env, null, name, password);
  expect(await verify('admin', PASSWORD)).toMatchObject({ name: 'admin' });
  expect(await verify(null, PASSWORD)).toMatchObject({ name: 'admin' });
  expect(await verify('Admin', PASSWORD)).toBeNull();
  expect(await verify('admin', 'wrong')).toBeNull();
  const hashes: (string | null)[] = [];
  const passwords = {
    ...env.passwords,
    verify: async (_password: string, hash: string | null) => {
      hashes.push(hash);
      return true;
    },
  };
  expect(await verifyPassword({ ...env, passwords }, null, 'nobody', PASSWORD)).toBeNull();
  // The password is verified against no hash, so that the time reveals nothing.
  expect(hashes).toEqual([null]);
  store.connection().exec('DELETE FROM administrator');
  expect(await verifyPassword({ ...env, passwords }, null, null, PASSWORD)).toBeNull();
  expect(hashes).toEqual([null, null]);
});

it('has codes as they are typed', () => {
  expect(compactCode(' AB cd-EF\t')).toBe('abcdef');
});
