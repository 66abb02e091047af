// The store's port for traffic: by user, node and inbound, in slots of time.

export interface UpDown {
  readonly up: number;
  readonly down: number;
}

export interface Point extends UpDown {
  /** Start of the hour, or of the local day that the caller passed. */
  readonly t: number;
}

/** Traffic over a node on a local day. */
export interface NodeDay extends UpDown {
  readonly day: string;
  readonly nodeId: number;
}

/** The slots of a time: the start of its UTC hour, and its local day `YYYY-MM-DD` and month `YYYY-MM` in the panel's time zone. */
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
  /** The same by day, then by node, deleted ones included. */
  userNodeDays(userId: number, firstDay: string): readonly NodeDay[];
  /** All nodes together; both ends included. */
  sumDays(firstDay: string, lastDay: string, nodeId?: number): UpDown;
  /** Users with the most traffic, most first, without a scan of all users. */
  topUsers(month: string, count: number): readonly (UpDown & { readonly id: number; readonly name: string })[];
  /** All traffic ever, of all nodes, deleted ones included; never decreases. */
  total(): UpDown;
  nodeTotals(): readonly (UpDown & { readonly nodeId: number; readonly name: string })[];
  inboundTotals(): readonly (UpDown & { readonly inboundId: number; readonly name: string })[];
  /** Deletes hours before `hour` and days before `day`. */
  prune(hour: number, day: string): void;
}

/** Events of users on a local day. */
export interface UserDayCounts {
  readonly created: number;
  readonly expired: number;
  readonly deleted: number;
}

export interface UserDayStore {
  add(day: string, what: keyof UserDayCounts, count: number): void;
  /** Days with changes, both ends included. */
  read(firstDay: string, lastDay: string): readonly (UserDayCounts & { readonly day: string })[];
  /** Deletes days before `day`. */
  prune(day: string): void;
}
