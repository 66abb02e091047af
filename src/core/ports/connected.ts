// The store's port for from where users are connected, without their addresses.

/** An address of a user, as it is stored. */
export interface SeenAddress {
  readonly userId: number;
  /** Base64 of a keyed SHA-256 of user and address. */
  readonly hash: string;
  /** The first part of its network. */
  readonly network: string;
}

export interface UserAddress {
  readonly network: string;
  readonly nodeId: number;
  /** Whether the node's engine named it when it last answered. */
  readonly isConnected: boolean;
  readonly firstAt: number;
  readonly lastAt: number;
}

export interface ConnectedStore {
  /** Stores what a node's engine named at `at`; users who do not exist are left out. */
  recordSeen(nodeId: number, seen: readonly SeenAddress[], at: number): void;
  /** All was noted that the node's engine named at `at`; null: it cannot tell. */
  finish(nodeId: number, at: number | null): void;
  /** Those of the last 24 hours, the last seen first. */
  ofUser(userId: number, limit: number, now: number): readonly UserAddress[];
  /** From how many the user is connected; null: no engine of a node tells. */
  countOfUser(userId: number, now: number): number | null;
  /** From how many users are connected to a node; null: its engine does not tell. */
  countOnNode(nodeId: number, now: number): number | null;
  /** Drops those that were last seen before. */
  prune(before: number): void;
}
