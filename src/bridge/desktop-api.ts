// What the desktop's preload gives the pages as `window.gatehouse`: functions over plain data, and nothing of Electron itself.
import type { Problem } from '../contract/errors.ts';
import type { Event } from '../contract/events.ts';
import type { Language } from '../i18n/languages.ts';

/** What answers a call. It crosses as data, since of a thrown error only the message would arrive. */
export type CallEnvelope =
  /** `text`: JSON; null where there is no body. */
  | { readonly ok: true; readonly text: string | null; readonly etag: string | null }
  /** `retryAfter`: seconds. */
  | { readonly ok: false; readonly problem: Problem; readonly retryAfter: number | null };

/** What a watch tells, in order; `gone` in the place of `ready` where events were missed that are no longer kept. */
export type LiveMessage = { readonly watch: number } & (
  | { readonly kind: 'ready' | 'gone'; readonly id: number }
  | { readonly kind: 'event'; readonly event: Event }
  /** Nothing follows: the session has ended, or the panel stops. */
  | { readonly kind: 'signed-out' | 'ended' }
);

export interface Versions {
  readonly app: string;
  readonly electron: string;
  readonly chromium: string;
  readonly node: string;
  /** How a terminal on this computer calls the panel's command: `gatehouse panel`. */
  readonly command: string;
}

/** How the application behaves on this computer. */
export interface DesktopSettings {
  /** Closing the window leaves the panel serving. */
  readonly closeToTray: boolean;
  /** Begins with the computer, without a window; null where the system has no such list. */
  readonly startAtLogin: boolean | null;
  /** The session goes on after a restart until it ends. */
  readonly staySignedIn: boolean;
  /** A system message for a node that fails, a user at the limit, a backup that failed. */
  readonly notifications: boolean;
}

/** How the pages look, for menus and dialogs to follow. `locale` null: the panel's own language. */
export interface Look {
  readonly theme: 'system' | 'light' | 'dark';
  readonly locale: Language | null;
}

export interface DesktopApi {
  /** `input` is the JSON text of the operation's record. Resolves always; rejects only where nobody is there to answer. */
  call(operationId: string, input: string, ifMatch: string | null): Promise<CallEnvelope>;
  /** Begins to tell events after `lastEventId` (null: from now on) under a number of the page's choice. */
  watch(watch: number, lastEventId: number | null): Promise<CallEnvelope>;
  unwatch(watch: number): Promise<void>;
  /** Returns how to stop. */
  onLive(listener: (message: LiveMessage) => void): () => void;
  /** Hears where to go: a hash of the pages, as `#/users/7`. Returns how to stop. */
  onGo(listener: (hash: string) => void): () => void;
  /** A secret is taken out of the clipboard again after a while, unless something else is there by then. */
  copy(text: string, isSecret: boolean): Promise<void>;
  /** Asks where to save, and saves. False: the person thought better of it. */
  save(name: string, content: string | Uint8Array): Promise<boolean>;
  /** False: not an address that is opened. */
  openExternal(url: string): Promise<boolean>;
  versions(): Promise<Versions>;
  settings(): Promise<DesktopSettings>;
  /** Resolves to what holds now: what the system refuses stays as it was. */
  changeSettings(change: Partial<DesktopSettings>): Promise<DesktopSettings>;
  look(look: Look): Promise<void>;
}
