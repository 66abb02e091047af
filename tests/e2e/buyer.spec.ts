// A buyer's walk in a browser of his own: the trial, the first purchase with a promo code, a renewal before the end and one after it, more traffic, and
// refunds, on the page of his subscription and the page of each order. The payment is made at a fake Stripe.
import { openStripe } from '../support/providers/stripe.ts';
import { expectAccessible } from './support/axe.ts';
import { expect, test } from './support/fixtures.ts';
import { ADMIN } from './support/panels.ts';
import { makeUser, otherWindow, readUser } from './support/users.ts';

const DAY = 86_400_000;
const PHONE = { width: 390, height: 844 };

/** How long the term of a user is from now, in days, rounded. */
const countDays = (end: string | null) => Math.round((Date.parse(end ?? '') - Date.now()) / DAY);

test('a buyer tries, buys, renews, adds and is refunded', async ({ own, browser }) => {
  await using fake = await openStripe();
  const { call } = otherWindow(own);
  const proof = { password: ADMIN.password };
  await call('updateSettings', { selling: true });
  const account = { kind: fake.kind, name: 'Cards', fields: fake.fields, api_root: fake.root, allow_private: true };
  await call('createProvider', { ...account, ...proof });
  const { body: plan } = await call('createTariff', { name: 'Monthly', duration: { months: 1 } });
  const offer = (name: string, sold: object, amount: number | null) =>
    call('createOffer', {
      tariff_id: plan.id,
      name,
      sold: sold as { kind: 'days'; days: number },
      prices: amount === null ? [] : [{ amount, currency: 'EUR' }],
      trial: amount === null,
      on_sale: true,
    });
  await offer('3 days to try', { kind: 'days', days: 3 }, null);
  await offer('30 days', { kind: 'days', days: 30 }, 500);
  await offer('20 GB', { kind: 'traffic', bytes: 20_000_000_000, lifetime: 'used' }, 300);
  await call('createPromo', { code: 'AUTUMN', effect: { kind: 'percent', percent: 20 } });
  const ended = new Date(Date.now() - DAY).toISOString();
  const { id, sub_url } = await makeUser(own, 'Anna', { tariff_id: plan.id, expires_at: ended });
  const user = () => readUser(own, id);

  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    locale: 'en',
    viewport: PHONE,
    extraHTTPHeaders: { 'accept-language': 'en' },
  });
  const page = await context.newPage();
  const link = `${sub_url}?format=html`;
  const fits = async (what: string) => {
    await expectAccessible(page, what);
    expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), what).toBe(false);
  };
  /** Pays the order whose page is shown, and comes back to it. */
  const pay = async (amount: string) => {
    const order = page.url().replace(/\?.*$/, '');
    // The way to the provider is answered by a page in its place: it cannot be reached here, and where it leads is what is asked.
    let paidAt: string | undefined;
    await page.route(`${order}**`, async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      const reply = await route.fetch({ maxRedirects: 0 });
      paidAt = reply.headers().location;
      const invoice = fake.invoices.at(-1);
      if (invoice) fake.pay(invoice.token);
      return route.fulfill({ contentType: 'text/html', body: '<title>Bank</title><h1>Paid at the bank</h1>' });
    });
    await page.getByRole('button', { name: `(Stripe) ${amount}` }).click();
    await expect(page.getByRole('heading', { name: 'Paid at the bank' })).toBeVisible();
    expect(paidAt).toMatch(/^https:\/\/checkout\.stripe\.com\//);
    await page.unroute(`${order}**`);
    await page.goto(`${order}?back`);
    await expect(page.getByText('Thank you. The payment has arrived.')).toBeVisible();
  };
  const choose = async (button: string) => {
    await page.goto(link);
    await page.getByRole('button', { name: button }).click();
    await expect(page.getByText('What you buy')).toBeVisible();
  };

  await page.goto(link);
  await fits('the page of a subscription that has ended');
  await choose('3 days to try, Free');
  await expect(page.getByText('Your free trial has started.')).toBeVisible();
  expect(countDays((await user()).expires_at)).toBe(3);
  await page.goto(link);
  await expect(page.getByText('Try for free')).toBeHidden();

  // Enter in the field of the code buys nothing.
  await page.getByLabel('Promo code, if you have one').fill('autumn');
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Promo code, if you have one')).toBeVisible();
  await page.getByRole('button', { name: '30 days, €5' }).click();
  await expect(page.getByText('AUTUMN').first()).toBeVisible();
  await fits('the page of an order');
  await pay('€4');
  await fits('the page of an order that is paid');
  expect(countDays((await user()).expires_at)).toBe(33);

  await page.goto(link);
  await page.getByLabel('Promo code, if you have one').fill('nothing');
  await page.getByRole('button', { name: '20 GB, €3' }).click();
  await expect(page.getByText('This promo code cannot be used for this order.')).toBeVisible();
  await pay('€3');
  expect((await user()).traffic_extra).toBe(20_000_000_000);

  // Renewed before its end.
  await choose('30 days, €5');
  await pay('€5');
  expect(countDays((await user()).expires_at)).toBe(63);

  // Renewed after its end.
  await call('updateUser', { id, expires_at: ended });
  await choose('30 days, €5');
  await pay('€5');
  expect(countDays((await user()).expires_at)).toBe(30);

  const { items } = (await call('listOrders', { user_id: id, state: 'paid', limit: 50 })).body;
  expect(items).toHaveLength(5);
  const [renewal, , pack] = items;
  const { status } = await call('refundOrder', { id: renewal?.id ?? 0, ...proof });
  expect(status).toBe(200);
  expect((await user()).expires_at).toBe(new Date(ended).toISOString());
  await page.reload();
  await expect(page.getByText('This order was refunded.')).toBeVisible();
  expect((await call('refundOrder', { id: pack?.id ?? 0, ...proof })).status).toBe(200);
  expect(await user()).toMatchObject({ traffic_extra: 0 });
  await context.close();
});
