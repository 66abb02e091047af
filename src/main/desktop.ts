// Composes the desktop application from Electron's objects, which are passed in: panel, window, tray, menu, IPC and shutdown.
import { join } from 'node:path';
import { FILES } from '../adapters/data-folder.ts';
import { withoutYearMark } from '../i18n/dates.ts';
import { type Language, languageEntry } from '../i18n/languages.ts';
import { followChildren } from './child-processes.ts';
import { LINK_SCHEME } from './deep-link.ts';
import { type Basics, openBasics } from './desktop-basics.ts';
import { attachChannels, createDesktopChannels } from './desktop-channels.ts';
import { type Checks, createChecks, createDesktopHost, type DesktopHost } from './desktop-host.ts';
import { createMenus, type Menus } from './desktop-menus.ts';
import type { DesktopParts } from './desktop-parts.ts';
import { createWindows, type Windows } from './desktop-windows.ts';
import { type BadEnd, openRunRecord, type RunRecord } from './last-run.ts';
import { HIDDEN } from './login-item.ts';
import type { PanelChannels } from './panel-channels.ts';
import { followSleep } from './power.ts';
import { serveScheme } from './protocol.ts';
import { guardContents, guardSession } from './security.ts';
import { followSessionEnd } from './session-end.ts';
import { createShutdown, type Shutdown } from './shutdown.ts';
import { createUpdates, type Updates } from './updates.ts';

/** The stages; each is created with those above it. Later events in a stage may also reach those below it. */
interface Stages extends DesktopHost {
  readonly record: RunRecord;
  readonly badEnd: BadEnd | null;
  readonly basics: Basics;
  readonly channels: PanelChannels;
  readonly windows: Windows;
  readonly checks: Checks;
  readonly shutdown: Shutdown;
  readonly updates: Updates | null;
  readonly menus: Menus;
}

/** Call once the application is ready and holds the single-instance lock. Rejects with any error that is not a refusal. */
export async function startDesktop(parts: DesktopParts): Promise<void> {
  const stages = createStages(parts);
  const { host, shutdown, record, menus } = stages;
  try {
    serveWindows(parts, stages);
    followSystem(parts, stages);
    // Show the window first: opening the panel may wait for the keychain or for an answer to a dialog.
    showFirst(parts, stages);
    if (!(await host.open())) return parts.electron.app.exit(0);
    record.start();
    menus.refresh();
    stages.checks.start();
    stages.updates?.start();
    await reportBadEnd(parts, stages);
  } catch (error) {
    await shutdown.prepare();
    throw error;
  }
}

/** Creates all stages. Until the start only event listeners are active. */
function createStages(parts: DesktopParts): Stages {
  const { app, session } = parts.electron;
  const record = openRunRecord(app.getPath('userData'), parts.clock.now);
  const badEnd = record.consumeLastRun();
  const basics = openBasics(
    parts,
    () => host,
    () => windows.dialogParent(),
  );
  const channels = createDesktopChannels(
    basics,
    () => host,
    () => windows,
  );
  const windows: Windows = createWindows(parts, basics, {
    host: () => host,
    shutdown: () => shutdown,
    onPageGone(contents) {
      channels.endWatches(contents);
      menus.forgetActs(contents);
    },
    onFocus: () => menus.refreshMenus(),
  });
  const desktopHost = createDesktopHost(parts, basics, windows, () => menus.recountAttention());
  const { host, staySignedIn } = desktopHost;
  guardContents(app, {
    external: (url) => void openExternal(parts, url).catch(() => undefined),
    own: windows.openHash,
  });
  guardSession(session.defaultSession);
  const checks = createChecks(parts, basics, host, () => menus.refresh());
  const shutdown: Shutdown = createShutdown({
    app,
    record,
    process: parts.process,
    log: basics.log,
    steps: [
      () => {
        for (const one of windows.all()) one.save();
      },
      checks.stop,
      basics.clipboard.clearSecret,
      staySignedIn.idle,
      host.close,
      () => menus.closeTray(),
    ],
  });
  const updates = createDesktopUpdates(parts, basics, shutdown, reopen);
  const menus: Menus = createMenus(parts, basics, { windows, host, shutdown, updates });

  /** After an update that was refused or cancelled. */
  async function reopen(): Promise<boolean> {
    if (!shutdown.resume()) return false;
    const isOpen = await host.resume('update');
    menus.openTray();
    checks.start();
    menus.refresh();
    return isOpen;
  }

  return { record, badEnd, basics, channels, windows, ...desktopHost, checks, shutdown, updates, menus };
}

