// What browser tests begin with: a panel for each worker, a signed-in page, and the promise that nothing forbidden happens on it.
import { test as base, expect, type Page } from '@playwright/test';
import { LANGUAGES } from '../../../src/i18n/languages.ts';
import type { View } from '../../../src/renderer/src/state/view.ts';
import { isFull } from '../../support/long.ts';
import { type BrowserPanel, openBrowserPanel } from './panels.ts';
import { type Watch, watchPage } from './watch.ts';

export { expect } from '@playwright/test';

const THEMES = ['light', 'dark'] as const;

/** Every language and every theme once; in the full form every language in every theme. */
export const LOOKS = LANGUAGES.flatMap(({ code: locale }, index) =>
  THEMES.filter((_, theme) => isFull || theme === index % THEMES.length).map((theme) => ({ locale, theme })),
);

interface Options {
  /** How the browser remembers that the pages look: language, theme, rows. */
  readonly view: Partial<View>;
  /** false: no one is signed in. */
  readonly isSignedIn: boolean;
}

/** A panel of one test alone, whose administrator is signed in on the test's page. */
export interface OwnPanel extends BrowserPanel {
  readonly watch: Watch;
  readonly visit: (place?: string) => Promise<void>;
}

interface Fixtures {
  readonly watch: Watch;
  /** For tests that change what all share: the password, addresses, certificates. It has no users. */
  readonly own: OwnPanel;
  /** A panel of this test alone, without an administrator. */
  readonly freshPanel: BrowserPanel;
  /** Goes to a place of the panel: `await visit('users/7')`. */
  readonly visit: (place?: string) => Promise<void>;
}

interface WorkerFixtures {
  /** A panel with 200 made-up users and an administrator, shared by the tests of a worker: what a test changes it names for itself. */
  readonly panel: BrowserPanel;
}

export const test = base.extend<Fixtures & Options, WorkerFixtures>({
  view: [{}, { option: true }],
  isSignedIn: [true, { option: true }],

  panel: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
    async ({}, use) => {
      const panel = await openBrowserPanel();
      await use(panel);
      await panel[Symbol.asyncDispose]();
    },
    { scope: 'worker', timeout: 900_000 },
  ],

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
  freshPanel: async ({}, use) => {
    const panel = await openBrowserPanel({ users: 0, hasAdministrator: false });
    await use(panel);
    await panel[Symbol.asyncDispose]();
  },

  context: async ({ context, panel, view, isSignedIn }, use) => {
    if (isSignedIn) await panel.signIn(context);
    if (Object.keys(view).length > 0) {
      await context.addInitScript((state) => {
        // Once: what a test changes stays changed over a reload.
        if (localStorage.getItem('gatehouse.view') === null) {
          localStorage.setItem('gatehouse.view', JSON.stringify({ state, version: 1 }));
        }
      }, view);
    }
    await use(context);
  },

  watch: async ({ page, panel }, use) => {
    const watch = await watchPage(page, new URL(panel.url).origin);
    await use(watch);
    expectNone(watch.complaints());
  },

  own: async ({ context, page }, use) => {
    const panel = await openBrowserPanel({ users: 0 });
    await panel.signIn(context);
    const watch = await watchPage(page, new URL(panel.url).origin);
    await use({ ...panel, watch, visit: (place = '') => visit(page, panel.url, place) });
    // Before the panel goes, which the page would complain of.
    const complaints = watch.complaints();
    await page.close();
    await panel[Symbol.asyncDispose]();
    expectNone(complaints);
  },

  visit: async ({ page, panel, watch }, use) => {
    // Without the watch nothing would be promised.
    void watch;
    await use((place = '') => visit(page, panel.url, place));
  },
});

function expectNone(complaints: readonly string[]): void {
  if (complaints.length > 0)
    throw new Error(`On this page something happened that must not:\n${complaints.join('\n')}`);
}

/** Goes to a screen by `g` and a letter; again where a busy machine lets more time pass between the two than the page waits. */
export async function navigateByKeys(page: Page, letter: string, title: string): Promise<void> {
  await expect(async () => {
    await page.keyboard.press('g');
    await page.keyboard.press(letter);
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible({ timeout: 5000 });
  }).toPass();
}

/** Opens a place and waits until its screen is there. */
export async function visit(page: Page, panelUrl: string, place: string): Promise<void> {
  await page.goto(`${panelUrl}#/${place}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
}
