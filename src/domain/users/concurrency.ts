// When a user is connected from more addresses at once than allowed: what is announced, where and how long the user is cut off, when it is over.

export const CUT_OFF_MS = 300_000;
/** An excess is over when none was found for so long. */
export const EXCESS_ENDS_AFTER_MS = 600_000;

export interface Excess {
  readonly addresses: number;
  /** When so many addresses were found last. */
  readonly at: number;
  /** The user may not connect until then; null: is not cut off. */
  readonly cutOffUntil: number | null;
  /** The node where the user may not connect until then; null: all of them. */
  readonly cutOffNode: number | null;
}

/** Where an excess cuts off: at every node, at the one that found it, or nowhere, because one node alone could have invented it for others. */
export type CutOffScope = 'everywhere' | 'here' | 'none';

/**
 * `namesByNode`: the addresses that each node named. At every node if more than `limit` are left whichever node is not believed; at `nodeId` if it
 * has named more than `limit` itself.
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
 * With so many addresses found at `now`, by the readings of `nodeId`. A cut that has begun is not made longer; one at a single node is for all of
 * them once a second node has found an excess by itself.
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

/** Whether it is announced: it began, or the user is cut off by it, or at more nodes. */
export function isNewExcess(before: Excess | null, after: Excess): boolean {
  if (before === null || (before.cutOffUntil === null && after.cutOffUntil !== null)) return true;
  return before.cutOffNode !== null && after.cutOffUntil !== null && after.cutOffNode === null;
}

/** As time leaves it: a cut ends, then the excess. A clock that was set back makes neither longer. */
export function settledExcess(excess: Excess | null, now: number): Excess | null {
  if (excess === null) return null;
  const { at, cutOffUntil } = excess;
  if (cutOffUntil !== null && cutOffUntil > now && cutOffUntil <= now + CUT_OFF_MS) return excess;
  if (at > now || at <= now - EXCESS_ENDS_AFTER_MS) return null;
  return cutOffUntil === null ? excess : { ...excess, cutOffUntil: null, cutOffNode: null };
}
