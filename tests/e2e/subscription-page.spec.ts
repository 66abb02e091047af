// The page of a subscription, as a person sees it who opens their link: on a phone and on a desk, light and dark, with and without scripts.
import { expectAccessible } from './support/axe.ts';
import { expect, test } from './support/fixtures.ts';
import type { BrowserPanel } from './support/panels.ts';
import { watchPage } from './support/watch.ts';

test.use({ isSignedIn: false });

const PHONE = { width: 360, height: 780 };
const DESK = { width: 1280, height: 800 };

/** The link of a user who may connect. */
async function findUserLink({ administrator }: BrowserPanel): Promise<string> {
  const reply = await administrator?.call('listUsers', { state: ['active'], limit: 1 });
  const link = reply?.body.items[0]?.sub_url;
  if (link === undefined) throw new Error('no user has a link');
  return link;
}

for (const [place, viewport, colorScheme, locale, copy] of [
  ['on a phone, light', PHONE, 'light', 'ru-RU', 'Скопировать ссылку'],
  ['on a phone, dark', PHONE, 'dark', 'en-GB', 'Copy the link'],
  ['on a desk, light', DESK, 'light', 'en-GB', 'Copy the link'],
  ['on a desk, dark', DESK, 'dark', 'ru-RU', 'Скопировать ссылку'],
] as const) {
  test.describe(place, () => {
    test.use({ viewport, colorScheme, locale });

    test('fits, is accessible, and asks for nothing else', async ({ page, panel }) => {
      const link = await findUserLink(panel);
      const watch = await watchPage(page, new URL(link).origin);
      await page.goto(link);
      await expect(page.getByRole('button', { name: copy })).toBeVisible();
      await expectAccessible(page, place);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
      expect(watch.complaints()).toEqual([]);
    });
  });
}

test('has a page with the code of each server', async ({ page, panel }) => {
  await page.setViewportSize(PHONE);
  await page.goto(await findUserLink(panel));
  await page.getByRole('link', { name: 'Servers one by one' }).click();
  await expect(page.getByRole('heading', { name: 'Servers one by one' })).toBeVisible();
  await expectAccessible(page, 'the servers one by one');
  await page
    .getByRole('link', { name: /^QR code of/ })
    .first()
    .click();
  await expect(page.getByRole('img', { name: /^QR code of/ })).toBeVisible();
  await expect(page.locator('code')).toHaveText(/^[a-z0-9]+:\/\//);
  await expectAccessible(page, 'the page of a server');
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
  await page.getByRole('link', { name: 'Servers one by one' }).click();
  await page.getByRole('link', { name: 'Back to your access' }).click();
  await expect(page.getByRole('button', { name: 'Copy the link' })).toBeVisible();
});

test('copies the link and says so, and offers the apps of the system that is chosen', { tag: '@smoke' }, async ({
  page,
  panel,
}) => {
  const link = await findUserLink(panel);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(link);
  await page.getByRole('button', { name: 'Copy the link' }).click();
  await expect(page.getByRole('status')).toHaveText('Copied. Paste it into the app.');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);

  const streisand = page.getByRole('link', { name: 'Add to Streisand' });
  await expect(page.getByRole('radio', { name: 'Linux' })).toBeChecked();
  await expect(streisand).toBeHidden();
  await page.getByRole('radio', { name: 'Linux' }).press('Tab');
  await page.getByText('iPhone, iPad').click();
  await expect(streisand).toBeVisible();
  await expect(streisand).toHaveAttribute('href', new RegExp(`^streisand://import/${link}#`));
  await page.getByRole('radio', { name: 'iPhone, iPad' }).press('ArrowRight');
  await expect(page.getByRole('radio', { name: 'Android', exact: true })).toBeChecked();
  await expect(page.getByRole('link', { name: 'Add to v2rayNG' })).toBeVisible();
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('shows the link, the code and the apps, and no button that does nothing', async ({ page, panel }) => {
    const link = await findUserLink(panel);
    await page.goto(link);
    await expect(page.getByText(link)).toBeVisible();
    await expect(page.getByRole('img', { name: 'QR code of your link' })).toBeVisible();
    await page.getByText('Windows').click();
    await expect(page.getByRole('link', { name: 'Add to Happ' })).toBeVisible();
    await expect(page.getByRole('button')).toHaveCount(0);
  });
});
