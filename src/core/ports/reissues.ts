// The store's port for replaced links: since when each node's machine no longer serves the former one.

export interface Reissue {
  /** When the user's present link replaced another one. */
  readonly at: number;
  /** The first contact with each node's machine after that, by node. */
  readonly deliveredAt: ReadonlyMap<number, number>;
}

/** A time span in which links were replaced, both ends inclusive. */
export interface Between {
  readonly from: number;
  readonly until: number;
}

export interface ReissueStore {
  /** Records that a user's link was replaced; no machine knows it yet. */
  recordReissue(userId: number, at: number): void;
  /** null: the present link is the user's first. */
  of(userId: number): Reissue | null;
  /** Whether there are replacements in this span that the node's machine has not received. */
  hasUndelivered(nodeId: number, between: Between): boolean;
  /** Records that it has received all of them by `at`. */
  markDelivered(nodeId: number, between: Between, at: number): void;
}
