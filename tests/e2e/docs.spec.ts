// The documentation page: every method with parameters, answers and curl; tried for GET with the typed key alone; it leaves nothing behind.
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { API_OPERATIONS } from '../../src/contract/table.ts';
import { loadPageTexts } from '../../src/i18n/page-texts.ts';
import { times } from '../support/long.ts';
import { expectAccessible } from './support/axe.ts';
import { expect, LOOKS, test } from './support/fixtures.ts';
import { ADMIN } from './support/panels.ts';
import { otherWindow } from './support/users.ts';

const PLACE = 'settings/security/api/docs';
/** A leak of each opening is far above what is allowed for all of them. */
const OPENINGS = times(3, 50);
const nav = (page: Page) => page.getByRole('navigation', { name: 'Documentation' });
const method = (page: Page, id: string) => page.locator(`article[data-operation="${id}"]`);

async function open(page: Page, id: string) {
  const { summary } = API_OPERATIONS.find((one) => one.id === id) ?? { summary: '' };
  await nav(page).getByRole('link', { name: summary }).first().click();
  await expect(method(page, id)).toBeVisible();
  return method(page, id);
}

test('has every method of the API with its parameters, responses, errors and samples for this panel', async ({
  page,
  panel,
  visit,
}) => {
  await visit(PLACE);
  const list = page.getByRole('region', { name: 'All methods' });
  for (const { path, summary } of API_OPERATIONS) {
    await expect(list.getByRole('listitem').filter({ hasText: path }).getByText(summary).first()).toBeVisible();
  }
  expect(await list.getByRole('listitem').count()).toBe(API_OPERATIONS.length);
  for (const name of ['Node.js', 'Python', 'Go']) {
    await expect(page.getByRole('figure', { name, exact: true }).locator('pre')).toContainText('gatehouse-ca.pem');
  }
  await expect(page.getByText('```')).toHaveCount(0);
  await expectAccessible(page, 'the introduction of the documentation');

  for (const { id } of API_OPERATIONS) {
    await page.goto(`${panel.url}#/${PLACE}/${id}`);
    const shown = method(page, id);
    await expect(shown.getByRole('figure', { name: 'Example in curl' }).locator('pre')).toContainText(panel.baseUrl);
    await expect(shown.getByRole('region', { name: /^Response 20\d$/ }).first()).toBeVisible();
    await expect(shown.getByRole('region', { name: 'Errors' }).getByText('unauthorized')).toBeVisible();
  }

  const extend = await open(page, 'extendUser');
  await expect(extend.getByRole('region', { name: 'Path parameters' }).locator('[data-field="id"]')).toBeVisible();
  await expect(extend.getByRole('region', { name: 'Request body' }).locator('[data-field="months"]')).toContainText(
    '1 to 120',
  );
  await expect(extend.getByText('Needs a key with full access.')).toBeVisible();
  await expect(extend.getByRole('region', { name: 'Try it' })).toHaveCount(0);
  for (const [language, text] of [
    ['TypeScript', 'await fetch('],
    ['Python', 'urllib.request'],
  ] as const) {
    await extend.getByRole('button', { name: language }).press('Enter');
    const sample = extend.getByRole('figure', { name: `Example in ${language}` }).locator('pre');
    await expect(sample).toContainText(text);
    await expect(sample).toContainText(panel.baseUrl);
  }
  // Nested fields, and the language that was chosen stays.
  const plan = await open(page, 'createTariff');
  await expect(plan.getByRole('figure', { name: 'Example in Python' })).toBeVisible();
  const duration = plan.getByRole('region', { name: 'Request body' }).locator('[data-field="duration"]');
  await duration.getByText('One of 2 kinds').click();
  await duration.getByText('DurationInDays').click();
  await expect(duration.locator('[data-field="days"]')).toBeVisible();
  await plan.getByRole('region', { name: 'Errors' }).getByText('Example').first().click();
  await expect(plan.getByRole('region', { name: 'Errors' }).locator('pre')).toContainText('urn:panel:problem:');
  await expectAccessible(page, 'a method of the documentation');
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
  const list = await open(page, 'listUsers');
  const tried = list.getByRole('region', { name: 'Try it' });
  await tried.getByText(/optional parameters/).click();
  await tried.getByLabel('limit').fill('2');
  await tried.getByRole('button', { name: 'Send the request' }).click();
  const answer = tried.getByRole('figure', { name: 'Answer' });
  await expect(answer).toContainText('401');

  await tried.getByLabel('Key for “Try it”').fill(body.value);
  await tried.getByRole('button', { name: 'Send the request' }).click();
  await expect(answer).toContainText('200');
  await expect(answer).toContainText('"items"');
  await tried.getByText('Response headers').click();
  await expect(tried.getByText('x-request-id')).toBeVisible();
  const sent = tried.getByRole('figure', { name: 'The same with curl' });
  await expect(sent).toContainText('limit=2');
  await expect(sent).not.toContainText(body.value);
  await sent.getByRole('button', { name: 'Copy the command' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(`${panel.baseUrl}/users?limit=2'`);
  await expectAccessible(page, 'a tried method');

  // The key is there for the next method, and a path needs its parameters.
  const one = await open(page, 'getUser');
  await one.getByRole('textbox', { name: 'id', exact: true }).fill('');
  await one.getByRole('button', { name: 'Send the request' }).click();
  await expect(one.getByText('Required in the path.')).toBeVisible();
  await one.getByRole('textbox', { name: 'id', exact: true }).fill('1');
  await one.getByRole('button', { name: 'Send the request' }).click();
  await expect(one.getByRole('figure', { name: 'Answer' })).toContainText('"id": 1');

  expect(asked.filter((url) => url.startsWith(panel.baseUrl))).toEqual([]);
  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + location.href);
  expect(stored).not.toContain(body.value);
  await page.getByRole('link', { name: 'API keys' }).click();
  await expect(page.getByLabel('Key for “Try it”')).toHaveCount(0);
  await page.goBack();
  await expect(page.getByLabel('Key for “Try it”')).toHaveValue('');
});

test('is searched and walked by keyboard, opens where an address leads, and gives the description as a file', async ({
  page,
  panel,
  visit,
}) => {
  await visit(`${PLACE}/rate-limits`);
  await expect(page.getByRole('region', { name: 'Rate limits' })).toBeInViewport();
  await page.keyboard.press('/');
  const filter = page.getByRole('searchbox', { name: 'Find a method' });
  await expect(filter).toBeFocused();
  await filter.fill('<b>zzz');
  await expect(page.getByText('No method matches “<b>zzz”')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(filter).toHaveValue('');
  await filter.fill('users get');
  await expect(nav(page).getByRole('link', { name: 'Create a user' })).toHaveCount(0);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(nav(page).getByRole('link', { name: 'Read a user', exact: false }).first()).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(method(page, 'getUser')).toBeVisible();
  await expect(page).toHaveURL(/api\/docs\/getUser$/);
  await expect(page).toHaveTitle(/^Read a user/);
  await page.keyboard.press('j');
  await expect(method(page, 'updateUser')).toBeVisible();
  await page.keyboard.press('k');
  await expect(method(page, 'getUser')).toBeVisible();

  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download OpenAPI' }).click();
  const file = await coming;
  expect(file.suggestedFilename()).toBe('panel-openapi.json');
  const document = JSON.parse(readFileSync(await file.path(), 'utf8'));
  expect(document.servers[0].url).toBe(panel.baseUrl);
  expect(Object.keys(document.paths).length).toBeGreaterThan(10);
});

test('has the plain viewer beside it, which sends nothing', async ({ page, visit }) => {
  await visit(PLACE);
  await page.getByRole('link', { name: 'Plain viewer (Swagger UI)' }).click();
  await expect(page.locator('.opblock')).toHaveCount(API_OPERATIONS.length);
  const list = page.locator('[id^="operations-"][id$="-listUsers"]');
  await list.locator('.opblock-summary-control').click();
  await expect(list.locator('tr[data-param-name="limit"]')).toBeVisible();
  await expect(list.getByRole('button', { name: /execute|try it/i })).toHaveCount(0);
  await expect(page.getByText(/OrderedMap|List \[/)).toHaveCount(0);
  await page.getByRole('link', { name: 'API documentation' }).click();
  await expect(nav(page)).toBeVisible();
});

for (const { locale, theme } of LOOKS) {
  test.describe(`in ${locale}, ${theme}`, () => {
    test.use({ view: { locale, theme } });
    test('can be used by everybody, wide and narrow', async ({ page, panel, visit }) => {
      await visit(PLACE);
      const { settings } = await loadPageTexts(locale);
      await expect(page.getByRole('heading', { level: 1, name: settings.api.docs.title })).toBeVisible();
      await page.goto(`${panel.url}#/${PLACE}/createUser`);
      await expect(method(page, 'createUser')).toBeVisible();
      await expectAccessible(page, `the documentation ${locale} ${theme}`);
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
      await page.getByRole('button', { name: settings.api.docs.methods }).click();
      await page.getByRole('searchbox').fill('users get');
      await page.getByRole('searchbox').press('Enter');
      await expect(method(page, 'listUsers')).toBeVisible();
      await expectAccessible(page, `the documentation ${locale} ${theme} 360 px`);
      expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
    });
  });
}

for (const [name, viewer, opened] of [
  ['the documentation', 'Open the documentation', 'article, [data-chapter="methods"]'],
  ['the plain viewer', 'Plain viewer (Swagger UI)', '.opblock'],
] as const) {
  test(`${OPENINGS} openings of ${name} leave nothing behind`, async ({ page, visit }) => {
    const isPlain = viewer !== 'Open the documentation';
    await visit(isPlain ? PLACE : 'settings/security/api');
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Performance.enable');
    const openings = async (count: number) => {
      for (let opening = 0; opening < count; opening += 1) {
        await page.getByRole('link', { name: viewer }).click();
        await expect(page.locator(opened).first()).toBeVisible();
        await page.getByRole('link', { name: isPlain ? 'API documentation' : 'API keys' }).click();
        await expect(isPlain ? nav(page) : page.getByRole('region', { name: 'Keys', exact: true })).toBeVisible();
      }
    };
    const measureSize = async () => {
      await devtools.send('HeapProfiler.collectGarbage');
      const { metrics } = await devtools.send('Performance.getMetrics');
      const of = (metric: string) => metrics.find((one) => one.name === metric)?.value ?? 0;
      return { nodes: of('Nodes'), listeners: of('JSEventListeners'), megabytes: of('JSHeapUsedSize') / 1e6 };
    };
    // The first ones load what stays: scripts, styles, the description.
    await openings(3);
    const before = await measureSize();
    await openings(OPENINGS);
    let after = await measureSize();
    const countAdded = async () => {
      after = await measureSize();
      return after.nodes - before.nodes;
    };
    // One opening has some 2,000 nodes, of the plain viewer 6,000: a part of one in many is noise, not a leak. What was left is collected within
    // moments; what leaks is not.
    await expect.poll(countAdded).toBeLessThan(1000);
    console.log(`before ${JSON.stringify(before)}, after ${OPENINGS} openings ${JSON.stringify(after)}`);
    expect(after.listeners - before.listeners).toBeLessThan(200);
    expect(after.megabytes - before.megabytes).toBeLessThan(5);
  });
}
