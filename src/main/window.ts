// A window: the pages in it, its bounds, what closing it does, and what happens when a page fails.
import type { BrowserWindow, NativeImage, Rectangle, WebContents } from 'electron';
import { ORIGIN, webPreferences } from './security.ts';

export interface WindowState {
  readonly bounds: Rectangle | null;
  readonly isMaximized: boolean;
  /** Electron's zoom level: 0 is 100%. */
  readonly zoom: number;
}

/** The state of the window on each arrangement of screens, such as a laptop with and without a monitor; the latest last. */
export type WindowStates = Readonly<Record<string, WindowState>>;

const FIRST_STATE: WindowState = { bounds: null, isMaximized: false, zoom: 0 };
/** How many arrangements are remembered. */
const MAX_ARRANGEMENTS = 10;

/** The state on the present screens; on a new arrangement the latest of the others. */
export function stateOn(areas: readonly Rectangle[], states: WindowStates): WindowState {
  return states[describeArrangement(areas)] ?? Object.values(states).at(-1) ?? FIRST_STATE;
}

/** Adds the state on the present screens; removes the oldest one if there are too many. */
export function withStateOn(areas: readonly Rectangle[], states: WindowStates, state: WindowState): WindowStates {
  const present = describeArrangement(areas);
  const others = Object.entries(states).filter(([arrangement]) => arrangement !== present);
  return Object.fromEntries([...others, [present, state] as const].slice(-MAX_ARRANGEMENTS));
}

function describeArrangement(areas: readonly Rectangle[]): string {
  return areas.map(({ x, y, width, height }) => `${width}x${height}+${x}+${y}`).join(' ');
}

export interface WindowParts {
  readonly BrowserWindow: typeof BrowserWindow;
  /** Absolute path of the built preload. */
  readonly preload: string;
  /** Icon for systems that do not read it from the application's files; else null. */
  readonly icon: NativeImage | null;
  /** Color of the pages, so that nothing flashes before they are painted. */
  background(): string;
  /** Work areas of the screens, the primary one first. */
  workAreas(): readonly Rectangle[];
  state(): WindowState;
  saveState(state: WindowState): void;
  /** Where a new window starts: a hash, or the place of a record; empty: the first page. */
  startAt(): string;
  /** Size without stored bounds. */
  readonly size?: Size;
  /** Called when the window is about to close; true: it stays open, until `hide` is called. */
  staysOpen(hide: () => void): boolean;
  /** The page has been closed, or is loaded again; `contents`: its id. */
  onPageGone(contents: number): void;
  onFocus(): void;
  onClosed(): void;
  onLoadFailed(error: unknown): void;
  /** `parent`: the window, if it is on the screen. */
  onFailed(reason: string, parent: BrowserWindow | null): Promise<'reload' | 'close'>;
  onUnresponsive(parent: BrowserWindow | null): Promise<'reload' | 'wait'>;
}

export interface ShellWindow {
  /** The contents of its page; null while there is no window. */
  contents(): WebContents | null;
  isFocused(): boolean;
  /** The window if it is on the screen, so that a dialog can belong to it; else null. */
  onScreen(): BrowserWindow | null;
  /** Brings the window to the front, and creates it if there is none; `hash`: the page to show. */
  show(hash?: string): void;
  send(channel: string, message: unknown): void;
  /** Sets the overlay of its taskbar button on Windows; null: none. */
  setOverlay(image: NativeImage | null, description: string): void;
  /** Stores its state, as closing it does. */
  save(): void;
  close(): void;
}

