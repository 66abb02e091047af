// The part of a user that terms, traffic and time change, and the state computed from it. Immutable: every rule returns a new account.

import type { GrantLifetime } from '../../contract/users/grants.ts';
import type { Hold, ResetStrategy, UserState } from '../../contract/users/users.ts';

/**
 * Extra traffic. bytes: granted; bytesLeft: what is left, 0 once it is used up or has ended. days is set for the lifetime `days` only. endsAt (epoch
 * ms) is null until it is known: a `period` grant gets it from the reset that ends it.
 */
export interface Grant {
  readonly id: number;
  readonly bytes: number;
  readonly bytesLeft: number;
  readonly lifetime: GrantLifetime;
  readonly days: number | null;
  readonly endsAt: number | null;
  readonly createdAt: number;
}

/**
 * Times are epoch ms, traffic is bytes. expiresAt null: never, or unknown while a hold is set. termBeganAt null: the term has not begun (a hold).
 * used*: this period, total*: the whole lifetime. Grants that are used up or ended may be missing in `grants`.
 */
export interface Account {
  readonly enabled: boolean;
  readonly expiresAt: number | null;
  readonly hold: Hold | null;
  readonly trafficLimit: number | null;
  readonly usedUp: number;
  readonly usedDown: number;
  readonly totalUp: number;
  readonly totalDown: number;
  readonly resetStrategy: ResetStrategy;
  readonly termBeganAt: number | null;
  /**
   * When the pending hold was set, or the hold that the term started from; null: there was no hold. Omitted on a node's machine, which does not need
   * it.
   */
  readonly heldAt?: number | null | undefined;
  readonly resetsAt: number | null;
  readonly grants: readonly Grant[];
}

/** Adds two amounts of bytes; stops at the largest safe integer instead of losing exactness. */
export function addBytes(a: number, b: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, a + b);
}

/** Whether a grant can still be spent at `now`. */
export function isGrantLive(grant: Pick<Grant, 'bytesLeft' | 'endsAt'>, now: number): boolean {
  return grant.bytesLeft > 0 && (grant.endsAt === null || grant.endsAt > now);
}

/** Bytes left in the grants that can still be spent at `now`. */
export function extraBytes(grants: readonly Grant[], now: number): number {
  return grants.reduce((sum, grant) => (isGrantLive(grant, now) ? addBytes(sum, grant.bytesLeft) : sum), 0);
}

/** Bytes up and down in this period. */
export function usedBytes(account: Pick<Account, 'usedUp' | 'usedDown'>): number {
  return addBytes(account.usedUp, account.usedDown);
}

/** The state of an account at `now`. The account must be settled, or a due reset is missed. */
export function computeUserState(account: Account, now: number): UserState {
  const { enabled, expiresAt, hold, trafficLimit } = account;
  const facts = { enabled, expiresAt, hold, trafficLimit };
  return userState({ ...facts, used: usedBytes(account), extra: extraBytes(account.grants, now) }, now);
}

/** Everything that the state depends on. Bytes; `used`: up and down of this period, `extra`: what is left in grants. */
export interface StateFacts {
  readonly enabled: boolean;
  readonly expiresAt: number | null;
  readonly hold: Hold | null;
  readonly trafficLimit: number | null;
  readonly used: number;
  readonly extra: number;
}

/** The state at `now` (epoch ms): disabled, else expired, else limited, else on hold, else active. */
export function userState(facts: StateFacts, now: number): UserState {
  if (!facts.enabled) return 'disabled';
  if (facts.expiresAt !== null && facts.expiresAt <= now) return 'expired';
  if (facts.trafficLimit !== null && facts.used >= facts.trafficLimit && facts.extra === 0) return 'limited';
  if (facts.hold !== null) return 'on_hold';
  return 'active';
}

/** Whether a user in this state may connect. On hold is allowed: the first connection starts the term. */
export function canConnect(state: UserState): boolean {
  return state === 'active' || state === 'on_hold';
}

/** Bytes left of the limit and of the grants (at most 2^53-1); null: unlimited. */
export function trafficRemaining(facts: Pick<StateFacts, 'trafficLimit' | 'used' | 'extra'>): number | null {
  if (facts.trafficLimit === null) return null;
  return addBytes(Math.max(0, facts.trafficLimit - facts.used), facts.extra);
}

/** Used and remaining bytes; null: unlimited. */
export function trafficTotal(facts: Pick<StateFacts, 'trafficLimit' | 'used' | 'extra'>): number | null {
  const remaining = trafficRemaining(facts);
  return remaining === null ? null : addBytes(facts.used, remaining);
}
