// Terms: how they start, are extended, shortened and set, and how a hold starts at the first connection. Source: the contract's states and
// transitions.

import type { Hold, ResetStrategy } from '../../contract/users/users.ts';
import { addDays, addMonths, nextReset } from '../calendar.ts';
import { MAX_INSTANT } from '../limits.ts';
import type { Account } from './account.ts';
import { resetTraffic } from './traffic.ts';

/** A duration: days of 86,400 s, or calendar months. */
export type Duration = { readonly days: number } | { readonly months: number };

/** Properties of a tariff that decide a term. duration null: never expires. */
export interface TermPlan {
  readonly duration: Duration | null;
  readonly starts: 'on_creation' | 'on_first_use';
  readonly resetStrategy: ResetStrategy;
}

/** The fields that a new term sets; spread them over an account. The period counter starts at zero, grants stay. */
export type NewTerm = Pick<
  Account,
  'expiresAt' | 'hold' | 'usedUp' | 'usedDown' | 'resetStrategy' | 'termBeganAt' | 'heldAt' | 'resetsAt'
>;

/** When a term ends: at an instant, or a duration after the first connection. */
export type TermEnd = Pick<Account, 'expiresAt' | 'hold'>;

type Refusal = { readonly ok: false; readonly error: 'term_unlimited' | 'past_limit' };
export type ExtendResult = { readonly ok: true; readonly account: Account } | Refusal;
export type ExtendEndResult = { readonly ok: true; readonly end: TermEnd } | Refusal;
type Unlimited = { readonly ok: false; readonly error: 'term_unlimited' };
export type ShortenResult = { readonly ok: true; readonly account: Account } | Unlimited;
export type ShortenEndResult = { readonly ok: true; readonly end: TermEnd } | Unlimited;

/**
 * A new term from a tariff, at creation or at a change of tariff. It ends at 2100-01-01Z at the latest. A tariff that never expires cannot be on
 * hold: its term begins at once, even with `on_first_use`.
 */
export function startTerm(plan: TermPlan, now: number, zone: string): NewTerm {
  const { duration, resetStrategy } = plan;
  const isHeld = duration !== null && plan.starts === 'on_first_use';
  const termBeganAt = isHeld ? null : now;
  return {
    expiresAt: duration === null || isHeld ? null : Math.min(MAX_INSTANT, termEnd(now, toHold(duration), zone)),
    hold: isHeld ? toHold(duration) : null,
    usedUp: 0,
    usedDown: 0,
    resetStrategy,
    termBeganAt,
    heldAt: isHeld ? now : null,
    resetsAt: nextReset(resetStrategy, now, termBeganAt, zone),
  };
}

/**
 * The end of a term after an extension: counted from the later of its end and `now`; a hold grows. `term_unlimited`: it never expires. `past_limit`:
 * it would end after 2100-01-01Z (for a hold, if it started now).
 */
export function extendEnd({ expiresAt, hold }: TermEnd, amount: Duration, now: number, zone: string): ExtendEndResult {
  const added = toHold(amount);
  if (hold !== null) {
    const longer = { months: hold.months + added.months, days: hold.days + added.days };
    if (termEnd(now, longer, zone) > MAX_INSTANT) return { ok: false, error: 'past_limit' };
    return { ok: true, end: { expiresAt, hold: longer } };
  }
  if (expiresAt === null) return { ok: false, error: 'term_unlimited' };
  const later = termEnd(Math.max(now, expiresAt), added, zone);
  if (later > MAX_INSTANT) return { ok: false, error: 'past_limit' };
  return { ok: true, end: { expiresAt: later, hold } };
}

/**
 * Extends a term as `extendEnd` does. On an expired account (even a disabled one, which stays disabled) it begins a new term, and with `period`
 * resets the counter.
 */
export function extendTerm(account: Account, amount: Duration, now: number, zone: string): ExtendResult {
  const result = extendEnd(account, amount, now, zone);
  if (!result.ok) return result;
  const extended = { ...account, ...result.end };
  if (account.expiresAt === null || account.expiresAt > now) return { ok: true, account: extended };
  const started = { ...extended, termBeganAt: now, heldAt: null };
  return { ok: true, account: account.resetStrategy === 'period' ? resetTraffic(started, now, zone) : started };
}

/** Days for a month of a hold that is split. */
const HOLD_MONTH_DAYS = 30;

/**
 * The end of a term after shortening: same calendar as an extension, but never earlier than `now`. Days are taken from a hold's days and months from
 * its months; where one is not enough, a month counts as 30 days. A hold with nothing left ends `now`. An ended term is unchanged.
 */
export function shortenEnd(
  { expiresAt, hold }: TermEnd,
  amount: Duration,
  now: number,
  zone: string,
): ShortenEndResult {
  const taken = toHold(amount);
  if (hold !== null) {
    const left = shortenHold(hold, taken);
    return { ok: true, end: left === null ? { expiresAt: now, hold: null } : { expiresAt, hold: left } };
  }
  if (expiresAt === null) return { ok: false, error: 'term_unlimited' };
  const shortened = addMonths(addDays(expiresAt, -taken.days), -taken.months, zone);
  return { ok: true, end: { expiresAt: Math.min(expiresAt, Math.max(now, shortened)), hold } };
}

/** null: nothing is left. */
function shortenHold(hold: Hold, taken: Hold): Hold | null {
  let months = hold.months - taken.months;
  let days = hold.days - taken.days;
  if (months < 0) {
    days += months * HOLD_MONTH_DAYS;
    months = 0;
  }
  while (days < 0 && months > 0) {
    days += HOLD_MONTH_DAYS;
    months -= 1;
  }
  return days < 0 || (months === 0 && days === 0) ? null : { months, days };
}

/** Shortens a term as `shortenEnd` does. Returns the same account if nothing is left to subtract. */
export function shortenTerm(account: Account, amount: Duration, now: number, zone: string): ShortenResult {
  const result = shortenEnd(account, amount, now, zone);
  if (!result.ok) return result;
  const { expiresAt, hold } = result.end;
  if (account.hold !== null && hold === null) return { ok: true, account: beginTerm(account, now, now, zone) };
  return {
    ok: true,
    account: expiresAt === account.expiresAt && hold === account.hold ? account : { ...account, expiresAt, hold },
  };
}

/**
 * Sets the end of the term (at most 2100-01-01Z; null: never). A hold is replaced by a term that begins now; otherwise the start of the term is
 * unchanged.
 */
export function setExpiry(account: Account, expiresAt: number | null, now: number, zone: string): Account {
  return account.hold === null ? { ...account, expiresAt } : beginTerm(account, expiresAt, now, zone);
}

/** Starts a held term at the first connection: months first, then days, at most until 2100-01-01Z. Without a hold, nothing changes. */
export function beginHeldTerm(account: Account, now: number, zone: string): Account {
  if (account.hold === null) return account;
  return beginTerm(account, Math.min(MAX_INSTANT, termEnd(now, account.hold, zone)), now, zone);
}

function beginTerm(account: Account, expiresAt: number | null, now: number, zone: string): Account {
  const resetsAt = nextReset(account.resetStrategy, now, now, zone);
  return { ...account, expiresAt, hold: null, termBeganAt: now, resetsAt };
}

function termEnd(from: number, length: Hold, zone: string): number {
  return addDays(addMonths(from, length.months, zone), length.days);
}

function toHold(duration: Duration): Hold {
  return 'months' in duration ? { months: duration.months, days: 0 } : { months: 0, days: duration.days };
}
