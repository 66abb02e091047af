// Setup and sign-in: the one-time link, the second factor, a session that ends under one's hands.
import { Secret, TOTP } from 'otpauth';
import { buildProblem } from '../../src/contract/errors.ts';
import { loadPageTexts } from '../../src/i18n/page-texts.ts';
import { expectAccessible } from './support/axe.ts';
import { expect, LOOKS, test } from './support/fixtures.ts';
import { ADMIN, openBrowserPanel } from './support/panels.ts';
import { prove } from './support/settings.ts';
import { watchPage } from './support/watch.ts';

test.describe('setup', () => {
  test('makes the administrator by the printed link, once', { tag: '@smoke' }, async ({ page, freshPanel }) => {
    const watch = await watchPage(page, new URL(freshPanel.url).origin);
    await page.goto(freshPanel.setupUrl ?? '');
    await expect(page).toHaveURL(/#\/setup\/[\w-]+$/);
    await expect(page).toHaveTitle('Set up your panel · Gatehouse');
    await expectAccessible(page, 'setup');
    await expect(page.getByLabel('Your name')).toBeFocused();

    const submit = page.getByRole('button', { name: 'Create the administrator' });
    await submit.click();
    await expect(page.getByText('Fill this in')).toHaveCount(2);
    await expect(page.getByLabel('Your name')).toBeFocused();

    await page.getByLabel('Your name').fill('anna');
    const password = page.getByLabel('Password', { exact: true });
    await password.fill('1234');
    await expect(page.getByText('Too short: 4 more characters')).toBeVisible();
    await password.fill('password1');
    await expect(page.getByText('Weak: easy to guess')).toBeVisible();
    await password.fill('violet otter under bridges');
    await expect(page.getByText('Strong')).toBeVisible();
    await page.getByLabel('Repeat the password').fill('violet otter');
    await submit.click();
    await expect(page.getByText('The two passwords differ')).toBeVisible();
    await expect(password).toHaveValue('violet otter under bridges');

    await page.getByLabel('Repeat the password').fill('violet otter under bridges');
    await submit.click();
    await expect(page.getByRole('heading', { name: 'You are the administrator' })).toBeVisible();
    await expectAccessible(page, 'the end of setup');
    await expect(page.getByRole('main').getByRole('button').first()).toBeFocused();
    await page.getByRole('button', { name: 'Do it later in Settings' }).click();
    await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();

    await page.context().clearCookies();
    await page.goto(freshPanel.setupUrl ?? '');
    await expect(page.getByText('This panel has an administrator already. Sign in.')).toBeVisible();
    expect(watch.complaints()).toEqual([]);
  });

  test('says what to do with a link that does not work', async ({ page, freshPanel }) => {
    await page.goto(freshPanel.url);
    await expect(page.getByRole('heading', { name: 'This panel is not set up yet' })).toBeVisible();
    await expect(page.getByText('panel setup')).toBeVisible();

    await page.goto(`${freshPanel.url}setup/${'x'.repeat(43)}`);
    await page.getByLabel('Your name').fill('mallory');
    await page.getByLabel('Password', { exact: true }).fill('violet otter under bridges');
    await page.getByLabel('Repeat the password').fill('violet otter under bridges');
    await page.getByRole('button', { name: 'Create the administrator' }).click();
    await expect(page.getByRole('heading', { name: 'This setup link no longer works' })).toBeVisible();
    await expectAccessible(page, 'a dead link');
  });

  test('enrols the second factor, which sign-in then asks for', { tag: '@smoke' }, async ({ page, freshPanel }) => {
    await page.goto(freshPanel.setupUrl ?? '');
    await page.getByLabel('Your name').fill(ADMIN.name);
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.password);
    await page.getByLabel('Repeat the password').fill(ADMIN.password);
    await page.getByRole('button', { name: 'Create the administrator' }).click();
    await page.getByRole('button', { name: 'Turn on two-factor sign-in' }).click();

    await expect(page.getByRole('img', { name: 'QR code of the secret for the authenticator app' })).toBeVisible();
    await expectAccessible(page, 'the second factor');
    const secret = (await page.locator('code').first().innerText()).replaceAll(/\s/g, '');
    const codeNow = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate();

    await page.getByLabel('The code that the app shows now').fill('000000');
    await page.getByRole('button', { name: 'Turn it on' }).click();
    await expect(page.getByText('The password or the code is wrong.')).toBeVisible();
    await page.getByLabel('The code that the app shows now').fill(codeNow());
    await page.getByRole('button', { name: 'Turn it on' }).click();

    const codes = page.getByRole('list').locator('code');
    await expect(codes).toHaveCount(10);
    await expectAccessible(page, 'recovery codes');
    const recovery = await codes.first().innerText();
    await expect(page.getByRole('button', { name: 'Done' })).toBeDisabled();
    await page.getByLabel('I have stored them in a safe place').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();

    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Name').fill(ADMIN.name);
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.password);
    await page.getByLabel('Code').fill(recovery);
    await expectAccessible(page, 'sign-in with a code');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();
  });
});

