// Traffic as the store has it: by user, node and inbound, in slots of time.

export interface UpDown {
  readonly up: number;
  readonly down: number;
}

export interface Point extends UpDown {
  /** Start of the hour, or of the local day as the caller named it. */
  readonly t: number;
}

/** What moved over a node on a local day. */
export interface NodeDay extends UpDown {
  readonly day: string;
  readonly nodeId: number;
}

/** Where a moment falls: the start of its UTC hour, its local day `YYYY-MM-DD` and month `YYYY-MM` in the panel's time zone. */
export interface TrafficSlot {
  readonly hour: number;
  readonly day: string;
  readonly month: string;
}

export interface TrafficStore {
  addToNode(nodeId: number, slot: TrafficSlot, moved: UpDown): void;
  addToInbound(inboundId: number, moved: UpDown): void;
  addToUser(userId: number, nodeId: number, slot: TrafficSlot, moved: UpDown): void;
  /** Hours with traffic from `from` on, by hour; of one node or of all. */
  nodeHours(from: number, nodeId: number | null): readonly Point[];
  /** Days with traffic from `firstDay` on. */
  nodeDays(firstDay: string, nodeId: number | null): readonly (UpDown & { readonly day: string })[];
  userHours(userId: number, from: number): readonly Point[];
  userDays(userId: number, firstDay: string): readonly (UpDown & { readonly day: string })[];
  /** The same by node, also of deleted ones: by day, then by node. */
  userNodeDays(userId: number, firstDay: string): readonly NodeDay[];
  /** All nodes together; both ends included. */
  sumDays(firstDay: string, lastDay: string, nodeId?: number): UpDown;
  /** Those that moved most, most first, without a scan over all users. */
  topUsers(month: string, count: number): readonly (UpDown & { readonly id: number; readonly name: string })[];
  /** Ever, all nodes together, deleted ones included; never goes down. */
  total(): UpDown;
  nodeTotals(): readonly (UpDown & { readonly nodeId: number; readonly name: string })[];
  inboundTotals(): readonly (UpDown & { readonly inboundId: number; readonly name: string })[];
  /** Drops hours before `hour` and days before `day`. */
  prune(hour: number, day: string): void;
}

/** What happened to users on a local day. */
export interface UserDayCounts {
  readonly created: number;
  readonly expired: number;
  readonly deleted: number;
}

export interface UserDayStore {
  add(day: string, what: keyof UserDayCounts, count: number): void;
  /** Days with changes, both ends included. */
  read(firstDay: string, lastDay: string): readonly (UserDayCounts & { readonly day: string })[];
  /** Drops days before `day`. */
  prune(day: string): void;
}
