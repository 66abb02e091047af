// One registry of acts: the same act by key, by the bulk bar, by a menu and by the palette, which finds every record and setting too.
import type { Page } from '@playwright/test';
import { expectAccessible } from './support/axe.ts';
import { expect, test } from './support/fixtures.ts';

async function find(page: Page, text: string) {
  await page.keyboard.press('Control+k');
  const input = page.getByRole('combobox', { name: 'Find a user, a record, an action or a setting' });
  await expect(input).toBeFocused();
  await input.fill(text);
  return input;
}

test('e extends the focused user, or all that are selected; Tab leads from a row to the bar', async ({
  page,
  visit,
}) => {
  await visit('users');
  const rows = page.getByRole('table', { name: 'Users' }).locator('tr[data-index]');
  await expect(rows.nth(1)).toBeVisible();
  await page.keyboard.press('j');
  await expect(rows.nth(0)).toBeFocused();
  await page.keyboard.press('x');
  await page.keyboard.press('j');
  await expect(rows.nth(1)).toBeFocused();
  await page.keyboard.press('x');
  const bar = page.getByRole('toolbar', { name: 'Actions for the selection' });
  await expect(bar).toContainText('2 selected');

  await page.keyboard.press('Tab');
  await expect(bar.getByRole('button', { name: 'Extend' })).toBeFocused();
  await page.keyboard.press('j');
  await expect(rows.nth(2)).toBeFocused();
  await page.keyboard.press('b');
  await expect(bar.getByRole('button', { name: 'Extend' })).toBeFocused();

  await page.keyboard.press('e');
  const dialog = page.getByRole('dialog', { name: 'Extend 2 users' });
  await expect(dialog).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();

  await find(page, 'extend');
  await expect(page.getByRole('option', { name: /Extend: 2 selected/ })).toBeVisible();
  await expectAccessible(page, 'the palette with acts on a selection');
  await page.keyboard.press('Enter');
  await expect(dialog).toBeVisible();
});

test('the palette finds acts, sections of the settings, nodes, plans and connections', async ({ page, visit }) => {
  await visit('overview');
  const option = page.getByRole('option');
  const input = await find(page, 'extend');
  await expect(option.filter({ hasText: 'Extend' })).toBeVisible();
  await input.fill('two-factor');
  await expect(option.filter({ hasText: 'Settings: Security' })).toBeVisible();
  await input.fill('swagger');
  await expect(option.filter({ hasText: 'API documentation' })).toBeVisible();
  await input.fill('frankfurt');
  await expect(page.getByRole('group', { name: 'Records' }).getByRole('option').first()).toContainText(/frankfurt/i);
  await input.fill('vless');
  await expect(page.getByRole('group', { name: 'Records' }).getByRole('option').first()).toContainText('vless');
  await input.fill('standard');
  await expect(option.filter({ hasText: /^Standard plan/ })).toBeVisible();
  await input.fill('backup');
  await expect(option.filter({ hasText: 'Settings: Backups' })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#\/settings\/backups$/);
});
