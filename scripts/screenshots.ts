// `npm run screenshots [-- <beginning of a name>]`: pictures of every screen into docs/screenshots: light, dark, in every other language,
// and on a phone.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import { LANGUAGES } from '../src/i18n/languages.ts';
import { loadPageTexts } from '../src/i18n/page-texts.ts';
import { ADMIN, type BrowserPanel, openBrowserPanel } from '../tests/e2e/support/panels.ts';
import { ensureChromium, launchOptions } from '../tests/support/chromium.ts';
import { root, run } from './run.ts';
import { SHOTS, type Shot } from './screenshot-shots.ts';

interface Look {
  readonly name: string;
  readonly theme: 'light' | 'dark';
  readonly language: (typeof LANGUAGES)[number];
  readonly width: number;
  readonly height: number;
}

const [english, ...others] = LANGUAGES;
const LOOKS: readonly Look[] = [
  { name: 'light', theme: 'light', language: english, width: 1440, height: 900 },
  { name: 'dark', theme: 'dark', language: english, width: 1440, height: 900 },
  ...others.map((language): Look => ({ name: language.code, theme: 'light', language, width: 1440, height: 900 })),
  { name: 'phone', theme: 'dark', language: english, width: 360, height: 740 },
];

const USERS = 2000;
const BUILD_BUDGET_MS = 180_000;
/** Of WebP, 1 to 100: text stays sharp, and all pictures together stay below 6 MB. */
const QUALITY = 80;
/** A browser as the administrator's would be, for the list of sessions. */
const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
const folder = join(root, 'docs/screenshots');
const [only] = process.argv.slice(2);

function openContext(browser: Browser, { theme, language, width, height }: Look): Promise<BrowserContext> {
  return browser.newContext({
    ignoreHTTPSErrors: true,
    reducedMotion: 'reduce',
    viewport: { width, height },
    timezoneId: 'Europe/Berlin',
    userAgent: USER_AGENT,
    colorScheme: theme,
    locale: language.tag,
  });
}

/** In the page: how much stands there. */
const SIZE = "document.body.innerText.length + ' ' + document.querySelectorAll('*').length";
const CALM_LOOKS = 3;
const LOOK_MS = 150;

/** Everything that was asked for is there, drawn, and stands still. */
async function settle(page: Page): Promise<void> {
  await page.getByRole('heading').first().waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  for (let calm = 0, before = ''; calm < CALM_LOOKS; ) {
    await page.waitForTimeout(LOOK_MS);
    const now = String(await page.evaluate(SIZE));
    calm = now === before ? calm + 1 : 0;
    before = now;
  }
}

async function captureShot(context: BrowserContext, panel: BrowserPanel, look: Look, shot: Shot): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${panel.url}#/${shot.place}`);
  await settle(page);
  if (shot.act) {
    await shot.act(page, panel, await loadPageTexts(look.language.code));
    await settle(page);
  }
  const devtools = await context.newCDPSession(page);
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  writeFileSync(join(folder, `${shot.name}-${look.name}.webp`), Buffer.from(data, 'base64'));
  await page.close();
}

async function signIn(context: BrowserContext, panel: BrowserPanel): Promise<void> {
  const page = await context.newPage();
  await page.goto(panel.url);
  await page.locator('input[name=name]').fill(ADMIN.name);
  await page.locator('input[name=password]').fill(ADMIN.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('input[name=password]').waitFor({ state: 'detached' });
  await page.close();
}

async function captureAll(browser: Browser, panel: BrowserPanel, look: Look, shots: readonly Shot[]): Promise<void> {
  const { theme, language } = look;
  for (const who of ['in', 'out', 'fresh', 'empty'] as const) {
    const chosen = shots.filter((shot) => (shot.who ?? 'in') === who);
    if (chosen.length === 0) continue;
    const isNew = who === 'fresh' || who === 'empty';
    await using fresh = isNew ? await openBrowserPanel({ users: 0, hasAdministrator: who === 'empty' }) : null;
    const context = await openContext(browser, look);
    const view = JSON.stringify({ state: { theme, locale: language.code }, version: 1 });
    await context.addInitScript((state) => localStorage.setItem('gatehouse.view', state), view);
    if (who === 'in' || who === 'empty') await signIn(context, fresh ?? panel);
    for (const shot of chosen) await captureShot(context, fresh ?? panel, look, shot);
    await context.close();
  }
}

/** What a panel has after some weeks: keys, a backup, settings of its own. */
async function furnish({ administrator }: BrowserPanel): Promise<void> {
  for (const [name, access] of [
    ['grafana', 'read'],
    ['telegram bot', 'full'],
  ] as const) {
    await administrator?.call('createKey', { name, access, expires_in_days: 90, password: ADMIN.password });
  }
  await administrator?.call('createBackup', { passphrase: 'a passphrase for pictures' });
  await administrator?.call('updateSettings', { support_url: 'https://t.me/example', time_zone: 'Europe/Berlin' });
}

await ensureChromium();
if (process.env.PAGES_ARE_BUILT !== '1') {
  const { ok, output } = await run(['vite', 'build', '--config', 'renderer.vite.config.ts'], BUILD_BUDGET_MS);
  if (!ok) throw new Error(output);
}
mkdirSync(folder, { recursive: true });
const shots = SHOTS.filter(({ name }) => only === undefined || name.startsWith(only));
const browser = await chromium.launch(launchOptions());
try {
  for (const look of LOOKS) {
    // A panel for each look: who is online now is so for some minutes only.
    await using panel = await openBrowserPanel({ users: USERS, sells: true });
    await furnish(panel);
    await captureAll(browser, panel, look, shots);
  }
} finally {
  await browser.close();
}
console.log(`${shots.length * LOOKS.length} pictures in docs/screenshots`);
