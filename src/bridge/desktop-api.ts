// The API that the desktop's preload exposes to pages as `window.gatehouse`: functions over plain data, and their IPC channels.
import type { Problem } from '../contract/errors.ts';
import type { Event } from '../contract/event-types.ts';
import type { Language } from '../i18n/languages.ts';

/** The reply to a call. A failure is data too, because only the message of a thrown error crosses IPC. */
export type CallEnvelope =
  /** `text`: JSON; null if there is no body. */
  | { readonly ok: true; readonly text: string | null; readonly etag: string | null }
  /** `retryAfter`: seconds. */
  | { readonly ok: false; readonly problem: Problem; readonly retryAfter: number | null };

/** A message of a watch, in order; `gone` instead of `ready` if events were missed that are no longer stored. */
export type LiveMessage = { readonly watch: number } & (
  | { readonly kind: 'ready' | 'gone'; readonly id: number }
  | { readonly kind: 'event'; readonly event: Event }
  /** The last message: the session has ended, or the panel stops. */
  | { readonly kind: 'signed-out' | 'ended' }
);

export interface Versions {
  readonly app: string;
  readonly electron: string;
  readonly chromium: string;
  readonly node: string;
  /** The panel's command in a terminal of this computer: `gatehouse panel`. */
  readonly command: string;
}

/** In Electron's notation of keys. */
export const QUICK_SEARCH = 'CommandOrControl+Shift+G';

/** How the application behaves on this computer. */
export interface DesktopSettings {
  /** Closing the window leaves the panel running. */
  readonly closeToTray: boolean;
  /** Starts with the computer, without a window; null: not possible, as for a checkout on Linux. */
  readonly startAtLogin: boolean | null;
  /** The session is resumed after a restart until it ends. */
  readonly staySignedIn: boolean;
  /** The key QUICK_SEARCH shows the window with the search from any program. */
  readonly quickSearch: boolean;
  /** System notifications for a node that fails, a user at the limit, a backup that failed. */
  readonly notifications: boolean;
}

/** Theme and language of the pages, for menus and dialogs. `locale` null: the panel's own language. */
export interface Appearance {
  readonly theme: 'system' | 'light' | 'dark';
  readonly locale: Language | null;
}

/** A command of the pages, for the menus. */
export interface MenuAct {
  readonly id: string;
  readonly label: string;
  readonly group: 'goTo' | 'acts' | 'appearance';
  /** Its name among the sections of the settings, where it leads to one. */
  readonly settingsLabel?: string;
  /** Whether it is independent of the page on screen, so that the tray can offer it too. */
  readonly isEverywhere: boolean;
  /** Its key in the pages, such as `mod+k` or `n`. */
  readonly keys?: string;
}

/** The request headers that a call may carry. */
export type CallHeaders = { readonly [Name in 'if-match' | 'idempotency-key']?: string };

export interface DesktopApi {
  /** `input` is the JSON text of the operation's record. Rejects only if the main process does not answer. */
  call(operationId: string, input: string, headers: CallHeaders): Promise<CallEnvelope>;
  /** Sends events after `lastEventId` (null: from now on) under a number that the page chooses. */
  watch(watch: number, lastEventId: number | null): Promise<CallEnvelope>;
  unwatch(watch: number): Promise<void>;
  /** Returns a function that removes the listener. */
  onLive(listener: (message: LiveMessage) => void): () => void;
  /** The shell requests a page by its hash, such as `#/users/7`. Returns a function that removes the listener. */
  onGo(listener: (hash: string) => void): () => void;
  /** A secret is removed from the clipboard after a while, unless something else was copied since. */
  copy(text: string, isSecret: boolean): Promise<void>;
  /** Saves a file at the path that the user chooses in the system's dialog. False: cancelled. */
  save(name: string, content: string | Uint8Array): Promise<boolean>;
  /** Prints the page with the system's dialog. False: cancelled. */
  print(): Promise<boolean>;
  /** The page as a PDF document. */
  makePdf(): Promise<Uint8Array<ArrayBuffer>>;
  /** False: the address is not allowed. */
  openExternal(url: string): Promise<boolean>;
  /** Shows a user's record in a window of its own; an open one is reused. */
  openRecord(userId: number): Promise<void>;
  /** Shows a page in the main window by its hash. */
  openInMain(hash: string): Promise<void>;
  /** Closes the window that calls. */
  closeWindow(): Promise<void>;
  versions(): Promise<Versions>;
  settings(): Promise<DesktopSettings>;
  /** Resolves to the settings now in effect: a setting that the system refuses stays as it was. */
  changeSettings(change: Partial<DesktopSettings>): Promise<DesktopSettings>;
  setAppearance(appearance: Appearance): Promise<void>;
  /** The commands that the menus offer from now on. */
  setActs(acts: readonly MenuAct[]): Promise<void>;
  /** A command was chosen in a menu, by its id. Returns a function that removes the listener. */
  onAct(listener: (id: string) => void): () => void;
}

/** Replaces a setup link's token: the window itself needs no link. */
export const SETUP_HERE = 'here';

/** The query parameter that marks a record's own window; the hash is the record's. */
export const RECORD_MARK = 'record';

/** Called by a window, handled by the main process. */
export const CALL_CHANNELS = {
  call: 'panel:call',
  watch: 'panel:watch',
  unwatch: 'panel:unwatch',
  copy: 'host:copy',
  save: 'host:save',
  print: 'host:print',
  makePdf: 'host:make-pdf',
  openExternal: 'host:open-external',
  openRecord: 'host:open-record',
  openInMain: 'host:open-in-main',
  closeWindow: 'host:close-window',
  versions: 'host:versions',
  settings: 'host:settings',
  changeSettings: 'host:change-settings',
  setAppearance: 'host:set-appearance',
  setActs: 'host:set-acts',
} as const satisfies Record<Exclude<keyof DesktopApi, 'onLive' | 'onGo' | 'onAct'>, string>;

/** Sent by the main process to a window. */
export const EVENT_CHANNELS = { live: 'panel:live', go: 'host:go', act: 'host:act' } as const;
