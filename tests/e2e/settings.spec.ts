// Settings: general and subscription, each saved where it is changed; every section in both languages, both themes, wide and narrow.
import { isFull } from '../support/long.ts';
import { expectAccessible } from './support/axe.ts';
import { expect, LOOKS, test } from './support/fixtures.ts';
import { card, prove } from './support/settings.ts';
import { getToast } from './support/toast.ts';

test('the panel’s title, language and time zone are saved and seen at once', { tag: '@smoke' }, async ({
  page,
  own,
}) => {
  await own.visit('settings/general');
  const general = card(page, 'General');
  await expect(general.getByRole('button', { name: 'Save' })).toHaveCount(0);
  await general.getByLabel('Title of the panel').fill('Panel of <b>Anna</b> 🦦');
  const zone = general.getByRole('combobox', { name: 'Time zone' });
  await zone.fill('tokyo');
  await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
  await expectAccessible(page, 'general, changed');
  await general.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Settings saved' })).toBeVisible();
  await expect(general.getByRole('button', { name: 'Save' })).toBeDisabled();
  await expect(page).toHaveTitle(/Panel of <b>Anna<\/b> 🦦$/);

  await general.getByRole('combobox', { name: 'Language' }).click();
  await page.getByRole('option', { name: 'Русский' }).click();
  await general.getByRole('button', { name: 'Save' }).click();
  const saved = async () => (await own.administrator?.call('getPanelSettings', {}))?.body;
  await expect
    .poll(saved)
    .toMatchObject({ panel_title: 'Panel of <b>Anna</b> 🦦', language: 'ru', time_zone: 'Asia/Tokyo' });
  await expect(page.getByRole('heading', { level: 1, name: /Settings|Настройки/ })).toBeVisible();
});

