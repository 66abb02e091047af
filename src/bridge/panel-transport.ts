// What carries calls and live events between the pages and a panel, whatever the host: HTTP for a browser, IPC for the desktop.
import type { Transport } from '../contract/client.ts';
import type { Event } from '../contract/events.ts';

/** Hears of what happens in the panel while it is watched. */
export interface LiveListener {
  /** Each event once, in order. */
  onEvent(event: Event): void;
  /** Events were missed that the panel no longer keeps: whatever was read may be old. */
  onGap(): void;
  /** Whether events come in at the moment. */
  onLive(isLive: boolean): void;
  /** The session has ended. The watch is over; watch anew after the next sign-in. */
  onSignedOut(): void;
}

/** A transport of the administrator's pages. */
export interface PanelTransport extends Transport {
  /**
   * Listens until the returned function is called; connects anew by itself, and goes on after the last event it told, also
   * in a later watch.
   */
  watch(listener: LiveListener): () => void;
}

/** How calls fare, for whoever shows that the panel is out of reach. */
export interface ReachListener {
  /** `moved`: something answers, but no panel at this address: its secret path has changed, or another program listens. */
  onReach(reach: 'reached' | 'lost' | 'moved'): void;
  /** The panel's clock, epoch milliseconds, as exact as a second. */
  onServerTime(at: number): void;
}
