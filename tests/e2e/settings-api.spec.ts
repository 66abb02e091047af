// API keys: made with the password and the code, shown once, used by the curl line that stands beside them, revoked.
import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { Secret, TOTP } from 'otpauth';
import { expectAccessible } from './support/axe.ts';
import { expect, test } from './support/fixtures.ts';
import { ADMIN } from './support/panels.ts';
import { card, proofDialog, prove } from './support/settings.ts';
import { getToast } from './support/toast.ts';
import { otherWindow } from './support/users.ts';

const HOSTILE = '<img src=x onerror=alert(1)> بوت 🦦';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

test('a key is made, shown once, copied, works by its curl line, and is revoked', async ({ page, own }) => {
  await own.visit('settings/security/api');
  const keys = card(page, 'Keys');
  await expect(keys.getByText('No keys yet')).toBeVisible();
  await keys.getByRole('link', { name: 'Create a key' }).click();
  const form = page.getByRole('dialog', { name: 'Create an API key' });
  await expect(form.getByLabel('Name')).toBeFocused();
  await form.getByRole('button', { name: 'Create key' }).click();
  await expect(form.getByText('Fill this in').first()).toBeVisible();
  await form.getByLabel('Name').fill(HOSTILE);
  await form.getByLabel('Full access').check();
  await form.getByRole('button', { name: 'Create key' }).click();
  await prove(page, { password: 'wrong' });
  await proofDialog(page).getByRole('button', { name: 'Cancel' }).click();
  await expect(form.getByLabel('Name')).toHaveValue(HOSTILE);
  await expectAccessible(page, 'the form of a key');
  await page.keyboard.press('Control+Enter');
  await prove(page);

  const ready = page.getByRole('dialog', { name: `Key created: ${HOSTILE}` });
  await ready.getByRole('button', { name: 'Copy the key' }).click();
  const value = await page.evaluate(() => navigator.clipboard.readText());
  expect(value).toMatch(/^pnl_/);
  expect(await ready.innerText()).not.toContain(value);
  await expectAccessible(page, 'a key shown once');
  await ready.getByRole('button', { name: 'Copy the command' }).click();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  const coming = page.waitForEvent('download');
  await ready.getByRole('button', { name: 'Download gatehouse-ca.pem' }).click();
  const authority = await coming;
  const folder = dirname(own.caPath);
  await authority.saveAs(`${folder}/gatehouse-ca.pem`);
  const { stdout } = await promisify(execFile)('sh', ['-c', `${command} -sS`], { cwd: folder });
  expect(JSON.parse(stdout)).toMatchObject({ items: [] });

  await page.keyboard.press('Escape');
  await expect(ready).toBeVisible();
  await ready.getByRole('button', { name: 'I have copied it' }).click();
  await expect(page).toHaveURL(/#\/settings\/security\/api$/);
  expect(await page.content()).not.toContain(value);
  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  expect(stored).not.toContain(value);
  const row = keys.getByRole('listitem').filter({ hasText: HOSTILE });
  await expect(row).toContainText('Full access');
  // Uses are written down once a minute.
  await expect(row).toContainText(/Last used .* from 127\.0\.0\.1/, { timeout: 600_000 });
  await expectAccessible(page, 'keys');

  await row.getByRole('button', { name: /^Revoke/ }).click();
  const question = page.getByRole('dialog', { name: `Revoke ${HOSTILE}` });
  await expect(question.getByText(/stop working at their next request/)).toBeVisible();
  await question.getByRole('button', { name: 'Revoke' }).click();
  await expect(getToast(page, `${HOSTILE} revoked`)).toBeVisible();
  await expect(keys.getByText('No keys yet')).toBeVisible();
  await keys.getByText('1 expired or revoked key').click();
  await expect(keys.getByRole('listitem')).toContainText('Revoked');
  const refused = promisify(execFile)('sh', ['-c', `${command} -sS`], { cwd: folder });
  const { stdout: body } = await refused.catch((error: { readonly stdout: string }) => error);
  expect(JSON.parse(body)).toMatchObject({ status: 401 });
});

test('with the second factor on, a key needs the code', async ({ page, own }) => {
  const { body } = await otherWindow(own).call('beginTwoFactor', { password: ADMIN.password });
  const totp = new TOTP({ secret: Secret.fromBase32(body.secret) });
  const confirmed = await otherWindow(own).call('confirmTwoFactor', { code: totp.generate() });
  const [signInCode = '', keyCode = ''] = confirmed.body.recovery_codes;
  // Every other session has ended with it.
  await page.goto(`${own.url}#/settings/security/api/new`);
  await page.getByLabel('Name').fill(ADMIN.name);
  await page.getByLabel('Password', { exact: true }).fill(ADMIN.password);
  await page.getByLabel('Code').fill(signInCode);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const form = page.getByRole('dialog', { name: 'Create an API key' });
  await form.getByLabel('Name').fill('with a code');
  await form.getByRole('combobox', { name: 'Expires' }).click();
  await page.getByRole('option', { name: 'Never, until revoked' }).click();
  await form.getByRole('button', { name: 'Create key' }).click();
  await proofDialog(page).getByLabel('Password', { exact: true }).fill(ADMIN.password);
  await expect(proofDialog(page).getByRole('button', { name: 'Continue' })).toBeDisabled();
  await prove(page, { code: keyCode });
  await page
    .getByRole('dialog', { name: 'Key created: with a code' })
    .getByRole('button', { name: 'I have copied it' })
    .click();
  await expect(card(page, 'Keys').getByRole('listitem')).toContainText('Until revoked');
});

test('the address is copied, the description downloaded, the limit of requests set', async ({ page, own }) => {
  await own.visit('settings/security/api');
  await page.getByRole('button', { name: 'Copy the base address' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(own.baseUrl);
  const limit = card(page, 'Request limit');
  await limit.getByLabel('Requests a minute for each key').fill('900');
  await page.keyboard.press('Enter');
  await prove(page);
  await expect(getToast(page, 'Settings saved')).toBeVisible();
});
