// What the machine of a node may decide while the panel is away: the panel's own rules of terms, traffic and time, and a share of what is left.
//
// Several nodes do not know of each other what a user moved since the panel last met them. So none gives the whole rest of a limit away: each has
// its part, and a little more, so that a user who stays with one node is not cut off over a small rest.
import { type Account, computeUserState, extraBytes, trafficRemaining, usedBytes } from '../users/account.ts';
import { nextChangeAt, settle } from '../users/settle.ts';
import { beginHeldTerm } from '../users/term.ts';
import { applyTraffic, type TrafficDelta } from '../users/traffic.ts';

/** What each node may let a user move beyond its part of what is left, at most. */
export const SPARE_BYTES = 2 ** 30;
/** The same as a part of the limit, of which a smaller limit is not exceeded many times over. */
const SPARE_PART = 0.05;
/** Below this the part counts: such shares are small, so that they are renewed more often. */
export const SMALL_LIMIT = SPARE_BYTES / SPARE_PART;

export function computeSpare(trafficLimit: number): number {
  return Math.min(SPARE_BYTES, Math.floor(trafficLimit * SPARE_PART));
}

/** A user as a machine has it. Immutable, as accounts are. */
export interface Leased {
  readonly account: Account;
  /** Over how many nodes the user may connect, this one among them. */
  readonly nodes: number;
  /** Bytes that the user may still use up over this node before it hears of the panel; null: no limit. */
  readonly shareLeft: number | null;
  readonly hasConnected: boolean;
  /** Whether the present end of the term was noted. */
  readonly isEndNoted: boolean;
  /** Until when the user was connected from too many addresses; null: not. */
  readonly cutOffUntil: number | null;
}

/** Why a machine lets a user not connect. `share`: its part is used up, and only the panel knows what is left elsewhere. */
export const LEASE_REFUSALS = ['disabled', 'expired', 'limited', 'share', 'addresses'] as const;
export type LeaseRefusal = (typeof LEASE_REFUSALS)[number];

/** What a machine writes down for the panel: a first connection, a reset of the counter, or why a user was cut off. */
export const LEASE_EVENTS = ['first', 'reset', 'expired', 'limited', 'share'] as const;
export type LeaseEventKind = (typeof LEASE_EVENTS)[number];

export interface Happened {
  readonly kind: LeaseEventKind;
  readonly at: number;
}

export interface LeaseStep {
  readonly leased: Leased;
  /** In the order of time. */
  readonly happened: readonly Happened[];
}

/** No notices: the panel gives them. */
const NO_NOTICES: readonly number[] = [];

/** What one node may let a user move until the panel is met again; null: there is no limit. */
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

/** By the node that each connection is on: how many nodes a user with these connections (null: all) may connect over, at least one. */
export function nodesCounter(
  places: readonly { readonly id: number; readonly nodeId: number }[],
): (inbounds: readonly number[] | null) => number {
  const nodeIdByPlace = new Map(places.map(({ id, nodeId }) => [id, nodeId]));
  const all = Math.max(1, new Set(nodeIdByPlace.values()).size);
  return (inbounds) =>
    inbounds === null ? all : Math.max(1, new Set(inbounds.flatMap((id) => nodeIdByPlace.get(id) ?? [])).size);
}

/** The same over another number of nodes: what is left by what is known here is shared once more. */
export function shareAmong(leased: Leased, nodes: number, now: number): Leased {
  return nodes === leased.nodes ? leased : { ...leased, nodes, shareLeft: computeShare(leased.account, nodes, now) };
}

function buildFlags({ isEndNoted }: Leased) {
  return { noticeAnnounced: null, expiredAnnounced: isEndNoted };
}

/** When time alone changes what this user may; null: never. */
export function leaseDueAt(leased: Leased, now: number): number | null {
  const next = nextChangeAt(leased.account, buildFlags(leased), now, NO_NOTICES);
  const until = leased.cutOffUntil;
  if (until === null || until <= now) return next;
  return next === null ? until : Math.min(next, until);
}

/** Why the user may not connect; null: the user may. What has come due must have passed. */
export function findLeaseRefusal({ account, shareLeft, cutOffUntil }: Leased, now: number): LeaseRefusal | null {
  const state = computeUserState(account, now);
  if (state === 'disabled' || state === 'expired' || state === 'limited') return state;
  if (shareLeft === 0) return 'share';
  return cutOffUntil !== null && cutOffUntil > now ? 'addresses' : null;
}

/** What the passing of time does: ends of terms and of grants, and resets, after which there is a whole share again. */
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

/**
 * Counts what a user moved over this node by `now`: a held term begins, limit and share are used up. `charged`: what it counts for, by the weight of
 * the node.
 */
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
  // Also of a user who has connected in an earlier term: the panel begins this one then.
  if (!leased.hasConnected || started !== leased.account) happened.push({ kind: 'first', at: now });
  const cut = refusal === null ? findLeaseRefusal(after, now) : null;
  if (cut === 'limited' || cut === 'share') happened.push({ kind: cut, at: now });
  return { leased: after, happened };
}

/** Counts what the panel did not know of when it left the terms here. A hold was set later than that moved, or it is in an event already. */
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