/** `goChannel` carries the hash of the page to show while the pages are running. */
export function createShellWindow(parts: WindowParts, goChannel: string): ShellWindow {
  let window: BrowserWindow | null = null;

  function create(hash: string): BrowserWindow {
    const { bounds, isMaximized, zoom } = parts.state();
    const created = new parts.BrowserWindow({
      ...clampBounds(bounds, parts.workAreas(), parts.size),
      minWidth: MIN_SIZE.width,
      minHeight: MIN_SIZE.height,
      show: false,
      title: 'Gatehouse',
      backgroundColor: parts.background(),
      autoHideMenuBar: true,
      ...(parts.icon !== null && { icon: parts.icon }),
      webPreferences: webPreferences(parts.preload),
    });
    if (isMaximized) created.maximize();
    const { webContents } = created;
    const { id } = webContents;
    webContents.on('did-finish-load', () => webContents.setZoomLevel(zoom));
    webContents.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
      if (isMainFrame && !isSameDocument) parts.onPageGone(id);
    });
    handleFailures(created);
    created.on('focus', parts.onFocus);
    created.on('close', (event) => {
      save();
      const hide = () => alive()?.hide();
      if (parts.staysOpen(hide)) event.preventDefault();
    });
    created.on('closed', () => {
      window = null;
      parts.onPageGone(id);
      parts.onClosed();
    });
    window = created;
    // Rejects also when the window is closed while it loads.
    created.loadURL(`${ORIGIN}/${hash}`).catch(parts.onLoadFailed);
    return created;
  }

  /** A failed page is reloaded only on request, so that it cannot fail in an endless loop. */
  function handleFailures(created: BrowserWindow): void {
    const { webContents } = created;
    webContents.on('render-process-gone', (_event, { reason }) => {
      parts.onPageGone(webContents.id);
      if (reason === 'clean-exit' || created.isDestroyed()) return;
      void parts.onFailed(reason, onScreen()).then((answer) => {
        if (created.isDestroyed()) return;
        if (answer === 'reload') webContents.reload();
        else created.destroy();
      });
    });
    let isAsking = false;
    created.on('unresponsive', () => {
      if (isAsking) return;
      isAsking = true;
      void parts.onUnresponsive(onScreen()).then((answer) => {
        isAsking = false;
        if (answer === 'reload' && !created.isDestroyed()) webContents.reload();
      });
    });
  }

  const alive = () => (window !== null && !window.isDestroyed() ? window : null);
  function onScreen(): BrowserWindow | null {
    const shown = alive();
    return shown?.isVisible() && !shown.isMinimized() ? shown : null;
  }
  function save(): void {
    const shown = alive();
    if (shown === null || shown.webContents.isDestroyed()) return;
    parts.saveState({
      bounds: shown.getNormalBounds(),
      isMaximized: shown.isMaximized(),
      zoom: shown.webContents.getZoomLevel(),
    });
  }
  return {
    contents: () => alive()?.webContents ?? null,
    isFocused: () => alive()?.isFocused() ?? false,
    onScreen,
    show(hash) {
      const existing = alive();
      const shown = existing ?? create(hash ?? parts.startAt());
      if (existing !== null && hash !== undefined) existing.webContents.send(goChannel, hash);
      if (shown.isMinimized()) shown.restore();
      shown.show();
      shown.focus();
    },
    send(channel, message) {
      const contents = alive()?.webContents;
      if (contents !== undefined && !contents.isDestroyed()) contents.send(channel, message);
    },
    setOverlay: (image, description) => alive()?.setOverlayIcon(image, description),
    save,
    close: () => alive()?.close(),
  };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** As wide as the list of users needs without scrolling. */
const DEFAULT_SIZE: Size = { width: 1320, height: 860 };
const MIN_SIZE = { width: 480, height: 480 };
/** How much of the title bar must be on a screen so that the window can be dragged, in px. */
const HANDLE = 80;

/**
 * The stored bounds, fitted to the present screens, because a screen may have been unplugged. `areas` are their work areas, the primary
 * one first.
 */
export function clampBounds(
  bounds: Rectangle | null,
  areas: readonly Rectangle[],
  size: Size = DEFAULT_SIZE,
): Rectangle {
  const primary = areas[0] ?? { x: 0, y: 0, ...size };
  const screen = bounds === null ? undefined : areas.find((area) => isReachable(bounds, area));
  if (bounds === null || screen === undefined) return centerIn(primary, size);
  const width = clamp(bounds.width, MIN_SIZE.width, screen.width);
  const height = clamp(bounds.height, MIN_SIZE.height, screen.height);
  return {
    x: clamp(bounds.x, screen.x, screen.x + screen.width - width),
    y: clamp(bounds.y, screen.y, screen.y + screen.height - height),
    width,
    height,
  };
}

/** Whether enough of the title bar is on the screen. */
function isReachable({ x, y, width }: Rectangle, area: Rectangle): boolean {
  const visible = Math.min(x + width, area.x + area.width) - Math.max(x, area.x);
  return visible >= HANDLE && y >= area.y - HANDLE && y <= area.y + area.height - HANDLE;
}

function centerIn(area: Rectangle, size: Size): Rectangle {
  const width = Math.min(size.width, area.width);
  const height = Math.min(size.height, area.height);
  return {
    x: area.x + Math.floor((area.width - width) / 2),
    y: area.y + Math.floor((area.height - height) / 2),
    width,
    height,
  };
}

function clamp(value: number, min: number, max: number): number {
  return Math.round(Math.max(min, Math.min(value, Math.max(min, max))));
}
