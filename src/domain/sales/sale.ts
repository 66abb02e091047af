// Applies a paid order to an account, and revokes it after a refund: exactly what the order added, whatever happened after it.

import { type Account, type Grant, isGrantLive } from '../users/account.ts';
import { type Duration, extendTerm, shortenTerm, type TermEnd } from '../users/term.ts';
import type { Money } from './money.ts';

/** Used to compare months with a fraction of them. */
const DAYS_A_MONTH = 30;

/** Fields of an account that an extension may change. */
export type TermState = Pick<
  Account,
  'expiresAt' | 'hold' | 'termBeganAt' | 'heldAt' | 'resetsAt' | 'usedUp' | 'usedDown'
>;

/** The term before and after an order was applied. */
export interface FulfilledTerm {
  readonly before: TermState;
  readonly after: TermState;
  /** When it was applied, epoch ms. */
  readonly at: number;
  /** Whether it began a term with a new counter. */
  readonly isCounterReset: boolean;
  /** Grants that ended with the previous counter, as they were; omitted if there were none. */
  readonly endedGrants?: readonly Grant[];
  readonly duration: Duration;
}

export type ApplyTermResult =
  | { readonly ok: true; readonly account: Account; readonly given: FulfilledTerm }
  | { readonly ok: false; readonly error: 'term_unlimited' | 'past_limit' };

function pickTermState({ expiresAt, hold, termBeganAt, heldAt, resetsAt, usedUp, usedDown }: Account): TermState {
  return { expiresAt, hold, termBeganAt, heldAt, resetsAt, usedUp, usedDown };
}

/** Extends the term like any extension, and records the state before it. */
export function applyTerm(account: Account, duration: Duration, now: number, zone: string): ApplyTermResult {
  const result = extendTerm(account, duration, now, zone);
  if (!result.ok) return result;
  const isCounterReset = account.resetStrategy === 'period' && account.expiresAt !== null && account.expiresAt <= now;
  const [before, after] = [pickTermState(account), pickTermState(result.account)];
  const endedGrants = grantsEnded(account, result.account, now);
  const given = { before, after, at: now, isCounterReset, duration, ...(endedGrants.length > 0 && { endedGrants }) };
  return { ok: true, account: result.account, given };
}

function grantsEnded(before: Account, after: Account, now: number): readonly Grant[] {
  const live = after.grants.filter((grant) => isGrantLive(grant, now)).map(({ id }) => id);
  return before.grants.filter((grant) => isGrantLive(grant, now) && !live.includes(grant.id));
}

function isSameEnd(a: TermEnd, b: TermEnd): boolean {
  return a.expiresAt === b.expiresAt && a.hold?.months === b.hold?.months && a.hold?.days === b.hold?.days;
}

/**
 * Revokes an added term. If the end was not changed since, the account gets its previous end back (even one in the past) with the previous counter
 * and grants; traffic since then stays counted. After another extension or a manual change, only the time that the order added is subtracted, never
 * past `now`, and never from a term that began since. Returns the same account if nothing is left to subtract.
 */
export function revokeTerm(account: Account, given: FulfilledTerm, now: number, zone: string): Account {
  const { before, after, at, duration } = given;
  // The hold was replaced, or the term came from another hold, or from none.
  if (after.heldAt !== undefined && account.heldAt !== after.heldAt) return account;
  if (isSameEnd(account, after)) return restoreTerm(account, given);
  if (account.hold !== null || before.hold !== null) {
    const result = shortenTerm(account, duration, now, zone);
    return result.ok ? result.account : account;
  }
  if (account.expiresAt === null || before.expiresAt === null || after.expiresAt === null) return account;
  if (account.termBeganAt !== after.termBeganAt) return account;
  const added = after.expiresAt - Math.max(before.expiresAt, at);
  const expiresAt = Math.min(account.expiresAt, Math.max(now, account.expiresAt - added));
  return expiresAt === account.expiresAt ? account : { ...account, expiresAt };
}

function restoreTerm(account: Account, { before, after, isCounterReset, endedGrants = [] }: FulfilledTerm): Account {
  const ended = { ...account, expiresAt: before.expiresAt, hold: before.hold };
  if (account.termBeganAt !== after.termBeganAt) return ended;
  const started = { ...ended, termBeganAt: before.termBeganAt, heldAt: before.heldAt };
  // After the next reset the counter is no longer the one that the order started.
  if (!isCounterReset || account.resetsAt !== after.resetsAt) return started;
  return {
    ...started,
    resetsAt: before.resetsAt,
    usedUp: before.usedUp + account.usedUp - after.usedUp,
    usedDown: before.usedDown + account.usedDown - after.usedDown,
    grants: [...endedGrants, ...account.grants.filter(({ id }) => !endedGrants.some((grant) => grant.id === id))],
  };
}

/** Days for a partial payment, rounded down, at least one; null: the order has no time, or the amounts cannot be compared. */
export function daysForPart(sold: Duration | null, paid: Money, expected: Money | null): number | null {
  if (sold === null || expected === null || expected.currency !== paid.currency || expected.amount === 0) return null;
  const days = 'months' in sold ? sold.months * DAYS_A_MONTH : sold.days;
  return Math.max(1, Math.floor((days * paid.amount) / expected.amount));
}
