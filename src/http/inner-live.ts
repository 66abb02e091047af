// Events for a window of this very process: each once, in order, also for who comes back; over when the session is.
import type { Event } from '../contract/events.ts';
import type { LiveEvent } from '../core/call.ts';
import type { Core } from '../core/core.ts';
import { missedSince, shownEvent } from './missed-events.ts';

/** How often an open watch proves that its session still lives. */
const BEAT_MS = 5_000;

/** The first message says where the watch begins: `gone` where events were missed that are no longer kept. */
export type InnerMessage =
  | { readonly kind: 'ready' | 'gone'; readonly id: number }
  | { readonly kind: 'event'; readonly event: Event }
  /** The session has ended, or (`ended`) the panel stops; nothing follows. */
  | { readonly kind: 'signed-out' | 'ended' };
export type InnerListener = (message: InnerMessage) => void;

export interface InnerLive {
  open(token: () => string | null, lastId: number | null, listener: InnerListener): () => void;
  /** Ends all watches. */
  close(): void;
}

type LiveCore = Pick<Core, 'subscribe' | 'eventsAfter' | 'latestEventId' | 'authenticateSession'>;

export function createInnerLive(core: LiveCore): InnerLive {
  const ends = new Set<() => void>();
  return {
    open(token, lastId, listener) {
      const latest = core.latestEventId();
      const missed = lastId === null ? [] : missedSince(core, lastId, latest);
      let told = missed === null ? latest : (lastId ?? latest);
      const tell = (event: LiveEvent) => {
        if (event.id <= told) return;
        told = event.id;
        listener({ kind: 'event', event: shownEvent(event) });
      };
      const beat = setInterval(() => {
        const current = token();
        if (current !== null && core.authenticateSession(current, false) !== null) return;
        stop();
        listener({ kind: 'signed-out' });
      }, BEAT_MS);
      beat.unref();
      const unsubscribe = core.subscribe(tell);
      const stop = () => {
        clearInterval(beat);
        unsubscribe();
        ends.delete(end);
      };
      const end = () => {
        stop();
        listener({ kind: 'ended' });
      };
      ends.add(end);
      listener({ kind: missed === null ? 'gone' : 'ready', id: told });
      for (const event of missed ?? []) tell(event);
      return stop;
    },
    close() {
      for (const end of [...ends]) end();
    },
  };
}
