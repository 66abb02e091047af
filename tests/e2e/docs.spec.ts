// The documentation page: every method with parameters, answers and curl; tried for GET with the typed key alone; it leaves nothing behind.
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { API_OPERATIONS } from '../../src/contract/table.ts';
import { times } from '../support/long.ts';
import { expectAccessible } from './support/axe.ts';
import { expect, LOOKS, test } from './support/fixtures.ts';
import { ADMIN } from './support/panels.ts';
import { otherWindow } from './support/users.ts';

const PLACE = 'settings/security/api/docs';
/** A leak of each opening is far above what is allowed for all of them. */
const OPENINGS = times(5, 50);
const block = (page: Page, id: string) => page.locator(`[id^="operations-"][id$="-${id}"]`);

async function open(page: Page, id: string) {
  const method = block(page, id);
  await method.locator('.opblock-summary-control').click();
  await expect(method.locator('.opblock-body')).toBeVisible();
  return method;
}

test('has every method of the API, each with answers and a curl line for this panel', async ({
  page,
  panel,
  visit,
}) => {
  await visit(PLACE);
  await expect(page.locator('.opblock')).toHaveCount(API_OPERATIONS.length);
  for (const { id } of API_OPERATIONS) await expect(block(page, id), id).toHaveCount(1);
  for (const id of ['listUsers', 'extendUser', 'bulkUsers']) {
    const method = await open(page, id);
    await expect(method.locator('.panel-curl pre')).toContainText(panel.baseUrl);
    await expect(method.locator('.responses-table .response').first()).toBeVisible();
  }
  for (const [language, text] of [
    ['TypeScript', 'await fetch('],
    ['Python', 'urllib.request'],
  ] as const) {
    const sample = block(page, 'extendUser').locator('details', { hasText: language });
    await sample.locator('summary').press('Enter');
    await expect(sample.locator('pre')).toBeVisible();
    await expect(sample.locator('pre')).toContainText(text);
    await expect(sample.locator('pre')).toContainText(panel.baseUrl);
  }
  await expect(block(page, 'extendUser').locator('details[open]')).toHaveCount(1);
  const list = block(page, 'listUsers');
  await expect(list.locator('tr[data-param-name="limit"]')).toBeVisible();
  await expect(list.getByRole('button', { name: 'Try it' })).toBeVisible();
  await expect(block(page, 'extendUser').getByRole('button', { name: 'Try it' })).toHaveCount(0);
  await expect(block(page, 'bulkUsers').locator('.panel-curl pre')).toContainText('"action"');
  await expectAccessible(page, 'the documentation');
});

