// The second factor: enrolment with an authenticator app, and recovery codes. Codes are verified in proof.ts.

import type { Input, Output } from '../../contract/table.ts';
import type { AsyncContext, Context, Handlers, Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { toInstantOrNull } from '../kernel/wire.ts';
import type { Result } from '../ports/call.ts';
import { countAttempt, stepUpScope } from '../proof/attempts.ts';
import { clearAttempts, compactCode, hashCode, refuseProof, SECRET_PLACE } from '../proof/proof.ts';

const PENDING_PLACE = 'administrator:totp-pending';
const ENROL_WITHIN_MS = 10 * 60_000;
const RECOVERY_CODES = 10;
const GROUPS = 6;
// 32 unambiguous characters: 24 of them are 120 bits.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

function newRecoveryCode({ crypto }: Transaction): string {
  const characters = Array.from(crypto.randomBytes(GROUPS * 4), (byte) => ALPHABET.charAt(byte % ALPHABET.length));
  return Array.from({ length: GROUPS }, (_, group) => characters.slice(group * 4, group * 4 + 4).join('')).join('-');
}

function replaceCodes(tx: Transaction): string[] {
  const codes = Array.from({ length: RECOVERY_CODES }, () => newRecoveryCode(tx));
  tx.store.twoFactor.replaceCodes(codes.map((code) => hashCode(tx.crypto, code)));
  return codes;
}

function viewTwoFactor({ store }: Context): Result<Output<'getTwoFactor'>> {
  const row = store.twoFactor.get();
  const body: Output<'getTwoFactor'> = {
    enabled: row !== null,
    enabled_at: toInstantOrNull(row?.enabledAt ?? null),
    recovery_codes_left: row ? store.twoFactor.countCodes() : 0,
  };
  return { body };
}

async function beginTwoFactor(_input: Input<'beginTwoFactor'>, context: AsyncContext<'beginTwoFactor'>) {
  await context.env.vault.prepare();
  return context.commit((tx) => {
    const { store, vault, totp, now, call } = tx;
    const administrator = store.administrator.get();
    if (!administrator) throw new PanelError('signed_out');
    const secret = totp.newSecret();
    store.sealed.save(vault.seal(PENDING_PLACE, secret));
    store.twoFactor.setPending({ sessionId: call.actor.sessionId ?? 0, endsAt: now + ENROL_WITHIN_MS });
    tx.audit('administrator:1');
    return { body: { secret, uri: totp.uri(secret, administrator.name) } };
  });
}

async function confirmTwoFactor(
  input: Input<'confirmTwoFactor'>,
  { env, call, commit }: AsyncContext<'confirmTwoFactor'>,
) {
  // A wrong code counts as a failed attempt of its session.
  await countAttempt(env, stepUpScope(call));
  return commit((tx) => {
    const { store, vault, totp, now } = tx;
    const sessionId = call.actor.sessionId;
    const pending = store.twoFactor.pending();
    const sealed = store.sealed.get(PENDING_PLACE);
    const isOwn = pending !== null && pending.endsAt > now && pending.sessionId === (sessionId ?? 0);
    if (!isOwn || !sealed) throw new PanelError('not_found');
    const secret = vault.open(sealed);
    const step = totp.findStep(secret, compactCode(input.code), now);
    if (step === null) return refuseProof(tx);
    clearAttempts(tx);
    store.sealed.save(vault.seal(SECRET_PLACE, secret));
    store.sealed.remove(PENDING_PLACE);
    store.twoFactor.setPending(null);
    store.twoFactor.save({ enabledAt: now, lastStep: step });
    // A proof given without a code is no longer sufficient.
    if (sessionId !== undefined) store.sessions.prove(sessionId, null);
    const codes = replaceCodes(tx);
    const ended = store.sessions.removeAll(sessionId ?? null);
    tx.audit('administrator:1', { sessions_ended: ended });
    return { body: { recovery_codes: codes } };
  });
}

/** Turns the second factor off and deletes its secret and recovery codes. */
export function dropTwoFactor({ store }: Pick<Transaction, 'store'>): void {
  store.twoFactor.save(null);
  store.twoFactor.setPending(null);
  store.sealed.remove(SECRET_PLACE);
  store.sealed.remove(PENDING_PLACE);
}

function disableTwoFactor(_input: Input<'disableTwoFactor'>, tx: Transaction): Result<Output<'disableTwoFactor'>> {
  if (!tx.store.twoFactor.get()) throw new PanelError('not_found');
  dropTwoFactor(tx);
  tx.audit('administrator:1');
  return viewTwoFactor(tx);
}

function renewRecoveryCodes(
  _input: Input<'renewRecoveryCodes'>,
  tx: Transaction,
): Result<Output<'renewRecoveryCodes'>> {
  if (!tx.store.twoFactor.get()) throw new PanelError('not_found');
  const codes = replaceCodes(tx);
  tx.audit('administrator:1');
  return { body: { recovery_codes: codes } };
}

export const TWO_FACTOR_HANDLERS = {
  getTwoFactor: { read: (_input, context) => viewTwoFactor(context) },
  beginTwoFactor: { run: beginTwoFactor },
  confirmTwoFactor: { run: confirmTwoFactor },
  disableTwoFactor: { write: disableTwoFactor },
  renewRecoveryCodes: { write: renewRecoveryCodes },
} satisfies Handlers<
  'getTwoFactor' | 'beginTwoFactor' | 'confirmTwoFactor' | 'disableTwoFactor' | 'renewRecoveryCodes'
>;
