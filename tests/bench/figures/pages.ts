// How the admin pages feel on a panel with many users: until something useful is painted, and what holds the main thread up.
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import { type BrowserPanel, openBrowserPanel } from '../../e2e/support/panels.ts';
import { ensureChromium, launchOptions } from '../../support/chromium.ts';
import type { Figure, Measured } from '../figure.ts';
import { traceTasks } from '../page-trace.ts';
import { median } from '../statistics.ts';

const LONG_MS = 50;
/** What makes a screen useful: its figures, its first row. */
const USEFUL = {
  overview: 'section[aria-label] a[href]',
  users: 'tr[data-index="0"] a[href]',
} as const;
/** In the page: notes when the selector's element has been painted, ms since the navigation began. */
const noteUseful = (selector: string) => `
  new MutationObserver((_, observer) => {
    if (document.querySelector('main ${selector}') === null) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => { window.usefulAt = performance.now(); }));
  }).observe(document, { childList: true, subtree: true });`;
const FRAMES = 300;
const FRAME_MS = 16;
/** Pixels a frame: some 30 rows a second, which can still be read; and a wheel that is thrown. */
const READING = 18;
const WILD = 1500;
/** Until who types looks up. */
const PAUSE_MS = 500;
const TYPED = ['anna', 'user1', 'smith', 'zz'];

async function open(browser: Browser, panel: BrowserPanel): Promise<BrowserContext> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: { width: 1440, height: 900 } });
  await panel.signIn(context);
  return context;
}

/** With nothing in the browser's cache, ms. */
async function firstUseful(browser: Browser, panel: BrowserPanel, screen: keyof typeof USEFUL): Promise<number> {
  const context = await open(browser, panel);
  const page = await context.newPage();
  await page.addInitScript({ content: noteUseful(USEFUL[screen]) });
  await page.goto(`${panel.url}#/${screen}`);
  let at: unknown;
  while (typeof at !== 'number') at = await page.evaluate('window.usefulAt');
  await context.close();
  return at;
}

async function type(page: Page): Promise<void> {
  const search = page.getByRole('searchbox');
  for (const text of TYPED) {
    await search.pressSequentially(text, { delay: 90 });
    await page.waitForTimeout(PAUSE_MS);
    await search.fill('');
  }
}

async function scroll(page: Page, pixels: number): Promise<void> {
  for (let frame = 0; frame < FRAMES; frame += 1) {
    await page.mouse.wheel(0, pixels);
    await page.waitForTimeout(FRAME_MS);
  }
}

function tasksRow(title: string, most: number, what: string, tasks: readonly number[]): Measured {
  const long = tasks.filter((task) => task > LONG_MS);
  const detail = `${what}; the longest ${(tasks[0] ?? 0).toFixed(0)} ms of ${tasks.length.toLocaleString('en')} tasks`;
  return { title, reach: { most }, isRatio: false, value: long.length, detail };
}

export const pages: Figure = {
  name: 'pages',
  async measure({ databases, scale, say }) {
    await ensureChromium();
    const users = databases.sizes.middle;
    const people = `${users.toLocaleString('en')} users`;
    await using panel = await openBrowserPanel({ users });
    const browser = await chromium.launch(launchOptions());
    try {
      const rows: Measured[] = [];
      for (const screen of ['overview', 'users'] as const) {
        const rounds: number[] = [];
        for (let round = 0; round < scale.rounds; round += 1) rounds.push(await firstUseful(browser, panel, screen));
        rows.push({
          title: `first useful paint of ${screen}, ${people}`,
          ...({ reach: { most: 1000 }, isRatio: false, unit: 'ms' } as const),
          value: median(rounds),
          range: [Math.min(...rounds), Math.max(...rounds)],
          detail: 'from the click to painted figures or rows; HTTPS, nothing cached',
        });
      }
      say('pages: tasks');
      const context = await open(browser, panel);
      const page = await context.newPage();
      await page.goto(`${panel.url}#/users`);
      await page.locator(USEFUL.users).waitFor();
      const typing = await traceTasks(browser, page, () => type(page));
      rows.push(tasksRow(`tasks over ${LONG_MS} ms while typing, ${people}`, 0, `${TYPED.length} searches`, typing));
      await page.locator(USEFUL.users).waitFor();
      await page.mouse.move(700, 500);
      const reading = await traceTasks(browser, page, () => scroll(page, READING));
      rows.push(tasksRow(`tasks over ${LONG_MS} ms while reading on, ${people}`, 0, `${READING} px a frame`, reading));
      const wild = await traceTasks(browser, page, () => scroll(page, WILD));
      rows.push(tasksRow(`tasks over ${LONG_MS} ms at the wildest, ${people}`, 5, `${WILD} px a frame`, wild));
      return rows;
    } finally {
      await browser.close();
    }
  },
};
