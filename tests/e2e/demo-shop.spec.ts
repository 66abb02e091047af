// The shop of a demonstration in a buyer's browser and in the panel: paid too little and in full at the test provider, in every language and theme, on a phone.
import type { Page } from '@playwright/test';
import { expectAccessible } from './support/axe.ts';
import { expect, LOOKS, test } from './support/fixtures.ts';
import { type BrowserPanel, openBrowserPanel } from './support/panels.ts';
import { makeUser } from './support/users.ts';

const PHONE = { width: 390, height: 844 };
const WIDE = { width: 1440, height: 900 };
let shop: BrowserPanel;
test.beforeAll(async () => {
  shop = await openBrowserPanel({ users: 20, sells: true });
});
test.afterAll(() => shop[Symbol.asyncDispose]());

async function fits(page: Page, what: string): Promise<void> {
  for (const size of [PHONE, WIDE]) {
    await page.setViewportSize(size);
    await expectAccessible(page, what);
    expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), what).toBe(false);
  }
}

for (const { locale, theme } of LOOKS) {
  test(`one buys at the test provider, ${locale}, ${theme}`, async ({ browser }) => {
    const plans = await shop.administrator?.call('listTariffs', {});
    const plan = plans?.body.items.find(({ name }) => name === 'Standard');
    const user = await makeUser(shop, `Buyer ${locale} ${theme}`, { tariff_id: plan?.id ?? 0 });
    const context = await browser.newContext({ ignoreHTTPSErrors: true, locale, colorScheme: theme, viewport: PHONE });
    const page = await context.newPage();
    const open = async (amount: RegExp) => {
      await page.goto(`${user.sub_url}?format=html`);
      await page.locator('button', { hasText: amount }).click();
      await page.locator('form[action$="/EUR"] button').click();
      await expect(page).toHaveURL(/\/test-pay\/cs_test_/);
    };
    await open(/4[.,]99/);
    await fits(page, 'the page of the test provider');
    await page.locator('form[action$="/less"] button').click();
    await expect(page.locator('.pill')).toHaveText(locale === 'ru' ? 'На проверке' : 'In review');
    // Another offer: an order with money that is looked at is found again.
    await open(/12[.,]99/);
    await page.keyboard.press('Tab');
    await expect(page.locator('form[action$="/pay"] button')).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.locator('.pill.good')).toBeVisible();
    await page.goBack();
    await fits(page, 'the page of the test provider, paid');
    await context.close();

    const orders = await shop.administrator?.call('listOrders', { user_id: user.id, limit: 10 });
    expect(orders?.body.items.map(({ state }) => state)).toEqual(['paid', 'open']);
    const attention = await shop.administrator?.call('listAttention', { limit: 100 });
    expect(attention?.body.items.filter(({ order_id }) => order_id === orders?.body.items[1]?.id)).toMatchObject([
      { reason: 'too_little' },
    ]);
  });
}
