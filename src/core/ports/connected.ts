// The store's port for locations of connected users, without addresses.

/** An address of a user, as it is stored. */
export interface SeenAddress {
  readonly userId: number;
  /** Base64 of a keyed SHA-256 of user and address. */
  readonly hash: string;
  /** The network prefix. */
  readonly network: string;
}

export interface UserAddress {
  readonly network: string;
  readonly nodeId: number;
  /** Whether the engine listed it in its last reply. */
  readonly isConnected: boolean;
  readonly firstAt: number;
  readonly lastAt: number;
}

export interface ConnectedStore {
  /** Stores the addresses that a node's engine reported at `at`; unknown users are skipped. */
  recordSeen(nodeId: number, seen: readonly SeenAddress[], at: number): void;
  /** Ends a reading at `at`; null: the engine cannot report addresses. */
  finish(nodeId: number, at: number | null): void;
  /** The last 24 hours, most recent first. */
  ofUser(userId: number, limit: number, now: number): readonly UserAddress[];
  /** The number of addresses of a user; null: no engine reports them. */
  countOfUser(userId: number, now: number): number | null;
  /** The number of addresses on a node; null: its engine does not report them. */
  countOnNode(nodeId: number, now: number): number | null;
  /** Deletes those last seen before. */
  prune(before: number): void;
}
