// The hand that tests put into Electron itself, tried without it: it is loaded as text, records, answers and presses.
import { EventEmitter } from 'node:events';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { handModule, type InstalledHand } from '../support/electron-real/hand.ts';

class FakeTray {
  static told: unknown[] = [];
  setContextMenu(menu: unknown): void {
    FakeTray.told.push(menu);
  }
  setToolTip(text: unknown): void {
    FakeTray.told.push(text);
  }
}

class FakeNotification extends EventEmitter {
  title = 'title';
  body = 'body';
  show(): void {
    throw new Error('shown to nobody');
  }
}

function setUp() {
  const paths: Record<string, string> = {};
  const app = Object.assign(new EventEmitter(), {
    isPackaged: false,
    setPath: (name: string, path: string) => void Object.assign(paths, { [name]: path }),
    enableSandbox() {},
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
    dialog: {} as Record<'showMessageBox' | 'showSaveDialog', (options: object) => Promise<unknown>>,
    Menu: { getApplicationMenu: () => null },
    Notification: FakeNotification,
    shell: {} as { openExternal(url: string): Promise<void> },
    Tray: FakeTray,
  };
  const context: { gatehouseHand?: InstalledHand } & Record<string, unknown> = {
    require: () => electron,
    setImmediate,
  };
  runInNewContext(handModule({ appData: '/a', downloads: '/d', isPackaged: true }), context);
  const hand = context.gatehouseHand;
  if (hand === undefined) throw new Error('no hand');
  return { electron, hand, paths };
}

it('moves the folders, and makes the application look installed', () => {
  const { electron, paths } = setUp();
  expect([paths, electron.app.isPackaged]).toEqual([{ appData: '/a', downloads: '/d' }, true]);
});

it('answers dialogs in their order, also before they are shown', async () => {
  const { electron, hand } = setUp();
  const first = electron.dialog.showMessageBox({ message: 'one' });
  hand.answerMessage(1);
  await expect(first).resolves.toMatchObject({ response: 1 });
  hand.answerSave(null);
  await expect(electron.dialog.showSaveDialog({})).resolves.toEqual({ canceled: true, filePath: '' });
  expect((await hand.look()).shown).toEqual([
    { kind: 'message', options: { message: 'one' } },
    { kind: 'save', options: {} },
  ]);
});

it('presses what the tray shows, wherever it stands', async () => {
  const { electron, hand } = setUp();
  const pressed: string[] = [];
  const item = (label: string, submenu?: object) => ({
    label,
    submenu,
    enabled: true,
    click: () => pressed.push(label),
  });
  const menu = { items: [item('Open', { items: [item('Deep')] }), { ...item('Grey'), enabled: false }] };
  new electron.Tray().setContextMenu(menu);
  new electron.Tray().setToolTip('told');
  hand.pressTray('Deep');
  expect(pressed).toEqual(['Deep']);
  expect(() => hand.pressTray('Grey')).toThrow('no item Grey');
  const { tray, toolTip } = await hand.look();
  expect([tray, toolTip, FakeTray.told]).toEqual([['Open', 'Deep', 'Grey'], 'told', [menu, 'told']]);
});

it('shows messages to nobody, and presses them', async () => {
  const { electron, hand } = setUp();
  let presses = 0;
  new electron.Notification().on('click', () => {
    presses += 1;
  });
  const message = new electron.Notification();
  message.on('click', () => {
    presses += 10;
  });
  message.show();
  hand.pressNotification(0);
  expect([presses, (await hand.look()).notifications]).toEqual([10, [{ title: 'title', body: 'body' }]]);
});

it('lets no page out, and notes what the session was told', async () => {
  const { electron, hand } = setUp();
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
  const { sessionHandlers, strayed } = await hand.look();
  expect(sessionHandlers).toEqual(['spell', 'check']);
  expect([decided, strayed]).toEqual([[{ cancel: false }, { cancel: true }], ['https://example.com/']]);
  await electron.shell.openExternal('https://example.com/help');
  expect((await hand.look()).opened).toEqual(['https://example.com/help']);
});

it('runs scripts in the page and reads the clipboard', async () => {
  const { hand } = setUp();
  await expect(hand.runInPage('1')).resolves.toBe('ran 1');
  const { clipboard, windows } = await hand.look();
  expect([clipboard, windows]).toEqual(['copied', [{ isShown: true, url: 'app://gatehouse/' }]]);
});
