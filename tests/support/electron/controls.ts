// The controls of the tests inside the stand-in: called over the process's IPC channel, they click, answer dialogs and read the screen.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Controls, Snapshot } from '../../desktop/driver.ts';
import { app } from './app.ts';
import { blockedRequests } from './browser.ts';
import { dialogs, type Item, Menu, Notification, opened, setAnswer, Tray } from './recorded.ts';
import { clipboard, powerMonitor, session, shortcuts } from './system.ts';
import { BrowserWindow } from './windows.ts';

const labels = (items: readonly Item[] = []): unknown[] =>
  items.map(({ label, role, type, checked, enabled, submenu }) => ({
    label: label ?? role ?? type,
    ...(checked !== undefined && { checked }),
    ...(enabled === false && { enabled }),
    ...(submenu && { submenu: labels(submenu) }),
  }));

const windowAt = (place: string) => BrowserWindow.all.find(({ webContents }) => webContents.getURL().includes(place));

export const CONTROLS = {
  snapshot: async (): Promise<Snapshot> => ({
    windows: BrowserWindow.all.map(({ isShown, webContents }) => ({ isShown, url: webContents.getURL() })),
    tray: labels(Tray.all[0]?.menu?.items),
    toolTip: Tray.all[0]?.toolTip ?? null,
    menu: labels(Menu.application?.items),
    dialogs,
    opened,
    blockedRequests,
    notifications: Notification.all.map(({ options: { title, body } }) => ({ title, body })),
    badge: app.badge,
    clipboard: await clipboard.readText(),
    appCalls: app.calls,
    sessionHandlers: Object.keys(session.defaultSession.handlers),
  }),
  answerMessage: (index: number) => setAnswer('message', index),
  answerSave: (path: string | null) => setAnswer('save', path),
  closeWindow: (place = '') => windowAt(place)?.close(),
  pressTray: (label: string) => Menu.press(Tray.all[0]?.menu?.items ?? [], label),
  pressMenu: (label: string) => Menu.press(Menu.application?.items ?? [], label),
  pressNotification: (index: number) => void Notification.all[index]?.emit('click'),
  /** Ends the window's renderer. Resolves before it is gone. */
  crashPage: () => {
    void BrowserWindow.all[0]?.webContents.page?.then((page) => page.goto('chrome://crash').catch(() => undefined));
  },
  pressShortcut(key: string) {
    const run = shortcuts.get(key);
    if (run === undefined) throw new Error(`no key ${key} among ${[...shortcuts.keys()]}`);
    run();
  },
  suspend: () => void powerMonitor.emit('suspend'),
  resume: () => void powerMonitor.emit('resume'),
  throwUncaught: () => {
    setImmediate(() => {
      throw new Error('a defect of the test');
    });
  },
  /** The browser's debugging port; undefined while the window has no page, because the file may still have a former port. */
  debugPort: async (): Promise<number | undefined> => {
    const { page } = BrowserWindow.all[0]?.webContents ?? {};
    if (!page) return undefined;
    await page;
    const port = readFileSync(join(app.getPath('userData'), 'chromium/DevToolsActivePort'), 'utf8').split('\n')[0];
    return Number(port);
  },
} satisfies Controls & Record<'snapshot' | 'debugPort', () => unknown>;

type Name = keyof typeof CONTROLS;

process.on('message', async ({ id, name, args }: { id: number; name: Name; args: never[] }) => {
  try {
    const result = await (CONTROLS[name] as (...args: never[]) => unknown)(...args);
    process.send?.({ id, result });
  } catch (error) {
    process.send?.({ id, failure: String(error) });
  }
});
