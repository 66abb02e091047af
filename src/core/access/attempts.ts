// Proving who one is: the password, with failed attempts slowing each other down over restarts.
import type { Call, Scope } from '../context.ts';
import type { Env } from '../env.ts';
import type { Refusal } from '../handler.ts';
import { PanelError } from '../panel-error.ts';
import type { AdministratorRow } from '../ports/administrator.ts';
import { requireReachableFactor } from './second-factor.ts';

/** So many failures cost nothing; each further one doubles the wait. */
const FREE_ATTEMPTS = 3;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15 * 60_000;

/** How long after the last of `failed` attempts the next one is looked at. */
export function waitAfter(failed: number): number {
  if (failed < FREE_ATTEMPTS) return 0;
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(30, failed - FREE_ATTEMPTS));
}

/** Only what comes over TCP is slowed: whoever has the terminal or the window owns the machine. */
function isSlowed({ address }: Call): boolean {
  return address !== null;
}

/**
 * Takes an attempt: it counts as failed until it succeeds, so that attempts made at once slow each other too. Throws
 * `slow_down`, whatever name and password were given, while the wait lasts. A clock set back does not lengthen the wait.
 */
export async function takeAttempt({ queue, store, clock }: Env, call: Call): Promise<void> {
  if (!isSlowed(call)) return;
  const take = () => {
    const now = clock.now();
    const { failed, lastAt } = store.administrator.attempts();
    const left = Math.min(lastAt, now) + waitAfter(failed) - now;
    if (left > 0) throw new PanelError('slow_down', undefined, Math.ceil(left / 1000));
    store.administrator.setAttempts(failed + 1, now);
  };
  await queue.run(() => store.write(take, 'essential'));
}

/**
 * The administrator, if name (null: not asked) and password are theirs; null otherwise, after the same time. Call
 * `forgiveAttempts` in the transaction that follows a success.
 */
export async function provePassword(
  env: Env,
  call: Call,
  name: string | null,
  password: string,
): Promise<AdministratorRow | null> {
  await takeAttempt(env, call);
  const administrator = env.store.administrator.get();
  const isNamed = administrator !== undefined && (name === null || env.crypto.isEqual(name, administrator.name));
  const isProved = await env.passwords.verify(password, isNamed ? administrator.passwordHash : null);
  return isProved && isNamed ? administrator : null;
}

/** What proves the administrator anew: the password, and the code where the second factor is on. */
export interface Proof {
  readonly password: string;
  readonly code?: string | undefined;
}

/** The administrator if the password is theirs; the code is judged in the transaction (`acceptCode`), where it is used up. */
export async function proveAnew(proof: Proof, call: Call, env: Env): Promise<AdministratorRow | null> {
  requireReachableFactor(env, proof.code);
  return provePassword(env, call, null, proof.password);
}

/** Forgets failed attempts after a success. */
export function forgiveAttempts({ store, now }: { store: Env['store']; now: number }): void {
  if (store.administrator.attempts().failed > 0) store.administrator.setAttempts(0, now);
}

/** Refuses, keeping the failed attempt and a row about it. */
export function refuse(scope: Scope, detail: Readonly<Record<string, unknown>> = {}): Refusal {
  scope.audit(null, detail, 'refused');
  return { refusal: new PanelError('wrong_password') };
}
