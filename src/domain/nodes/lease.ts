// What the machine of a node may decide while the panel is away, by the panel's own rules of terms, traffic and time.
//
// Nodes do not know how much a user has moved over other nodes since the panel last contacted them. So each node gets a share of the rest of a
// limit, plus a spare amount, so that a user of a single node is not cut off too early.
import { type Account, computeUserState, extraBytes, trafficRemaining, usedBytes } from '../users/account.ts';
import { nextChangeAt, settle } from '../users/settle.ts';
import { beginHeldTerm } from '../users/term.ts';
import { applyTraffic, type TrafficDelta } from '../users/traffic.ts';

/** Upper bound of the bytes beyond its share that a node lets a user move. */
export const SPARE_BYTES = 2 ** 30;
/** The same bound as a fraction of the limit, so that small limits are not exceeded many times over. */
const SPARE_PART = 0.05;
/** Limits below this use the fraction. Their shares are small and are renewed more often. */
export const SMALL_LIMIT = SPARE_BYTES / SPARE_PART;

export function computeSpare(trafficLimit: number): number {
  return Math.min(SPARE_BYTES, Math.floor(trafficLimit * SPARE_PART));
}

/** A user as a node's machine stores it. Immutable, like an account. */
export interface Leased {
  readonly account: Account;
  /** Number of nodes over which the user may connect, including this one. */
  readonly nodes: number;
  /** Bytes that the user may still move over this node until the next contact with the panel; null: unlimited. */
  readonly shareLeft: number | null;
  readonly hasConnected: boolean;
  /** Whether the current end of the term has been recorded. */
  readonly isEndNoted: boolean;
  /** The user is blocked until then for too many concurrent addresses, epoch ms; null: not blocked. */
  readonly cutOffUntil: number | null;
}

/** Why a machine refuses a user. `share`: the node's share is used up; only the panel knows what is left on other nodes. */
export const LEASE_REFUSALS = ['disabled', 'expired', 'limited', 'share', 'addresses'] as const;
export type LeaseRefusal = (typeof LEASE_REFUSALS)[number];

/** Events that a machine records for the panel: first connection, reset of the counter, or the reason of a cut-off. */
export const LEASE_EVENTS = ['first', 'reset', 'expired', 'limited', 'share'] as const;
export type LeaseEventKind = (typeof LEASE_EVENTS)[number];

export interface Happened {
  readonly kind: LeaseEventKind;
  readonly at: number;
}

export interface LeaseStep {
  readonly leased: Leased;
  /** In chronological order. */
  readonly happened: readonly Happened[];
}

/** Notices before the end of a term are sent by the panel only. */
const NO_NOTICES: readonly number[] = [];

/** Bytes that one node may let a user move until the next contact with the panel; null: unlimited. */
export function computeShare(account: Account, nodes: number, now: number): number | null {
  const facts = {
    trafficLimit: account.trafficLimit,
    used: usedBytes(account),
    extra: extraBytes(account.grants, now),
  };
  const left = trafficRemaining(facts);
  if (left === null || account.trafficLimit === null) return null;
  return Math.min(left, Math.ceil(left / Math.max(1, nodes)) + computeSpare(account.trafficLimit));
}

/**
 * `places`: connections with their nodes. The returned function counts the nodes that a user with these connections (null: all) may use, at least
 * one.
 */
export function nodesCounter(
  places: readonly { readonly id: number; readonly nodeId: number }[],
): (inbounds: readonly number[] | null) => number {
  const nodeIdByPlace = new Map(places.map(({ id, nodeId }) => [id, nodeId]));
  const all = Math.max(1, new Set(nodeIdByPlace.values()).size);
  return (inbounds) =>
    inbounds === null ? all : Math.max(1, new Set(inbounds.flatMap((id) => nodeIdByPlace.get(id) ?? [])).size);
}

