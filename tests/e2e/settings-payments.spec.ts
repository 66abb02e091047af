// Payment providers: added with keys that were tried, changed without showing them, tried again, disabled, deleted.
import { openStars } from '../support/providers/stars.ts';
import { expectAccessible } from './support/axe.ts';
import { expect, test } from './support/fixtures.ts';
import { card, prove } from './support/settings.ts';

test('a payment provider is added, changed, tried, disabled and deleted', async ({ page, own }) => {
  await using fake = await openStars();
  const token = fake.fields.bot_token ?? '';
  await own.visit('settings/payments');
  const list = card(page, 'Payment providers');
  await expect(list.getByText('No payment providers yet')).toBeVisible();
  await list.getByRole('link', { name: 'Add a provider' }).click();

  const form = page.getByRole('dialog', { name: 'Add a payment provider' });
  await form.getByLabel('Provider', { exact: true }).selectOption('yookassa');
  await expect(form.getByLabel('shopId')).toBeVisible();
  await form.getByLabel('Provider', { exact: true }).selectOption('stars');
  await form.getByLabel('Name').fill('Bot');
  await form.getByLabel('Token of the bot').fill('not a token');
  await page.keyboard.press('Control+Enter');
  await expect(form.getByText('This does not look like one. Copy it whole.')).toBeVisible();
  await expectAccessible(page, 'the form of a payment provider');
  await form.getByLabel('Token of the bot').fill('7654321:AAunknown-to-the-api');
  await form.getByLabel('Address of the API (optional)').fill(fake.root);
  await form.getByLabel('Allow a private address').check();
  await page.keyboard.press('Control+Enter');
  await prove(page);
  await expect(form.getByText(/does not accept these keys/)).toBeVisible();
  await form.getByLabel('Token of the bot').fill(token);
  await page.keyboard.press('Control+Enter');
  await expect(form).toBeHidden();

  const row = list.getByRole('listitem').filter({ hasText: 'Bot' });
  await expect(row).toContainText('@shop_bot');
  await expect(row).toContainText('Enabled');
  await expectAccessible(page, 'payment providers');
  await row.getByRole('link', { name: 'Bot' }).click();
  const record = page.getByRole('dialog', { name: 'Change Bot' });
  await expect(record.getByLabel('Token of the bot')).toHaveValue('');
  await record.getByLabel('Name').fill('Stars');
  await page.keyboard.press('Control+Enter');
  await expect(record).toBeHidden();
  await expect(list.getByRole('link', { name: 'Stars' })).toBeVisible();
  expect(await page.content()).not.toContain(token);

  fake.fail('getMe', 'down');
  await list.getByRole('link', { name: 'Stars' }).click();
  const changed = page.getByRole('dialog', { name: 'Change Stars' });
  await changed.getByRole('button', { name: 'Try the keys' }).click();
  await expect(page.getByText('The provider did not confirm the keys')).toBeVisible();
  await changed.getByRole('button', { name: 'Try the keys' }).click();
  await expect(page.getByText('The keys are good')).toBeVisible();
  await changed.getByRole('button', { name: 'Disable' }).click();
  await expect(changed.getByRole('button', { name: 'Enable' })).toBeVisible();
  await changed.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog', { name: 'Delete this provider' }).getByRole('button', { name: 'Delete' }).click();
  await expect(list.getByText('No payment providers yet')).toBeVisible();
});
