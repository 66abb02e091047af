// Failed proofs of identity, counted separately by session, known browser or network, so that none slows another (docs/decisions/0016).
import { computeNetwork, computeWiderNetwork } from '../../domain/client-network.ts';
import { DAY_MS } from '../../domain/limits.ts';
import type { Env, Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import type { Call } from '../ports/call.ts';
import type { Store } from '../ports/ports.ts';
import { knownBrowser } from './browsers.ts';

type AttemptsEnv = Pick<Env, 'clock' | 'queue' | 'store'>;

/** Failures without a delay; each further one doubles it. */
const FREE_ATTEMPTS = 3;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15 * 60_000;
/** Counts are deleted this long after the last failure. */
const FORGET_MS = DAY_MS;
/** Maximum number of counts: the networks with the oldest failures are deleted first. */
const MAX_SCOPES = 10_000;

/** Failures in the surrounding network count up to this number, so that all callers in an attacking network are equal. */
const MAX_AROUND = 16;

/** Wrong codes after a correct password, from unknown browsers of all networks together. */
const CODES = 'codes';

/** The subject of a count. Only TCP clients are counted: the terminal and the desktop window belong to the owner of the machine. */
export interface Scope {
  readonly name: string;
  /** Only its network is known. */
  readonly isStranger: boolean;
  /** Counts unknown browsers of the surrounding network. It causes no delay, but gives callers from elsewhere priority. */
  readonly around?: string;
}

/** Delay in ms after the last of `failed` attempts. */
export function waitAfter(failed: number): number {
  if (failed < FREE_ATTEMPTS) return 0;
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(30, failed - FREE_ATTEMPTS));
}

/** The subject of a sign-in; null: not limited. */
export function signInScope(env: Pick<Env, 'store' | 'crypto' | 'clock'>, call: Call): Scope | null {
  if (call.address === null) return null;
  const browser = knownBrowser(env, call);
  if (browser) return { name: `browser:${browser.id}`, isStranger: false };
  const around = `around:${computeWiderNetwork(call.address)}`;
  return { name: `network:${computeNetwork(call.address)}`, isStranger: true, around };
}

/** The subject of a proof of identity within a session; null: not limited. */
export function stepUpScope({ address, actor }: Call): Scope | null {
  if (address === null) return null;
  if (actor.sessionId !== undefined) return { name: `session:${actor.sessionId}`, isStranger: false };
  return { name: `network:${computeNetwork(address)}`, isStranger: true };
}

/** The current failures and the remaining delay in ms. A clock that was set back does not extend the delay. */
function attemptStatus(store: Store, scope: string, now: number): { readonly failed: number; readonly waitMs: number } {
  const { failed, lastAt } = store.administrator.attempts(scope);
  if (now - lastAt >= FORGET_MS) return { failed: 0, waitMs: 0 };
  return { failed, waitMs: Math.max(0, Math.min(lastAt, now) + waitAfter(failed) - now) };
}

export interface Attempt {
  /** Number of earlier failures, including those of the surrounding network. */
  readonly failed: number;
  /** Removes the attempt from the count: nothing was verified. */
  cancel(): Promise<void>;
}

/**
 * Counts an attempt as failed until it succeeds, so that concurrent attempts delay each other. Throws `slow_down` during the delay, independent of
 * the given name and password; that writes nothing.
 */
export async function countAttempt({ queue, store, clock }: AttemptsEnv, scope: Scope | null): Promise<Attempt> {
  if (scope === null) return { failed: 0, cancel: async () => {} };
  const { name, around } = scope;
  const requireTurn = (now: number): number => {
    const { failed, waitMs } = attemptStatus(store, name, now);
    if (waitMs > 0) throw new PanelError('slow_down', undefined, Math.ceil(waitMs / 1000));
    return failed;
  };
  requireTurn(clock.now());
  const count = (): Attempt => {
    const now = clock.now();
    const failed = requireTurn(now);
    const cancels = [addFailure(store, name, now)];
    const failedAround = around === undefined ? 0 : attemptStatus(store, around, now).failed;
    if (around !== undefined) cancels.push(addFailure(store, around, now));
    if (failed === 0) store.administrator.dropOldAttempts(0, MAX_SCOPES);
    const cancelAll = () => {
      for (const cancel of cancels) cancel();
    };
    return {
      failed: failed + Math.min(failedAround, MAX_AROUND),
      cancel: () => queue.run(() => store.write(cancelAll, 'essential')),
    };
  };
  return queue.run(() => store.write(count, 'essential'));
}

/** Returns the function that undoes it. Later attempts stay counted. */
function addFailure(store: Store, scope: string, now: number): () => void {
  const { administrator } = store;
  const { failed } = attemptStatus(store, scope, now);
  const { lastAt } = administrator.attempts(scope);
  administrator.setAttempts(scope, failed + 1, now);
  return () => {
    const present = administrator.attempts(scope);
    if (present.failed === 0) return;
    const isLast = present.failed === failed + 1;
    administrator.setAttempts(scope, present.failed - 1, isLast ? lastAt : present.lastAt);
  };
}

/** Resets the count, in the transaction after a success. */
export function clearAttempts({ store, now }: Transaction, scope: Scope | null): void {
  if (scope !== null && store.administrator.attempts(scope.name).failed > 0) {
    store.administrator.setAttempts(scope.name, 0, now);
  }
}

/**
 * Whether a code from an unknown browser may be verified: after a correct password all of them share one count, since codes have only six digits and
 * attackers have many networks.
 */
export function mayTryCode({ store, now }: Transaction, scope: Scope | null): boolean {
  return !scope?.isStranger || !store.twoFactor.get() || attemptStatus(store, CODES, now).waitMs === 0;
}

/** Counts the result of a code from an unknown browser. */
export function recordCodeAttempt({ store, now }: Transaction, scope: Scope | null, isRight: boolean): void {
  if (!scope?.isStranger) return;
  const { failed } = attemptStatus(store, CODES, now);
  if (!isRight) store.administrator.setAttempts(CODES, failed + 1, now);
  else if (failed > 0) store.administrator.setAttempts(CODES, 0, now);
}

/** Deletes counts without an effect. */
export function pruneAttempts(store: Store, now: number): void {
  store.administrator.dropOldAttempts(now - FORGET_MS, MAX_SCOPES);
}
