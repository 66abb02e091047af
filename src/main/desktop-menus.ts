// Menu, tray and badge of the desktop application, with the commands of the pages in them.
import { EVENT_CHANNELS, type MenuAct } from '../bridge/desktop-api.ts';
import { countAttention, createBadge } from './badge.ts';
import type { Basics } from './desktop-basics.ts';
import type { DesktopParts } from './desktop-parts.ts';
import type { Windows } from './desktop-windows.ts';
import { describeVersions } from './dialogs.ts';
import type { Host } from './host.ts';
import { readVersions } from './host-channels.ts';
import { type MenuActions, menuTemplate } from './menu.ts';
import type { Shutdown } from './shutdown.ts';
import { openTray, readStatus, type Status, type TrayActions, trayIcon } from './tray.ts';
import type { Updates } from './updates.ts';
import type { ShellWindow } from './window.ts';

/** Interval at which issues are counted without an event, in ms. */
const COUNT_MS = 60_000;

/** Actions of the menu and the tray, carried out in the main window. */
export type Actions = MenuActions & TrayActions;

export interface Menus {
  readonly actions: Actions;
  /** The commands of a page; none while it is locked or loads. */
  setActs(sender: number, acts: readonly MenuAct[]): void;
  forgetActs(contents: number): void;
  /** Another window has the focus. */
  refreshMenus(): void;
  /** The displayed status of the panel has changed. */
  refresh(): void;
  /** Counts issues again at the next refresh. */
  recountAttention(): void;
  openTray(): void;
  closeTray(): void;
}

/** The stages that menus show and act upon. */
export interface MenuStages {
  readonly windows: Windows;
  readonly host: Host;
  readonly shutdown: Shutdown;
  readonly updates: Updates | null;
}

export function createMenus(parts: DesktopParts, basics: Basics, stages: MenuStages): Menus {
  const { electron } = parts;
  const { platform } = parts.process;
  const { Menu } = electron;
  const { windows, host, shutdown } = stages;
  const { language, texts } = basics;
  const { now } = parts.clock;
  const acts = new Map<number, readonly MenuAct[]>();
  const listActs = (one: ShellWindow) => acts.get(one.contents()?.id ?? 0) ?? [];
  /** An action that was chosen while the main window had no page for it. */
  let awaited: string | null = null;
  /** When issues were last counted. */
  let countedAt = Number.NEGATIVE_INFINITY;
  let attention = 0;
  let status: Status = null;
  let menuShown = '';

  const actions: Actions = {
    ...createActions(parts, basics, stages, refresh),
    act(id) {
      windows.main.show();
      if (listActs(windows.main).length > 0) windows.main.send(EVENT_CHANNELS.act, id);
      else awaited = id;
    },
  };
  const menuActions: Actions = {
    ...actions,
    act(id) {
      const focused = windows.focused();
      if (focused === windows.main) actions.act(id);
      else focused.send(EVENT_CHANNELS.act, id);
    },
  };
  const trayParts = { Tray: electron.Tray, Menu, icon: trayIcon(electron.nativeImage, platform), actions, platform };
  let tray = openTray(trayParts);
  const { app, nativeImage } = electron;
  const badge = createBadge({ app, nativeImage, platform, setOverlay: windows.main.setOverlay });

  function refresh(): void {
    const t = texts();
    const core = host.panel()?.core;
    if (core && now() - countedAt >= COUNT_MS) {
      attention = countAttention(core, now());
      countedAt = now();
    }
    badge(attention, t('attention', { count: attention }));
    status = readStatus(host.panel(), language());
    refreshMenus();
  }

  function refreshMenus(): void {
    // The tray is closed by then.
    if (shutdown.hasStarted()) return;
    const t = texts();
    const focusedActs = listActs(windows.focused());
    tray?.show(status, t, listActs(windows.main));
    // The menu depends on the language and the commands only.
    const next = JSON.stringify([t('open'), focusedActs]);
    if (menuShown === next) return;
    menuShown = next;
    Menu.setApplicationMenu(Menu.buildFromTemplate([...menuTemplate(t, menuActions, platform, focusedActs)]));
  }

  return {
    actions,
    setActs(sender, next) {
      acts.set(sender, next);
      refreshMenus();
      if (awaited === null || listActs(windows.main).length === 0) return;
      windows.main.send(EVENT_CHANNELS.act, awaited);
      awaited = null;
    },
    forgetActs(contents) {
      acts.delete(contents);
      refreshMenus();
    },
    refreshMenus,
    refresh,
    recountAttention() {
      countedAt = Number.NEGATIVE_INFINITY;
    },
    openTray() {
      tray = openTray(trayParts);
    },
    closeTray: () => tray?.close(),
  };
}

function createActions(
  { electron, folder, process }: DesktopParts,
  { clipboard, dialogs, texts }: Basics,
  { windows, host, updates }: MenuStages,
  refresh: () => void,
): Omit<Actions, 'act'> {
  const { app, shell } = electron;
  return {
    open: () => windows.main.show(),
    openPage: windows.main.show,
    copyBaseUrl: () => void clipboard.copy(host.panel()?.core.baseUrl() ?? '', false).catch(() => undefined),
    pause(isPaused) {
      host.panel()?.api.pause(isPaused);
      refresh();
    },
    openDataFolder: () => void shell.openPath(folder).catch(() => undefined),
    async about() {
      const text = describeVersions(readVersions(app, process), texts());
      if ((await dialogs.about(text)) === 'copy') await clipboard.copy(text, false);
    },
    checkForUpdates: updates && (() => void updates.check()),
    closeWindow: () => windows.focused().close(),
    quit: () => app.quit(),
  };
}
