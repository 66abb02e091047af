// Addresses of the panel: a new secret path, another port tried and confirmed or given up, names and the path of links.
import type { Page } from '@playwright/test';
import { freePort } from '../support/free-port.ts';
import { expectAccessible } from './support/axe.ts';
import { expect, type OwnPanel, test } from './support/fixtures.ts';
import { card, prove } from './support/settings.ts';
import { getToast } from './support/toast.ts';
import { otherWindow } from './support/users.ts';

test('a new secret path moves the page to its new address and closes the old one', async ({ page, own }) => {
  await own.visit('settings/addresses');
  await card(page, 'Secret path').getByRole('button', { name: 'Create a new secret path' }).click();
  const question = page.getByRole('dialog', { name: 'Create a new secret path?' });
  await expect(question.getByText(/every bot needs the new base address/)).toBeVisible();
  await expectAccessible(page, 'the question before a new secret path');
  await question.getByRole('button', { name: 'Create' }).click();
  await prove(page, { password: 'wrong' });
  await prove(page);

  await expect(page.getByText(/^The secret path was changed\./)).toBeVisible();
  expect(page.url().startsWith(own.url)).toBe(false);
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
  await expectAccessible(page, 'a new secret path');
  const old = await page.context().request.get(own.url, { failOnStatusCode: false });
  expect(old.status()).toBe(404);
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Users' })).toBeVisible();
});

/** Asks for another port and gives the link that confirms it. */
async function tryPort(page: Page, own: OwnPanel): Promise<string> {
  const port = await freePort();
  await own.visit('settings/addresses');
  const listen = card(page, 'Listening address');
  await listen.getByLabel('Port').fill(String(port));
  await expect(listen.getByText(/Bots need the new base address/)).toBeVisible();
  await listen.getByRole('button', { name: 'Try the new address' }).click();
  await prove(page);
  const open = page.getByRole('link', { name: 'Open the new address' });
  await expect(page.getByText('Confirm the new address')).toBeVisible();
  const link = (await open.getAttribute('href')) ?? '';
  expect(new URL(link).port).toBe(String(port));
  own.watch.allowOrigin(new URL(link).origin);
  return link;
}

test('another port is kept once its page has been opened there', async ({ page, own }) => {
  const link = await tryPort(page, own);
  await expectAccessible(page, 'an address on trial');
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: 'Open the new address' }).click();
  const there = await opened;
  await expect(there.getByText('The panel is here now')).toBeVisible();
  await expectAccessible(there, 'a confirmed address');
  await there.getByRole('link', { name: 'To the addresses' }).click();
  await expect(card(there, 'Listening address').getByLabel('Port')).toHaveValue(new URL(link).port);
  await expect(there.getByText('Confirm the new address')).toHaveCount(0);
  own.watch.allow(/ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED|ERR_SOCKET/);
  await expect(page.getByText('The panel has moved to its new address. This one no longer answers.')).toBeVisible();
});

test('another port that is not opened is given up, and the panel stays', async ({ page, own }) => {
  const before = (await otherWindow(own).call('getAddresses', {})).body;
  const link = await tryPort(page, own);
  await expect(page.getByText('The time is over: the address was not changed.')).toBeVisible({ timeout: 600_000 });
  await page.getByRole('button', { name: 'Understood' }).click();
  await expect(page.getByText('The time is over: the address was not changed.')).toHaveCount(0);
  const { body } = await otherWindow(own).call('getAddresses', {});
  expect(body).toEqual(before);
  await page.goto(`${own.url}#/${link.split('#/')[1]}`);
  await expect(page.getByText('Not confirmed')).toBeVisible();
  await expectAccessible(page, 'an address that was given up');
});

test('links get a path, names are checked, and a refused one stays as typed', async ({ page, own }) => {
  await own.visit('settings/addresses');
  const names = card(page, 'Names and proxies');
  await names.getByLabel('Name or address in links').fill('not a name!');
  await names.getByRole('button', { name: 'Save' }).click();
  await expect(names.getByLabel('Name or address in links')).toHaveAttribute('aria-invalid', 'true');
  await names.getByLabel('Name or address in links').fill('vpn.example.com');
  await names.getByLabel('Public address of links').fill('https://vpn.example.com');
  const proxies = names.getByRole('combobox', { name: 'Trusted proxies' });
  await proxies.pressSequentially('10.0.0.0/8,192.168.0.1 ');
  await names.getByRole('button', { name: 'Save' }).click();
  await prove(page);
  await expect(getToast(page, 'Addresses saved')).toBeVisible();
  await expect(card(page, 'Current addresses')).toContainText('https://vpn.example.com/sub/');

  const links = card(page, 'Subscription links');
  await links.getByLabel('Path').fill('my-links');
  await expect(links.getByText('Links that users have now stop working.', { exact: false })).toBeVisible();
  await links.getByRole('button', { name: 'Save' }).click();
  await expect(card(page, 'Current addresses')).toContainText('/my-links/');
  const { body } = await otherWindow(own).call('getAddresses', {});
  expect(body).toMatchObject({
    sub_path: 'my-links',
    public_address: 'vpn.example.com',
    trusted_proxies: ['10.0.0.0/8', '192.168.0.1'],
  });
});

test('one switch opens the API to the local network, shows what bots need, and closes it', async ({ page, own }) => {
  await own.visit('settings/addresses');
  const lan = card(page, 'Local network');
  const toggle = lan.getByRole('switch', { name: 'Open to the local network' });
  await expect(toggle).not.toBeChecked();
  await expect(lan.getByRole('button', { name: 'Check the address' })).toHaveCount(0);
  await toggle.focus();
  await page.keyboard.press('Space');
  await prove(page);
  const link = (await page.getByRole('link', { name: 'Open the new address' }).getAttribute('href')) ?? '';
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: 'Open the new address' }).click();
  const there = await opened;
  expect(new URL(link).port).toBe(new URL(own.url).port);
  await expect(there.getByText('The panel is here now')).toBeVisible();
  await there.getByRole('link', { name: 'To the addresses' }).click();

  // The first page is on the same port, and sees it.
  await expect(page.getByText('Confirm the new address')).toHaveCount(0);
  await expect(card(page, 'Local network').getByRole('switch')).toBeChecked();
  await expect(card(page, 'Listening address').getByLabel('Address', { exact: true })).toHaveValue('0.0.0.0');
  const open = card(there, 'Local network');
  await expect(open.getByRole('switch', { name: 'Open to the local network' })).toBeChecked();
  await expect(open.getByRole('img', { name: /the base address of the API/ })).toBeVisible();
  await expect(open.getByText(`sudo ufw allow ${new URL(own.url).port}/tcp`, { exact: false })).toBeVisible();
  await open.getByRole('button', { name: 'Check the address' }).click();
  await expect(open.getByText(/answers on this machine\.$/).first()).toBeVisible();
  await expectAccessible(there, 'an API that is open to the local network');
  const saved = there.waitForEvent('download');
  await open.getByRole('button', { name: 'Save the authority’s certificate' }).click();
  expect((await saved).suggestedFilename()).toMatch(/\.pem$/);

  await open.getByRole('switch', { name: 'Open to the local network' }).click();
  await expect(there.getByText('Confirm the new address')).toBeVisible();
  const reopened = there.context().waitForEvent('page');
  await there.getByRole('link', { name: 'Open the new address' }).click();
  const back = await reopened;
  await expect(back.getByText('The panel is here now')).toBeVisible();
  own.watch.allow(/ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED|ERR_SOCKET/);
  const { body } = await otherWindow(own).call('getAddresses', {});
  expect(body.host).toBe('127.0.0.1');
});
