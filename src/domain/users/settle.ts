// What the passing of time does to an account: resets, ends of grants, and the notices about a term's end.

import type { ResetStrategy } from '../../contract/users/users.ts';
import { nextReset } from '../calendar.ts';
import { DAY_MS } from '../limits.ts';
import { type Account, type Grant, isGrantLive } from './account.ts';
import { endPeriodGrants } from './grant.ts';

/** How many days before the end of a term it is announced as expiring: distinct whole days, the longest notice first. */
export type Notices = readonly number[];

/** Which notices about the present end of the term have gone out; stored beside the account. */
export interface TermFlags {
  /** The days of the shortest notice that has gone out; those as long or longer are over too. null: none has. */
  readonly noticeAnnounced: number | null;
  readonly expiredAnnounced: boolean;
}

/** One thing that time did, at its true moment (epoch ms). */
export type Happening =
  | { readonly type: 'reset' | 'expired'; readonly at: number }
  | { readonly type: 'expiring'; readonly at: number; readonly days: number }
  | { readonly type: 'grant_ended'; readonly at: number; readonly grantId: number };

export interface Settled {
  readonly account: Account;
  readonly flags: TermFlags;
  readonly happened: readonly Happening[];
}

/** The moment of a notice. */
function noticeAt(expiresAt: number, days: number): number {
  return expiresAt - days * DAY_MS;
}

/** The shortest notice whose moment has come by `now`; null where none has. */
function shortestPassed(expiresAt: number | null, now: number, notices: Notices): number | null {
  if (expiresAt === null) return null;
  return notices.findLast((days) => noticeAt(expiresAt, days) <= now) ?? null;
}

/**
 * The flags after an act that sets the end of the term: all notices are due again. Of those whose moment has passed by then, the
 * shortest is `noticeAnnounced`, which the act announces at once; the longer ones are left out.
 */
export function freshFlags({ expiresAt }: Account, now: number, notices: Notices): TermFlags {
  return { noticeAnnounced: shortestPassed(expiresAt, now, notices), expiredAnnounced: false };
}

/** The flags of a settled account under other notices: those whose moment has passed are not announced any more. */
export function flagsUnder({ expiresAt }: Account, flags: TermFlags, now: number, notices: Notices): TermFlags {
  const passed = shortestPassed(expiresAt, now, notices);
  const { noticeAnnounced: announced, expiredAnnounced } = flags;
  if (passed === null || expiredAnnounced || (announced !== null && announced <= passed)) return flags;
  return { noticeAnnounced: passed, expiredAnnounced };
}

/** The notices that are still to come or due, the longest first; none after the end of the term has been announced. */
function pendingNotices({ noticeAnnounced, expiredAnnounced }: TermFlags, notices: Notices): Notices {
  if (expiredAnnounced) return [];
  return noticeAnnounced === null ? notices : notices.filter((days) => days < noticeAnnounced);
}

/**
 * The earliest moment at which time changes this account or is to be announced; null if there is none. Later than `now` on an
 * account settled at `now`; one that is not later means that settling is due. A future end counts even where it has
 * been announced, as happens when a wrong clock is set back.
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
 * Brings an account from its stored moment to `now`; what happened is in the order of time. Resets that were missed become one
 * at the moment of the last of them; `period` grants end at the first. Settling again changes nothing, and settling in steps
 * leaves the same account and flags.
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

// Longer than the distance of any two neighbouring resets of a strategy.
const REACH_MS: Record<Exclude<ResetStrategy, 'none'>, number> = {
  day: 3 * DAY_MS,
  week: 10 * DAY_MS,
  month: 34 * DAY_MS,
  period: 34 * DAY_MS,
};

/** The last reset up to `now` and the one after it, given that the first one due is at `first`; months of resets are not walked. */
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
