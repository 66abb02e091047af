// The frame: navigation, Back, titles, the command palette, keys, themes, languages, and a panel that goes away.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadPageTexts } from '../../src/i18n/page-texts.ts';
import { expectAccessible } from './support/axe.ts';
import { expect, LOOKS, navigateByKeys, test } from './support/fixtures.ts';
import { interceptCalls } from './support/intercept.ts';
import { openBrowserPanel } from './support/panels.ts';
import { FRAME, TREES } from './support/trees.ts';
import { watchPage } from './support/watch.ts';

const SCREENS = ['Overview', 'Users', 'Plans', 'Sales', 'Connections', 'Nodes', 'Audit', 'Settings'] as const;

test('every screen is reached from the rail, has its title, and Back leads back', async ({ page, visit }) => {
  await visit('overview');
  const rail = page.getByRole('navigation', { name: 'Sections', exact: true });
  for (const name of SCREENS) {
    await rail.getByRole('link', { name, exact: true }).click();
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
    await expect(page).toHaveTitle(new RegExp(`${name} · Gatehouse$`));
    await expect(rail.getByRole('link', { name, exact: true })).toHaveAttribute('aria-current', 'page');
    await expect(page.locator('body')).toMatchAriaSnapshot(`${FRAME}${TREES[name]}`);
  }
  for (const name of [...SCREENS].reverse().slice(1)) {
    await page.goBack();
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
  }
});

test('in a low window only the page within the frame scrolls', async ({ page, visit }) => {
  await page.setViewportSize({ width: 900, height: 300 });
  for (const name of SCREENS) {
    await visit(name.toLowerCase());
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
    const excess = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
    expect(excess, name).toBeLessThanOrEqual(0);
  }
});

test('an address that leads nowhere says so', async ({ page, visit }) => {
  await visit('overview');
  await page.evaluate(() => {
    location.hash = '#/nowhere';
  });
  await expect(page.getByRole('heading', { level: 1, name: 'Page not found' })).toBeVisible();
  await page.getByRole('link', { name: 'Go to the overview' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  // The menu of the account calls shortcuts what they are: keys are those of the API.
  await page.getByRole('button', { name: 'Account' }).click();
  await expect(page.getByRole('menuitem', { name: 'Keyboard shortcuts' })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: /^Keys/ })).toHaveCount(0);
});

test('the palette finds screens and users by keyboard alone', async ({ page, visit }) => {
  await visit('overview');
  await page.keyboard.press('Control+k');
  const input = page.getByRole('combobox', { name: 'Find a user, a record, an action or a setting' });
  await expect(input).toBeFocused();
  await expectAccessible(page, 'the palette');
  await page.keyboard.type('go to pl');
  await expect(page.getByRole('option', { selected: true })).toHaveText(/Go to Plans/);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Plans' })).toBeVisible();

  await page.keyboard.press('Control+k');
  await expect(input).toBeFocused();
  await page.keyboard.type('user1');
  await expect(page.getByRole('group', { name: 'Users' }).getByRole('option').first()).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#\/users\/\d+/);

  await page.keyboard.press('Escape');
  await page.goto(page.url().replace(/#.*/, '#/plans'));
  await page.keyboard.press('Control+k');
  await expect(input).toBeFocused();
  await page.keyboard.type('zzzz');
  await expect(page.getByText('Nothing found for “zzzz”')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(input).toBeHidden();
});

test('keys go to screens, are listed, and can be turned off', async ({ page, visit }) => {
  await visit('overview');
  await navigateByKeys(page, 'n', 'Nodes');
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(dialog.getByText('Open the command palette')).toBeVisible();
  await expect(dialog.getByText('Next row')).toBeVisible();
  await expectAccessible(page, 'the keys');
  await dialog.getByLabel('Single-letter shortcuts').uncheck();
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await page.keyboard.press('p');
  await page.keyboard.press('?');
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('heading', { level: 1, name: 'Nodes' })).toBeVisible();
});

test('the skip link leads past the navigation', async ({ page, visit }) => {
  await visit('plans');
  await page.keyboard.press('Tab');
  const skip = page.getByRole('link', { name: 'Skip to the content' });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
  await expect(page).toHaveURL(/#\/plans$/);
});

test('theme, rows and language are chosen, kept, and there before the first paint', async ({ page, visit, watch }) => {
  watch.allow(/ERR_FAILED/);
  await visit('plans');
  const html = page.locator('html');
  await page.getByRole('button', { name: 'Appearance' }).click();
  await expectAccessible(page, 'the menu of appearance');
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  await expect(html).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await page.getByRole('menuitemradio', { name: 'Comfortable' }).click();
  await expect(html).toHaveAttribute('data-density', 'comfortable');
  // So is what is open in another window of the browser.
  const other = await page.context().newPage();
  await other.goto(page.url());
  await expect(other.getByRole('heading', { level: 1, name: 'Plans' })).toBeVisible();
  await page.getByRole('menuitemradio', { name: 'Русский' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Тарифы' })).toBeVisible();
  await expect(other.getByRole('heading', { level: 1, name: 'Тарифы' })).toBeVisible();
  await other.close();

  // Without the application: what the page says of itself from the start.
  await page.route('**/assets/*.js', (route) => route.abort());
  await page.reload();
  await expect(html).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await expect(html).toHaveAttribute('lang', 'ru');
  await page.unroute('**/assets/*.js');
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: 'Тарифы' })).toBeVisible();
});

test.describe('the theme of the system', () => {
  test.use({ colorScheme: 'dark' });
  test('is followed while nothing is chosen', async ({ page, visit }) => {
    await visit('plans');
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'light');
  });
});

test('on a phone the navigation is a bar below, and everything fits', async ({ page, visit }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await visit('overview');
  const rail = page.getByRole('navigation', { name: 'Sections', exact: true });
  const box = await rail.boundingBox();
  expect(box?.y).toBeGreaterThan(600);
  // Every entry has its name, whole.
  for (const name of await rail.locator('li span').all()) {
    expect(await name.evaluate((text) => text.clientWidth > 20 && text.scrollWidth <= text.clientWidth)).toBe(true);
  }
  for (const name of SCREENS) {
    const link = rail.getByRole('link', { name, exact: true });
    if (!(await link.isVisible())) {
      await rail.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name, exact: true }).click();
    } else await link.click();
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
    const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(isWide, name).toBe(false);
  }
});

