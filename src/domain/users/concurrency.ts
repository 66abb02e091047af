// Too many concurrent addresses of a user: when it is reported, where and how long the user is blocked, and when the excess ends.

export const CUT_OFF_MS = 300_000;
/** An excess ends when none was found for this long. */
export const EXCESS_ENDS_AFTER_MS = 600_000;

export interface Excess {
  readonly addresses: number;
  /** When this many addresses were last found, epoch ms. */
  readonly at: number;
  /** The user is blocked until then, epoch ms; null: not blocked. */
  readonly cutOffUntil: number | null;
  /** The only node where the user is blocked; null: all nodes. */
  readonly cutOffNode: number | null;
}

/**
 * Where an excess blocks a user: at every node, at the node that found it, or nowhere, because a single node could have invented addresses of other
 * nodes.
 */
export type CutOffScope = 'everywhere' | 'here' | 'none';

/**
 * `namesByNode`: the addresses that each node reported. Every node, if the rest exceeds `limit` whichever single node is ignored; `nodeId` alone, if
 * its own reports exceed `limit`.
 */
export function computeCutOffScope(
  namesByNode: ReadonlyMap<number, readonly string[]>,
  limit: number,
  nodeId: number,
): CutOffScope {
  const countWithout = (doubted: number) =>
    new Set([...namesByNode].flatMap(([id, names]) => (id === doubted ? [] : names))).size;
  if ([...namesByNode.keys()].every((id) => countWithout(id) > limit)) return 'everywhere';
  return new Set(namesByNode.get(nodeId)).size > limit ? 'here' : 'none';
}

/**
 * The excess after `addresses` were found at `now` from reports of `nodeId`. A running block is not extended; a block at one node applies to all
 * nodes once a second node finds an excess by itself.
 */
export function nextExcess(
  before: Excess | null,
  { addresses, scope, nodeId }: { readonly addresses: number; readonly scope: CutOffScope; readonly nodeId: number },
  now: number,
): Excess {
  if (before?.cutOffUntil != null) {
    const isSame = scope === 'none' || (scope === 'here' && before.cutOffNode === nodeId);
    return { ...before, addresses, at: now, cutOffNode: isSame ? before.cutOffNode : null };
  }
  const cutOffUntil = scope === 'none' ? null : now + CUT_OFF_MS;
  return { addresses, at: now, cutOffUntil, cutOffNode: scope === 'here' ? nodeId : null };
}

/** Whether an event is emitted: the excess began, the user is blocked by it, or at more nodes. */
export function isNewExcess(before: Excess | null, after: Excess): boolean {
  if (before === null || (before.cutOffUntil === null && after.cutOffUntil !== null)) return true;
  return before.cutOffNode !== null && after.cutOffUntil !== null && after.cutOffNode === null;
}

/** Applies the passing of time: the block ends, then the excess. A clock that was set back extends neither. */
export function settleExcess(excess: Excess | null, now: number): Excess | null {
  if (excess === null) return null;
  const { at, cutOffUntil } = excess;
  if (cutOffUntil !== null && cutOffUntil > now && cutOffUntil <= now + CUT_OFF_MS) return excess;
  if (at > now || at <= now - EXCESS_ENDS_AFTER_MS) return null;
  return cutOffUntil === null ? excess : { ...excess, cutOffUntil: null, cutOffNode: null };
}
