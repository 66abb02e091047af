// What tests of the settings do over and over: find a card by its title, and prove who they are.
import { expect, type Locator, type Page } from '@playwright/test';
import { PASSWORD } from '../../support/cli.ts';

/** The card with this title. */
export function card(page: Page, title: string): Locator {
  return page.getByRole('region', { name: title, exact: true });
}

/** The dialog that asks for the password before what takes data out of the panel or weakens it. */
export function proofDialog(page: Page): Locator {
  return page.getByRole('dialog', { name: 'Confirm your identity' });
}

/** Types the password, and the code, where the dialog asks for it, by keyboard alone; what waited for them then goes on. */
export async function prove(page: Page, { password = PASSWORD, code }: { password?: string; code?: string } = {}) {
  const dialog = proofDialog(page);
  const field = dialog.getByLabel('Password', { exact: true });
  await expect(field).toBeFocused();
  await field.fill(password);
  if (code !== undefined) await dialog.getByLabel('Code', { exact: true }).fill(code);
  await page.keyboard.press('Enter');
  if (password === PASSWORD) await expect(dialog).toHaveCount(0);
  else await expect(dialog.getByText('The password or the code is wrong.')).toBeVisible();
}