test('without a place for secrets the second factor is not offered, and what to do is said', async ({ page }) => {
  await using panel = await openBrowserPanel({ users: 0, hasAdministrator: false, hasVault: false });
  await page.context().clearCookies();
  await page.goto(panel.setupUrl ?? '');
  await page.getByLabel('Your name').fill(ADMIN.name);
  await page.getByLabel('Password', { exact: true }).fill(ADMIN.password);
  await page.getByLabel('Repeat the password').fill(ADMIN.password);
  await page.getByRole('button', { name: 'Create the administrator' }).click();
  await expect(page.getByText('panel serve --key-file ~/gatehouse.key')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Turn on two-factor sign-in' })).toHaveCount(0);
  await expectAccessible(page, 'the end of setup without a keychain');

  await page.getByRole('button', { name: 'Do it later in Settings' }).click();
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();
  await page.goto(`${panel.url}#/settings/security`);
  await page.getByRole('button', { name: 'Turn on', exact: true }).click();
  await prove(page);
  await expect(page.getByText('panel serve --key-file ~/gatehouse.key')).toBeVisible();
  await expectAccessible(page, 'the second factor without a keychain');
});

test.describe('sign-in', () => {
  test.use({ isSignedIn: false });

  test('keeps what was typed when it fails, and leads to the place that was asked for', async ({ page, visit }) => {
    await visit('plans');
    await expect(page).toHaveTitle('Sign in · Gatehouse');
    await page.getByLabel('Name').fill(ADMIN.name);
    await page.getByLabel('Password', { exact: true }).fill('wrong');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('alert')).toHaveText('The name, the password or the code is wrong.');
    await expect(page.getByLabel('Name')).toHaveValue(ADMIN.name);
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.password);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'Plans', level: 1 })).toBeVisible();
    await expect(page).toHaveURL(/#\/plans$/);
  });

  for (const { locale, theme } of LOOKS) {
    test(`can be used by everybody in ${locale}, ${theme}, wide and narrow`, async ({ page, visit }) => {
      await page.addInitScript(
        (state) => localStorage.setItem('gatehouse.view', JSON.stringify({ state, version: 1 })),
        {
          locale,
          theme,
        },
      );
      await visit();
      const { access } = await loadPageTexts(locale);
      await expect(page.getByRole('heading', { name: access.signIn.title, level: 1 })).toBeVisible();
      await expectAccessible(page, `sign-in ${locale} ${theme}`);
      await page.setViewportSize({ width: 360, height: 740 });
      await expectAccessible(page, `sign-in ${locale} ${theme} 360 px`);
      const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      expect(isWide).toBe(false);
    });
  }
});

test('slows down who guesses, and says for how long', async ({ browser }) => {
  await using panel = await openBrowserPanel({ users: 0 });
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.goto(panel.url);
  await page.getByLabel('Name').fill(ADMIN.name);
  const submit = page.getByRole('button', { name: 'Sign in' });
  await expect(async () => {
    if (await submit.isEnabled()) {
      await page.getByLabel('Password', { exact: true }).fill('wrong', { timeout: 1000 });
      await submit.click({ timeout: 1000 });
    }
    // Each guess makes the wait longer, until there is time to see both.
    expect(await page.getByText(/You can try again in \d+ seconds?\./).isVisible()).toBe(true);
    expect(await submit.isDisabled()).toBe(true);
  }).toPass({ timeout: 600_000 });
  await context.close();
});

test('says what to do where the queue of sign-ins is full', async ({ browser }) => {
  await using panel = await openBrowserPanel({ users: 0 });
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.route('**/panel/signIn', (route) =>
    route.fulfill({
      status: 429,
      headers: { 'retry-after': '5' },
      contentType: 'application/problem+json',
      body: JSON.stringify(buildProblem('sign_in_busy', 'r1')),
    }),
  );
  const command = 'panel rotate-path on';
  await page.goto(panel.url);
  await page.getByLabel('Name').fill(ADMIN.name);
  await page.getByLabel('Password', { exact: true }).fill(ADMIN.password);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toContainText(command);
  await expectAccessible(page, 'a full queue of sign-ins');
  // Once the time is over the button works again, and the advice stays.
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeEnabled();
  await expect(page.getByRole('alert')).toContainText(command);
  await context.close();
});

test('a session that ends asks for sign-in over the page and keeps what was typed', async ({ page, panel, visit }) => {
  await visit('settings/general');
  const title = page.getByLabel('Title of the panel');
  await title.fill('Half a sentence');
  await panel.administrator?.call('endOtherSessions', { password: ADMIN.password });
  await page.getByRole('button', { name: 'Save' }).click();

  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await expect(dialog).toBeVisible();
  await expect(title).toBeHidden();
  await expectAccessible(page, 'an ended session');
  await dialog.getByLabel('Name').fill(ADMIN.name);
  await dialog.getByLabel('Password', { exact: true }).fill(ADMIN.password);
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(title).toHaveValue('Half a sentence');
  await expect(page).toHaveURL(/#\/settings\/general$/);
  await expect(page).toHaveTitle(/Settings · Gatehouse$/);
});

test('signing out leaves nothing on the page', async ({ page, visit }) => {
  await visit('users');
  await expect(page.getByRole('row')).not.toHaveCount(0);
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in', level: 1 })).toBeVisible();
  await page.goBack().catch(() => undefined);
  await expect(page.getByRole('row')).toHaveCount(0);
});
