// Failed proofs of identity, counted by who can be meant: a session, a browser that signed in before, or a network. None of them
// slows another (docs/decisions/0016).
import { computeNetwork, computeWiderNetwork } from '../../domain/client-network.ts';
import { DAY_MS } from '../../domain/limits.ts';
import type { Env, Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import type { Call } from '../ports/call.ts';
import type { Store } from '../ports/ports.ts';
import { knownBrowser } from './browsers.ts';

type AttemptsEnv = Pick<Env, 'clock' | 'queue' | 'store'>;

/** So many failures cost nothing; each further one doubles the wait. */
const FREE_ATTEMPTS = 3;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15 * 60_000;
/** Failures are forgotten so long after the last one. */
const FORGET_MS = DAY_MS;
/** More are not stored: the networks that failed longest ago are forgotten first. */
const MAX_SCOPES = 10_000;

/** Failures in the network around a stranger's put him this far back at most: all within one that attacks are equal then. */
const MAX_AROUND = 16;

/** Wrong codes after the right password, from browsers that never signed in, whatever network they come from. */
const CODES = 'codes';

/** Who is counted. Only what comes over TCP is: the terminal and the desktop's window belong to the owner of the machine. */
export interface Scope {
  readonly name: string;
  /** Nothing but its network is known of it. */
  readonly isStranger: boolean;
  /** Counts the strangers of the network around his. It delays none of them, but who comes from elsewhere has his turn first. */
  readonly around?: string;
}

/** How long after the last of `failed` attempts the next one is accepted. */
export function waitAfter(failed: number): number {
  if (failed < FREE_ATTEMPTS) return 0;
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(30, failed - FREE_ATTEMPTS));
}

/** Who signs in; null: is not slowed. */
export function signInScope(env: Pick<Env, 'store' | 'crypto' | 'clock'>, call: Call): Scope | null {
  if (call.address === null) return null;
  const browser = knownBrowser(env, call);
  if (browser) return { name: `browser:${browser.id}`, isStranger: false };
  const around = `around:${computeWiderNetwork(call.address)}`;
  return { name: `network:${computeNetwork(call.address)}`, isStranger: true, around };
}

/** Who proves his identity again within his session; null: is not slowed. */
export function stepUpScope({ address, actor }: Call): Scope | null {
  if (address === null) return null;
  if (actor.sessionId !== undefined) return { name: `session:${actor.sessionId}`, isStranger: false };
  return { name: `network:${computeNetwork(address)}`, isStranger: true };
}

/** Failures that count, and how long the next attempt has to wait (ms). A clock that was set back does not lengthen the wait. */
function attemptStatus(store: Store, scope: string, now: number): { readonly failed: number; readonly waitMs: number } {
  const { failed, lastAt } = store.administrator.attempts(scope);
  if (now - lastAt >= FORGET_MS) return { failed: 0, waitMs: 0 };
  return { failed, waitMs: Math.max(0, Math.min(lastAt, now) + waitAfter(failed) - now) };
}

export interface Attempt {
  /** How many failed before it, with those around it. */
  readonly failed: number;
  /** Takes it out of the count: nothing was tried. */
  cancel(): Promise<void>;
}

/**
 * Counts an attempt as failed until it succeeds, so that simultaneous attempts slow each other down too. Throws `slow_down`, whatever name and
 * password were given, while the wait lasts; that writes nothing.
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

/** Returns how to undo it. Attempts that were counted since stay. */
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

/** Resets the count, in the transaction that follows a success. */
export function clearAttempts({ store, now }: Transaction, scope: Scope | null): void {
  if (scope !== null && store.administrator.attempts(scope.name).failed > 0) {
    store.administrator.setAttempts(scope.name, 0, now);
  }
}

/**
 * Whether a stranger's code may be looked at: after the right password all of them share one count, since a code has six digits only
 * and networks are many.
 */
export function mayTryCode({ store, now }: Transaction, scope: Scope | null): boolean {
  return !scope?.isStranger || !store.twoFactor.get() || attemptStatus(store, CODES, now).waitMs === 0;
}

/** Counts the outcome of a stranger's code. */
export function recordCodeAttempt({ store, now }: Transaction, scope: Scope | null, isRight: boolean): void {
  if (!scope?.isStranger) return;
  const { failed } = attemptStatus(store, CODES, now);
  if (!isRight) store.administrator.setAttempts(CODES, failed + 1, now);
  else if (failed > 0) store.administrator.setAttempts(CODES, 0, now);
}

/** Drops counts that no longer slow anything. */
export function pruneAttempts(store: Store, now: number): void {
  store.administrator.dropOldAttempts(now - FORGET_MS, MAX_SCOPES);
}
