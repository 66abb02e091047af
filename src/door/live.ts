// Live events for the administrator's pages: each once, in order, also after a break; over when the session is.
import type { Event } from '../contract/event-types.ts';
import type { Core } from '../core/kernel/core.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { Clock } from '../core/ports/ports.ts';

/** How often an open watch gets a sign of life and its session is checked. */
const BEAT_MS = 5_000;
/** A browser opens a few; more means that something runs away. */
const MAX_WATCHES = 64;
/** A client that missed more reads its lists again, which costs less. */
const MAX_MISSED = 2000;
const PAGE = 500;

/** `gone` in the place of `ready`: events were missed that are no longer stored. `id` is where the watch begins. */
export type LiveMessage =
  | { readonly kind: 'ready' | 'gone'; readonly id: number }
  | { readonly kind: 'event'; readonly event: Event }
  /** A sign of life. */
  | { readonly kind: 'beat' }
  /** Nothing follows: the session has ended, or (`ended`) the panel stops. */
  | { readonly kind: 'signed-out' | 'ended' };
export type LiveListener = (message: LiveMessage) => void;

export interface Live {
  /**
   * Emits events after `lastId` (null: from now on) until the returned function is called or the session ends. `token` is the
   * session's token at the moment; null: it leads nowhere any more. Throws PanelError `signed_out`, or `unavailable` if too many are open or the panel stops.
   */
  watch(token: () => string | null, lastId: number | null, listener: LiveListener): () => void;
  /** Sends a sign of life to all and ends the watches whose session has ended by time; runs by itself every 5 s. */
  sendHeartbeat(): void;
  /** Ends all watches and opens no more. */
  close(): void;
}

type LiveCore = Pick<Core, 'subscribe' | 'onEndedSessions' | 'eventsAfter' | 'latestEventId' | 'authenticateSession'>;

interface Watch {
  readonly token: () => string | null;
  readonly listener: LiveListener;
  lastId: number;
  /** Until when its session need not be looked up. */
  endsAt: number;
}

export function createLive(core: LiveCore, clock: Clock): Live {
  const watches = new Set<Watch>();
  let stopListening: (() => void) | null = null;
  let isClosed = false;

  /** When the session of a token ends, if it is not used; null: it has ended. */
  function findSessionEnd(token: string | null, isUse: boolean): number | null {
    const actor = token === null ? null : core.authenticateSession(token, isUse);
    return actor && (actor.sessionEndsAt ?? Number.POSITIVE_INFINITY);
  }

  /** Ends a watch whose session has ended; false if it has. */
  function check(watch: Watch): boolean {
    const endsAt = findSessionEnd(watch.token(), false);
    if (endsAt !== null) {
      watch.endsAt = endsAt;
      return true;
    }
    remove(watch);
    watch.listener({ kind: 'signed-out' });
    return false;
  }

  function start(): void {
    const unsubscribe = core.subscribe((event) => {
      for (const watch of watches) emit(watch, event);
    });
    const stopHearing = core.onEndedSessions(() => {
      for (const watch of [...watches]) check(watch);
    });
    const timer = setInterval(sendHeartbeat, BEAT_MS);
    timer.unref();
    stopListening = () => {
      unsubscribe();
      stopHearing();
      clearInterval(timer);
      stopListening = null;
    };
  }

  function remove(watch: Watch): void {
    if (watches.delete(watch) && watches.size === 0) stopListening?.();
  }

  function emit(watch: Watch, event: Event): void {
    if (event.id <= watch.lastId) return;
    if (clock.now() >= watch.endsAt && !check(watch)) return;
    watch.lastId = event.id;
    watch.listener({ kind: 'event', event });
  }

  function sendHeartbeat(): void {
    for (const watch of [...watches]) {
      if (check(watch)) watch.listener({ kind: 'beat' });
    }
  }

  return {
    watch(token, lastId, listener) {
      const endsAt = findSessionEnd(token(), true);
      if (endsAt === null) throw new PanelError('signed_out');
      if (isClosed || watches.size >= MAX_WATCHES) throw new PanelError('unavailable');
      const latest = core.latestEventId();
      const missed = lastId === null ? [] : findMissed(core, lastId, latest);
      const watch: Watch = { token, listener, lastId: missed === null ? latest : (lastId ?? latest), endsAt };
      watches.add(watch);
      if (stopListening === null) start();
      listener({ kind: missed === null ? 'gone' : 'ready', id: watch.lastId });
      for (const event of missed ?? []) emit(watch, event);
      return () => remove(watch);
    },
    sendHeartbeat: sendHeartbeat,
    close() {
      isClosed = true;
      for (const watch of [...watches]) {
        remove(watch);
        watch.listener({ kind: 'ended' });
      }
    },
  };
}

/** The events after `lastId` up to `latest`. Null: not stored any more, of another database, or too many. */
function findMissed(core: Pick<Core, 'eventsAfter'>, lastId: number, latest: number): readonly Event[] | null {
  if (lastId > latest) return null;
  const missed: Event[] = [];
  for (let after = lastId; ; after = missed.at(-1)?.id ?? after) {
    const page = core.eventsAfter(after, PAGE);
    if (page === null) return null;
    missed.push(...page);
    if (page.length < PAGE) return missed;
    if (missed.length > MAX_MISSED) return null;
  }
}
