// Composes the desktop application from Electron's objects, which are passed in: panel, window, tray, menu, IPC and shutdown.
import { join } from 'node:path';
import type * as Electron from 'electron';
import { EVENT_CHANNELS, type MenuAct } from '../bridge/desktop-api.ts';
import type { Clock, Log } from '../core/ports/ports.ts';
import { hostTexts } from '../i18n/host.ts';
import { chooseLanguage } from '../i18n/languages.ts';
import type { openPanel } from '../panel/panel.ts';
import { countAttention, createBadge } from './badge.ts';
import { type DeepLinks, LINK_SCHEME } from './deep-link.ts';
import { openStateFile } from './desktop-state.ts';
import { createDialogs } from './dialogs.ts';
import { createHost } from './host.ts';
import { createHostChannels, createSecretClipboard, readVersions, saveFile } from './host-channels.ts';
import { attachIpc } from './ipc.ts';
import { SETUP_HERE } from './ipc-session.ts';
import { createLoginItem, HIDDEN } from './login-item.ts';
import { menuTemplate, PALETTE } from './menu.ts';
import { createNotifier, describeEvent, readEventName } from './notifications.ts';
import { createPanelChannels } from './panel-channels.ts';
import { followSleep } from './power.ts';
import { type PageSource, serveScheme } from './protocol.ts';
import { createQuickSearch } from './quick-search.ts';
import { createRecordWindows, RECORD_SIZE, recordPlace, steppedState, userOfPlace } from './record-windows.ts';
import { guardContents, guardSession } from './security.ts';
import { createShutdown, takeCrashReport } from './shutdown.ts';
import { createStaySignedIn } from './stay-signed-in.ts';
import { openTray, readStatus, type Status, trayIcon } from './tray.ts';
import { createUpdates, type Updater } from './updates.ts';
import { createShellWindow, type ShellWindow, stateOn, withStateOn } from './window.ts';

/** How often the panel is checked and the tray updated, in ms. */
const CHECK_MS = 5000;

/** On a battery it is done once in so many times. */
const SAVING_TURNS = 3;
/** How often what needs attention is counted where no event says that it has changed, in ms. */
const COUNT_MS = 60_000;

export type ElectronParts = Pick<
  typeof Electron,
  | 'app'
  | 'BrowserWindow'
  | 'clipboard'
  | 'dialog'
  | 'globalShortcut'
  | 'ipcMain'
  | 'Menu'
  | 'nativeImage'
  | 'nativeTheme'
  | 'Notification'
  | 'powerMonitor'
  | 'protocol'
  | 'screen'
  | 'session'
  | 'shell'
  | 'Tray'
>;

export interface DesktopParts {
  readonly electron: ElectronParts;
  readonly openPanel: typeof openPanel;
  readonly pages: PageSource;
  readonly clock: Clock;
  /** Absolute path of the panel's data folder. */
  readonly folder: string;
  readonly keyFile: string | undefined;
  /** Absolute path of the built preload. */
  readonly preload: string;
  /** null: this installation has no update feed. */
  readonly updater: Updater | null;
  readonly links: DeepLinks;
  readonly process: Pick<NodeJS.Process, 'on' | 'platform' | 'versions' | 'argv' | 'execPath' | 'env'>;
}

