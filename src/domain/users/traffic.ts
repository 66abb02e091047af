// How traffic is counted: first against the tariff's limit, then against grants; and how the period counter is reset.

import type { ResetStrategy } from '../../contract/users/users.ts';
import { nextReset } from '../calendar.ts';
import { type Account, addBytes, extraBytes, trafficRemaining, usedBytes } from './account.ts';
import { endPeriodGrants, spendingOrder } from './grant.ts';

/** Bytes moved since the last count, by direction; never negative. */
export interface TrafficDelta {
  readonly up: number;
  readonly down: number;
}

export interface TrafficResult {
  readonly account: Account;
  /** Bytes spent from grants, by grant id; empty if none were spent. */
  readonly spent: Readonly<Record<number, number>>;
}

/**
 * Counts traffic on an account settled at `now`. What fits into the limit is charged to it, the rest is spent from grants in their order; anything
 * beyond is counted but not charged later. Unlimited users spend no grants.
 *
 * `charged`: the traffic times the weight of the node; lifetime totals count unweighted bytes.
 */
export function applyTraffic(
  account: Account,
  delta: TrafficDelta,
  now: number,
  charged: TrafficDelta = delta,
): TrafficResult {
  const spent: Record<number, number> = {};
  const counted = {
    ...account,
    usedUp: addBytes(account.usedUp, charged.up),
    usedDown: addBytes(account.usedDown, charged.down),
    totalUp: addBytes(account.totalUp, delta.up),
    totalDown: addBytes(account.totalDown, delta.down),
  };
  if (account.trafficLimit === null) return { account: counted, spent };
  const underLimit = Math.max(0, account.trafficLimit - usedBytes(account));
  let rest = Math.max(0, addBytes(charged.up, charged.down) - underLimit);
  if (rest === 0) return { account: counted, spent };
  for (const grant of spendingOrder(account, now)) {
    if (rest === 0) break;
    const taken = Math.min(grant.bytesLeft, rest);
    spent[grant.id] = taken;
    rest -= taken;
  }
  const grants = account.grants.map((grant) => {
    const taken = spent[grant.id];
    return taken === undefined ? grant : { ...grant, bytesLeft: grant.bytesLeft - taken };
  });
  return { account: { ...counted, grants }, spent };
}

/** Resets the period counter at `now`: `period` grants end, lifetime totals and the day of later resets are unchanged. */
export function resetTraffic(account: Account, now: number, zone: string): Account {
  return {
    ...account,
    usedUp: 0,
    usedDown: 0,
    resetsAt: nextReset(account.resetStrategy, now, account.termBeganAt, zone),
    grants: endPeriodGrants(account.grants, now),
  };
}

/** Sets another reset strategy from `now` on; the counter continues. Also recomputes the next reset after a change of time zone. */
export function changeReset(account: Account, strategy: ResetStrategy, now: number, zone: string): Account {
  return { ...account, resetStrategy: strategy, resetsAt: nextReset(strategy, now, account.termBeganAt, zone) };
}

/** Whether a fifth of the limit or less is left, grants included. Also true if nothing is left; never true without a limit. */
export function isTrafficLow(account: Account, now: number): boolean {
  const { trafficLimit } = account;
  if (trafficLimit === null) return false;
  const used = usedBytes(account);
  const remaining = trafficRemaining({ trafficLimit, used, extra: extraBytes(account.grants, now) });
  return remaining !== null && remaining <= trafficLimit / 5;
}
