// Carries calls and live events between the pages and the panel: over HTTP in a browser, over IPC in the desktop.
import type { Transport } from '../contract/client.ts';
import type { Event } from '../contract/event-types.ts';

/** Receives the panel's events during a watch. */
export interface LiveListener {
  /** Each event once, in order. */
  onEvent(event: Event): void;
  /** Events were missed that the panel no longer stores: all data read so far may be outdated. */
  onGap(): void;
  /** Whether the watch is connected. */
  onLive(isLive: boolean): void;
  /** The session and the watch have ended; start another watch after the next sign-in. */
  onSignedOut(): void;
}

/** A transport for the administrator's pages. */
export interface PanelTransport extends Transport {
  /**
   * Listens until the returned function is called; reconnects automatically, and continues after the last event it emitted, also
   * in a later watch.
   */
  watch(listener: LiveListener): () => void;
}

/** Whether calls reach the panel, for the notice that it is unreachable. */
export interface ReachListener {
  /** `moved`: something answers that is not the panel at this address: its secret path has changed, or another program listens. */
  onReach(reach: 'reached' | 'lost' | 'moved'): void;
  /** The panel's clock in epoch milliseconds, accurate to one second. */
  onServerTime(at: number): void;
}
