// What a listener has missed who comes back, and how events read outside: the same for a stream over HTTP and for the desktop's window.
import type { Event } from '../contract/events.ts';
import type { LiveEvent } from '../core/call.ts';
import type { Core } from '../core/core.ts';

/** Whoever missed more reads its lists anew, which costs less. */
const MAX_MISSED = 2000;
const PAGE = 500;

/** The events after `lastId` up to `latest`. Null: not kept, from another life of the database, or too many. */
export function missedSince(
  core: Pick<Core, 'eventsAfter'>,
  lastId: number,
  latest: number,
): readonly LiveEvent[] | null {
  if (lastId > latest) return null;
  const missed: LiveEvent[] = [];
  for (let after = lastId; ; after = missed.at(-1)?.id ?? after) {
    const page = core.eventsAfter(after, PAGE);
    if (page === null) return null;
    missed.push(...page);
    if (page.length < PAGE) return missed;
    if (missed.length > MAX_MISSED) return null;
  }
}

/** The form that GET /events gives it. */
export function shownEvent({ id, type, at, data }: LiveEvent): Event {
  return { id, type, at: new Date(at).toISOString(), data };
}
