// Proof of identity: the password and the second-factor code. attempts.ts delays failed callers.
import { PROOF_MINUTES, type Proof } from '../../contract/access/proof.ts';
import { MINUTE_MS } from '../../domain/limits.ts';
import type { Env, Refusal, Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import type { AdministratorRow } from '../ports/administrator.ts';
import type { ChatProof } from '../ports/bot.ts';
import type { Actor, Call } from '../ports/call.ts';
import type { Crypto, Store } from '../ports/ports.ts';
import { countAttempt, clearAttempts as resetAttempts, type Scope, stepUpScope } from './attempts.ts';

type ProofEnv = Pick<Env, 'clock' | 'crypto' | 'passwords' | 'queue' | 'store' | 'transact' | 'vault'>;

/** The vault place of the authenticator app's secret. */
export const SECRET_PLACE = 'administrator:totp';

/**
 * The administrator if name (null: not checked) and password are correct; null otherwise, after the same time. Call `clearAttempts` with the scope in
 * the transaction after a success.
 */
export async function verifyPassword(
  env: ProofEnv,
  scope: Scope | null,
  name: string | null,
  password: string,
): Promise<AdministratorRow | null> {
  const attempt = await countAttempt(env, scope);
  const administrator = env.store.administrator.get();
  const isNamed = administrator !== undefined && (name === null || env.crypto.isEqual(name, administrator.name));
  const turn = { strangerAfter: scope?.isStranger ? attempt.failed : null };
  const hash = isNamed ? administrator.passwordHash : null;
  const isRight = await env.passwords.verify(password, hash, turn).catch(async (error: unknown) => {
    // The password was not verified.
    if (error instanceof PanelError && error.code === 'sign_in_busy') await attempt.cancel();
    throw error;
  });
  return isRight && isNamed ? administrator : null;
}

const PROOF_MS = PROOF_MINUTES * MINUTE_MS;

/** Until when the proof of a session is valid; null: none. A clock that was set back ends it. */
export function provenUntil({ store }: Pick<Env, 'store'>, sessionId: number | undefined, now: number): number | null {
  const provenAt = sessionId === undefined ? null : store.sessions.provenAt(sessionId);
  return provenAt !== null && isFresh(provenAt, now) ? provenAt + PROOF_MS : null;
}

function isFresh(provenAt: number, now: number): boolean {
  return provenAt <= now && now < provenAt + PROOF_MS;
}

/** Throws `proof_required` unless the caller has a valid proof (in a session or the chat), or uses the command line. */
export function requireFreshProof({ clock, store }: Pick<Env, 'clock' | 'store'>, { actor }: Call): void {
  if (actor.kind === 'cli') return;
  const provenAt = findProof(store, actor);
  if (provenAt === null || !isFresh(provenAt, clock.now())) throw new PanelError('proof_required');
}

function findProof(store: Store, { kind, id, sessionId }: Actor): number | null {
  if (kind === 'administrator' && sessionId !== undefined) return store.sessions.provenAt(sessionId);
  if (kind === 'bot' && id !== null) return store.bot.admin(id)?.provenAt ?? null;
  return null;
}

/** Records the proof of a paired Telegram account by the second-factor code alone, since a password must not be sent in a chat. */
export async function proveInChat(env: ProofEnv, telegramId: number, code: string): Promise<ChatProof> {
  if (!env.store.twoFactor.get()) return 'no_factor';
  const scope: Scope = { name: `bot:${telegramId}`, isStranger: false };
  try {
    requireReachableFactor(env, code);
    await countAttempt(env, scope);
  } catch (error) {
    if (error instanceof PanelError && error.code === 'vault_unavailable') return 'locked';
    if (error instanceof PanelError && error.code === 'slow_down') return 'slow_down';
    throw error;
  }
  return env.transact({ name: 'proveBotAdmin', by: 'bot', importance: 'essential' }, (tx): ChatProof => {
    const admin = tx.store.bot.admin(telegramId);
    const isRight = admin !== undefined && acceptCode(tx, code);
    const actor = { kind: 'bot', id: telegramId, name: admin?.name ?? '', access: 'full' } as const;
    tx.audit('bot', { telegram_id: telegramId }, isRight ? 'done' : 'refused', actor);
    if (!isRight) return 'wrong';
    resetAttempts(tx, scope);
    tx.store.bot.saveAdmin({ ...admin, provenAt: tx.now });
    return 'proven';
  });
}

/**
 * Verifies the proof of a call and records it for the session; without one, a valid proof must exist. `action` names the operation in the audit row
 * of a refusal.
 */
export async function requireProof(
  env: ProofEnv,
  action: string,
  { password, code }: Proof,
  call: Call,
): Promise<void> {
  if (password === undefined) {
    requireFreshProof(env, call);
    return;
  }
  requireReachableFactor(env, code);
  const administrator = await verifyPassword(env, stepUpScope(call), null, password);
  const settle = (tx: Transaction): Refusal | undefined => {
    if (!administrator || !acceptCode(tx, code)) return refuseProof(tx);
    clearAttempts(tx);
    const { sessionId } = call.actor;
    if (sessionId !== undefined) tx.store.sessions.prove(sessionId, tx.now);
    return undefined;
  };
  const refused = await env.transact({ name: action, by: call, importance: 'essential' }, settle);
  if (refused) throw refused.refusal;
}

/** Resets the failed attempts of this session, in the transaction after a success. */
export function clearAttempts(tx: Transaction): void {
  resetAttempts(tx, stepUpScope(tx.call));
}

/** Refuses, and commits the failed attempt with an audit row. */
export function refuseProof(tx: Transaction): Refusal {
  tx.audit(null, {}, 'refused');
  return { refusal: new PanelError('wrong_password') };
}

/** Removes spaces and hyphens from a typed code. */
export function compactCode(code: string): string {
  return code.replace(/[\s-]/g, '').toLowerCase();
}

function isTotp(code: string): boolean {
  return /^\d{6}$/.test(compactCode(code));
}

/**
 * Throws `vault_unavailable` before any password is verified, if an app code is given but its secret cannot be decrypted. Recovery codes work without
 * the vault.
 */
export function requireReachableFactor({ store, vault }: Pick<Env, 'store' | 'vault'>, code: string | undefined): void {
  const isOpen = vault.state() === 'unlocked' || vault.state() === 'headless';
  if (code !== undefined && !isOpen && isTotp(code) && store.twoFactor.get()) throw new PanelError('vault_unavailable');
}

/**
 * Whether the code proves the second factor; true without a code if it is off. Uses up the code in this transaction: it, or an earlier one, is never
 * accepted again, whatever the clock shows.
 */
export function acceptCode({ store, crypto, vault, totp, now }: Transaction, code: string | undefined): boolean {
  if (!store.twoFactor.get()) return true;
  if (code === undefined) return false;
  if (!isTotp(code)) return store.twoFactor.spendCode(hashCode(crypto, code));
  const sealed = store.sealed.get(SECRET_PLACE);
  const step = sealed ? totp.findStep(vault.open(sealed), compactCode(code), now) : null;
  return step !== null && store.twoFactor.spendStep(step);
}

/** The stored form of a recovery code. It has 120 random bits, so a plain digest is sufficient. */
export function hashCode(crypto: Crypto, code: string): string {
  return crypto.sha256(`recovery code ${compactCode(code)}`);
}
