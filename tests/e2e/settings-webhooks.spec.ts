// Webhooks: added with the password, the secret shown once, tested, their deliveries read and repeated, rotated, disabled, deleted.
import { isVerified, openReceiver } from '../webhooks/receiver.ts';
import { expectAccessible } from './support/axe.ts';
import { expect, test } from './support/fixtures.ts';
import { card, prove } from './support/settings.ts';
import { getToast } from './support/toast.ts';

const HOSTILE = '<img src=x onerror=alert(1)> بوت 🦦';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

test('a webhook is added, tested, rotated, disabled and deleted', async ({ page, own }) => {
  await using receiver = await openReceiver();
  await own.visit('settings/security/webhooks');
  const list = card(page, 'Webhooks');
  await expect(list.getByText('No webhooks yet')).toBeVisible();
  await expectAccessible(page, 'no webhooks');
  await list.getByRole('link', { name: 'Add a webhook' }).click();

  const form = page.getByRole('dialog', { name: 'Add a webhook' });
  await expect(form.getByLabel('URL')).toBeFocused();
  await form.getByLabel('URL').fill(receiver.url);
  await form.getByLabel('Description').fill(HOSTILE);
  await form.getByLabel('Only these').check();
  await page.keyboard.press('Control+Enter');
  await expect(form.getByText('Choose at least one type.')).toBeVisible();
  await form.getByRole('combobox', { name: 'Types of events' }).fill('user.created');
  await page.getByRole('option', { name: 'user.created' }).click();
  await form.getByLabel('Description').focus();
  await expectAccessible(page, 'the form of a webhook');
  await page.keyboard.press('Control+Enter');
  await prove(page, { password: 'wrong' });
  await expect(form.getByLabel('Description')).toHaveValue(HOSTILE);
  await prove(page);
  await expect(form.getByText(/Must begin with https/)).toBeVisible();
  await form.getByLabel('Allow private addresses').check();
  await page.keyboard.press('Control+Enter');

  const ready = page.getByRole('dialog', { name: 'Signing secret' });
  await ready.getByRole('button', { name: 'Copy the secret' }).click();
  const secret = await page.evaluate(() => navigator.clipboard.readText());
  expect(secret).toMatch(/^whsec_/);
  await expectAccessible(page, 'a secret shown once');
  await page.keyboard.press('Escape');
  await expect(ready).toBeVisible();
  await ready.getByRole('button', { name: 'I have copied it' }).click();
  expect(await page.content()).not.toContain(secret);

  const row = list.getByRole('listitem').filter({ hasText: HOSTILE });
  await expect(row).toContainText('1 type of event');
  await row.getByRole('link', { name: HOSTILE }).click();
  const record = page.getByRole('dialog', { name: HOSTILE });
  await expect(record.getByText('Nothing here')).toBeVisible();
  await record.getByRole('button', { name: 'Send a test' }).click();
  await receiver.until((received) => received.length === 1);
  const [first] = receiver.received;
  expect(first && isVerified(secret, first)).toBe(true);
  const delivery = record.getByRole('listitem').filter({ hasText: 'webhook.test' });
  await expect(delivery).toContainText('Delivered');
  await expect(delivery).toContainText('HTTP 204');
  await delivery.getByText('webhook.test').first().click();
  await expectAccessible(page, 'a webhook with its deliveries');
  await delivery.getByRole('button', { name: 'Deliver again' }).click();
  await receiver.until((received) => received.length === 2);
  expect(receiver.received[1]?.id).toBe(first?.id);

  await record.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Rotate the secret' }).click();
  const question = page.getByRole('dialog', { name: 'Rotate the secret' });
  await question.getByRole('button', { name: 'Rotate the secret' }).click();
  await expect(ready.getByText(/previous secret as well/)).toBeVisible();
  await ready.getByRole('button', { name: 'I have copied it' }).click();

  await record.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Disable' }).click();
  await expect(getToast(page, 'Webhook disabled')).toBeVisible();
  await expect(record.getByRole('button', { name: 'Send a test' })).toBeDisabled();
  await record.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog', { name: 'Delete this webhook' }).getByRole('button', { name: 'Delete' }).click();
  await expect(list.getByText('No webhooks yet')).toBeVisible();
});
