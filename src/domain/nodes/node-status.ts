// The state of a node now: what was last seen of it counts for a while only, so that none is up that was last read long ago.

const MINUTE_MS = 60_000;

/** Counters are read every 10 seconds, and after failures at least once a minute. Up, but not read for longer than this: unknown. */
export const UNSEEN_MS = 3 * MINUTE_MS;

export interface SeenNode {
  /** As it was noted last. */
  readonly status: 'up' | 'down' | 'unknown';
  /** When its counters were last read, epoch milliseconds; null: not yet. */
  readonly lastSeenAt: number | null;
}

export function nodeStatusAt({ status, lastSeenAt }: SeenNode, now: number): SeenNode['status'] {
  return status === 'up' && lastSeenAt !== null && now - lastSeenAt > UNSEEN_MS ? 'unknown' : status;
}
