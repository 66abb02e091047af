// The store's ports for records: traffic, events, the audit log, replies under Idempotency-Keys.
import type { EventActorKind, EventType } from '../../contract/event-types.ts';

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

/** An event as stored; the members of the wire that are JSON there are its text here. */
export interface EventRow {
  readonly id: number;
  readonly type: EventType;
  readonly at: number;
  readonly actorKind: EventActorKind;
  /** The API key, for the actor `key` only. */
  readonly keyId: number | null;
  /** null for the actor `system` only. */
  readonly requestId: string | null;
  /** JSON array of field names. */
  readonly changed: string;
  /** JSON object. */
  readonly data: string;
}

export interface EventStore {
  /** `at` is the event's own moment, `writtenAt` the transaction's: a late event must not be pruned as old. */
  append(event: Omit<EventRow, 'id'>, writtenAt: number): number;
  /** As `append`, many by one statement. */
  appendAll(events: readonly Omit<EventRow, 'id'>[], writtenAt: number): void;
  /** Behind `after`, in order. */
  after(after: number, limit: number, types: readonly EventType[] | null): readonly EventRow[];
  /** The highest id that was pruned; 0 if none was. */
  prunedUpTo(): number;
  latestId(): number;
  /** Drops events written before `before`. */
  prune(before: number): void;
}

export type ActorKind = 'administrator' | 'key' | 'cli' | 'bot' | 'panel' | 'unknown';

export interface AuditRow {
  readonly id: number;
  readonly at: number;
  readonly actorKind: ActorKind;
  readonly actorId: number | null;
  readonly actorName: string;
  readonly action: string;
  readonly outcome: 'done' | 'refused';
  readonly target: string | null;
  /** JSON object; never a secret. */
  readonly detail: string;
  readonly address: string | null;
  readonly requestId: string;
}

/** A user whom an act on many changed. */
export interface AuditUser {
  readonly id: number;
  /** Where the act deleted the user; else null. */
  readonly name: string | null;
}

export interface AuditQuery {
  readonly before?: number | undefined;
  readonly limit: number;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  /** The acts on this user, also those on many. */
  readonly userId?: number | undefined;
  readonly actorKind?: ActorKind | undefined;
  readonly keyId?: number | undefined;
  readonly requestId?: string | undefined;
  /** Inclusive. */
  readonly since?: number | undefined;
  /** Exclusive. */
  readonly until?: number | undefined;
}

export interface AuditStore {
  append(entry: Omit<AuditRow, 'id'>): number;
  /** Sets the detail of an act that goes on in another transaction. */
  amend(id: number, detail: string): void;
  /** Adds to the users whom the act on many changed. */
  appendUsers(id: number, users: readonly AuditUser[]): void;
  /** Whom it changed, by id, behind `after`; the name is that of now, or that at the deletion. */
  users(id: number, after: number, limit: number): readonly (AuditUser & { readonly isPresent: boolean })[];
  countUsers(id: number): number;
  /** Those of `ids` whom it changed. */
  usersAmong(id: number, ids: readonly number[]): readonly number[];
  /** Newest first. */
  page(query: AuditQuery): readonly AuditRow[];
  prune(before: number): void;
}

/** How an act on some users is undone, of whom no other row of the act has any. */
export interface UndoRow {
  /** The audit row of the act. */
  readonly auditId: number;
  /** The first of these users. */
  readonly firstId: number;
  /** How many they are. */
  readonly users: number;
  /** JSON array. */
  readonly steps: string;
}

/** What is in here may still be undone, unless its act is too old. */
export interface UndoStore {
  append(row: UndoRow): void;
  /** Those of acts that began at `since` or later, by act and user: the first ones, until they have `users` together or more. */
  of(auditIds: readonly number[], since: number, users: number): readonly UndoRow[];
  /** When the act began; null where nothing of it is here. */
  begunAt(auditId: number): number | null;
  remove(auditId: number, firstId: number): void;
  /** Drops those of acts that began before `before`. */
  prune(before: number): void;
}

export interface StoredReply {
  readonly fingerprint: string;
  readonly status: number;
  /** The reply's body as it was sent. */
  readonly body: string | null;
  readonly location: string | null;
}

/** A part of a write in several transactions. */
export interface StoredPart {
  readonly fingerprint: string;
  /** JSON. */
  readonly data: string;
}

export interface IdempotencyStore {
  /** `scope` is key id, method and path. Replies stored before `notBefore` have expired. */
  get(scope: string, key: string, notBefore: number): StoredReply | undefined;
  put(scope: string, key: string, at: number, reply: StoredReply): void;
  /** The parts of a write that was interrupted before its reply, in order. */
  parts(scope: string, key: string, notBefore: number): readonly StoredPart[];
  /** Adds a part; storing the reply drops them all. */
  addPart(scope: string, key: string, at: number, part: StoredPart): void;
  prune(before: number): void;
}