test('input that is not saved is not discarded without a question, wherever one goes', async ({ page, own }) => {
  await own.visit('settings/general');
  const title = card(page, 'General').getByLabel('Title of the panel');
  const question = page.getByRole('dialog', { name: 'Discard what you typed?' });
  await title.fill('Half a title');
  await page.getByRole('link', { name: 'Security', exact: true }).click();
  await expectAccessible(page, 'the question before input is discarded');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(question).toHaveCount(0);
  await expect(page).toHaveURL(/#\/settings\/general$/);
  await expect(title).toHaveValue('Half a title');

  await page.getByRole('link', { name: 'Nodes', exact: true }).click();
  await page.keyboard.press('Escape');
  await expect(question).toHaveCount(0);
  await expect(page).toHaveURL(/#\/settings\/general$/);
  await expect(title).toHaveValue('Half a title');

  await page.getByRole('link', { name: 'Nodes', exact: true }).click();
  await question.getByRole('button', { name: 'Discard' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Nodes' })).toBeVisible();
  await page.goBack();
  await expect(title).toHaveValue('Gatehouse');
  // What is saved, or is as it was, is left without a question.
  await title.fill('Saved');
  await card(page, 'General').getByRole('button', { name: 'Save' }).click();
  await expect(getToast(page, 'Settings saved')).toBeVisible();
  await page.getByRole('link', { name: 'Security', exact: true }).click();
  await expect(card(page, 'Two-factor sign-in')).toBeVisible();
});

test('how long records are kept is refused out of bounds and kept as typed', async ({ page, own }) => {
  await own.visit('settings/general');
  const kept = card(page, 'Retention');
  const audit = kept.getByLabel('Audit log, days');
  await audit.fill('0');
  await kept.getByRole('button', { name: 'Save' }).click();
  await expect(audit).toHaveAttribute('aria-invalid', 'true');
  await expect(audit).toHaveValue('0');
  await expectAccessible(page, 'a refused field');
  await audit.fill('400');
  await kept.getByRole('button', { name: 'Save' }).click();
  await prove(page);
  await expect(getToast(page, 'Settings saved')).toBeVisible();
  await page.reload();
  await expect(audit).toHaveValue('400');
});

test('restarts of engines that cut users off are switched by keyboard', async ({ page, own }) => {
  await own.visit('settings/general');
  const cut = card(page, 'Blocked users');
  const restart = cut.getByRole('switch', { name: 'Close connections of others to cut users off' });
  await expect(restart).toBeChecked();
  await restart.press('Space');
  const concurrent = cut.getByRole('switch', { name: 'Block users who are connected from too many addresses' });
  await expect(concurrent).not.toBeChecked();
  await concurrent.press('Space');
  await expectAccessible(page, 'a switch turned off');
  await cut.getByRole('button', { name: 'Save' }).press('Enter');
  await expect(getToast(page, 'Settings saved')).toBeVisible();
  const stored = (await own.administrator?.call('getPanelSettings', {}))?.body;
  expect(stored).toMatchObject({ restart_to_cut_off: false, cut_off_concurrent: true });
});

test('the speed of the fastest line of a node is stored', async ({ page, own }) => {
  await own.visit('settings/general');
  const line = card(page, 'Traffic of nodes');
  await line.getByLabel('Speed of the fastest line').fill('10');
  await line.getByRole('button', { name: 'Save' }).press('Enter');
  await expect(getToast(page, 'Settings saved')).toBeVisible();
  expect((await own.administrator?.call('getPanelSettings', {}))?.body).toMatchObject({ node_line_gbps: 10 });
});

test('notices before the end of a term are whole days, stored with the longest first', async ({ page, own }) => {
  await own.visit('settings/general');
  const notices = card(page, 'Notices before the end of a term');
  const days = notices.getByLabel('Days before the end');
  for (const text of ['14', 'soon']) {
    await days.fill(text);
    await page.keyboard.press('Enter');
  }
  await notices.getByRole('button', { name: 'Save' }).click();
  await expect(notices.getByText('A whole number')).toBeVisible();
  await expect(notices.getByText('soon')).toBeVisible();
  await expectAccessible(page, 'a refused notice');
  await days.press('Backspace');
  await notices.getByRole('button', { name: 'Save' }).click();
  await expect(getToast(page, 'Settings saved')).toBeVisible();
  expect((await own.administrator?.call('getPanelSettings', {}))?.body.expiring_notice_days).toEqual([14, 7, 3, 1]);
});

test('units are this browser’s own', async ({ page, visit }) => {
  await visit('settings/general');
  await card(page, 'In this browser').getByText('GiB').click();
  await visit('plans');
  await expect(page.getByRole('main')).toContainText('GiB');
});

test('what users see is checked, saved, and stands on their page', async ({ page, own }) => {
  await own.visit('settings/subscription');
  const sub = card(page, 'Subscription');
  await sub.getByLabel('Support link').fill('javascript:alert(1)');
  await sub.getByLabel('Announcement').fill('<img src=x onerror=alert(1)> مرحبا 🦦');
  await sub.getByRole('button', { name: 'Save' }).click();
  await expect(sub.getByText(/A link such as https:/)).toBeVisible();
  await expectAccessible(page, 'a refused link');
  await sub.getByLabel('Support link').fill('https://t.me/example');
  await sub.getByLabel('Title', { exact: true }).fill('Anna’s VPN');
  await sub.getByLabel('Update every, hours').fill('6');
  await page.keyboard.press('Enter');
  await expect(getToast(page, 'Settings saved')).toBeVisible();
  const { body } = (await own.administrator?.call('getPanelSettings', {})) ?? {};
  expect(body).toMatchObject({
    subscription_title: 'Anna’s VPN',
    update_interval_hours: 6,
    support_url: 'https://t.me/example',
    announcement: '<img src=x onerror=alert(1)> مرحبا 🦦',
  });
});

test('sections are reached and changed by keyboard alone', async ({ page, own }) => {
  await own.visit('settings/general');
  const nav = page.getByRole('navigation', { name: 'Sections of the settings' });
  await nav.getByRole('link', { name: 'General' }).focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(card(page, 'Subscription')).toBeVisible();
  const title = page.getByLabel('Title', { exact: true });
  for (let presses = 0; presses < 12 && !(await title.evaluate((field) => field === document.activeElement)); presses++)
    await page.keyboard.press('Tab');
  await expect(title).toBeFocused();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('By keyboard');
  await page.keyboard.press('Enter');
  await expect(getToast(page, 'Settings saved')).toBeVisible();
  await expect(page).toHaveTitle(/^Subscription · Settings/);
});

const SECTIONS = [
  'general',
  'subscription',
  'addresses',
  'certificates',
  'security',
  'security/api',
  'backups',
  'updates',
] as const;

for (const [look, { locale, theme }] of LOOKS.entries()) {
  test.describe(`in ${locale}, ${theme}`, () => {
    test.use({ view: { locale, theme } });
    test('every section can be used by everybody, wide and narrow', async ({ page, visit }) => {
      for (const [index, section] of SECTIONS.entries()) {
        // In the short form axe looks at each section wide in one look and narrow in the next.
        const isAudited = { wide: isFull || (index + look) % 2 === 0, narrow: isFull || (index + look) % 2 === 1 };
        await page.setViewportSize({ width: 1440, height: 900 });
        await visit(`settings/${section}`);
        await expect(page.getByRole('main').getByRole('region').first()).toBeVisible();
        await expect(page.locator('[data-skeleton]')).toHaveCount(0);
        if (isAudited.wide) await expectAccessible(page, `${section} ${locale} ${theme}`);
        await page.setViewportSize({ width: 360, height: 740 });
        if (isAudited.narrow) await expectAccessible(page, `${section} ${locale} ${theme} 360 px`);
        const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        expect(isWide, `${section} at 360 px`).toBe(false);
      }
    });
  });
}
