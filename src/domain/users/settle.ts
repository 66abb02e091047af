// Applies the passing of time to an account: resets, ends of grants, and notices before the end of a term.

import type { ResetStrategy } from '../../contract/users/users.ts';
import { nextReset } from '../calendar.ts';
import { DAY_MS } from '../limits.ts';
import { type Account, type Grant, isGrantLive } from './account.ts';
import { endPeriodGrants } from './grant.ts';

/** Days before the end of a term at which notices are sent: distinct whole days, longest first. */
export type Notices = readonly number[];

/** Which notices about the current end of the term have been sent; stored with the account. */
export interface TermFlags {
  /** The days of the shortest notice sent; longer ones count as sent. null: none sent. */
  readonly noticeAnnounced: number | null;
  readonly expiredAnnounced: boolean;
}

/** One event caused by time, at its exact moment (epoch ms). */
export type Happening =
  | { readonly type: 'reset' | 'expired'; readonly at: number }
  | { readonly type: 'expiring'; readonly at: number; readonly days: number }
  | { readonly type: 'grant_ended'; readonly at: number; readonly grantId: number };

export interface Settled {
  readonly account: Account;
  readonly flags: TermFlags;
  readonly happened: readonly Happening[];
}

/** When a notice is due, epoch ms. */
function noticeAt(expiresAt: number, days: number): number {
  return expiresAt - days * DAY_MS;
}

/** The shortest notice that is due by `now`; null: none. */
function shortestPassed(expiresAt: number | null, now: number, notices: Notices): number | null {
  if (expiresAt === null) return null;
  return notices.findLast((days) => noticeAt(expiresAt, days) <= now) ?? null;
}

/**
 * The flags after an operation that sets the end of the term: all notices are pending again. Of those already due, the shortest becomes
 * `noticeAnnounced`, which the operation emits at once; longer ones are skipped.
 */
export function freshFlags({ expiresAt }: Account, now: number, notices: Notices): TermFlags {
  return { noticeAnnounced: shortestPassed(expiresAt, now, notices), expiredAnnounced: false };
}

/** The flags of a settled account after the notices setting changed: notices already due are skipped. */
export function flagsUnder({ expiresAt }: Account, flags: TermFlags, now: number, notices: Notices): TermFlags {
  const passed = shortestPassed(expiresAt, now, notices);
  const { noticeAnnounced: announced, expiredAnnounced } = flags;
  if (passed === null || expiredAnnounced || (announced !== null && announced <= passed)) return flags;
  return { noticeAnnounced: passed, expiredAnnounced };
}

/** The notices still to be sent, longest first; none after the end of the term was announced. */
function pendingNotices({ noticeAnnounced, expiredAnnounced }: TermFlags, notices: Notices): Notices {
  if (expiredAnnounced) return [];
  return noticeAnnounced === null ? notices : notices.filter((days) => days < noticeAnnounced);
}

/**
 * The next moment at which time changes this account or a notice is due, epoch ms; null: never. It is later than `now` if the account is settled at
 * `now`; otherwise settling is due. A future end counts even if it was announced, which happens when a wrong clock is set back.
 */
export function nextChangeAt(account: Account, flags: TermFlags, now: number, notices: Notices): number | null {
  const { expiresAt, resetsAt } = account;
  let next = resetsAt ?? Number.POSITIVE_INFINITY;
  if (expiresAt !== null) {
    const [longest] = pendingNotices(flags, notices);
    if (longest !== undefined) next = Math.min(next, noticeAt(expiresAt, longest));
  }
  if (expiresAt !== null && (expiresAt > now || !flags.expiredAnnounced)) next = Math.min(next, expiresAt);
  for (const grant of account.grants) {
    if (grant.bytesLeft > 0 && grant.endsAt !== null) next = Math.min(next, grant.endsAt);
  }
  return next === Number.POSITIVE_INFINITY ? null : next;
}

/**
 * Advances an account from its stored moment to `now`; events are in chronological order. Missed resets become one reset at the last of them;
 * `period` grants end at the first. Settling is idempotent, and settling in steps gives the same account and flags.
 */
export function settle(account: Account, flags: TermFlags, now: number, zone: string, notices: Notices): Settled {
  const due = nextChangeAt(account, flags, now, notices);
  if (due === null || due > now) return { account, flags, happened: [] };
  const happened: Happening[] = [];
  let settled = { ...account, grants: endDatedGrants(account.grants, now) };
  if (account.resetsAt !== null && account.resetsAt <= now) {
    const grants = endPeriodGrants(settled.grants, account.resetsAt);
    const { last, next } = resetsAround(account, account.resetsAt, now, zone);
    settled = { ...settled, usedUp: 0, usedDown: 0, resetsAt: next, grants };
    happened.push({ type: 'reset', at: last });
  }
  settled.grants.forEach((grant, index) => {
    if (grant !== account.grants[index] && grant.endsAt !== null) {
      happened.push({ type: 'grant_ended', at: grant.endsAt, grantId: grant.id });
    }
  });
  const { expiresAt } = account;
  let { noticeAnnounced } = flags;
  if (expiresAt !== null) {
    for (const days of pendingNotices(flags, notices)) {
      const at = noticeAt(expiresAt, days);
      if (at > now) break;
      happened.push({ type: 'expiring', at, days });
      noticeAnnounced = days;
    }
  }
  const isExpired = expiresAt !== null && expiresAt <= now;
  if (isExpired && !flags.expiredAnnounced) happened.push({ type: 'expired', at: expiresAt });
  return {
    account: settled,
    flags: { noticeAnnounced, expiredAnnounced: flags.expiredAnnounced || isExpired },
    happened: happened.sort((a, b) => a.at - b.at),
  };
}

function endDatedGrants(grants: readonly Grant[], now: number): readonly Grant[] {
  return grants.map((grant) => (grant.bytesLeft > 0 && !isGrantLive(grant, now) ? { ...grant, bytesLeft: 0 } : grant));
}

// Longer than the largest interval between two resets of a strategy.
const REACH_MS: Record<Exclude<ResetStrategy, 'none'>, number> = {
  day: 3 * DAY_MS,
  week: 10 * DAY_MS,
  month: 34 * DAY_MS,
  period: 34 * DAY_MS,
};

/** The last reset up to `now` and the one after it, given the first one due. Computed directly, without iterating over missed resets. */
function resetsAround(
  account: Account,
  first: number,
  now: number,
  zone: string,
): { last: number; next: number | null } {
  const { resetStrategy, termBeganAt } = account;
  if (resetStrategy === 'none') return { last: first, next: null };
  let last = first;
  let next = nextReset(resetStrategy, Math.max(first, now - REACH_MS[resetStrategy]), termBeganAt, zone);
  while (next !== null && next <= now) {
    last = next;
    next = nextReset(resetStrategy, next, termBeganAt, zone);
  }
  return { last, next };
}
