// What `npm run screenshots` takes pictures of: every screen and its main states. A new screen is a line here.
import type { Locator, Page } from '@playwright/test';
import type { loadPageTexts } from '../src/i18n/page-texts.ts';
import { ADMIN, type BrowserPanel } from '../tests/e2e/support/panels.ts';

type PageTexts = Awaited<ReturnType<typeof loadPageTexts>>;

export interface Shot {
  readonly name: string;
  /** Behind `#/`. */
  readonly place: string;
  /** What is done before the picture is taken: a dialog opened, rows selected. `texts` are those of the page's language. */
  readonly act?: (page: Page, panel: BrowserPanel, texts: PageTexts) => Promise<unknown>;
  /** `out`: signed out; `fresh`: without an administrator; `empty`: without users, plans and nodes. */
  readonly who?: 'out' | 'fresh' | 'empty';
}

const drawer = (page: Page): Locator => page.getByRole('dialog');

/** Answers the dialog that asks for the password, which it does once in five minutes, and waits for what comes then. */
async function prove(page: Page, next: Locator): Promise<void> {
  const password = drawer(page).locator('input[autocomplete=current-password]');
  await password.or(next).first().waitFor();
  if (await password.isVisible()) {
    await password.fill(ADMIN.password);
    await page.keyboard.press('Enter');
  }
  await next.waitFor();
}

/** Three users, to be changed at once. */
async function selectThree(page: Page): Promise<void> {
  for (const row of [1, 2, 4]) await page.locator(`tr[data-index="${row}"] input`).click();
}

async function forecast(page: Page, _panel: BrowserPanel, { users }: PageTexts): Promise<void> {
  await selectThree(page);
  await page.getByRole('toolbar').getByRole('button', { name: users.act.extend }).click();
}

async function askForKey(page: Page): Promise<void> {
  await drawer(page).locator('input').first().fill('billing bot');
  await page.keyboard.press('Control+Enter');
}

async function makeKey(page: Page): Promise<void> {
  await askForKey(page);
  await prove(page, drawer(page).locator('pre, code').first());
}

async function setUp(page: Page, { setupUrl }: BrowserPanel): Promise<void> {
  await page.goto(setupUrl ?? '');
  await page.locator('input').first().fill('anna');
  await page.locator('input[type=password]').first().fill('violet otter under bridges');
}

async function enrol(page: Page, _panel: BrowserPanel, { settings }: PageTexts): Promise<void> {
  await page.getByRole('button', { name: settings.security.factor.enable, exact: true }).first().click();
  await prove(page, page.locator('input[autocomplete=one-time-code]'));
}

export const SHOTS: readonly Shot[] = [
  { name: 'setup', place: '', who: 'fresh', act: setUp },
  { name: 'sign-in', place: '', who: 'out' },
  { name: 'first-steps', place: 'overview', who: 'empty' },
  { name: 'overview', place: 'overview' },
  { name: 'overview-by-node', place: 'overview?range=7d&by=node' },
  { name: 'nodes', place: 'nodes' },
  { name: 'node', place: 'nodes/1' },
  { name: 'users', place: 'users' },
  { name: 'users-selected', place: 'users', act: selectThree },
  { name: 'users-dry-run', place: 'users', act: forecast },
  { name: 'users-nothing-found', place: 'users?q=zzzz&state=expired' },
  { name: 'user', place: 'users/20' },
  { name: 'user-extend', place: 'users/20?do=extend' },
  { name: 'user-new', place: 'users/new' },
  { name: 'plans', place: 'plans' },
  { name: 'plan', place: 'plans/1' },
  { name: 'connections', place: 'connections' },
  { name: 'connection', place: 'connections/1' },
  { name: 'connection-new', place: 'connections/new' },
  { name: 'sales', place: 'sales' },
  { name: 'orders', place: 'sales/orders' },
  { name: 'offers', place: 'sales/offers' },
  { name: 'promo-new', place: 'sales/promos/new' },
  { name: 'audit', place: 'audit' },
  { name: 'audit-entry', place: 'audit/1' },
  { name: 'settings-general', place: 'settings/general' },
  { name: 'settings-subscription', place: 'settings/subscription' },
  { name: 'settings-addresses', place: 'settings/addresses' },
  { name: 'settings-certificates', place: 'settings/certificates' },
  { name: 'certificate-order', place: 'settings/certificates/acme' },
  { name: 'settings-security', place: 'settings/security' },
  // Before others prove who is signed in.
  { name: 'proof', place: 'settings/security/api/new', act: askForKey },
  { name: 'settings-two-factor', place: 'settings/security', act: enrol },
  { name: 'settings-api', place: 'settings/security/api' },
  { name: 'settings-webhooks', place: 'settings/security/webhooks' },
  { name: 'settings-webhook-new', place: 'settings/security/webhooks/new' },
  { name: 'settings-bot', place: 'settings/bot' },
  { name: 'settings-payments', place: 'settings/payments' },
  { name: 'settings-backups', place: 'settings/backups' },
  { name: 'settings-updates', place: 'settings/updates' },
  { name: 'docs', place: 'settings/security/api/docs' },
  { name: 'docs-method', place: 'settings/security/api/docs/createUser' },
  { name: 'key-once', place: 'settings/security/api/new', act: makeKey },
  { name: 'palette', place: 'overview', act: (page) => page.keyboard.press('Control+k') },
];
