// The controls of the tests inside Electron, installed before the application starts: record dialogs, answer them, click items.
import type * as Electron from 'electron';
import type { Controls, ShownDialog, Snapshot } from '../../desktop/driver.ts';

export interface ControlsOptions {
  readonly appData: string;
  readonly downloads: string;
  readonly isPackaged: boolean;
}

export type InstalledControls = Controls & {
  snapshot(): Promise<Snapshot>;
  /** Runs a script in the window's page. */
  runInPage(script: string): Promise<unknown>;
};

/** Runs in the main process as text, so it can use its arguments only. Returns what a test calls there. */
export function installControls(electron: typeof Electron, options: ControlsOptions): InstalledControls {
  const { app, BrowserWindow, clipboard, dialog, globalShortcut, Menu, Notification, powerMonitor, shell, Tray } =
    electron;
  const dialogs: ShownDialog[] = [];
  const opened: string[] = [];
  const blockedRequests: string[] = [];
  const notifications: Electron.Notification[] = [];
  const appCalls: string[] = [];
  const sessionHandlers: string[] = [];
  let badge = 0;
  const tray = { menu: null as Electron.Menu | null, toolTip: null as string | null };

  app.setPath('appData', options.appData);
  app.setPath('downloads', options.downloads);
  if (options.isPackaged) Object.defineProperty(app, 'isPackaged', { value: true });
  // Playwright's own, which a packaged application refuses.
  const hasSwitch = app.commandLine.hasSwitch.bind(app.commandLine);
  app.commandLine.hasSwitch = (name) => name !== 'remote-debugging-port' && hasSwitch(name);
  const enableSandbox = app.enableSandbox.bind(app);
  app.enableSandbox = () => {
    appCalls.push('enableSandbox');
    enableSandbox();
  };
  // Not for the desktop of the person who runs the tests.
  app.setAsDefaultProtocolClient = (scheme) => {
    appCalls.push(`setAsDefaultProtocolClient ${scheme}`);
    return true;
  };

  // Keys of the whole machine are not for a test.
  const shortcuts = new Map<string, () => void>();
  Object.assign(globalShortcut, {
    register(key: string, run: () => void) {
      shortcuts.set(key, run);
      return true;
    },
    unregister: (key: string) => void shortcuts.delete(key),
  });

  // Whether a desktop shows a badge depends on the machine.
  app.setBadgeCount = (count = 0) => {
    badge = count;
    return true;
  };

  // A dialog stays open until the test answers it; an answer given earlier waits for its dialog.
  function questions<Answer>() {
    const answers: Answer[] = [];
    const waiting: ((answer: Answer) => void)[] = [];
    return {
      ask: () =>
        new Promise<Answer>((resolve) => {
          if (answers.length > 0) resolve(answers.shift() as Answer);
          else waiting.push(resolve);
        }),
      answer(given: Answer) {
        const first = waiting.shift();
        if (first === undefined) answers.push(given);
        else first(given);
      },
    };
  }
  const record = (kind: ShownDialog['kind'], given: readonly unknown[]) => {
    const [parent, shown] = given.length === 2 ? given : [null, given[0]];
    dialogs.push({
      kind,
      // The window and its pictures do not cross to the test.
      options: { ...(shown as Record<string, unknown>), icon: undefined },
      parent: (parent as Electron.BrowserWindow | null)?.webContents.getURL() ?? null,
    });
  };
  const messages = questions<number>();
  const saves = questions<string | null>();
  Object.assign(dialog, {
    async showMessageBox(...given: unknown[]) {
      record('message', given);
      return { response: await messages.ask(), checkboxChecked: false };
    },
    async showSaveDialog(...given: unknown[]) {
      record('save', given);
      const filePath = await saves.ask();
      return { canceled: filePath === null, filePath: filePath ?? '' };
    },
    showErrorBox(title: string, content: string) {
      record('error', [{ title, content }]);
    },
  });
  Object.assign(shell, {
    async openExternal(url: string) {
      opened.push(url);
    },
    async openPath(path: string) {
      opened.push(path);
      return '';
    },
  });

  const { setContextMenu, setToolTip } = Tray.prototype;
  Tray.prototype.setContextMenu = function setAndRecord(menu) {
    tray.menu = menu;
    setContextMenu.call(this, menu);
  };
  Tray.prototype.setToolTip = function setAndRecord(text) {
    tray.toolTip = text;
    setToolTip.call(this, text);
  };
  // The machine of a test may not support notifications.
  Object.assign(Notification, { isSupported: () => true });
  Notification.prototype.show = function record() {
    notifications.push(this);
  };

  app.on('session-created', (session) => {
    const shortNames = {
      setPermissionRequestHandler: 'request',
      setPermissionCheckHandler: 'check',
      setDevicePermissionHandler: 'device',
      setDisplayMediaRequestHandler: 'display',
      setSpellCheckerEnabled: 'spell',
    } as const;
    for (const [name, short] of Object.entries(shortNames)) {
      const method = Reflect.get(session, name) as (...args: unknown[]) => void;
      Reflect.set(session, name, (...args: unknown[]) => {
        sessionHandlers.push(short);
        method.apply(session, args);
      });
    }
    session.webRequest.onBeforeRequest(({ url }, answer) => {
      const isOutside = /^(https?|wss?|ftp):/.test(url);
      if (isOutside) blockedRequests.push(url);
      answer({ cancel: isOutside });
    });
  });

  const listItems = (menu: Electron.Menu | null | undefined): Electron.MenuItem[] =>
    (menu?.items ?? []).flatMap((item) => [item, ...listItems(item.submenu)]);
  const press = (menu: Electron.Menu | null, label: string) => {
    const found = listItems(menu).find((item) => item.label === label && item.enabled);
    if (found === undefined) throw new Error(`no item ${label} among ${listItems(menu).map((item) => item.label)}`);
    found.click();
  };
  const labels = (menu: Electron.Menu | null) =>
    listItems(menu).map(({ label, role, type }) => label || (role ?? type));
  const windows = () => BrowserWindow.getAllWindows().toSorted((a, b) => a.id - b.id);
  const first = (place = '') => windows().find((window) => window.webContents.getURL().includes(place));

  return {
    answerMessage: messages.answer,
    answerSave: saves.answer,
    closeWindow: (place) => first(place)?.close(),
    pressTray: (label) => press(tray.menu, label),
    pressMenu: (label) => press(Menu.getApplicationMenu(), label),
    pressNotification: (index) => void notifications[index]?.emit('click'),
    crashPage: () => first()?.webContents.forcefullyCrashRenderer(),
    pressShortcut(key) {
      const run = shortcuts.get(key);
      if (run === undefined) throw new Error(`no key ${key} among ${[...shortcuts.keys()]}`);
      run();
    },
    suspend: () => void powerMonitor.emit('suspend'),
    resume: () => void powerMonitor.emit('resume'),
    throwUncaught: () =>
      void setImmediate(() => {
        throw new Error('a defect of the test');
      }),
    runInPage: async (script) => first()?.webContents.executeJavaScript(script),
    snapshot: async () => ({
      dialogs,
      opened,
      blockedRequests,
      appCalls,
      sessionHandlers,
      windows: windows().map((window) => ({
        isShown: window.isVisible(),
        url: window.webContents.getURL(),
      })),
      toolTip: tray.toolTip,
      tray: labels(tray.menu),
      menu: labels(Menu.getApplicationMenu()),
      notifications: notifications.map(({ title, body }) => ({ title, body })),
      badge,
      clipboard: await clipboard.readText(),
    }),
  };
}

/** The source of a module that `electron -r` loads before the application; it sets `globalThis.gatehouseControls`. */
export function controlsModule(options: ControlsOptions): string {
  return `globalThis.gatehouseControls = (${installControls})(require('electron'), ${JSON.stringify(options)});\n`;
}
