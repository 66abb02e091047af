// The overview: figures that lead to their lists, traffic over time, what needs attention, and changes that appear by themselves.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PASSWORD } from '../support/cli.ts';
import { expectAccessible } from './support/axe.ts';
import { expect, LOOKS, test } from './support/fixtures.ts';
import { prove } from './support/settings.ts';
import { otherWindow } from './support/users.ts';

test('shows how the service is, and each figure leads to its list', async ({ page, visit }) => {
  await visit('overview');
  await expect(page).toHaveTitle('Overview · Gatehouse');
  const figures = page.getByRole('region', { name: 'Figures' });
  const active = figures.getByRole('link', { name: /Active users/ });
  await expect(active).toContainText(/of \d+/);
  await active.click();
  await expect(page).toHaveURL(/#\/users\?state=active$/);
  await page.goBack();
  await expect(page).toHaveURL(/#\/overview$/);
  await figures.getByRole('link', { name: /Expiring/ }).click();
  await expect(page).toHaveURL(/#\/users\?.*expires_before=/);
});

test('a figure opens the list of exactly that number', async ({ page, visit }) => {
  for (const name of [/Active users/, /Expiring/]) {
    // Again where a user of the demonstration reached the limit or the end in between.
    await expect(async () => {
      await visit('overview');
      const figure = page.getByRole('region', { name: 'Figures' }).getByRole('link', { name });
      await expect(figure).toBeVisible();
      const shown = /\d+/.exec((await figure.innerText()).split('\n')[1] ?? '')?.[0];
      await figure.click();
      const total = page.getByRole('heading', { level: 1, name: 'Users' }).locator('xpath=following-sibling::*[1]');
      await expect(total).toHaveText(String(shown), { timeout: 10_000 });
    }).toPass();
  }
});

test('draws no label beyond its canvas, amounts in one unit, and none where nothing has moved', async ({
  page,
  panel,
  visit,
}) => {
  await page.addInitScript(() => {
    const labels: { text: string; right: number; width: number }[] = [];
    Object.assign(globalThis, { labels });
    const draw = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y, most) {
      const half = this.measureText(text).width / (this.textAlign === 'center' ? 2 : 1);
      const isLeft = this.textAlign === 'right';
      labels.push({ text, right: this.getTransform().e + x + (isLeft ? 0 : half), width: this.canvas.width });
      return most === undefined ? draw.call(this, text, x, y) : draw.call(this, text, x, y, most);
    };
  });
  const labels = () =>
    page.evaluate(() => (globalThis as unknown as { labels: { text: string; right: number; width: number }[] }).labels);
  const amounts = async () => (await labels()).map(({ text }) => text).filter((text) => /B$/.test(text));
  await visit('overview?range=30d');
  await expect.poll(async () => (await amounts()).length).toBeGreaterThan(1);
  for (const { text, right, width } of await labels()) expect(right, text).toBeLessThanOrEqual(width);
  expect(new Set((await amounts()).map((text) => text.replaceAll(/[\d.,\s]/g, ''))).size).toBe(1);

  const { body } =
    (await panel.administrator?.call('createUser', { name: 'Nothing Moved', tariff_id: 1, enabled: false })) ?? {};
  await visit('plans');
  await page.reload();
  await visit(`users/${body?.id}`);
  await expect.poll(async () => (await labels()).some(({ text }) => text === '0')).toBe(true);
  expect(await amounts()).toEqual([]);
});

test('draws traffic by range and by node, and tells each step to pointer and keyboard', async ({ page, visit }) => {
  await visit('overview');
  const card = page.getByRole('region', { name: 'Traffic', exact: true });
  const chart = card.getByRole('slider');
  await expect(card.locator('canvas')).toBeVisible();
  await expect(chart).toHaveAttribute('aria-valuemax', '23');

  await card.getByText('7 days').click();
  await expect(page).toHaveURL(/range=7d/);
  await expect(chart).toHaveAttribute('aria-valuemax', '167');
  await card.getByText('30 days').click();
  await expect(chart).toHaveAttribute('aria-valuemax', '29');

  await card.getByText('By node').click();
  await expect(page).toHaveURL(/by=node/);
  const frankfurt = card.getByRole('button', { name: /Frankfurt/ });
  await expect(frankfurt).toHaveAttribute('aria-pressed', 'true');
  await frankfurt.click();
  await expect(frankfurt).toHaveAttribute('aria-pressed', 'false');

  await chart.focus();
  await page.keyboard.press('Home');
  await expect(chart).toHaveAttribute('aria-valuenow', '0');
  await page.keyboard.press('ArrowRight');
  await expect(chart).toHaveAttribute('aria-valuenow', '1');
  await expect(chart).toHaveAttribute('aria-valuetext', /2026|20\d\d.*: .*(GB|MB|kB)/);
  await chart.hover({ position: { x: 400, y: 100 } });
  await expect(card.getByText('Total', { exact: true }).last()).toBeVisible();

  await page.reload();
  await expect(chart).toHaveAttribute('aria-valuemax', '29');
});

test('counts users by plan, each of which leads to its users', async ({ page, visit }) => {
  await visit('overview');
  const card = page.getByRole('region', { name: 'Users by plan' });
  await expect(card.getByText(/^In 30 days: \d+ new, \d+ expired$/)).toBeVisible();
  await card.getByRole('link', { name: /^Unlimited \d+ active of \d+$/ }).click();
  await expect(page).toHaveURL(/#\/users\?tariff_id=5$/);
});

test('names what needs attention, with the way to mend it', async ({ page, visit }) => {
  await visit('overview');
  const card = page.getByRole('region', { name: 'Needs attention' });
  await expect(card.getByText('New York is down')).toBeVisible();
  // They may have other nodes.
  await expect(card.getByText(/^Users cannot connect through it\./)).toBeVisible();
  await card.getByRole('link', { name: 'Open node' }).click();
  await expect(page).toHaveURL(/#\/nodes\/\d+$/);
  await page.goBack();
  await card.getByRole('button', { name: 'Back up now' }).click();
  await prove(page);
  await expect(page.getByRole('status').filter({ hasText: 'Backup created' })).toBeVisible();
  await expect(card.getByText('There is no backup yet')).toBeHidden();
});

test('a change by a bot appears without a reload', async ({ page, panel, visit }) => {
  await visit('overview');
  const active = page.getByRole('link', { name: /Active users/ });
  await expect(page.getByRole('status', { name: /Panel status/ })).toHaveAttribute('data-tone', /ok|warn/);
  await expect(page.getByText(/^Times in \S+/).first()).toBeVisible();
  // Other tests have made users of their own here.
  const before = Number(/of (\d+)/.exec(await active.innerText())?.[1]);
  expect(before).toBeGreaterThan(0);
  const { body } = (await panel.administrator?.call('listTariffs', {})) ?? {};
  await panel.administrator?.call('createUser', { name: 'Made by a bot', tariff_id: body?.items[0]?.id ?? 0 });
  await expect(active).toContainText(`of ${before + 1}`);
});

test('where an engine is on this machine, the steps make node, connection, plan and user', async ({ page, own }) => {
  const bot = otherWindow(own);
  const folder = own.folder;
  await bot.call('updateSettings', { engine_path: join(folder, 'missing'), password: PASSWORD });
  await own.visit('overview');
  const steps = page.getByRole('region', { name: 'Your first customer' });
  await expect(steps.getByText(/^This copy of the panel includes no engine/)).toBeVisible();
  await expect(steps.getByText('panel engine install --file')).toBeVisible();
  await expectAccessible(page, 'steps without an engine');

  // One that says its version, and ends at once where it is to serve.
  const engine = join(folder, 'xray');
  writeFileSync(engine, '#!/bin/sh\necho "Xray 26.3.27 (Xray, Penetrates Everything.)"\n', { mode: 0o755 });
  await bot.call('updateSettings', { engine_path: engine, password: PASSWORD });
  await expect(steps.getByText(/^Xray 26\.3\.27 is on this machine/)).toBeVisible();
  await steps.getByRole('button', { name: 'Set it up here' }).click();
  const form = steps.getByRole('form', { name: 'Set it up here' });
  await expect(form.getByLabel('Address that users connect to')).toBeFocused();
  await form.getByLabel('Address that users connect to').fill('not a host');
  await form.getByRole('button', { name: 'Set it up' }).click();
  await expect(form.getByText('Wrong format')).toBeVisible();
  await form.getByLabel('Address that users connect to').fill('127.0.0.1');
  await form.getByLabel('Site to imitate').fill('a.example');
  await expectAccessible(page, 'the first node');
  await page.setViewportSize({ width: 360, height: 740 });
  await expectAccessible(page, 'the first node at 360 px');
  expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
  await form.getByRole('button', { name: 'Set it up' }).click();
  await expect(steps.getByText('It was added but does not answer yet.')).toBeVisible();
  const made = { protocol: 'vless', security: 'reality', has_private_key: true };
  await expect.poll(async () => (await bot.call('listInbounds', {})).body.items).toMatchObject([made]);

  await steps.getByRole('form', { name: 'Add a plan' }).getByRole('button', { name: 'Add a plan' }).click();
  const user = steps.getByRole('form', { name: 'Add your first user' });
  await expect(user.getByLabel('Name')).toBeFocused();
  await user.getByLabel('Name').fill('First');
  await user.getByRole('button', { name: 'Add a user' }).click();
  await expect(page.locator('iframe[title="The subscription page of First on a phone"]')).toBeVisible();
  const { body: plans } = await bot.call('listTariffs', {});
  expect(plans.items).toMatchObject([{ name: 'Monthly', duration: { months: 1 }, traffic_limit: null }]);
});

test('an empty panel shows the way to the first customer, ticked off as it is gone', async ({ page, own }) => {
  await own.visit('overview');
  const steps = page.getByRole('region', { name: 'Your first customer' });
  await expect(steps.getByRole('listitem')).toHaveCount(6);
  await expect(page.getByRole('region', { name: 'Figures' })).toHaveCount(0);
  await expect(page.getByText('There is no plan yet')).toHaveCount(0);
  await expectAccessible(page, 'an empty overview');
  await page.setViewportSize({ width: 900, height: 500 });
  const excess = () => page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
  // The frame follows the height of the window a moment later.
  await expect.poll(excess, 'only the page within the frame scrolls').toBeLessThanOrEqual(0);
  await steps.getByRole('link', { name: 'Add a plan' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  const bot = otherWindow(own);
  await bot.call('createTariff', { name: 'Monthly', duration: { months: 1 } });
  await own.visit('overview');
  await expect(steps.getByRole('listitem').filter({ hasText: 'Add a plan' })).toContainText('(done)');
  await steps.getByRole('link', { name: 'Add a user' }).click();
  const form = page.getByRole('dialog', { name: 'Add users' });
  await form.getByLabel('Name').fill('First');
  await form.getByRole('button', { name: 'Add', exact: true }).click();
  const phone = page.frameLocator('iframe[title="The subscription page of First on a phone"]');
  await expect(phone.getByRole('img', { name: /QR/ })).toBeAttached();
  await expectAccessible(page, 'the first user with the page on a phone');
  await own.visit('overview');
  await expect(page.getByRole('region', { name: 'Figures' })).toBeVisible();
  await expect(steps.getByRole('listitem').filter({ hasText: 'Add your first user' })).toContainText('(done)');

  const { body: node } = await bot.call('createNode', { name: 'Here', address: 'de1.example.com' });
  await expect(steps.getByText('It was added but does not answer yet.')).toBeVisible();
  await page.setViewportSize({ width: 360, height: 740 });
  await expectAccessible(page, 'the steps at 360 px');
  const connection = { node_id: node.id, tag: 'main', name: 'Main', protocol: 'vless', port: 4430 } as const;
  expect((await bot.call('createInbound', connection)).status).toBe(201);
  await expect(steps).toHaveCount(0);
});

for (const { locale, theme } of LOOKS) {
  test.describe(`${locale} ${theme}`, () => {
    test.use({ view: { locale, theme } });
    test('can be used by everybody, wide and narrow', async ({ page, visit }) => {
      await visit('overview');
      await expect(page.locator('html')).toHaveAttribute('lang', locale);
      await expect(page.locator('canvas')).toBeVisible();
      await expectAccessible(page, `overview ${locale} ${theme}`);
      await page.setViewportSize({ width: 360, height: 740 });
      await expectAccessible(page, `overview ${locale} ${theme} 360 px`);
      // The names in the bar below are whole in each language.
      const names = page.getByRole('navigation').locator('li span:visible');
      expect(await names.count()).toBeGreaterThan(4);
      for (const name of await names.all())
        expect(await name.evaluate((text) => text.scrollWidth <= text.clientWidth), await name.innerText()).toBe(true);
      const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      expect(isWide).toBe(false);
    });
  });
}
