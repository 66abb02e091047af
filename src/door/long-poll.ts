// Requests that wait for the next event, woken by the feed without polling the store.
import type { EventType } from '../contract/event-types.ts';
import type { Core } from '../core/kernel/core.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { Actor } from '../core/ports/call.ts';
import type { Clock, Timers } from '../core/ports/ports.ts';

/** Concurrent waiting requests per key; a bot needs one. */
export const MAX_WAITING = 4;
/** How often the keys of waiting requests are checked, in ms. */
const CHECK_MS = 5_000;

export interface Wait {
  readonly actor: Actor;
  /** The key as sent, to check its validity again. */
  readonly key: string;
  /** Waits for events after this id. */
  readonly after: number;
  /** Of one of these types; undefined: of any. */
  readonly types: readonly EventType[] | undefined;
  readonly seconds: number;
  /** Whether such an event exists. */
  isThere(): boolean;
  /** Called when waiting begins, unless it is refused or the panel stops. */
  onBegin(): void;
  /** Calls the listener when the client disconnects. */
  onGone?(listener: () => void): void;
}

export interface Waits {
  /**
   * Resolves when such an event is committed, after the timeout, when the client disconnects, the key becomes invalid, or the panel stops. Rejects
   * with PanelError `rate_limited` if the key has too many waiting requests, `unauthorized` if it is no longer valid.
   */
  wait(wait: Wait): Promise<void>;
  /** Ends all waiting requests; later calls return at once. */
  close(): void;
}

interface Waiter extends Wait {
  readonly endsAt: number;
  readonly wake: () => void;
}

export interface WaitsParts {
  readonly core: Pick<Core, 'subscribe' | 'latestEventId' | 'authenticateKey'>;
  readonly clock: Clock;
  readonly timers: Timers;
}

export function createWaits({ core, clock, timers }: WaitsParts): Waits {
  const waiters = new Set<Waiter>();
  let stopListening: (() => void) | null = null;
  let isClosed = false;

  function listen(): void {
    const unsubscribe = core.subscribe(({ id, type }) => {
      for (const waiter of waiters) {
        if (id > waiter.after && (waiter.types?.includes(type) ?? true)) waiter.wake();
      }
    });
    const stopChecking = timers.every(CHECK_MS, () => {
      for (const waiter of waiters) if (core.authenticateKey(waiter.key) === null) waiter.wake();
    });
    stopListening = () => {
      unsubscribe();
      stopChecking();
      stopListening = null;
    };
  }

  function requirePlace({ actor }: Wait, now: number): void {
    const others = [...waiters].filter((waiter) => waiter.actor.id === actor.id);
    if (others.length < MAX_WAITING) return;
    const ms = Math.min(...others.map(({ endsAt }) => endsAt)) - now;
    throw new PanelError('rate_limited', undefined, Math.max(1, Math.ceil(ms / 1000)));
  }

  function untilWoken(wait: Wait, now: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stopTimer = timers.after(wait.seconds * 1000, () => wake());
    const waiter: Waiter = { ...wait, endsAt: now + wait.seconds * 1000, wake: () => wake() };
    const wake = () => {
      if (!waiters.delete(waiter)) return;
      stopTimer();
      if (waiters.size === 0) stopListening?.();
      resolve();
    };
    waiters.add(waiter);
    wait.onGone?.(wake);
    if (stopListening === null) listen();
    // Another thread may have committed one between the caller's read and the subscription.
    if (core.latestEventId() > wait.after && wait.isThere()) wake();
    return promise;
  }

  return {
    async wait(wait) {
      if (isClosed) return;
      const now = clock.now();
      requirePlace(wait, now);
      wait.onBegin();
      await untilWoken(wait, now);
      if (core.authenticateKey(wait.key) === null) throw new PanelError('unauthorized');
    },
    close() {
      isClosed = true;
      for (const { wake } of [...waiters]) wake();
    },
  };
}
