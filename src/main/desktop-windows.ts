// The windows of the desktop application: the main one, and those of records beside it.
import type * as Electron from 'electron';
import { EVENT_CHANNELS } from '../bridge/desktop-api.ts';
import type { Basics } from './desktop-basics.ts';
import type { DesktopParts } from './desktop-parts.ts';
import type { Host } from './host.ts';
import { createRecordWindows, RECORD_SIZE, recordPlace, steppedState, userOfPlace } from './record-windows.ts';
import type { Shutdown } from './shutdown.ts';
import { trayIcon } from './tray.ts';
import { createShellWindow, type ShellWindow, stateOn, type WindowParts, withStateOn } from './window.ts';

export interface Windows {
  readonly main: ShellWindow;
  /** The window whose commands are in the menu. */
  focused(): ShellWindow;
  all(): readonly ShellWindow[];
  /** The window that a dialog belongs to: the focused one, else another that is on the screen; null: none is. */
  dialogParent(): Electron.BrowserWindow | null;
  find(contents: number): ShellWindow | undefined;
  closeRecords(): void;
  /** Opens a record in its own window; without a session in the main window, after the sign-in. */
  openRecord(userId: number): void;
  /** Opens the page of one of our own links. */
  openHash(hash: string): void;
  /** The place of a link from outside, once the panel is open; null: the first page. */
  openPlace(place: string | null): Promise<void>;
}

/** The later stages that windows report to. */
export interface WindowEvents {
  host(): Host;
  shutdown(): Shutdown;
  onPageGone(contents: number): void;
  onFocus(): void;
}

type SharedParts = Omit<WindowParts, 'state' | 'saveState' | 'startAt' | 'staysOpen' | 'onFocus' | 'onClosed'>;

export function createWindows(parts: DesktopParts, basics: Basics, events: WindowEvents): Windows {
  const { state } = basics;
  const { host } = events;
  const shared = buildSharedParts(parts, basics, events);
  const areas = shared.workAreas;
  const focus = (next: ShellWindow) => {
    focused = next;
    events.onFocus();
  };
  const main: ShellWindow = createShellWindow(
    {
      ...shared,
      state: () => stateOn(areas(), state.get().windows),
      saveState: (next) => state.set({ windows: withStateOn(areas(), state.get().windows, next) }),
      startAt: () => '',
      staysOpen: (hide) => staysOpen(parts, basics, events.shutdown(), hide),
      onFocus: () => focus(main),
      onClosed() {},
    },
    EVENT_CHANNELS.go,
  );
  let focused = main;
  const records = createRecordWindows((userId, place, onClosed) => {
    const record: ShellWindow = createShellWindow(
      {
        ...shared,
        size: RECORD_SIZE,
        // Electron has one zoom level for all pages of an origin.
        state: () => ({
          ...steppedState(stateOn(areas(), state.get().recordWindows), place, areas()),
          zoom: main.contents()?.getZoomLevel() ?? stateOn(areas(), state.get().windows).zoom,
        }),
        saveState: (next) => state.set({ recordWindows: withStateOn(areas(), state.get().recordWindows, next) }),
        startAt: () => recordPlace(userId),
        staysOpen: () => false,
        onFocus: () => focus(record),
        onClosed() {
          onClosed();
          if (focused === record) focus(main);
        },
      },
      EVENT_CHANNELS.go,
    );
    return record;
  });
  const all = () => [main, ...records.all()];

  function openRecord(userId: number): void {
    const isSignedIn = (host().session()?.token() ?? null) !== null;
    if (!isSignedIn || !records.show(userId)) main.show(`#/users/${userId}`);
  }

  return {
    main,
    focused: () => focused,
    all,
    dialogParent() {
      for (const one of [focused, ...all()]) {
        const shown = one.onScreen();
        if (shown !== null) return shown;
      }
      return null;
    },
    find: (contents) => all().find((one) => one.contents()?.id === contents),
    closeRecords: records.closeAll,
    openRecord,
    openHash(hash) {
      const user = /^#\/users\/([1-9]\d{0,14})(?:\?|$)/.exec(hash)?.[1];
      if (user === undefined) main.show(hash);
      else openRecord(Number(user));
    },
    async openPlace(place) {
      await host().whenOpened();
      // Before the set-up there is no record that a link could show.
      const target = host().panel()?.core.local.isSetUp() ? place : null;
      const user = target === null ? null : userOfPlace(target);
      if (user === null) main.show(target ?? undefined);
      else openRecord(user);
    },
  };
}

/** `--g-page` of the pages. */
export const BACKGROUND = { light: '#f8f8fa', dark: '#0d0e11' } as const;

function buildSharedParts(
  { electron, preload, process }: DesktopParts,
  { log, dialogs }: Basics,
  { onPageGone }: WindowEvents,
): SharedParts {
  const { platform } = process;
  return {
    BrowserWindow: electron.BrowserWindow,
    preload,
    icon: platform === 'linux' ? trayIcon(electron.nativeImage, platform) : null,
    background: () => BACKGROUND[electron.nativeTheme.shouldUseDarkColors ? 'dark' : 'light'],
    workAreas: () => workAreas(electron.screen),
    onPageGone,
    onLoadFailed: (error: unknown) => log.warn('pages not loaded', { error: String(error) }),
    onFailed(reason, parent) {
      log.error('window failed', { reason });
      return dialogs.pageFailed(reason, parent);
    },
    onUnresponsive: dialogs.unresponsive,
  };
}

/** A closed window is hidden while the panel keeps running; before the first time a dialog of the window explains that. */
function staysOpen(
  { electron }: DesktopParts,
  { state, dialogs }: Basics,
  shutdown: Shutdown,
  hide: () => void,
): boolean {
  const { app } = electron;
  if (shutdown.hasStarted()) return false;
  const { closeToTray, isTrayExplained } = state.get();
  if (!closeToTray) app.quit();
  else if (isTrayExplained) hide();
  else {
    state.set({ isTrayExplained: true });
    void dialogs.closedToTray().then((answer) => (answer === 'quit' ? app.quit() : hide()));
  }
  return true;
}

/** The work areas of the screens, the primary one first. */
function workAreas(screen: Electron.Screen): readonly Electron.Rectangle[] {
  const primary = screen.getPrimaryDisplay();
  const others = screen.getAllDisplays().filter(({ id }) => id !== primary.id);
  return [primary, ...others].map(({ workArea }) => workArea);
}