/** Recomputes the share for another number of nodes, from the traffic that is known here. */
export function shareAmong(leased: Leased, nodes: number, now: number): Leased {
  return nodes === leased.nodes ? leased : { ...leased, nodes, shareLeft: computeShare(leased.account, nodes, now) };
}

function buildFlags({ isEndNoted }: Leased) {
  return { noticeAnnounced: null, expiredAnnounced: isEndNoted };
}

/** When time alone changes what this user may do, epoch ms; null: never. */
export function leaseDueAt(leased: Leased, now: number): number | null {
  const next = nextChangeAt(leased.account, buildFlags(leased), now, NO_NOTICES);
  const until = leased.cutOffUntil;
  if (until === null || until <= now) return next;
  return next === null ? until : Math.min(next, until);
}

/** Why the user may not connect; null: the user may. Expects a lease that was advanced to `now`. */
export function findLeaseRefusal({ account, shareLeft, cutOffUntil }: Leased, now: number): LeaseRefusal | null {
  const state = computeUserState(account, now);
  if (state === 'disabled' || state === 'expired' || state === 'limited') return state;
  if (shareLeft === 0) return 'share';
  return cutOffUntil !== null && cutOffUntil > now ? 'addresses' : null;
}

/** Applies the passing of time: ends of terms and grants, and resets, after which the share is full again. */
export function advanceLease(leased: Leased, now: number, zone: string): LeaseStep {
  const settled = settle(leased.account, buildFlags(leased), now, zone, NO_NOTICES);
  if (settled.account === leased.account && settled.happened.length === 0) return { leased, happened: [] };
  const isReset = settled.happened.some(({ type }) => type === 'reset');
  return {
    leased: {
      ...leased,
      account: settled.account,
      isEndNoted: settled.flags.expiredAnnounced,
      shareLeft: isReset ? computeShare(settled.account, leased.nodes, now) : leased.shareLeft,
    },
    happened: settled.happened.flatMap(({ type, at }) =>
      type === 'reset' || type === 'expired' ? [{ kind: type, at }] : [],
    ),
  };
}

/** Counts traffic of a user over this node: starts a held term and reduces limit and share. `charged`: the traffic times the weight of the node. */
export function countLeased(
  before: Leased,
  moved: TrafficDelta,
  now: number,
  zone: string,
  charged: TrafficDelta = moved,
): LeaseStep {
  const passed = advanceLease(before, now, zone);
  const { leased } = passed;
  const refusal = findLeaseRefusal(leased, now);
  const started = refusal === null ? beginHeldTerm(leased.account, now, zone) : leased.account;
  const { account } = applyTraffic(started, moved, now, charged);
  const { shareLeft } = leased;
  const after: Leased = {
    ...leased,
    account,
    hasConnected: true,
    isEndNoted: leased.isEndNoted && started === leased.account,
    shareLeft: shareLeft === null ? null : Math.max(0, shareLeft - charged.up - charged.down),
  };
  const happened: Happened[] = [...passed.happened];
  // Also reported if the user connected in an earlier term, since it starts this one.
  if (!leased.hasConnected || started !== leased.account) happened.push({ kind: 'first', at: now });
  const cut = refusal === null ? findLeaseRefusal(after, now) : null;
  if (cut === 'limited' || cut === 'share') happened.push({ kind: cut, at: now });
  return { leased: after, happened };
}

/**
 * Counts traffic that was unknown to the panel when it wrote this lease. It cannot start a hold: the hold is newer than the traffic, or its start is
 * in an event already.
 */
export function countUnread(
  leased: Leased,
  moved: TrafficDelta,
  now: number,
  zone: string,
  charged: TrafficDelta,
): Leased {
  const { hold } = leased.account;
  if (hold === null) return countLeased(leased, moved, now, zone, charged).leased;
  const free = { ...leased, account: { ...leased.account, hold: null } };
  const counted = countLeased(free, moved, now, zone, charged).leased;
  return { ...counted, account: { ...counted.account, hold } };
}
