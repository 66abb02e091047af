// The controls that tests install in Electron, without Electron: they load as text, record, answer and click.
import { EventEmitter } from 'node:events';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { controlsModule, type InstalledControls } from '../support/electron-real/controls.ts';

class FakeTray {
  static calls: unknown[] = [];
  setContextMenu(menu: unknown): void {
    FakeTray.calls.push(menu);
  }
  setToolTip(text: unknown): void {
    FakeTray.calls.push(text);
  }
}

class FakeNotification extends EventEmitter {
  title = 'title';
  body = 'body';
  show(): void {
    throw new Error('must not be shown');
  }
}

function install() {
  const paths: Record<string, string> = {};
  const app = Object.assign(new EventEmitter(), {
    isPackaged: false,
    setPath: (name: string, path: string) => void Object.assign(paths, { [name]: path }),
    enableSandbox() {},
    commandLine: { hasSwitch: () => true },
  });
  const window = {
    isVisible: () => true,
    close() {},
    webContents: { getURL: () => 'app://gatehouse/', executeJavaScript: async (script: string) => `ran ${script}` },
  };
  const electron = {
    app,
    BrowserWindow: { getAllWindows: () => [window] },
    clipboard: { readText: async () => 'copied' },
    dialog: {} as Record<'showMessageBox' | 'showSaveDialog', (...given: object[]) => Promise<unknown>>,
    globalShortcut: {} as { register(key: string, run: () => void): boolean },
    Menu: { getApplicationMenu: () => null },
    powerMonitor: new EventEmitter(),
    Notification: FakeNotification,
    shell: {} as { openExternal(url: string): Promise<void> },
    Tray: FakeTray,
  };
  const context: { gatehouseControls?: InstalledControls } & Record<string, unknown> = {
    require: () => electron,
    setImmediate,
  };
  runInNewContext(controlsModule({ appData: '/a', downloads: '/d', isPackaged: true }), context);
  const controls = context.gatehouseControls;
  if (controls === undefined) throw new Error('the controls are not installed');
  return { electron, controls, paths };
}

it('sets the folders and `isPackaged`', () => {
  const { electron, paths } = install();
  expect([paths, electron.app.isPackaged]).toEqual([{ appData: '/a', downloads: '/d' }, true]);
});

it('answers dialogs in order, also in advance', async () => {
  const { electron, controls } = install();
  const first = electron.dialog.showMessageBox({ message: 'one' });
  controls.answerMessage(1);
  await expect(first).resolves.toMatchObject({ response: 1 });
  controls.answerSave(null);
  const [window] = electron.BrowserWindow.getAllWindows();
  await expect(electron.dialog.showSaveDialog(window as object, {})).resolves.toEqual({ canceled: true, filePath: '' });
  expect((await controls.snapshot()).dialogs).toEqual([
    { kind: 'message', options: { message: 'one' }, parent: null },
    { kind: 'save', options: {}, parent: 'app://gatehouse/' },
  ]);
});

it('clicks the items of the tray and its submenus', async () => {
  const { electron, controls } = install();
  const pressed: string[] = [];
  const item = (label: string, submenu?: object) => ({
    label,
    submenu,
    enabled: true,
    click: () => pressed.push(label),
  });
  const menu = { items: [item('Open', { items: [item('Deep')] }), { ...item('Grey'), enabled: false }] };
  new electron.Tray().setContextMenu(menu);
  new electron.Tray().setToolTip('text');
  controls.pressTray('Deep');
  expect(pressed).toEqual(['Deep']);
  expect(() => controls.pressTray('Grey')).toThrow('no item Grey');
  const { tray, toolTip } = await controls.snapshot();
  expect([tray, toolTip, FakeTray.calls]).toEqual([['Open', 'Deep', 'Grey'], 'text', [menu, 'text']]);
});

it('shows no notification, and clicks them', async () => {
  const { electron, controls } = install();
  let presses = 0;
  new electron.Notification().on('click', () => {
    presses += 1;
  });
  const message = new electron.Notification();
  message.on('click', () => {
    presses += 10;
  });
  message.show();
  controls.pressNotification(0);
  expect([presses, (await controls.snapshot()).notifications]).toEqual([10, [{ title: 'title', body: 'body' }]]);
});

it('blocks external requests, and records the handlers of the session', async () => {
  const { electron, controls } = install();
  type Asked = (details: { url: string }, answer: (decided: unknown) => void) => void;
  let asked: Asked = () => {};
  const session = {
    setPermissionRequestHandler() {},
    setPermissionCheckHandler() {},
    setDevicePermissionHandler() {},
    setDisplayMediaRequestHandler() {},
    setSpellCheckerEnabled() {},
    webRequest: {
      onBeforeRequest(listener: Asked) {
        asked = listener;
      },
    },
  };
  electron.app.emit('session-created', session);
  session.setSpellCheckerEnabled();
  session.setPermissionCheckHandler();
  const decided: unknown[] = [];
  for (const url of ['app://gatehouse/', 'https://example.com/']) asked({ url }, (answer) => decided.push(answer));
  const { sessionHandlers, blockedRequests } = await controls.snapshot();
  expect(sessionHandlers).toEqual(['spell', 'check']);
  expect([decided, blockedRequests]).toEqual([[{ cancel: false }, { cancel: true }], ['https://example.com/']]);
  await electron.shell.openExternal('https://example.com/help');
  expect((await controls.snapshot()).opened).toEqual(['https://example.com/help']);
});

it('runs scripts in the page and reads the clipboard', async () => {
  const { controls } = install();
  await expect(controls.runInPage('1')).resolves.toBe('ran 1');
  const { clipboard, windows } = await controls.snapshot();
  expect([clipboard, windows]).toEqual(['copied', [{ isShown: true, url: 'app://gatehouse/' }]]);
});
