// The store's port for links that were replaced: since when the machine of each node no longer serves the former one.

export interface Reissue {
  /** When the user's present link was made in place of another one. */
  readonly at: number;
  /** When the machine of a node was met for the first time after that, by node. */
  readonly deliveredAt: ReadonlyMap<number, number>;
}

/** Moments between which links were replaced, both inclusive. */
export interface Between {
  readonly from: number;
  readonly until: number;
}

export interface ReissueStore {
  /** A user's link was replaced: no machine has heard of it. */
  recordReissue(userId: number, at: number): void;
  /** Null: the present link is the first. */
  of(userId: number): Reissue | null;
  /** Whether there are such replacements that the machine of a node has not heard of. */
  hasUndelivered(nodeId: number, between: Between): boolean;
  /** It has heard of all of them by `at`. */
  markDelivered(nodeId: number, between: Between, at: number): void;
}
