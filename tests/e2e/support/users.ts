// Users that a browser test makes for itself, beside the browser.
import type { User, UserCreate } from '../../../src/contract/users/users.ts';
import type { Administrator } from '../../support/administrator.ts';
import type { BrowserPanel } from './panels.ts';

/** The administrator's other window; a panel for tests of a signed-in page has one. */
export function otherWindow(panel: BrowserPanel): Administrator {
  if (panel.administrator === null) throw new Error('This panel has no administrator.');
  return panel.administrator;
}

/** Makes a user, of the first plan unless another is named. */
export async function makeUser(panel: BrowserPanel, name: string, more: Partial<UserCreate> = {}): Promise<User> {
  const { status, body } = await otherWindow(panel).call('createUser', { name, tariff_id: 1, ...more });
  if (status !== 201) throw new Error(`createUser answered ${status}`);
  return body;
}

export async function readUser(panel: BrowserPanel, id: number): Promise<User> {
  return (await otherWindow(panel).call('getUser', { id })).body;
}