/** Call once the application is ready and holds the single-instance lock. Rejects with any error that is not a refusal. */
export async function startDesktop({ electron, ...parts }: DesktopParts): Promise<void> {
  const { app, dialog, shell, nativeTheme, Menu } = electron;
  const { platform, argv } = parts.process;
  const userData = app.getPath('userData');
  const crashPath = join(userData, 'crash.json');
  const state = openStateFile(join(userData, 'desktop.json'));
  const language = () => {
    const core = host.panel()?.core;
    // Before the set-up the panel's language is but a default: the administrator's own follows from how it is done.
    const preferences = [
      state.get().appearance.locale,
      core?.local.isSetUp() ? core.settings().language : null,
      app.getLocale(),
    ];
    return chooseLanguage(preferences);
  };
  const texts = () => hostTexts(language(), 'desktop');
  const dialogs = createDialogs(dialog, texts);
  const clipboard = createSecretClipboard(electron.clipboard);
  const openExternal = async (url: string) => shell.openExternal(url);
  const log: Pick<Log, 'warn' | 'error'> = {
    warn: (event, fields) => host.panel()?.log.warn(event, fields),
    error: (event, fields) => host.panel()?.log.error(event, fields),
  };

  const staySignedIn = createStaySignedIn({
    isEnabled: () => state.get().staySignedIn,
    panel: () => host.panel(),
    token: () => host.session()?.token() ?? null,
  });
  const channels = createPanelChannels({
    session: () => host.session(),
    emit(sender, message) {
      const watching = windowOf(sender);
      // The session is that of all windows, and those of records are closed with it.
      if (message.kind === 'signed-out' && watching !== window) watching?.close();
      else watching?.send(EVENT_CHANNELS.live, message);
    },
    log,
  });
  const areas = () => workAreas(electron.screen);
  const icon = trayIcon(electron.nativeImage, platform);
  const ofEveryWindow = {
    BrowserWindow: electron.BrowserWindow,
    preload: parts.preload,
    icon: platform === 'linux' ? icon : null,
    workAreas: areas,
    onPageGone(contents: number) {
      channels.endWatches(contents);
      acts.delete(contents);
      refreshMenus();
    },
    onLoadFailed: (error: unknown) => log.warn('pages not loaded', { error: String(error) }),
    onFailed(reason: string) {
      log.error('window failed', { reason });
      return dialogs.pageFailed(reason);
    },
    onUnresponsive: dialogs.unresponsive,
    onSessionEnd: () => void shutdown.prepare(),
  };
  const window: ShellWindow = createShellWindow(
    {
      ...ofEveryWindow,
      state: () => stateOn(areas(), state.get().windows),
      saveState: (next) => state.set({ windows: withStateOn(areas(), state.get().windows, next) }),
      startAt: () => (host.panel()?.core.local.isSetUp() ? '' : `#/setup/${SETUP_HERE}`),
      hidesOnClose,
      onFocus: () => focus(window),
      onClosed() {},
    },
    EVENT_CHANNELS.go,
  );
  const records = createRecordWindows((userId, place, onClosed) => {
    const record: ShellWindow = createShellWindow(
      {
        ...ofEveryWindow,
        size: RECORD_SIZE,
        // Electron has one zoom for all pages of an address.
        state: () => ({
          ...steppedState(stateOn(areas(), state.get().recordWindows), place, areas()),
          zoom: window.contents()?.getZoomLevel() ?? stateOn(areas(), state.get().windows).zoom,
        }),
        saveState: (next) => state.set({ recordWindows: withStateOn(areas(), state.get().recordWindows, next) }),
        startAt: () => recordPlace(userId),
        hidesOnClose: () => false,
        onFocus: () => focus(record),
        onClosed() {
          onClosed();
          if (focused === record) focus(window);
        },
      },
      EVENT_CHANNELS.go,
    );
    return record;
  });
  const windowOf = (contents: number) => [window, ...records.all()].find((one) => one.contents()?.id === contents);
  /** The one whose commands are in the menu. */
  let focused = window;
  function focus(next: ShellWindow): void {
    focused = next;
    refreshMenus();
  }
  /** In a window of its own where there is a session; in the main one it waits for the sign-in. */
  function openRecord(userId: number): void {
    const isSignedIn = (host.session()?.token() ?? null) !== null;
    if (!isSignedIn || !records.show(userId)) window.show(`#/users/${userId}`);
  }
  const { now } = parts.clock;
  /** When what needs attention was last counted. */
  let countedAt = Number.NEGATIVE_INFINITY;
  const notify = createNotifier({ Notification: electron.Notification, now, texts, go: window.show });
  const host = createHost({
    options: { folder: parts.folder, keyFile: parts.keyFile },
    open: parts.openPanel,
    device: 'Gatehouse',
    ask: dialogs.refused,
    async onOpen(panel, session) {
      if (session.token() === null) await staySignedIn.resume(panel, session);
      panel.core.subscribe((event) => {
        if (/^(?:node|backup|certificate)\./.test(event.type)) countedAt = Number.NEGATIVE_INFINITY;
        if (!state.get().notifications || window.isFocused()) return;
        const content = describeEvent(event, texts(), () => readEventName(panel.core, event));
        if (content !== null) notify(content);
      });
    },
    onSession(token) {
      staySignedIn.onSession(token);
      if (token === null) records.closeAll();
    },
    onReopened(reason, error) {
      const t = texts();
      const body = error === null ? t('reopenedDetail', { reason }) : String(error);
      notify({ title: t(error === null ? 'reopened' : 'notReopened'), body, hash: '' });
    },
  });

  guardContents(app, {
    external: (url) => void openExternal(url).catch(() => undefined),
    own(hash) {
      const user = /^#\/users\/([1-9]\d{0,14})(?:\?|$)/.exec(hash)?.[1];
      if (user === undefined) window.show(hash);
      else openRecord(Number(user));
    },
  });
  guardSession(electron.session.defaultSession);
  const shutdown = createShutdown({
    app,
    crashPath,
    now,
    process: parts.process,
    log: () => host.panel()?.log ?? null,
    steps: [
      () => {
        for (const one of [window, ...records.all()]) one.save();
      },
      () => clearInterval(timer),
      clipboard.clearSecret,
      staySignedIn.idle,
      host.close,
      () => tray?.close(),
    ],
  });
  let timer: NodeJS.Timeout | undefined;
  const { powerMonitor } = electron;
  function startChecks(): void {
    let turn = 0;
    timer = setInterval(() => {
      const isOnBattery = powerMonitor.isOnBatteryPower();
      host.panel()?.core.saveEnergy(isOnBattery);
      turn = (turn + 1) % SAVING_TURNS;
      if (isOnBattery && turn !== 0) return;
      host.check().then(refresh, (error) => log.error('panel check failed', { error }));
    }, CHECK_MS);
  }

  /** After an update that was refused or cancelled. */
  async function reopen(): Promise<boolean> {
    if (!shutdown.resume()) return false;
    const isOpen = await host.resume('an update was not installed');
    tray = openTray(trayParts);
    startChecks();
    refresh();
    return isOpen;
  }
  const updates =
    parts.updater &&
    createUpdates({
      updater: parts.updater,
      texts,
      ask: dialogs.choose,
      close: shutdown.prepare,
      reopen,
      skipped: () => state.get().skippedVersion,
      skip: (version) => state.set({ skippedVersion: version }),
      log: log.warn,
    });

  /** The commands of the pages by their contents; none while a page is locked or loads. */
  const acts = new Map<number, readonly MenuAct[]>();
  const actsOf = (one: ShellWindow) => acts.get(one.contents()?.id ?? 0) ?? [];
  /** Chosen while there was no page in the main window that could do it. */
  let awaited: string | null = null;
  function setActs(sender: number, next: readonly MenuAct[]): void {
    acts.set(sender, next);
    refreshMenus();
    if (awaited === null || actsOf(window).length === 0) return;
    window.send(EVENT_CHANNELS.act, awaited);
    awaited = null;
  }

  const actions = {
    act(id: string) {
      window.show();
      if (actsOf(window).length > 0) window.send(EVENT_CHANNELS.act, id);
      else awaited = id;
    },
    open: () => window.show(),
    go: window.show,
    copyBaseUrl: () => void clipboard.copy(host.panel()?.core.baseUrl() ?? '', false).catch(() => undefined),
    pause(isPaused: boolean) {
      host.panel()?.api.pause(isPaused);
      refresh();
    },
    openDataFolder: () => void shell.openPath(parts.folder).catch(() => undefined),
    about: () => app.showAboutPanel(),
    checkForUpdates: updates && (() => void updates.check()),
    closeWindow: () => focused.close(),
    quit: () => app.quit(),
  };
  const menuActions = {
    ...actions,
    act: (id: string) => (focused === window ? actions.act(id) : focused.send(EVENT_CHANNELS.act, id)),
  };
  const trayParts = { Tray: electron.Tray, Menu, icon, actions, platform };
  let tray = openTray(trayParts);
  let menuShown = '';
  const badge = createBadge({ app, nativeImage: electron.nativeImage, platform, setOverlay: window.setOverlay });
  let attention = 0;
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
  let status: Status = null;
  function refreshMenus(): void {
    // A tray that is gone cannot be changed.
    if (shutdown.hasStarted()) return;
    const t = texts();
    tray?.show(status, t, actsOf(window));
    // The menu depends on the language and the commands only.
    const next = JSON.stringify([t('open'), actsOf(focused)]);
    if (menuShown === next) return;
    menuShown = next;
    Menu.setApplicationMenu(Menu.buildFromTemplate([...menuTemplate(t, menuActions, platform, actsOf(focused))]));
  }

  /** A closed window is hidden while the panel keeps running, which is explained once. */
  function hidesOnClose(): boolean {
    if (shutdown.hasStarted()) return false;
    const { closeToTray, isTrayExplained } = state.get();
    if (!closeToTray) {
      app.quit();
      return true;
    }
    if (!isTrayExplained) {
      state.set({ isTrayExplained: true });
      void dialogs.closedToTray().then((answer) => {
        if (answer === 'quit') app.quit();
      });
    }
    return true;
  }

  if (!(await host.open())) return app.exit(0);

  serveScheme(electron.protocol, { pages: parts.pages, session: host.session, log });
  const quickSearch = createQuickSearch(electron.globalShortcut, () => actions.act(PALETTE));
  // Where another program has the key now, it stays asked for: the next start tries it again.
  quickSearch.set(state.get().quickSearch);
  const hostChannels = createHostChannels({
    quickSearch,
    loginItem: createLoginItem({ app, process: parts.process }),
    nativeTheme,
    state,
    clipboard,
    openExternal,
    versions: readVersions(app, parts.process),
    save: (name, content) => saveFile({ dialog, folder: app.getPath('downloads') }, name, content),
    contentsOf: (sender) => windowOf(sender)?.contents() ?? null,
    openRecord,
    openInMain: window.show,
    closeWindow: (sender) => windowOf(sender)?.close(),
    staySignedIn: staySignedIn.enable,
    setActs,
    onChange: refresh,
  });
  attachIpc(
    electron.ipcMain,
    { ...channels.handlers, ...hostChannels },
    {
      windowContents: () => [window, ...records.all()].flatMap((one) => one.contents()?.id ?? []),
      log,
    },
  );

  followSleep({
    powerMonitor,
    panel: host.panel,
    now,
    texts,
    notify(content) {
      if (state.get().notifications) notify(content);
    },
    onFailed: (error) => log.error('waking failed', { error: String(error) }),
  });
  nativeTheme.themeSource = state.get().appearance.theme;
  startChecks();
  // Before the set-up there is no record that a link could show.
  const openLink = (place: string | null) => {
    const target = host.panel()?.core.local.isSetUp() ? place : null;
    const user = target === null ? null : userOfPlace(target);
    if (user === null) window.show(target ?? undefined);
    else openRecord(user);
  };
  const firstLink = parts.links.listen(openLink);
  app.on('activate', actions.open);
  // Without a listener Electron would quit; the panel runs without a window.
  app.on('window-all-closed', () => {});
  refresh();
  // macOS passes no arguments to what it opens at login.
  const isOpenedAtLogin = platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin;
  if (firstLink !== null) openLink(firstLink);
  else if (!argv.includes(HIDDEN) && !isOpenedAtLogin) window.show();
  // In a checkout the program is Electron, which would show this link in every application of its kind.
  if (app.isPackaged) app.setAsDefaultProtocolClient(LINK_SCHEME);
  updates?.start();
  const crash = takeCrashReport(crashPath);
  if (crash !== null) await dialogs.crashed(crash, join(parts.folder, 'logs', 'panel.log'));
}

/** The work areas of the screens, the primary one first. */
function workAreas(screen: Electron.Screen): readonly Electron.Rectangle[] {
  const primary = screen.getPrimaryDisplay();
  const others = screen.getAllDisplays().filter(({ id }) => id !== primary.id);
  return [primary, ...others].map(({ workArea }) => workArea);
}
