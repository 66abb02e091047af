// The store's port for the feed of events.
import type { EventActorKind, EventType } from '../../contract/event-types.ts';

/** A stored event; members that are JSON in the API are JSON texts here. */
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
  /** `at` is the event's own time, `writtenAt` the transaction's: an event that is recorded late must not be pruned as old. */
  append(event: Omit<EventRow, 'id'>, writtenAt: number): number;
  /** Like `append`, several by one statement. */
  appendAll(events: readonly Omit<EventRow, 'id'>[], writtenAt: number): void;
  /** Events after the id `after`, in order. */
  after(after: number, limit: number, types: readonly EventType[] | null): readonly EventRow[];
  /** The highest pruned id; 0: none. */
  prunedUpTo(): number;
  latestId(): number;
  /** Deletes events written before `before`. */
  prune(before: number): void;
}
