// The part of a user that terms, traffic and time act on. Immutable: every rule returns a new account.

import type { GrantLifetime } from '../contract/grants.ts';
import type { Hold, ResetStrategy, UserState } from '../contract/users.ts';
import { addBytes } from './limits.ts';
import { userState } from './user-state.ts';

/**
 * Extra traffic. bytes is what was given, bytesLeft what is left: 0 once it is used up or has ended. days is set for the
 * lifetime `days` only. endsAt (epoch ms) is null until it is known: a `period` grant gets it from the reset that ends it.
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
 * Times are epoch ms, traffic is bytes. expiresAt null = never, or not yet known while a hold is set. termBeganAt null = the
 * term has not begun (a hold). used* count this period, total* the whole life. Spent or ended grants need not be among grants.
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
  readonly resetsAt: number | null;
  readonly grants: readonly Grant[];
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

/** The state of an account at `now`. What time changes before `now` must be settled, or a reset that is due is missed. */
export function stateOf(account: Account, now: number): UserState {
  const { enabled, expiresAt, hold, trafficLimit } = account;
  const facts = { enabled, expiresAt, hold, trafficLimit };
  return userState({ ...facts, used: usedBytes(account), extra: extraBytes(account.grants, now) }, now);
}
