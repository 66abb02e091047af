// The current status of a node. An observation is valid for a limited time, so that a node is not shown as up long after its last reading.

const MINUTE_MS = 60_000;

/** Counters are read every 10 seconds, and after failures at least once a minute. A node that was up but not read for longer than this is unknown. */
export const UNSEEN_MS = 3 * MINUTE_MS;

export interface SeenNode {
  /** As last recorded. */
  readonly status: 'up' | 'down' | 'unknown';
  /** When its counters were last read, epoch milliseconds; null: not yet. */
  readonly lastSeenAt: number | null;
}

export function nodeStatusAt({ status, lastSeenAt }: SeenNode, now: number): SeenNode['status'] {
  return status === 'up' && lastSeenAt !== null && now - lastSeenAt > UNSEEN_MS ? 'unknown' : status;
}
