// `npm run screenshots`: pictures of every screen into docs/screenshots: light, dark, Russian, and on a phone. A new screen is a line in SHOTS.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Page } from '@playwright/test';
import { type BrowserPanel, openBrowserPanel } from '../tests/e2e/support/panels.ts';
import { ensureChromium, launchOptions } from '../tests/support/chromium.ts';
import { root, run } from './run.ts';

interface Shot {
  readonly name: string;
  /** Behind `#/`. */
  readonly place: string;
  /** What is done before the picture is taken: a drawer opened, rows selected. */
  readonly act?: (page: Page) => Promise<unknown>;
  /** false: without signing in. */
  readonly isSignedIn?: boolean;
}

const SHOTS: readonly Shot[] = [
  { name: 'sign-in', place: '', isSignedIn: false },
  { name: 'overview', place: 'overview' },
  { name: 'overview-by-node', place: 'overview?range=7d&by=node' },
  { name: 'users', place: 'users' },
  { name: 'plans', place: 'plans' },
  { name: 'connections', place: 'connections' },
  { name: 'nodes', place: 'nodes' },
  { name: 'audit', place: 'audit' },
  { name: 'settings', place: 'settings/general' },
  { name: 'palette', place: 'overview', act: (page) => page.keyboard.press('Control+k') },
];

const LOOKS = [
  { name: 'light', theme: 'light', locale: 'en', width: 1440, height: 900 },
  { name: 'dark', theme: 'dark', locale: 'en', width: 1440, height: 900 },
  { name: 'ru', theme: 'light', locale: 'ru', width: 1440, height: 900 },
  { name: 'phone', theme: 'dark', locale: 'en', width: 360, height: 740 },
] as const;

const USERS = 2000;
const BUILD_BUDGET_MS = 180_000;
/** Until pictures and figures have settled, in ms. */
const SETTLE_MS = 1200;
const folder = join(root, 'docs/screenshots');
const [only] = process.argv.slice(2);

async function take(panel: BrowserPanel, look: (typeof LOOKS)[number], shots: readonly Shot[]): Promise<void> {
  const browser = await chromium.launch(launchOptions());
  for (const isSignedIn of [true, false]) {
    const context = await browser.newContext({
      ignoreHTTPSErrors: true,
      reducedMotion: 'reduce',
      viewport: { width: look.width, height: look.height },
      timezoneId: 'Europe/Berlin',
    });
    const state = { theme: look.theme, locale: look.locale };
    await context.addInitScript(
      (view) => localStorage.setItem('gatehouse.view', JSON.stringify({ state: view, version: 1 })),
      state,
    );
    if (isSignedIn) await context.addCookies([await panel.signIn()]);
    for (const shot of shots.filter((one) => (one.isSignedIn ?? true) === isSignedIn)) {
      const page = await context.newPage();
      await page.goto(`${panel.url}#/${shot.place}`);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page.waitForTimeout(SETTLE_MS);
      await shot.act?.(page);
      if (shot.act) await page.waitForTimeout(SETTLE_MS);
      await page.screenshot({ path: join(folder, `${shot.name}-${look.name}.png`) });
      await page.close();
    }
    await context.close();
  }
  await browser.close();
}

await ensureChromium();
if (process.env.PAGES_ARE_BUILT !== '1') {
  const { ok, output } = await run(['vite', 'build', '--config', 'renderer.vite.config.ts'], BUILD_BUDGET_MS);
  if (!ok) throw new Error(output);
}
mkdirSync(folder, { recursive: true });
const shots = SHOTS.filter(({ name }) => only === undefined || name.startsWith(only));
const panel = await openBrowserPanel({ users: USERS });
try {
  for (const look of LOOKS) await take(panel, look, shots);
} finally {
  await panel[Symbol.asyncDispose]();
}
console.log(`${shots.length * LOOKS.length} pictures in docs/screenshots`);
