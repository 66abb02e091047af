// Events for tests: on the wire, and as rows of the store.
import type { Event, EventData, EventType, UserFacts } from '../../src/contract/event-types.ts';
import type { EventRow } from '../../src/core/ports/events.ts';

/** An event of the system as the feed gives it. */
export function sampleEvent<Type extends EventType>(type: Type, data: EventData<Type>, id = 1): Event {
  const cause = { actor: { kind: 'system', key_id: null }, request_id: null, changed: [] };
  return { id, type, at: '2026-11-20T10:15:00.000Z', ...cause, data } as unknown as Event;
}

/** What every event about a user has. */
export function userFacts(userId: number): UserFacts {
  return { user_id: userId, contact: '', external_id: null, state: 'active', expires_at: null };
}

/** An event of the system to append to the store. */
export function sampleEventRow(
  type: EventType,
  at: number,
  fields: Partial<Omit<EventRow, 'id'>> = {},
): Omit<EventRow, 'id'> {
  const cause = { actorKind: 'system', keyId: null, requestId: null, changed: '[]' } as const;
  return { type, at, ...cause, data: '{}', ...fields };
}
