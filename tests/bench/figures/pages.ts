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
const recordUseful = (selector: string) => `
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
/** In the page, before its scripts: tells when the users that the palette asks for have come. */
const NOTE_FOUND = `
  const asked = window.fetch;
  window.fetch = async (...request) => {
    const reply = await asked(...request);
    if (String(request[0]).includes('listUsers')) window.found?.();
    return reply;
  };`;
/** In the page: changes the palette's text, and answers ms until what it finds has been painted. */
const pressTo = (text: string) => `(async () => {
  const input = document.querySelector('[role="combobox"]');
  const answered = new Promise((done) => { window.found = done; });
  const start = performance.now();
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, ${JSON.stringify(text)});
  input.dispatchEvent(new InputEvent('input', { bubbles: true }));
  await answered;
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - start;
})()`;
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
  await page.addInitScript({ content: recordUseful(USEFUL[screen]) });
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

/** From each key of a word in the palette to what it found, ms. */
async function palette(page: Page): Promise<readonly number[]> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').waitFor();
  const times: number[] = [];
  for (const text of TYPED) {
    for (let length = 1; length <= text.length; length += 1) {
      times.push(Number(await page.evaluate(pressTo(text.slice(0, length)))));
    }
  }
  await page.keyboard.press('Escape');
  return times;
}

/** What the dialog of a bulk asks before it shows what would become of all users: who changes how, and how many, ms. */
async function previewAll({ administrator }: BrowserPanel): Promise<number> {
  if (administrator === null) throw new Error('nobody is signed in');
  const all = { action: 'extend', days: 30, filter: { all: true } } as const;
  const start = performance.now();
  const [preview, counted] = await Promise.all([
    administrator.call('previewBulk', all),
    administrator.call('bulkUsers', { ...all, dry_run: true }),
  ]);
  if (preview.status !== 200 || counted.status !== 200) throw new Error('the preview was refused');
  return performance.now() - start;
}

function timesRow(title: string, most: number, detail: string, times: readonly number[]): Measured {
  const range = [Math.min(...times), Math.max(...times)] as const;
  return { title, reach: { most }, isRatio: false, unit: 'ms', value: median(times), range, detail };
}

function tasksRow(title: string, most: number, what: string, tasks: readonly number[]): Measured {
  const long = tasks.filter((task) => task > LONG_MS);
  const detail = `${what}; the longest ${(tasks[0] ?? 0).toFixed(0)} ms of ${tasks.length.toLocaleString('en')} tasks`;
  return { title, reach: { most }, isRatio: false, value: long.length, detail };
}

export const pages: Figure = {
  name: 'pages',
  async measure({ databases, scale, printLine }) {
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
        const detail = 'from the click to painted figures or rows; HTTPS, nothing cached';
        rows.push(timesRow(`first useful paint of ${screen}, ${people}`, 1000, detail, rounds));
      }
      printLine('pages: tasks');
      const context = await open(browser, panel);
      const page = await context.newPage();
      await page.addInitScript({ content: NOTE_FOUND });
      await page.goto(`${panel.url}#/users`);
      await page.locator(USEFUL.users).waitFor();
      const found = 'from a key to what was found, painted; the slowest of the keys is the end of the range';
      rows.push(timesRow(`a key in the palette, ${people}`, 50, found, await palette(page)));
      const previews: number[] = [];
      for (let round = 0; round < scale.rounds; round += 1) previews.push(await previewAll(panel));
      const asked = 'the difference by user and the dry run that counts, asked together, over HTTPS';
      rows.push(timesRow(`preview of a bulk, ${people}`, 2000, asked, previews));
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
