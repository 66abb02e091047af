// The main flow by keyboard alone, and what a bot changes over the REST API appearing in the open panel.
import { readFileSync } from 'node:fs';
import { createClient } from '../support/http-client.ts';
import { expect, navigateByKeys, test } from './support/fixtures.ts';
import { ADMIN } from './support/panels.ts';
import { getToast } from './support/toast.ts';
import { makeUser, otherWindow } from './support/users.ts';

test.describe('by keyboard alone', () => {
  test.use({ isSignedIn: false, permissions: ['clipboard-read', 'clipboard-write'] });

  test('one signs in, makes a user, extends the term, copies the link and signs out', { tag: '@smoke' }, async ({
    page,
    panel,
    visit,
  }) => {
    const name = 'Kay Board';
    const focused = () => page.locator(':focus');
    const tabTo = async (label: string | RegExp) => {
      for (let presses = 0; presses < 60; presses += 1) {
        const texts = await focused().evaluate((node) => {
          const labels = node instanceof HTMLInputElement ? [...(node.labels ?? [])].map((one) => one.textContent) : [];
          return [node.getAttribute('aria-label'), ...labels, node.textContent].filter(Boolean).join('|');
        });
        if (texts.split('|').some((text) => (typeof label === 'string' ? text === label : label.test(text)))) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`Tab does not lead to ${label}`);
    };

    await visit();
    await expect(focused()).toHaveAttribute('name', 'name');
    await page.keyboard.type(ADMIN.name);
    await page.keyboard.press('Tab');
    await page.keyboard.type(ADMIN.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

    await navigateByKeys(page, 'u', 'Users');
    await page.keyboard.press('n');
    await expect(page.getByRole('dialog').getByLabel('Name').first()).toBeFocused();
    await page.keyboard.type(name);
    await expect(page.getByRole('dialog').getByLabel('Plan')).toHaveValue(/^\d+$/);
    await page.keyboard.press('Control+Enter');
    const record = page.getByRole('dialog', { name });
    await expect(record).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(record).toBeHidden();

    await page.keyboard.press('/');
    await page.keyboard.type('kay board');
    await expect(page.getByRole('row')).toHaveCount(2);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('row')).not.toHaveCount(2);
    await focused().press('Tab');
    // From the row of the record that was open, where the list had it by then, else from above the first one: to the first one either way.
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await expect(page.locator('tr[data-index="0"]')).toBeFocused();
    await page.keyboard.press('e');
    const form = page.getByRole('form', { name: 'Extend' });
    await expect(form).toBeVisible();
    await tabTo(/^Extend by /);
    await page.keyboard.press('Enter');
    await expect(getToast(page, new RegExp(`^${name} extended to`))).toBeVisible();
    await tabTo('Copy the link');
    await page.keyboard.press('Enter');
    const list = await otherWindow(panel).call('listUsers', { q: 'kay board' });
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(list.body.items[0]?.sub_url);
    await page.keyboard.press('Escape');
    await expect(record).toBeHidden();

    await page.keyboard.press('Control+k');
    await expect(page.getByRole('combobox', { name: 'Find a user, a record, an action or a setting' })).toBeFocused();
    await page.keyboard.type('sign out');
    await expect(page.getByRole('option', { selected: true })).toHaveText(/Sign out/);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible();
  });
});

test('what a bot changes over the REST API appears in the open list, record and overview', { tag: '@smoke' }, async ({
  page,
  own,
  context,
}) => {
  const { body: plan } = await otherWindow(own).call('createTariff', { name: 'Monthly', duration: { months: 1 } });
  const { body: key } = await otherWindow(own).call('createKey', {
    name: 'bot',
    access: 'full',
    password: ADMIN.password,
  });
  const bot = createClient({
    baseUrl: own.baseUrl,
    key: key.value,
    ca: readFileSync(own.caPath, 'utf8'),
  });
  const user = await makeUser(own, 'Before the bot', { tariff_id: plan.id });
  await own.visit('overview');
  const record = await context.newPage();
  await record.goto(`${own.url}#/users/${user.id}`);
  await record.getByRole('dialog', { name: 'Before the bot' }).waitFor();
  const list = await context.newPage();
  await list.goto(`${own.url}#/users`);
  await list.getByRole('link', { name: 'Before the bot' }).waitFor();

  await bot.call('createUser', { name: 'Made by the bot', tariff_id: plan.id });
  await expect(list.getByRole('link', { name: 'Made by the bot' })).toBeVisible();
  await bot.call('updateUser', { id: user.id, name: 'After the bot', enabled: false });
  await expect(list.getByRole('row').filter({ hasText: 'After the bot' })).toContainText('Disabled');
  await record.bringToFront();
  await expect(record.getByRole('dialog', { name: 'After the bot' })).toContainText('Disabled');
  await page.bringToFront();
  // One of two is active, since the other is disabled.
  await expect(page.getByRole('region', { name: 'Figures' })).toContainText('of 2');
  bot.close();
});
