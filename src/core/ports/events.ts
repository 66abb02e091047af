// The feed of events as the store has it.
import type { EventActorKind, EventType } from '../../contract/event-types.ts';

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
