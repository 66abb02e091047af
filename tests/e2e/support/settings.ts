// What tests of the settings do over and over: find a card by its title, and prove who they are.
import type { Locator, Page } from '@playwright/test';
import { PASSWORD } from '../../support/cli.ts';

/** The card with this title. */
export function card(page: Page, title: string): Locator {
  return page.getByRole('region', { name: title, exact: true });
}

/** Types the administrator's password where a card or a dialog asks for it. */
export async function prove(where: Locator, password: string = PASSWORD): Promise<void> {
  await where.getByLabel('Your password').fill(password);
}
