// Puts the desktop together out of Electron's objects, which are passed in: the panel, its window, its tray, and how they end.
import { join } from 'node:path';
import type * as Electron from 'electron';
import { TELL } from '../bridge/channels.ts';
import type { Clock, Log } from '../core/ports/ports.ts';
import type { Pages } from '../http/pages.ts';
import { hostTexts } from '../i18n/host.ts';
import { chooseLanguage } from '../i18n/languages.ts';
import type { openPanel } from '../panel/panel.ts';
import { createCopier } from './clipboard.ts';
import { takeCrashNote } from './crash-note.ts';
import { openStateFile } from './desktop-state.ts';
import { createDialogs } from './dialogs.ts';
import { endInOrder } from './ending.ts';
import { createHost } from './host.ts';
import { createHostChannels, HIDDEN } from './host-channels.ts';
import { trayIcon } from './icon.ts';
import { attachIpc } from './ipc.ts';
import { SETUP_HERE } from './ipc-session.ts';
import { menuTemplate } from './menu.ts';
import { createNotifier, noticeOf } from './notices.ts';
import { createPanelChannels } from './panel-channels.ts';
import { serveScheme } from './protocol.ts';
import { saveFile } from './save-file.ts';
import { guardContents, guardSession } from './security.ts';
import { createSessionKeeper } from './session-keeper.ts';
import { statusOf } from './status.ts';
import { subjectOf } from './subject.ts';
import { openTray } from './tray.ts';
import { createUpdates, type Updater } from './updates.ts';
import { versionsOf } from './versions.ts';
import { createShellWindow } from './window.ts';

/** How often the tray is brought up to date and the panel looked after, in ms. */
const LOOK_MS = 5000;

export type ElectronParts = Pick<
  typeof Electron,
  | 'app'
  | 'BrowserWindow'
  | 'clipboard'
  | 'dialog'
  | 'ipcMain'
  | 'Menu'
  | 'nativeImage'
  | 'nativeTheme'
  | 'Notification'
  | 'protocol'
  | 'screen'
  | 'session'
  | 'shell'
  | 'Tray'
>;

export interface DesktopParts {
  readonly electron: ElectronParts;
  readonly openPanel: typeof openPanel;
  readonly pages: Pages;
  readonly clock: Clock;
  /** Absolute path of the panel's data folder. */
  readonly folder: string;
  readonly keyFile: string | undefined;
  /** Absolute path of the built preload. */
  readonly preload: string;
  /** null: this installation has no place to look for newer versions. */
  readonly updater: Updater | null;
  readonly process: Pick<NodeJS.Process, 'on' | 'platform' | 'versions' | 'argv' | 'execPath' | 'env'>;
}

