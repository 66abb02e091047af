// Judging a code of the second factor, in the transaction that it opens; enrolling is two-factor.ts.
import type { Scope } from '../context.ts';
import type { Env } from '../env.ts';
import { PanelError } from '../panel-error.ts';
import type { Crypto } from '../ports/ports.ts';

/** Where the app's secret is sealed. */
export const SECRET_PLACE = 'administrator:totp';

/** A code as typed, without the spaces and hyphens people put into it. */
export function compactCode(code: string): string {
  return code.replace(/[\s-]/g, '').toLowerCase();
}

function isTotp(code: string): boolean {
  return /^\d{6}$/.test(compactCode(code));
}

/**
 * Refuses with `vault_unavailable`, before any password is looked at, where an app's code is given but its secret cannot be
 * reached. Recovery codes work without the vault.
 */
export function requireReachableFactor({ store, vault }: Env, code: string | undefined): void {
  const isOpen = vault.state() === 'unlocked' || vault.state() === 'headless';
  if (code !== undefined && !isOpen && isTotp(code) && store.twoFactor.get()) throw new PanelError('vault_unavailable');
}

/**
 * Whether the code proves the second factor; true without one when it is off. Uses the code up in the scope's transaction: the
 * same code, or an earlier one, is never accepted again, whatever the clock says.
 */
export function acceptCode({ store, crypto, vault, totp, now }: Scope, code: string | undefined): boolean {
  if (!store.twoFactor.get()) return true;
  if (code === undefined) return false;
  if (!isTotp(code)) return store.twoFactor.spendCode(hashCode(crypto, code));
  const sealed = store.sealed.get(SECRET_PLACE);
  const step = sealed ? totp.stepOf(vault.open(sealed), compactCode(code), now) : null;
  return step !== null && store.twoFactor.spendStep(step);
}

/** How a recovery code is stored. They are 80 bits of chance, so a plain digest is enough. */
export function hashCode(crypto: Crypto, code: string): string {
  return crypto.sha256(`recovery code ${compactCode(code)}`);
}
