// Security: the password with what goes with it, the second factor on and off, and where one is signed in.
import { Secret, TOTP } from 'otpauth';
import { expectAccessible } from './support/axe.ts';
import { expect, test } from './support/fixtures.ts';
import { ADMIN } from './support/panels.ts';
import { card, proofDialog, prove } from './support/settings.ts';
import { expectRing } from './support/sight.ts';
import { getToast } from './support/toast.ts';
import { otherWindow } from './support/users.ts';

const NEW_PASSWORD = 'violet otter under bridges';

test('the password changes, with other sessions and, if asked for, the keys', async ({ page, own }) => {
  const { body: key } = await otherWindow(own).call('createKey', {
    name: 'bot',
    access: 'full',
    password: ADMIN.password,
  });
  await own.visit('settings/security');
  const password = card(page, 'Password');
  await password.getByLabel('New password', { exact: true }).fill('short');
  await expect(password.getByText(/Too short/)).toBeVisible();
  await expectRing(password.getByLabel('New password', { exact: true }));
  await password.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD);
  await password.getByLabel('Repeat the new password').fill('something else');
  await password.getByRole('button', { name: 'Change the password' }).click();
  await expect(password.getByText('The two passwords differ')).toBeVisible();
  await password.getByLabel('Repeat the new password').fill(NEW_PASSWORD);
  await password.getByLabel('Also revoke the API keys').check();
  await expectAccessible(page, 'a new password');
  await password.getByLabel('Current password').fill('wrong');
  await password.getByRole('button', { name: 'Change the password' }).click();
  await expect(password.getByText(/is wrong/)).toBeVisible();
  await expect(password.getByLabel('New password', { exact: true })).toHaveValue(NEW_PASSWORD);
  await password.getByLabel('Current password').fill(ADMIN.password);
  await password.getByRole('button', { name: 'Change the password' }).click();
  await expect(getToast(page, /^Password changed · \d+ other sessions? ended · 1 key revoked$/)).toBeVisible();

  expect((await otherWindow(own).call('listUsers', {})).status).toBe(401);
  const refused = await page.context().request.get(`${own.baseUrl}/users`, {
    headers: { authorization: `Bearer ${key.value}` },
  });
  expect(refused.status()).toBe(401);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
});

test('the second factor is turned on, asked for, renewed and turned off', async ({ page, own }) => {
  await own.visit('settings/security');
  const factor = card(page, 'Two-factor sign-in');
  await factor.getByRole('button', { name: 'Turn on' }).click();
  await prove(page);
  await expect(factor.getByRole('img', { name: /QR code/ })).toBeVisible();
  await expectAccessible(page, 'enrolment in the settings');
  await expect(factor.getByLabel('The code that the app shows now')).toBeFocused();
  const secret = (await factor.locator('code').first().innerText()).replaceAll(/\s/g, '');
  await factor
    .getByLabel('The code that the app shows now')
    .fill(new TOTP({ secret: Secret.fromBase32(secret) }).generate());
  await factor.getByRole('button', { name: 'Turn it on' }).click();
  const codes = factor.getByRole('list').locator('code');
  await expect(codes).toHaveCount(10);
  const recovery = await codes.allInnerTexts();
  await factor.getByLabel('I have stored them in a safe place').check();
  await factor.getByRole('button', { name: 'Done' }).click();
  await expect(factor.getByText('10 recovery codes left')).toBeVisible();
  await expect(factor.getByRole('button', { name: 'New recovery codes' })).toBeFocused();
  await factor.getByRole('button', { name: 'Turn off' }).click();
  await page.keyboard.press('Escape');
  await expect(factor.getByRole('button', { name: 'Turn off' })).toBeFocused();

  await factor.getByRole('button', { name: 'New recovery codes' }).click();
  const renewal = page.getByRole('dialog', { name: 'Create new recovery codes?' });
  await expectAccessible(page, 'the question before new codes');
  await renewal.getByRole('button', { name: 'Create codes' }).click();
  await prove(page, { code: recovery[0] ?? '' });
  await expect(codes).toHaveCount(10);
  const renewed = await codes.allInnerTexts();
  expect(renewed.some((code) => recovery.includes(code))).toBe(false);
  await factor.getByLabel('I have stored them in a safe place').check();
  await factor.getByRole('button', { name: 'Done' }).click();

  await factor.getByRole('button', { name: 'Turn off' }).click();
  const off = page.getByRole('dialog', { name: 'Turn off two-factor sign-in?' });
  await off.getByRole('button', { name: 'Turn off' }).click();
  await expect(page.getByText('Two-factor sign-in is off')).toBeVisible();
  await expect(factor.getByText('Anyone who learns the password can sign in.')).toBeVisible();
  await expect(factor.getByRole('button', { name: 'Turn on' })).toBeFocused();
});

test('sessions tell their device and address; one is ended, then all others', async ({ page, own, browser }) => {
  const elsewhere = await browser.newContext({
    ignoreHTTPSErrors: true,
    userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1',
  });
  const phone = await elsewhere.newPage();
  await phone.goto(own.url);
  await phone.getByLabel('Name').fill(ADMIN.name);
  await phone.getByLabel('Password', { exact: true }).fill(ADMIN.password);
  await phone.keyboard.press('Enter');
  await phone.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

  await own.visit('settings/security');
  const sessions = card(page, 'Sessions');
  const rows = sessions.getByRole('listitem');
  await expect(rows.first()).toContainText('This one');
  const row = rows.filter({ hasText: 'iPhone' });
  await expect(row).toContainText('127.0.0.1');
  await expectAccessible(page, 'sessions');
  await row.getByRole('button', { name: /^End the session of/ }).click();
  await prove(page, { password: 'wrong' });
  await expectAccessible(page, 'the question for the password');
  await page.keyboard.press('Escape');
  await expect(proofDialog(page)).toHaveCount(0);
  await row.getByRole('button', { name: /^End the session of/ }).click();
  await prove(page);
  await expect(getToast(page, /^Session ended: /)).toBeVisible();
  await expect(row).toHaveCount(0);
  // The panel says so by itself.
  await expect(phone.getByRole('dialog', { name: 'Your session has ended' })).toBeVisible();
  await elsewhere.close();

  await sessions.getByRole('button', { name: 'End all others' }).click();
  const question = page.getByRole('dialog', { name: 'End all other sessions?' });
  await question.getByRole('button', { name: 'End all others' }).click();
  await expect(getToast(page, /^\d+ sessions? ended$/)).toBeVisible();
  await expect(rows).toHaveCount(1);
  expect((await otherWindow(own).call('listUsers', {})).status).toBe(401);
});

test('the secret store says where it stands and looks again', async ({ page, own }) => {
  await own.visit('settings/security');
  const store = card(page, 'Secret store');
  await expect(store).toContainText('a key file');
  await store.getByRole('button', { name: 'Check again' }).click();
  await expect(page.getByText('Secret store: Open')).toBeVisible();
});
