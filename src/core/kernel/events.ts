// The ordered event feed: written in the transaction of the effect; subscribers are notified in order after the commit.

import type { Event } from '../../contract/event-types.ts';
import { toList } from '../../contract/scalars.ts';
import type { Input, Output } from '../../contract/table.ts';
import { parseOwnJson } from '../../domain/own-json.ts';
import type { Result } from '../ports/call.ts';
import type { EventRow } from '../ports/events.ts';
import type { Store } from '../ports/ports.ts';
import type { Context } from './context.ts';
import { PanelError } from './panel-error.ts';
import { toInstant } from './wire.ts';

const CHUNK = 500;

/** Converts a row to an event of the API. */
export function viewEvent(row: EventRow): Event {
  const { id, type, at, actorKind, keyId, requestId } = row;
  // `data` was stored with its type by `emit`, which the compiler cannot know.
  return {
    id,
    type,
    at: toInstant(at),
    actor: { kind: actorKind, key_id: keyId },
    request_id: requestId,
    changed: parseOwnJson(row.changed),
    data: parseOwnJson(row.data),
  } as Event;
}

export interface EventHub {
  subscribe(listener: (event: Event) => void): () => void;
  /** Notifies subscribers of everything committed. */
  announce(): void;
  after(after: number, limit: number): readonly Event[] | null;
  /** Stops notifying; must be called before the store is closed. */
  close(): void;
}

/**
 * Notifies subscribers of committed events. Reads the feed itself, to include writes of the worker thread, and in chunks, so that a large bulk does
 * not block the event loop.
 */
export function createEventHub(store: Store, soon: (work: () => void) => void): EventHub {
  const listeners = new Set<(event: Event) => void>();
  let lastId = 0;
  let isScheduled = false;
  let isClosed = false;

  function notify(): void {
    isScheduled = false;
    if (isClosed || listeners.size === 0) return;
    const rows = store.events.after(lastId, CHUNK, null);
    for (const row of rows) {
      lastId = row.id;
      const event = viewEvent(row);
      for (const listener of listeners) listener(event);
    }
    if (rows.length === CHUNK) announce();
  }

  function announce(): void {
    if (isScheduled || isClosed || listeners.size === 0) return;
    isScheduled = true;
    soon(notify);
  }

  return {
    subscribe(listener) {
      if (listeners.size === 0) lastId = store.events.latestId();
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    announce,
    after(after, limit) {
      if (after < store.events.prunedUpTo() || after > store.events.latestId()) return null;
      return store.events.after(after, limit, null).map(viewEvent);
    },
    close() {
      isClosed = true;
    },
  };
}

/** GET /events: a page of the feed. `events_gone` when what follows `after` was pruned, or `after` is of a feed that these data do not have. */
export function listEvents(input: Input<'listEvents'>, { store }: Context): Result<Output<'listEvents'>> {
  const pruned = store.events.prunedUpTo();
  // 0 is before every event, so it means the oldest stored one, as a missing `after` does.
  const after = input.after || pruned;
  if (after < pruned || after > store.events.latestId()) throw new PanelError('events_gone');
  const rows = store.events.after(after, input.limit, toList(input.type) ?? null);
  const isLast = rows.length < input.limit;
  const next = isLast ? store.events.latestId() : (rows.at(-1)?.id ?? after);
  return { body: { items: rows.map(viewEvent), next_after: next } };
}
