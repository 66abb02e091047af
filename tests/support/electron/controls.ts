// The test's hand in the stand-in: over the process's own channel it presses, answers and looks, as a person at the screen would.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hand, Look } from '../../desktop/driver.ts';
import { app } from './app.ts';
import { strayed } from './browser.ts';
import { giveAnswer, type Item, Menu, Notification, opened, shown, Tray } from './recorded.ts';
import { clipboard, session } from './system.ts';
import { BrowserWindow } from './windows.ts';

const labels = (items: readonly Item[] = []): unknown[] =>
  items.map(({ label, role, type, checked, enabled, submenu }) => ({
    label: label ?? role ?? type,
    ...(checked !== undefined && { checked }),
    ...(enabled === false && { enabled }),
    ...(submenu && { submenu: labels(submenu) }),
  }));

export const CONTROLS = {
  look: async (): Promise<Look> => ({
    windows: BrowserWindow.all.map(({ isShown, webContents }) => ({ isShown, url: webContents.getURL() })),
    tray: labels(Tray.all[0]?.menu?.items),
    toolTip: Tray.all[0]?.toolTip ?? null,
    menu: labels(Menu.application?.items),
    shown,
    opened,
    strayed,
    notifications: Notification.all.map(({ options }) => options),
    clipboard: await clipboard.readText(),
    appCalls: app.calls,
    sessionHandlers: Object.keys(session.defaultSession.handlers),
  }),
  answerMessage: (index: number) => giveAnswer('message', index),
  answerSave: (path: string | null) => giveAnswer('save', path),
  closeWindow: () => BrowserWindow.all[0]?.close(),
  pressTray: (label: string) => Menu.press(Tray.all[0]?.menu?.items ?? [], label),
  pressMenu: (label: string) => Menu.press(Menu.application?.items ?? [], label),
  pressNotification: (index: number) => void Notification.all[index]?.emit('click'),
  /** Ends the window's renderer. Resolves before it is gone. */
  crashPage: () => {
    void BrowserWindow.all[0]?.webContents.page?.then((page) => page.goto('chrome://crash').catch(() => undefined));
  },
  throwUp: () => {
    setImmediate(() => {
      throw new Error('a defect of the test');
    });
  },
  /** The port at which the browser can be looked into; undefined while the window has no page: the port of a browser before may still be there. */
  debugPort: async (): Promise<number | undefined> => {
    const { page } = BrowserWindow.all[0]?.webContents ?? {};
    if (!page) return undefined;
    await page;
    const port = readFileSync(join(app.getPath('userData'), 'chromium/DevToolsActivePort'), 'utf8').split('\n')[0];
    return Number(port);
  },
} satisfies Hand & Record<'look' | 'debugPort', () => unknown>;

type Name = keyof typeof CONTROLS;

process.on('message', async ({ id, name, args }: { id: number; name: Name; args: never[] }) => {
  try {
    const result = await (CONTROLS[name] as (...args: never[]) => unknown)(...args);
    process.send?.({ id, result });
  } catch (error) {
    process.send?.({ id, failure: String(error) });
  }
});
