// The test's hand in Electron itself, put there before the application begins: what would wait for a person is recorded and pressed.
import type * as Electron from 'electron';
import type { Hand, Look, Shown } from '../../desktop/driver.ts';

export interface HandOptions {
  readonly appData: string;
  readonly downloads: string;
  readonly isPackaged: boolean;
}

export type InstalledHand = Hand & {
  look(): Promise<Look>;
  /** Runs a script in the window's page. */
  runInPage(script: string): Promise<unknown>;
};

/** Runs in the main process as text, so it knows nothing but its arguments. Returns what a test calls there. */
export function installHand(electron: typeof Electron, options: HandOptions): InstalledHand {
  const { app, BrowserWindow, clipboard, dialog, Menu, Notification, shell, Tray } = electron;
  const shown: Shown[] = [];
  const opened: string[] = [];
  const strayed: string[] = [];
  const notifications: Electron.Notification[] = [];
  const appCalls: string[] = [];
  const sessionHandlers: string[] = [];
  const tray = { menu: null as Electron.Menu | null, toolTip: null as string | null };

  app.setPath('appData', options.appData);
  app.setPath('downloads', options.downloads);
  if (options.isPackaged) Object.defineProperty(app, 'isPackaged', { value: true });
  const enableSandbox = app.enableSandbox.bind(app);
  app.enableSandbox = () => {
    appCalls.push('enableSandbox');
    enableSandbox();
  };

  // A dialog stays open until the test answers it; answers that come first wait for their dialog.
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
  const messages = questions<number>();
  const saves = questions<string | null>();
  Object.assign(dialog, {
    async showMessageBox(asked: Record<string, unknown>) {
      shown.push({ kind: 'message', options: asked });
      return { response: await messages.ask(), checkboxChecked: false };
    },
    async showSaveDialog(asked: Record<string, unknown>) {
      shown.push({ kind: 'save', options: asked });
      const filePath = await saves.ask();
      return { canceled: filePath === null, filePath: filePath ?? '' };
    },
    showErrorBox(title: string, content: string) {
      shown.push({ kind: 'error', options: { title, content } });
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
  Tray.prototype.setContextMenu = function setAndKeep(menu) {
    tray.menu = menu;
    setContextMenu.call(this, menu);
  };
  Tray.prototype.setToolTip = function setAndKeep(text) {
    tray.toolTip = text;
    setToolTip.call(this, text);
  };
  // Machines that test have nobody to show messages to.
  Object.assign(Notification, { isSupported: () => true });
  Notification.prototype.show = function keep() {
    notifications.push(this);
  };

  app.on('session-created', (session) => {
    const told = {
      setPermissionRequestHandler: 'request',
      setPermissionCheckHandler: 'check',
      setDevicePermissionHandler: 'device',
      setDisplayMediaRequestHandler: 'display',
      setSpellCheckerEnabled: 'spell',
    } as const;
    for (const [name, short] of Object.entries(told)) {
      const method = Reflect.get(session, name) as (...args: unknown[]) => void;
      Reflect.set(session, name, (...args: unknown[]) => {
        sessionHandlers.push(short);
        method.apply(session, args);
      });
    }
    session.webRequest.onBeforeRequest(({ url }, answer) => {
      const isOutside = /^(https?|wss?|ftp):/.test(url);
      if (isOutside) strayed.push(url);
      answer({ cancel: isOutside });
    });
  });

  const itemsOf = (menu: Electron.Menu | null | undefined): Electron.MenuItem[] =>
    (menu?.items ?? []).flatMap((item) => [item, ...itemsOf(item.submenu)]);
  const press = (menu: Electron.Menu | null, label: string) => {
    const found = itemsOf(menu).find((item) => item.label === label && item.enabled);
    if (found === undefined) throw new Error(`no item ${label} among ${itemsOf(menu).map((item) => item.label)}`);
    found.click();
  };
  const labels = (menu: Electron.Menu | null) => itemsOf(menu).map(({ label, role, type }) => label || (role ?? type));
  const first = () => BrowserWindow.getAllWindows()[0];

  return {
    answerMessage: messages.answer,
    answerSave: saves.answer,
    closeWindow: () => first()?.close(),
    pressTray: (label) => press(tray.menu, label),
    pressMenu: (label) => press(Menu.getApplicationMenu(), label),
    pressNotification: (index) => void notifications[index]?.emit('click'),
    crashPage: () => first()?.webContents.forcefullyCrashRenderer(),
    throwUp: () =>
      void setImmediate(() => {
        throw new Error('a defect of the test');
      }),
    runInPage: async (script) => first()?.webContents.executeJavaScript(script),
    look: async () => ({
      shown,
      opened,
      strayed,
      appCalls,
      sessionHandlers,
      windows: BrowserWindow.getAllWindows().map((window) => ({
        isShown: window.isVisible(),
        url: window.webContents.getURL(),
      })),
      toolTip: tray.toolTip,
      tray: labels(tray.menu),
      menu: labels(Menu.getApplicationMenu()),
      notifications: notifications.map(({ title, body }) => ({ title, body })),
      clipboard: await clipboard.readText(),
    }),
  };
}

/** The text of a module that `electron -r` loads before the application; a test finds the hand as `globalThis.gatehouseHand`. */
export function handModule(options: HandOptions): string {
  return `globalThis.gatehouseHand = (${installHand})(require('electron'), ${JSON.stringify(options)});\n`;
}
