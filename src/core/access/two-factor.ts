// The second factor: enrolled with an app, used once a code, with recovery codes for who lost the phone.
import type { Input, Output } from '../../contract/table.ts';
import type { Call, Reply, Scope } from '../context.ts';
import type { Env } from '../env.ts';
import type { Handlers, Refusal } from '../handler.ts';
import { PanelError } from '../panel-error.ts';
import type { AdministratorRow } from '../ports/administrator.ts';
import { toInstantOrNull } from '../wire.ts';
import { forgiveAttempts, proveAnew, refuse, takeAttempt } from './attempts.ts';
import { acceptCode, compactCode, hashCode, SECRET_PLACE } from './second-factor.ts';

const PENDING_PLACE = 'administrator:totp-pending';
const ENROL_WITHIN_MS = 10 * 60_000;
const RECOVERY_CODES = 10;
const GROUPS = 4;
// 32 characters that cannot be taken for one another: 16 of them are 80 bits.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

function newRecoveryCode({ crypto }: Scope): string {
  const characters = Array.from(crypto.randomBytes(GROUPS * 4), (byte) => ALPHABET.charAt(byte % ALPHABET.length));
  return Array.from({ length: GROUPS }, (_, group) => characters.slice(group * 4, group * 4 + 4).join('')).join('-');
}

function replaceCodes(scope: Scope): string[] {
  const codes = Array.from({ length: RECOVERY_CODES }, () => newRecoveryCode(scope));
  scope.store.twoFactor.replaceCodes(codes.map((code) => hashCode(scope.crypto, code)));
  return codes;
}

function viewTwoFactor({ store }: Scope): Reply {
  const row = store.twoFactor.get();
  const body: Output<'getTwoFactor'> = {
    enabled: row !== null,
    enabled_at: toInstantOrNull(row?.enabledAt ?? null),
    recovery_codes_left: row ? store.twoFactor.countCodes() : 0,
  };
  return { status: 200, body };
}

type Proved = AdministratorRow | null;

/** Before the password is looked at: a secret that cannot be sealed is nobody's failed attempt. */
async function prepareBegin(input: Input<'beginTwoFactor'>, call: Call, env: Env): Promise<Proved> {
  await env.vault.prepare();
  return proveAnew(input, call, env);
}

function beginTwoFactor(input: Input<'beginTwoFactor'>, scope: Scope, proved: Proved): Reply | Refusal {
  const { store, vault, totp, now, call } = scope;
  if (!proved || !acceptCode(scope, input.code)) return refuse(scope);
  forgiveAttempts(scope);
  const secret = totp.newSecret();
  store.sealed.put(vault.seal(PENDING_PLACE, secret));
  store.twoFactor.setPending({ sessionId: call.actor.sessionId ?? 0, endsAt: now + ENROL_WITHIN_MS });
  scope.audit('administrator:1');
  const body: Output<'beginTwoFactor'> = { secret, uri: totp.uri(secret, proved.name) };
  return { status: 200, body };
}

/** A wrong code counts among the failed attempts of all factors. */
function prepareConfirm(_input: Input<'confirmTwoFactor'>, call: Call, env: Env): Promise<void> {
  return takeAttempt(env, call);
}

function confirmTwoFactor(input: Input<'confirmTwoFactor'>, scope: Scope): Reply | Refusal {
  const { store, vault, totp, now, call } = scope;
  const pending = store.twoFactor.pending();
  const sealed = store.sealed.get(PENDING_PLACE);
  const isMine = pending !== null && pending.endsAt > now && pending.sessionId === (call.actor.sessionId ?? 0);
  if (!isMine || !sealed) throw new PanelError('not_found');
  const secret = vault.open(sealed);
  const step = totp.stepOf(secret, compactCode(input.code), now);
  if (step === null) return refuse(scope);
  forgiveAttempts(scope);
  store.sealed.put(vault.seal(SECRET_PLACE, secret));
  store.sealed.remove(PENDING_PLACE);
  store.twoFactor.setPending(null);
  store.twoFactor.put({ enabledAt: now, lastStep: step });
  const body: Output<'confirmTwoFactor'> = { recovery_codes: replaceCodes(scope) };
  const ended = store.sessions.removeAll(call.actor.sessionId ?? null);
  scope.audit('administrator:1', { sessions_ended: ended });
  return { status: 200, body };
}

/** Turns the second factor off and forgets its secret and codes. */
export function dropTwoFactor({ store }: Pick<Scope, 'store'>): void {
  store.twoFactor.put(null);
  store.twoFactor.setPending(null);
  store.sealed.remove(SECRET_PLACE);
  store.sealed.remove(PENDING_PLACE);
}

function disableTwoFactor(input: Input<'disableTwoFactor'>, scope: Scope, proved: Proved): Reply | Refusal {
  if (!scope.store.twoFactor.get()) throw new PanelError('not_found');
  if (!proved || !acceptCode(scope, input.code)) return refuse(scope);
  forgiveAttempts(scope);
  dropTwoFactor(scope);
  scope.audit('administrator:1');
  return viewTwoFactor(scope);
}

function renewRecoveryCodes(input: Input<'renewRecoveryCodes'>, scope: Scope, proved: Proved): Reply | Refusal {
  if (!scope.store.twoFactor.get()) throw new PanelError('not_found');
  if (!proved || !acceptCode(scope, input.code)) return refuse(scope);
  forgiveAttempts(scope);
  const body: Output<'renewRecoveryCodes'> = { recovery_codes: replaceCodes(scope) };
  scope.audit('administrator:1');
  return { status: 200, body };
}

export const TWO_FACTOR_HANDLERS = {
  getTwoFactor: { read: (_input, scope) => viewTwoFactor(scope) },
  beginTwoFactor: { prepare: prepareBegin, write: beginTwoFactor },
  confirmTwoFactor: { prepare: prepareConfirm, write: confirmTwoFactor },
  disableTwoFactor: { prepare: proveAnew, write: disableTwoFactor },
  renewRecoveryCodes: { prepare: proveAnew, write: renewRecoveryCodes },
} satisfies Handlers<
  'getTwoFactor' | 'beginTwoFactor' | 'confirmTwoFactor' | 'disableTwoFactor' | 'renewRecoveryCodes'
>;
