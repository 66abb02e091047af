// Traffic grants: how they are added, in which order they are spent and how they end.

import type { GrantLifetime } from '../../contract/users/grants.ts';
import { addDays } from '../calendar.ts';
import { type Account, extraBytes, type Grant, isGrantLive } from './account.ts';

/** Input of a grant. bytes 1..2^50; days 1..3650 for the lifetime `days`, else null. */
export interface GrantRequest {
  readonly bytes: number;
  readonly lifetime: GrantLifetime;
  readonly days: number | null;
}

export type GrantResult =
  | { readonly ok: true; readonly grant: Omit<Grant, 'id'> }
  | { readonly ok: false; readonly error: 'extra_overflow' };

/**
 * A new grant for an account; the store assigns its id. `extra_overflow` if the bytes left in all grants would exceed 2^53-1. A `period` grant has no
 * end of its own: the next reset ends it, or a manual one if resets are off.
 */
export function addGrant(account: Account, request: GrantRequest, now: number): GrantResult {
  const { bytes, lifetime } = request;
  if (bytes > Number.MAX_SAFE_INTEGER - extraBytes(account.grants, now)) return { ok: false, error: 'extra_overflow' };
  const days = lifetime === 'days' ? request.days : null;
  const endsAt = days === null ? null : addDays(now, days);
  return { ok: true, grant: { bytes, bytesLeft: bytes, lifetime, days, endsAt, createdAt: now } };
}

/** The grants that can be spent at `now`: soonest end first (a `period` grant ends at the next reset), `used` last, ties by id. */
export function spendingOrder(account: Account, now: number): Grant[] {
  const live = account.grants.filter((grant) => isGrantLive(grant, now));
  return live.sort(
    (a, b) => compareEnds(computeGrantEnd(a, account), computeGrantEnd(b, account)) || compareUsed(a, b) || a.id - b.id,
  );
}

/** Ends the `period` grants that are still live at `at`, the moment of the reset: nothing is left in them. */
export function endPeriodGrants(grants: readonly Grant[], at: number): readonly Grant[] {
  return grants.map((grant) =>
    grant.lifetime === 'period' && isGrantLive(grant, at) ? { ...grant, bytesLeft: 0, endsAt: at } : grant,
  );
}

function computeGrantEnd(grant: Grant, account: Account): number {
  const end = grant.lifetime === 'period' ? account.resetsAt : grant.endsAt;
  return end ?? Number.POSITIVE_INFINITY;
}

function compareEnds(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function compareUsed(a: Grant, b: Grant): number {
  return Number(a.lifetime === 'used') - Number(b.lifetime === 'used');
}
