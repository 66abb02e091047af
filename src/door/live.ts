// Live events for the admin pages: each once, in order, also after a reconnect; ends with the session.
import type { Event } from '../contract/event-types.ts';
import type { Core } from '../core/kernel/core.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { Clock } from '../core/ports/ports.ts';

/** Interval of heartbeats and session checks. */
const BEAT_MS = 5_000;
/** A browser opens a few; more indicate a bug. */
const MAX_WATCHES = 64;
/** A client that missed more reloads its lists, which costs less. */
const MAX_MISSED = 2000;
const PAGE = 500;

/** `gone` instead of `ready`: missed events are no longer stored. `id` is where the watch begins. */
export type LiveMessage =
  | { readonly kind: 'ready' | 'gone'; readonly id: number }
  | { readonly kind: 'event'; readonly event: Event }
  /** A heartbeat. */
  | { readonly kind: 'beat' }
  /** The last message: the session has ended, or (`ended`) the panel stops. */
  | { readonly kind: 'signed-out' | 'ended' };
export type LiveListener = (message: LiveMessage) => void;

export interface Live {
  /**
   * Emits events after `lastId` (null: from now on) until the returned function is called or the session ends. `token`: the current session token;
   * null: invalid. Throws PanelError `signed_out`, or `unavailable` if too many are open or the panel stops.
   */
  watch(token: () => string | null, lastId: number | null, listener: LiveListener): () => void;
  /** Sends a heartbeat to all and ends the watches of expired sessions; runs every 5 s. */
  sendHeartbeat(): void;
  /** Ends all watches and opens no more. */
  close(): void;
}

type LiveCore = Pick<Core, 'subscribe' | 'onEndedSessions' | 'eventsAfter' | 'latestEventId' | 'authenticateSession'>;

interface Watch {
  readonly token: () => string | null;
  readonly listener: LiveListener;
  lastId: number;
  /** Until when the session needs no look-up. */
  endsAt: number;
}

export function createLive(core: LiveCore, clock: Clock): Live {
  const watches = new Set<Watch>();
  let stopListening: (() => void) | null = null;
  let isClosed = false;

  /** When the session of a token ends if unused; null: it has ended. */
  function findSessionEnd(token: string | null, isUse: boolean): number | null {
    const actor = token === null ? null : core.authenticateSession(token, isUse);
    return actor && (actor.sessionEndsAt ?? Number.POSITIVE_INFINITY);
  }

  /** Ends the watch of an ended session; false if it ended. */
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

/** The events after `lastId` up to `latest`. Null: pruned, of another database, or too many. */
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