/** To be called once the application is ready and is the only one of its kind. Rejects with what is no refusal. */
export async function startDesktop({ electron, ...parts }: DesktopParts): Promise<void> {
  const { app, dialog, shell, nativeTheme, Menu } = electron;
  const { platform, argv } = parts.process;
  const userData = app.getPath('userData');
  const crashPath = join(userData, 'crash.json');
  const state = openStateFile(join(userData, 'desktop.json'));
  const texts = () => {
    const preferences = [state.get().look.locale, host.panel()?.core.settings().language ?? null, app.getLocale()];
    return hostTexts(chooseLanguage(preferences), 'desktop');
  };
  const dialogs = createDialogs(dialog, texts);
  const copier = createCopier(electron.clipboard);
  const openExternal = async (url: string) => shell.openExternal(url);
  const log: Pick<Log, 'warn' | 'error'> = {
    warn: (event, fields) => host.panel()?.log.warn(event, fields),
    error: (event, fields) => host.panel()?.log.error(event, fields),
  };

  const keeper = createSessionKeeper({
    isWanted: () => state.get().staySignedIn,
    panel: () => host.panel(),
    token: () => host.session()?.token() ?? null,
  });
  const channels = createPanelChannels({
    session: () => host.session(),
    emit: (message) => window.tell(TELL.live, message),
    log,
  });
  const window = createShellWindow(
    {
      BrowserWindow: electron.BrowserWindow,
      preload: parts.preload,
      areas: () => areasOf(electron.screen),
      state: () => state.get().window,
      keep: (next) => state.set({ window: next }),
      home: () => (host.panel()?.core.local.isSetUp() ? '' : `#/setup/${SETUP_HERE}`),
      hides: hidesWindow,
      onPageGone: channels.forget,
      onLoadFailed: (error) => log.warn('the pages were not loaded', { error: String(error) }),
      onFailed(reason) {
        log.error('the window failed', { reason });
        return dialogs.pageFailed(reason);
      },
      onUnresponsive: dialogs.unresponsive,
    },
    TELL.go,
  );
  const { now } = parts.clock;
  const notify = createNotifier({ Notification: electron.Notification, now, go: window.show });
  const host = createHost({
    options: { folder: parts.folder, keyFile: parts.keyFile },
    open: parts.openPanel,
    device: 'Gatehouse',
    ask: dialogs.refused,
    async onOpen(panel, session) {
      if (session.token() === null) await keeper.resume(panel, session);
      panel.core.subscribe((event) => {
        const isWanted = state.get().notifications && !window.isFocused();
        const notice = isWanted ? noticeOf(event, texts(), () => subjectOf(panel.core, event.data)) : null;
        if (notice !== null) notify(notice);
      });
    },
    onSession: keeper.changed,
    onReopened(reason, error) {
      const t = texts();
      const body = error === null ? t('reopenedDetail', { reason }) : String(error);
      notify({ title: t(error === null ? 'reopened' : 'notReopened'), body, hash: '' });
    },
  });

  guardContents(app, (url) => void openExternal(url).catch(() => undefined));
  guardSession(electron.session.defaultSession);
  const ending = endInOrder({
    ...{ app, crashPath, now },
    process: parts.process,
    log: () => host.panel()?.log ?? null,
    steps: [() => clearInterval(timer), copier.forget, keeper.settled, host.close, () => tray?.close()],
  });
  let timer: NodeJS.Timeout | undefined;
  const updates =
    parts.updater &&
    createUpdates({
      updater: parts.updater,
      texts,
      ask: dialogs.choose,
      close: ending.prepare,
      skipped: () => state.get().skippedVersion,
      skip: (version) => state.set({ skippedVersion: version }),
      log: log.warn,
    });

  const acts = {
    open: () => window.show(),
    go: window.show,
    copyBaseUrl: () => void copier.copy(host.panel()?.core.baseUrl() ?? '', false).catch(() => undefined),
    pause(isPaused: boolean) {
      host.panel()?.api.pause(isPaused);
      refresh();
    },
    openDataFolder: () => void shell.openPath(parts.folder).catch(() => undefined),
    about: () => app.showAboutPanel(),
    checkForUpdates: updates && (() => void updates.look()),
    closeWindow: window.close,
    quit: () => app.quit(),
  };
  const tray = openTray({ Tray: electron.Tray, Menu, icon: trayIcon(electron.nativeImage, platform), acts });
  let menuShown = '';
  function refresh(): void {
    const t = texts();
    tray?.show(statusOf(host.panel()), t);
    // The menu changes with the language only.
    if (menuShown === t('open')) return;
    menuShown = t('open');
    Menu.setApplicationMenu(Menu.buildFromTemplate([...menuTemplate(t, acts, platform)]));
  }

  /** The window is to be closed: it hides where the panel is to go on serving, which is explained once. */
  function hidesWindow(): boolean {
    if (ending.hasBegun()) return false;
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
  const hostChannels = createHostChannels({
    ...{ app, nativeTheme, platform, state, copier, openExternal },
    versions: versionsOf(app, parts.process),
    save: (name, content) => saveFile({ dialog, folder: app.getPath('downloads') }, name, content),
    staySignedIn: keeper.stay,
    onChange: refresh,
  });
  attachIpc(electron.ipcMain, { ...channels.handlers, ...hostChannels }, { windowContents: window.contents, log });

  nativeTheme.themeSource = state.get().look.theme;
  timer = setInterval(() => {
    host.lookAfter().then(refresh, (error) => log.error('the panel was not looked after', { error }));
  }, LOOK_MS);
  app.on('second-instance', acts.open);
  app.on('activate', acts.open);
  // Without a listener Electron would quit; the panel goes on without a window.
  app.on('window-all-closed', () => {});
  refresh();
  if (!argv.includes(HIDDEN)) window.show();
  updates?.start();
  const note = takeCrashNote(crashPath);
  if (note !== null) await dialogs.crashed(note, join(parts.folder, 'logs', 'panel.log'));
}

/** Work areas, the main screen's first. */
function areasOf(screen: Electron.Screen): readonly Electron.Rectangle[] {
  const main = screen.getPrimaryDisplay();
  const others = screen.getAllDisplays().filter(({ id }) => id !== main.id);
  return [main, ...others].map(({ workArea }) => workArea);
}