async function openExternal({ electron }: DesktopParts, url: string): Promise<void> {
  await electron.shell.openExternal(url);
}

function createDesktopUpdates(
  { updater }: DesktopParts,
  { state, texts, dialogs, log }: Basics,
  shutdown: Shutdown,
  reopen: () => Promise<boolean>,
): Updates | null {
  if (updater === null) return null;
  return createUpdates({
    updater,
    texts,
    ask: dialogs.choose,
    close: shutdown.prepare,
    reopen,
    skipped: () => state.get().skippedVersion,
    skip: (version) => state.set({ skippedVersion: version }),
    log: log.warn,
  });
}

/** Serves the pages and their channels. */
function serveWindows(parts: DesktopParts, { basics, host, ...stages }: Stages): void {
  const { log } = basics;
  serveScheme(parts.electron.protocol, { pages: parts.pages, session: host.session, log });
  attachChannels(parts, basics, stages);
}

/** Follows events of the system: sleep, the end of the session, and processes of the application. */
function followSystem(
  { electron, clock, process }: DesktopParts,
  { basics, host, notify, menus, shutdown }: Stages,
): void {
  const { app, nativeTheme, powerMonitor } = electron;
  const { state, texts, log } = basics;
  followSleep({
    powerMonitor,
    panel: host.panel,
    now: clock.now,
    texts,
    notify(content) {
      if (state.get().notifications) notify(content);
    },
    onFailed: (error) => log.error('waking failed', { error: String(error) }),
  });
  followSessionEnd({
    BrowserWindow: electron.BrowserWindow,
    platform: process.platform,
    stop: shutdown.prepare,
    exit: () => app.exit(0),
  });
  followChildren(app, log);
  nativeTheme.themeSource = state.get().appearance.theme;
  app.on('activate', menus.actions.open);
  // Without a listener Electron would quit; the panel runs without a window.
  app.on('window-all-closed', () => {});
}

/** The window with which the application starts, unless it starts hidden. */
function showFirst({ electron, links, process }: DesktopParts, { windows, menus }: Stages): void {
  const { app } = electron;
  const firstLink = links.listen(windows.openPlace);
  menus.refresh();
  // macOS passes no arguments to what it opens at login.
  const isOpenedAtLogin = process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin;
  if (firstLink !== null) void windows.openPlace(firstLink);
  else if (!process.argv.includes(HIDDEN) && !isOpenedAtLogin) windows.main.show();
  // Not in a checkout, where the program is Electron itself, which other applications share.
  if (app.isPackaged) app.setAsDefaultProtocolClient(LINK_SCHEME);
}

async function reportBadEnd({ folder }: DesktopParts, { badEnd, basics, notify }: Stages): Promise<void> {
  if (badEnd === null) return;
  const { at, message } = badEnd;
  const { dialogs, language, log, texts } = basics;
  log.warn('the last run did not end properly', { ...badEnd });
  if (message === null) notify({ title: texts()('endedBadly'), body: texts()('endedBadlyDetail'), hash: '' });
  else await dialogs.crashed({ at: formatTime(at, language()), message }, join(folder, FILES.log));
}

/** Formats an RFC 3339 time; an invalid one is returned unchanged. */
function formatTime(at: string, language: Language): string {
  const time = Date.parse(at);
  const format = new Intl.DateTimeFormat(languageEntry(language).tag, { dateStyle: 'long', timeStyle: 'short' });
  return Number.isNaN(time) ? at : withoutYearMark(format.format(time));
}
