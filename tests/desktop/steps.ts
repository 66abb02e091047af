// Steps that many tests of the desktop share.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import axe from 'axe-core';
import { root } from '../../scripts/run.ts';
import type { Desktop, ShownDialog, Snapshot } from './driver.ts';

export const ADMIN = { name: 'admin', password: 'correct horse battery staple' };

/** Creates the administrator on the first screen and opens the panel. `startsAtLogin`: is chosen in its last step. */
export async function setUp(page: Page, { startsAtLogin = false } = {}): Promise<void> {
  await page.getByLabel('Your name').fill(ADMIN.name);
  await page.getByLabel('Password', { exact: true }).fill(ADMIN.password);
  await page.getByLabel('Repeat the password').fill(ADMIN.password);
  await page.getByRole('button', { name: 'Create the administrator' }).click();
  await page.getByRole('button', { name: 'Later' }).click();
  await page.getByRole('heading', { name: 'On this computer' }).waitFor();
  await page.getByRole('switch', { name: 'Keep serving when the window is closed', checked: true }).waitFor();
  if (startsAtLogin) {
    await page.getByRole('switch', { name: 'Start when I sign in to the computer', checked: false }).click();
    await page.getByRole('switch', { name: 'Start when I sign in to the computer', checked: true }).waitFor();
  }
  await picture(page, startsAtLogin ? 'setup-installed' : 'setup-computer');
  await page.getByRole('button', { name: 'Open the panel' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
}

export async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Name').fill(ADMIN.name);
  await page.getByLabel('Password', { exact: true }).fill(ADMIN.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
}

/** Opens a page: `visit(page, 'users/7')`. */
export async function visit(page: Page, place: string): Promise<void> {
  await page.goto(`${page.url().split('#')[0]}#/${place}`);
}

/** Calls an operation as the pages do; returns its output. */
export function call(where: Page | Desktop, id: string, input: object): Promise<unknown> {
  const given: readonly [string, string] = [id, JSON.stringify(input)];
  return 'inPage' in where ? where.inPage(callInPage, given) : where.evaluate(callInPage, given);
}

/** Runs in the page. */
const callInPage = async ([operation, text]: readonly [string, string]): Promise<unknown> => {
  const { gatehouse } = globalThis as unknown as {
    gatehouse: { call(...args: unknown[]): Promise<{ text: string | null; problem?: { detail: string } }> };
  };
  const { text: reply, problem } = await gatehouse.call(operation, text, {});
  return problem ? problem.detail : reply === null ? null : JSON.parse(reply);
};

/** The base URL of the API, as the pages have it. */
export async function readBaseUrl(page: Page): Promise<string> {
  const { base_url } = (await call(page, 'panelState', {})) as { base_url: string };
  return base_url;
}

export async function createApiKey(page: Page, access: 'read' | 'full' = 'full'): Promise<string> {
  const key = { name: 'bot', access, expires_in_days: null, password: ADMIN.password };
  return ((await call(page, 'createKey', key)) as { value: string }).value;
}

/** What keeps somebody from using the page, as axe finds it. */
export async function listViolations(page: Page): Promise<unknown> {
  await page.evaluate(axe.source);
  return page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ help, nodes }) => [help, ...nodes.map(({ target }) => target.join(' '))]))`);
}

/** Stores a screenshot of the window in test-results/desktop. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = join(root, 'test-results/desktop');
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

/** In an application that is packaged, with a feed: chooses the update, which the system refuses. Returns the dialog that says so. */
export async function refuseUpdate(desktop: Desktop): Promise<ShownDialog['options'] | undefined> {
  await desktop.control('pressMenu', 'Check for updates…');
  for (const shown of [1, 2]) {
    await desktop.until(({ dialogs }) => dialogs.length === shown);
    await desktop.control('answerMessage', 0);
  }
  const { dialogs } = await desktop.until((snapshot) => snapshot.dialogs.length === 3);
  return dialogs[2]?.options;
}

/** Closes the main window to the tray, past the explanation that the first time shows. */
export async function closeToTray(desktop: Desktop): Promise<void> {
  const before = (await desktop.snapshot()).dialogs.length;
  await desktop.control('closeWindow');
  const isHidden = ({ windows }: Snapshot) => windows[0]?.isShown === false;
  const snapshot = await desktop.until((now) => isHidden(now) || now.dialogs.length > before);
  if (!isHidden(snapshot)) await desktop.control('answerMessage', 1);
  await desktop.until(isHidden);
}

/** Quits from the tray and waits for the exit code. */
export async function quit(desktop: Desktop): Promise<number | null> {
  await desktop.control('pressTray', 'Quit Gatehouse');
  return desktop.ended;
}
