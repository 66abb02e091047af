// The one window: the pages in it, its place, what closing it means, and what happens where they fail.
import type { BrowserWindow, Rectangle } from 'electron';
import { ORIGIN, webPreferences } from './security.ts';
import type { WindowState } from './window-state.ts';
import { fitBounds, SMALLEST } from './window-state.ts';

export interface WindowParts {
  readonly BrowserWindow: typeof BrowserWindow;
  /** Absolute path of the built preload. */
  readonly preload: string;
  /** Work areas of the screens, the main one first. */
  areas(): readonly Rectangle[];
  state(): WindowState;
  keep(state: WindowState): void;
  /** Where a new window begins, as a hash; empty: at the beginning. */
  home(): string;
  /** Judges that the window is to be closed; true: it hides instead. */
  hides(): boolean;
  /** The pages of the window are gone, or begin anew. */
  onPageGone(): void;
  onLoadFailed(error: unknown): void;
  onFailed(reason: string): Promise<'reload' | 'close'>;
  onUnresponsive(): Promise<'reload' | 'wait'>;
}

export interface ShellWindow {
  /** The id of its contents; null while there is none. */
  contents(): number | null;
  isFocused(): boolean;
  /** Makes the window where there is none and brings it to the front; `hash`: where to go. */
  show(hash?: string): void;
  tell(channel: string, message: unknown): void;
  close(): void;
}

/** `goChannel` tells the pages where to go while they run. */
export function createShellWindow(parts: WindowParts, goChannel: string): ShellWindow {
  let window: BrowserWindow | null = null;

  function make(hash: string): BrowserWindow {
    const { bounds, isMaximized, zoom } = parts.state();
    const made = new parts.BrowserWindow({
      ...fitBounds(bounds, parts.areas()),
      minWidth: SMALLEST.width,
      minHeight: SMALLEST.height,
      show: false,
      title: 'Gatehouse',
      autoHideMenuBar: true,
      webPreferences: webPreferences(parts.preload),
    });
    if (isMaximized) made.maximize();
    const { webContents } = made;
    webContents.on('did-finish-load', () => webContents.setZoomLevel(zoom));
    webContents.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
      if (isMainFrame && !isSameDocument) parts.onPageGone();
    });
    attachTrouble(made);
    const keep = () =>
      parts.keep({
        bounds: made.getNormalBounds(),
        isMaximized: made.isMaximized(),
        zoom: webContents.isDestroyed() ? zoom : webContents.getZoomLevel(),
      });
    made.on('close', (event) => {
      keep();
      if (!parts.hides()) return;
      event.preventDefault();
      made.hide();
    });
    made.on('closed', () => {
      window = null;
      parts.onPageGone();
    });
    window = made;
    // Broken off where the window closes meanwhile.
    made.loadURL(`${ORIGIN}/${hash}`).catch(parts.onLoadFailed);
    return made;
  }

  /** What fails is shown and asked about; never reloaded by itself, so that it cannot fail in a circle. */
  function attachTrouble(made: BrowserWindow): void {
    const { webContents } = made;
    webContents.on('render-process-gone', (_event, { reason }) => {
      parts.onPageGone();
      if (reason === 'clean-exit' || made.isDestroyed()) return;
      void parts.onFailed(reason).then((answer) => {
        if (made.isDestroyed()) return;
        if (answer === 'reload') webContents.reload();
        else made.destroy();
      });
    });
    let isAsking = false;
    made.on('unresponsive', () => {
      if (isAsking) return;
      isAsking = true;
      void parts.onUnresponsive().then((answer) => {
        isAsking = false;
        if (answer === 'reload' && !made.isDestroyed()) webContents.reload();
      });
    });
  }

  const alive = () => (window !== null && !window.isDestroyed() ? window : null);
  return {
    contents: () => alive()?.webContents.id ?? null,
    isFocused: () => alive()?.isFocused() ?? false,
    show(hash) {
      const present = alive();
      const shown = present ?? make(hash ?? parts.home());
      if (present !== null && hash !== undefined) present.webContents.send(goChannel, hash);
      if (shown.isMinimized()) shown.restore();
      shown.show();
      shown.focus();
    },
    tell(channel, message) {
      const contents = alive()?.webContents;
      if (contents !== undefined && !contents.isDestroyed()) contents.send(channel, message);
    },
    close: () => alive()?.close(),
  };
}