test('a panel that goes away is told, nothing typed is lost, and it comes back by itself', async ({ browser }) => {
  const panel = await openBrowserPanel({ users: 0 });
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  await panel.signIn(context);
  const page = await context.newPage();
  const watch = await watchPage(page, new URL(panel.url).origin);
  watch.allow(/ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED/);
  await page.goto(`${panel.url}#/settings/general`);
  const title = page.getByLabel('Title of the panel');
  await title.fill('Half a sentence');

  await panel.stop();
  await page.getByRole('button', { name: 'Save' }).click();
  const banner = page.getByRole('alert').filter({ hasText: 'No connection to the panel.' });
  await expect(banner).toBeVisible();
  await expect(title).toHaveValue('Half a sentence');
  await expectAccessible(page, 'a lost connection');

  await panel.startAgain();
  await expect(banner).toBeHidden();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('status').filter({ hasText: /saved/i })).toBeVisible();
  expect(watch.complaints()).toEqual([]);
  await context.close();
  await panel[Symbol.asyncDispose]();
});

test.describe('a panel whose data another one has taken over', () => {
  for (const { locale, theme } of LOOKS) {
    test(`says so on every page in ${locale}, ${theme}, wide and narrow`, async ({ page, own }) => {
      const { frame } = await loadPageTexts(locale);
      await page.addInitScript(
        (state) => localStorage.setItem('gatehouse.view', JSON.stringify({ state, version: 1 })),
        { locale, theme },
      );
      await own.stop();
      writeFileSync(join(own.folder, 'superseded.json'), JSON.stringify({ epoch: 1 }));
      await own.startAgain();
      for (const [place, width] of [
        ['overview', 1280],
        ['users', 390],
      ] as const) {
        await page.setViewportSize({ width, height: 800 });
        await own.visit(place);
        const title = page.locator('strong').filter({ hasText: frame.role.superseded.title });
        const banner = page.getByRole('alert').filter({ has: title });
        await expect(banner.locator('code')).toHaveText('npx panel promote --take-back');
        // Nothing asks for what would be refused.
        await expect(page.getByRole('alert')).toHaveCount(1);
        await expectAccessible(page, `a superseded panel, ${place}, ${locale} ${theme}`);
      }
    });
  }
});

test('the address of a panel that has moved says so', async ({ page, visit }) => {
  const calls = await interceptCalls(page);
  await visit('overview');
  calls.answerWith((route) => route.fulfill({ status: 404, body: '' }));
  await page.getByRole('navigation', { name: 'Sections', exact: true }).getByRole('link', { name: 'Nodes' }).click();
  await expect(page.getByText('The panel no longer answers at this address.')).toBeVisible();
  calls.restore();
  await expect(page.getByText('The panel no longer answers at this address.')).toBeHidden();
});

test('a screen that is not loaded while the panel is away waits for it', async ({ page, visit, watch }) => {
  watch.allow(/ERR_FAILED|ERR_CONNECTION_REFUSED|dynamically imported module/);
  // React logs what was thrown as an object, without a text.
  watch.allow(/^\s*$/);
  await visit('overview');
  const isScreen = /\/assets\/audit-page[^/]*\.js$/;
  await page.route(isScreen, (route) => route.abort());
  const calls = await interceptCalls(page);
  calls.answerWith((route) => route.abort('connectionrefused'));
  await page.getByRole('navigation', { name: 'Sections', exact: true }).getByRole('link', { name: 'Audit' }).click();
  await expect(page.getByText('This screen loads as soon as the panel can be reached again.')).toBeVisible();
  await page.unroute(isScreen);
  calls.restore();
  await expect(page.getByRole('heading', { level: 1, name: 'Audit' })).toBeVisible();
});

test('the status leads to the nodes, and a node that was not asked yet is not down', async ({ page, visit }) => {
  await page.route('**/panel/listNodes', async (route) => {
    const response = await route.fetch();
    const { items, ...rest } = await response.json();
    const states = ['down', 'unknown', 'up'];
    const changed = items.map((node: object, index: number) => ({ ...node, status: states[Math.min(index, 2)] }));
    await route.fulfill({ response, json: { ...rest, items: changed } });
  });
  await visit('overview');
  const status = page.getByRole('status', { name: 'Panel status: 1 node is down' });
  await expect(status).toBeVisible();
  await status.click();
  await expect(page.getByRole('heading', { level: 1, name: 'Nodes' })).toBeVisible();
  await page.unrouteAll({ behavior: 'wait' });
});

for (const theme of ['light', 'dark'] as const) {
  test.describe(`in the ${theme} theme`, () => {
    test.use({ view: { theme } });
    test('the menu of a row can be read, what deletes as well', async ({ page, visit }) => {
      await visit('plans');
      await page
        .getByRole('row')
        .nth(1)
        .getByRole('button', { name: /More actions/ })
        .click();
      const remove = page.getByRole('menuitem', { name: 'Delete' });
      await expect(remove).toBeVisible();
      await expectAccessible(page, 'the menu of a plan');
      await remove.hover();
      await expectAccessible(page, 'the menu of a plan, at its deletion');
    });
  });
}