test('tries GET with the key that was typed, which is kept nowhere', async ({ page, panel, visit, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const { body } = await otherWindow(panel).call('createKey', {
    name: 'for the documentation',
    access: 'read',
    password: ADMIN.password,
  });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await visit(PLACE);
  await expect(page.getByText('for the documentation')).toBeVisible();
  // Of thousands of elements every look at the page takes long.
  await page.getByRole('searchbox', { name: 'Find a method' }).fill('users get');
  await expect(block(page, 'createUser')).toHaveCount(0);
  const list = await open(page, 'listUsers');
  await list.getByRole('button', { name: 'Try it' }).click();
  await list.locator('tr[data-param-name="limit"] input').fill('2');
  await list.getByRole('button', { name: 'Execute' }).click();
  const status = list.locator('.live-responses-table tbody .response-col_status');
  await expect(status).toContainText('401');

  await page.getByLabel('Key for “Try it”').fill(body.value);
  await list.getByRole('button', { name: 'Execute' }).click();
  await expect(status).toContainText('200');
  await expect(list.locator('.live-responses-table')).toContainText('"items"');
  const sent = list.locator('.panel-curl').filter({ hasText: 'The same with curl' });
  await expect(sent.locator('pre')).toContainText('limit=2');
  await expect(sent.locator('pre')).not.toContainText(body.value);
  await sent.getByRole('button', { name: 'Copy the command' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(
    `${panel.baseUrl}/users?limit=2&offset=0&sort=-id`,
  );
  await expectAccessible(page, 'a tried method');
  expect(asked.filter((url) => url.startsWith(panel.baseUrl))).toEqual([]);
  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  expect(stored).not.toContain(body.value);
  await page.getByRole('link', { name: 'API keys' }).click();
  await expect(page.getByLabel('Key for “Try it”')).toHaveCount(0);
  await page.goBack();
  await expect(page.getByLabel('Key for “Try it”')).toHaveValue('');
});

test('is filtered by keyboard, says what it did not find, and gives the description as a file', async ({
  page,
  panel,
  visit,
}) => {
  await visit(PLACE);
  const filter = page.getByRole('searchbox', { name: 'Find a method' });
  await filter.fill('grant');
  await expect(block(page, 'listUsers')).toHaveCount(0);
  await expect(page.locator('.opblock').first()).toBeVisible();
  await filter.fill('<b>zzz');
  await expect(page.getByText('No method matches “<b>zzz”')).toBeVisible();
  await filter.fill('users get');
  await page.keyboard.press('Tab');
  const summary = block(page, 'listUsers').locator('.opblock-summary-control');
  await summary.focus();
  await page.keyboard.press('Enter');
  await expect(block(page, 'listUsers').locator('.opblock-body')).toBeVisible();
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download OpenAPI' }).click();
  const file = await coming;
  expect(file.suggestedFilename()).toBe('panel-openapi.json');
  const document = JSON.parse(readFileSync(await file.path(), 'utf8'));
  expect(document.servers[0].url).toBe(panel.baseUrl);
  expect(Object.keys(document.paths).length).toBeGreaterThan(10);
});

for (const { locale, theme, pages } of LOOKS) {
  test.describe(`in ${locale}, ${theme}`, () => {
    test.use({ view: { locale, theme } });
    test('can be used by everybody, wide and narrow', async ({ page, visit }) => {
      await visit(PLACE);
      const { settings } = await pages();
      await expect(page.getByRole('heading', { level: 1, name: settings.api.docs.title })).toBeVisible();
      await expect(page.locator('.opblock')).toHaveCount(API_OPERATIONS.length);
      await open(page, 'createUser');
      await expectAccessible(page, `the documentation ${locale} ${theme}`);
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
      await page.getByRole('searchbox').fill('users post');
      await expect(block(page, 'listUsers')).toHaveCount(0);
      await expectAccessible(page, `the documentation ${locale} ${theme} 360 px`);
      expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
    });
  });
}

test(`${OPENINGS} openings leave nothing behind`, async ({ page, visit }) => {
  await visit('settings/security/api');
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  const openings = async (count: number) => {
    for (let opening = 0; opening < count; opening += 1) {
      await page.getByRole('link', { name: 'Open the documentation' }).click();
      await expect(page.locator('.opblock')).toHaveCount(API_OPERATIONS.length);
      await page.getByRole('link', { name: 'API keys' }).click();
      await expect(page.getByRole('region', { name: 'Keys', exact: true })).toBeVisible();
    }
  };
  const weigh = async () => {
    await devtools.send('HeapProfiler.collectGarbage');
    const { metrics } = await devtools.send('Performance.getMetrics');
    const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
    return { nodes: of('Nodes'), listeners: of('JSEventListeners'), megabytes: of('JSHeapUsedSize') / 1e6 };
  };
  // The first ones load what stays: scripts, styles, the description.
  await openings(3);
  const before = await weigh();
  await openings(OPENINGS);
  const after = await weigh();
  console.log(`before ${JSON.stringify(before)}, after ${OPENINGS} openings ${JSON.stringify(after)}`);
  // One opening has some 6,000 nodes and takes 10 MB: a part of one in many is noise, not a leak.
  expect(after.nodes - before.nodes).toBeLessThan(1000);
  expect(after.listeners - before.listeners).toBeLessThan(200);
  expect(after.megabytes - before.megabytes).toBeLessThan(5);
});
