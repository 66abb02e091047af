// Sales: an offer is made for a plan, a payment is recorded for a user and refunded, and the sums and the history show it.

import type { FakeProvider } from '../support/providers/fake.ts';
import { openStripe } from '../support/providers/stripe.ts';
import { expectAccessible } from './support/axe.ts';
import { expect, test } from './support/fixtures.ts';
import { ADMIN, type BrowserPanel } from './support/panels.ts';
import { prove } from './support/settings.ts';
import { getToast } from './support/toast.ts';
import { makeUser, otherWindow, readUser } from './support/users.ts';

/** A plan with an offer of a month on sale. */
async function makeOffered(panel: BrowserPanel, name: string): Promise<number> {
  const { call } = otherWindow(panel);
  const { body: plan } = await call('createTariff', { name, duration: { months: 1 } });
  await call('createOffer', {
    tariff_id: plan.id,
    name: '1 month',
    sold: { kind: 'months', months: 1 },
    prices: [
      { amount: 499, currency: 'EUR' },
      { amount: 250, currency: 'XTR' },
    ],
    on_sale: true,
  });
  return plan.id;
}

/** A fake provider at which a panel sells. */
async function sellAt(panel: BrowserPanel, fake: FakeProvider): Promise<number> {
  const { call } = otherWindow(panel);
  const proof = { password: ADMIN.password };
  await call('updateSettings', { selling: true });
  const account = { kind: fake.kind, name: 'Cards', fields: fake.fields, api_root: fake.root, allow_private: true };
  const { status, body } = await call('createProvider', { ...account, ...proof });
  expect(status).toBe(201);
  return body.id;
}

/** An order of a new user, opened at a provider. */
async function openOrder(panel: BrowserPanel, provider_id: number, name: string, tariff_id: number) {
  const { call } = otherWindow(panel);
  const expires_at = '2090-05-10T10:00:00.000Z';
  const user = await makeUser(panel, name, { tariff_id, expires_at });
  const [offer] = (await call('listOffers', { tariff_id })).body.items;
  const { body: order } = await call('createOrder', { user_id: user.id, offer_id: offer?.id ?? 0 });
  const { status } = await call('openOrder', { id: order.id, provider_id });
  expect(status).toBe(200);
  return { user, order };
}

/** An order for which one euro came. */
async function payShort(panel: BrowserPanel, fake: FakeProvider, ...about: readonly [number, string, number]) {
  const opened = await openOrder(panel, ...about);
  const invoice = fake.invoices.at(-1);
  if (!invoice) throw new Error('no invoice was made');
  Object.assign(invoice, { amount: '100' });
  fake.pay(invoice.token);
  await otherWindow(panel).call('askOrder', { id: opened.order.id });
  return opened;
}

test('an offer is added to a plan, changed and deleted', async ({ page, panel, visit }) => {
  const { body: plan } = await otherWindow(panel).call('createTariff', { name: 'Offered plan' });
  await visit('plans');
  const row = page.getByRole('row', { name: /Offered plan/ });
  await row.getByRole('button', { name: /More actions/ }).click();
  await page.getByRole('menuitem', { name: 'Offers' }).click();
  await expect(page.getByText('No offers yet')).toBeVisible();
  await expectAccessible(page, 'no offers');
  await page.getByRole('button', { name: 'Add an offer' }).first().click();
  const form = page.getByRole('dialog', { name: 'Add an offer' });
  await expect(form.getByLabel('Plan')).toHaveValue('Offered plan');
  await form.getByLabel('Name').fill('3 months');
  await form.getByLabel('How long').fill('3');
  await form.getByRole('button', { name: 'Add offer' }).click();
  await expect(form.getByRole('alert')).toBeVisible();
  await form.getByRole('textbox', { name: 'Price 1' }).fill('12,999');
  await form.getByRole('button', { name: 'Add offer' }).click();
  await expect(form.getByText('Enter an amount with no more decimals')).toBeVisible();
  await form.getByRole('textbox', { name: 'Price 1' }).fill('12,99');
  await form.getByRole('button', { name: 'Add a price' }).click();
  await form.getByRole('textbox', { name: 'Price 2' }).fill('700');
  await form.getByLabel('Currency 2', { exact: true }).fill('xtr');
  await page.getByRole('option', { name: 'XTR' }).click();
  await expectAccessible(page, 'the form of an offer');
  await form.getByRole('button', { name: 'Add offer' }).click();
  await expect(getToast(page, 'Offer 3 months added')).toBeVisible();
  const offer = page.getByRole('row', { name: /3 months/ });
  await expect(offer).toContainText('€12.99 · ⭐ 700');
  await expect(offer).toContainText('On sale');
  const { body: priced } = await otherWindow(panel).call('getTariff', { id: plan.id });
  expect(priced.price).toEqual({ amount: 1299, currency: 'EUR' });
  // Its one field is that of the offer.
  await visit(`plans/${plan.id}`);
  const planForm = page.getByRole('dialog', { name: 'Offered plan' });
  await expect(planForm.getByText('€12.99')).toBeVisible();
  await expect(planForm.getByLabel('Price')).toHaveCount(0);
  await planForm.getByRole('link', { name: 'Set in the offer “3 months”' }).click();

  const record = page.getByRole('dialog', { name: '3 months' });
  await expect(record.getByRole('textbox', { name: 'Price 1' })).toHaveValue('12.99');
  await record.getByRole('switch', { name: /On sale/ }).press('Space');
  await record.getByRole('button', { name: 'Save' }).click();
  await expect(offer).toContainText('Not on sale');
  await offer.getByRole('link', { name: '3 months' }).click();
  await record.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog', { name: 'Delete 3 months' }).getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('No offers yet')).toBeVisible();
});

test('a payment is recorded and refunded, and the history and the sums show both', { tag: '@smoke' }, async ({
  page,
  panel,
  visit,
}) => {
  const tariff_id = await makeOffered(panel, 'Paid plan');
  const expires_at = '2090-05-10T10:00:00.000Z';
  const { id } = await makeUser(panel, 'Paula Payer', { tariff_id, expires_at });
  await visit(`users/${id}`);
  const record = page.getByRole('dialog', { name: 'Paula Payer' });
  await record.getByRole('button', { name: 'Record a payment' }).click();
  const form = record.getByRole('form', { name: 'Record a payment' });
  await expect(form.getByLabel('Amount')).toHaveValue('4.99');
  await form.getByLabel('Currency').click();
  await page.getByRole('option', { name: 'XTR' }).click();
  await expect(form.getByLabel('Amount')).toHaveValue('250');
  await form.getByLabel('Reference').fill('=1+1');
  await expectAccessible(page, 'the form of a payment');
  await form.getByRole('button', { name: 'Record', exact: true }).click();
  await prove(page, { password: ADMIN.password });
  await expect(getToast(page, '⭐ 250 from Paula Payer recorded')).toBeVisible();
  const payments = record.getByRole('region', { name: 'Payments' });
  await expect(payments).toContainText('⭐ 250 · 1 month');
  expect((await readUser(panel, id)).expires_at).toBe('2090-06-10T10:00:00.000Z');
  await expect(record.getByText('⭐ 250 paid: 1 month')).toBeVisible();

  await visit('sales/orders');
  const order = page.getByRole('row', { name: /Paula Payer/ });
  await expect(order).toContainText('⭐ 250');
  await expectAccessible(page, 'orders');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const stream = await (await download).createReadStream();
  let csv = '';
  for await (const part of stream) csv += String(part);
  expect(csv).toContain(",Paula Payer,Paid plan,1 month,250,XTR,cash,'=1+1,false,");

  await order.getByRole('button', { name: /Refund order/ }).click();
  const question = page.getByRole('dialog', { name: /Refund order/ });
  await expect(question.getByText(/The term ends .* instead of/)).toBeVisible();
  await question.getByLabel('Why').fill('Changed her mind');
  await expectAccessible(page, 'the question before a refund');
  await question.getByRole('button', { name: 'Refund' }).click();
  await expect(order).toContainText('Refunded');
  expect((await readUser(panel, id)).expires_at).toBe(expires_at);
  await page.getByRole('button', { name: 'Overview' }).click();
  await expect(page.getByRole('main').getByText('⭐ 250 refunded')).toBeVisible();
});

test('a user is asked for a payment by a link, and the provider is asked whether it came', async ({ page, own }) => {
  await using fake = await openStripe();
  await sellAt(own, fake);
  const tariff_id = await makeOffered(own, 'Linked plan');
  const { id } = await makeUser(own, 'Linda Link', { tariff_id });
  await own.visit(`users/${id}`);
  const record = page.getByRole('dialog', { name: 'Linda Link' });
  await record.getByRole('button', { name: 'Request a payment' }).click();
  const form = record.getByRole('form', { name: 'Request a payment' });
  await expect(form.getByLabel('What is sold')).toBeFocused();
  await expect(form.getByLabel('Payment method')).toHaveValue('The buyer chooses');
  await expectAccessible(page, 'the form of an order');
  await form.getByRole('button', { name: 'Create link' }).click();
  const made = record.getByRole('group', { name: 'No. 1' });
  await expect(made.getByText('Order no. 1 created. Send this link to the buyer.')).toBeVisible();
  await expect(made.locator('code')).toHaveText(/\/sub\/pay\/[\w-]{22,}$/);
  await expect(made.getByRole('button', { name: 'Copy link' })).toBeFocused();
  await expectAccessible(page, 'the link of an order');
  await made.getByRole('button', { name: 'Close' }).click();
  await expect(record.getByRole('button', { name: 'Copy link: payment of order no. 1' })).toBeVisible();
  await record.getByRole('button', { name: 'Request a payment' }).click();
  await form.getByLabel('Payment method').click();
  await page.getByRole('option', { name: 'Cards · €4.99' }).click();
  await form.getByRole('button', { name: 'Create link' }).click();
  await expect(made.locator('code')).toHaveText(/^http.*\/pay\//);
  await made.getByRole('button', { name: 'Close' }).click();
  await expect(record.getByRole('button', { name: 'Copy link: order no. 1 at the provider' })).toBeVisible();

  await own.visit('sales/orders');
  const row = page.getByRole('row', { name: /Linda Link/ });
  await row.getByRole('button', { name: 'Check order no. 1 with the provider' }).click();
  await expect(getToast(page, 'Order no. 1 is not paid yet')).toBeVisible();
  await expectAccessible(page, 'an open order');
  fake.pay(fake.invoices[0]?.token ?? '');
  // No more often than the provider allows.
  await expect(async () => {
    expect((await otherWindow(own).call('askOrder', { id: 1 })).body.state).toBe('paid');
  }).toPass({ intervals: [500] });
  await expect(row.getByRole('button', { name: 'Refund order no. 1' })).toBeVisible();
});

test('payments that are not what was ordered wait for a decision', async ({ page, own }) => {
  await using fake = await openStripe();
  const provider = await sellAt(own, fake);
  const tariff_id = await makeOffered(own, 'Short plan');
  const { user } = await payShort(own, fake, provider, 'Dana Days', tariff_id);
  await payShort(own, fake, provider, 'Rita Refund', tariff_id);
  await payShort(own, fake, provider, 'Ivan Ignored', tariff_id);
  await own.visit('sales');
  await page.getByRole('button', { name: /Needs attention.*3/ }).click();
  const findRow = (name: string) => page.getByRole('row', { name: new RegExp(name) });
  await expect(findRow('Dana Days')).toContainText('Too little');
  await expect(findRow('Dana Days')).toContainText('€1');
  await expect(findRow('Dana Days')).toContainText('of €4.99');
  await expectAccessible(page, 'payments that need attention');
  await page.getByRole('button', { name: 'Reconciliation' }).click();
  await page.getByRole('button', { name: 'Compare' }).click();
  // The fake's payments have a day of their own: whether it is of this month is chance.
  await expect(page.getByText(/No payments in this month|3 payments differ/)).toBeVisible();
  await expectAccessible(page, 'a reconciliation');
  await page.getByRole('button', { name: /Needs attention/ }).click();
  const decide = async (name: string, act: string) => {
    await findRow(name)
      .getByRole('button', { name: /Resolve payment/ })
      .click();
    await page.getByRole('menuitem', { name: act }).click();
    return page.getByRole('dialog', { name: act });
  };

  const days = await decide('Dana Days', 'Grant days instead');
  await days.getByLabel('Days').fill('6');
  await expectAccessible(page, 'the question before days are given');
  await days.getByRole('button', { name: 'Grant' }).click();
  await prove(page, { password: ADMIN.password });
  await expect(findRow('Dana Days')).toHaveCount(0);
  expect((await readUser(own, user.id)).expires_at).toBe('2090-05-16T10:00:00.000Z');

  const refund = await decide('Rita Refund', 'Refund by the provider');
  await expect(refund.getByText('The provider refunds €1.00. Nothing is granted for it.')).toBeVisible();
  await refund.getByRole('button', { name: 'Refund' }).click();
  await expect(findRow('Rita Refund')).toHaveCount(0);
  expect(fake.invoices.map(({ refunded }) => refunded)).toEqual(['0', '100', '0']);

  const leave = await decide('Ivan Ignored', 'Ignore');
  await leave.getByLabel('Why').fill('Settled in cash');
  await leave.getByRole('button', { name: 'Ignore' }).click();
  await expect(page.getByText('No open payments')).toBeVisible();
  await page.getByRole('button', { name: 'All', exact: true }).click();
  await expect(findRow('Ivan Ignored')).toContainText('Ignored · Settled in cash');
  await expect(findRow('Rita Refund')).toContainText('Refunded');
  await expectAccessible(page, 'payments that were decided');
});

test.describe('in Russian, dark and on a phone', () => {
  test.use({ view: { locale: 'ru', theme: 'dark' }, viewport: { width: 390, height: 740 } });

  test('can be used by everybody', async ({ page, panel, visit }) => {
    const tariff_id = await makeOffered(panel, 'Тариф на телефоне');
    const { id } = await makeUser(panel, 'Фёдор', { tariff_id });
    const [offer] = (await otherWindow(panel).call('listOffers', { tariff_id })).body.items;
    const payment = { key: 'phone-payment', user_id: id, offer_id: offer?.id ?? 0, method: 'cash' } as const;
    const paid = { ...payment, amount: 499, currency: 'EUR', password: ADMIN.password };
    await otherWindow(panel).call('recordPayment', paid);
    const places = [
      ['sales', 'Доход по дням, EUR'],
      ['sales/orders', '1 month'],
      // Who has paid, where there is no column for it.
      ['sales/orders', 'Фёдор'],
      ['sales/offers', '1 month'],
    ] as const;
    for (const [place, shown] of places) {
      await visit(place);
      await expect(page.getByRole('heading', { name: 'Продажи', level: 1 })).toBeVisible();

      await expect(page.getByText(shown).first()).toBeVisible();
      await expectAccessible(page, place);
      expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), place).toBe(false);
    }
    await visit('sales/offers/new');
    await expect(page.getByRole('dialog', { name: 'Добавить предложение' })).toBeVisible();
    await expectAccessible(page, 'the form of an offer');
  });

  test('payments that need attention and the link to pay can be used by everybody', async ({ page, own }) => {
    await using fake = await openStripe();
    const provider = await sellAt(own, fake);
    const tariff_id = await makeOffered(own, 'Тариф на телефоне');
    const { user } = await payShort(own, fake, provider, 'Фёдор', tariff_id);
    const fits = async (what: string) => {
      await expectAccessible(page, what);
      expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), what).toBe(false);
    };
    await own.visit('sales/attention');
    await expect(page.getByText('Меньше, чем нужно')).toBeVisible();
    await fits('attention');
    await page.getByRole('button', { name: 'Решить о платеже № 1' }).click();
    await page.getByRole('menuitem', { name: 'Начислить дни' }).click();
    await expect(page.getByRole('dialog', { name: 'Начислить дни' })).toBeVisible();
    await fits('the question');
    await own.visit(`users/${user.id}`);
    await page.getByRole('button', { name: 'Выставить счёт' }).click();
    await expect(page.getByRole('form', { name: 'Выставить счёт' })).toBeVisible();
    await fits('the form of an order');
  });
});

test('a promo code is added, limited to a plan, and turned off', async ({ panel, page, visit }) => {
  const { call } = otherWindow(panel);
  const plan = await makeOffered(panel, 'Promo plan');
  await visit('sales/promos');
  await page.getByRole('button', { name: 'Add a promo code' }).first().click();
  const drawer = page.getByRole('dialog', { name: 'Add a promo code' });
  await drawer.getByRole('button', { name: 'Generate a code' }).click();
  await expect(drawer.getByLabel('Code', { exact: true })).toHaveValue(/^[A-Z2-9]{8}$/);
  await drawer.getByLabel('Code', { exact: true }).fill('autumn');
  await drawer.getByLabel('Percent off').fill('100');
  await drawer.getByRole('button', { name: 'Add code' }).click();
  await expect(drawer.getByLabel('Percent off')).toHaveAttribute('aria-invalid', 'true');
  await drawer.getByText('Extra days').click();
  await drawer.getByLabel('Number of days').fill('5');
  await drawer.getByLabel('For plans').click();
  await page.getByRole('option', { name: 'Promo plan' }).click();
  await page.keyboard.press('Tab');
  await expectAccessible(page, 'the form of a promo code');
  await drawer.getByRole('button', { name: 'Add code' }).click();
  await expect(getToast(page, 'Promo code AUTUMN added')).toBeVisible();
  const row = page.getByRole('row').filter({ hasText: 'AUTUMN' });
  await expect(row).toContainText('+ 5 days');
  await expect(row).toContainText('Active');
  const [promo] = (await call('listPromos', {})).body.items;
  expect(promo).toMatchObject({ effect: { kind: 'days', days: 5 }, tariff_ids: [plan], max_uses_per_user: 1 });

  await row.getByRole('link', { name: 'AUTUMN' }).click();
  const edit = page.getByRole('dialog', { name: 'AUTUMN' });
  await edit.getByRole('switch', { name: /^Enabled/ }).press('Space');
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(row).toContainText('Disabled');
  await expectAccessible(page, 'promo codes');
});

test('a free trial has no prices, and is offered to those it is for', async ({ page, panel, visit }) => {
  const { body: plan } = await otherWindow(panel).call('createTariff', { name: 'Tried plan' });
  await visit(`sales/offers/new?plan=${plan.id}`);
  const form = page.getByRole('dialog', { name: 'Add an offer' });
  await form.getByLabel('Name').fill('Try a week');
  await form.getByLabel('How long').fill('1');
  await expect(form.getByRole('textbox', { name: 'Price 1' })).toBeVisible();
  await form.getByRole('switch', { name: /Free trial/ }).press('Space');
  await expect(form.getByRole('textbox', { name: 'Price 1' })).toBeHidden();
  await form.getByLabel('Audience').click();
  await page.getByRole('option', { name: 'New users' }).click();
  await expectAccessible(page, 'the form of a trial');
  await form.getByRole('button', { name: 'Add offer' }).click();
  const row = page.getByRole('row', { name: /Try a week/ });
  for (const text of ['New users', 'Free', 'On sale']) await expect(row).toContainText(text);
  const [offer] = (await otherWindow(panel).call('listOffers', { tariff_id: plan.id })).body.items;
  expect(offer).toMatchObject({ trial: true, prices: [], audience: 'new' });
});

test('an offer is asked for with a promo code', async ({ page, own }) => {
  await using fake = await openStripe();
  await sellAt(own, fake);
  const { call } = otherWindow(own);
  const tariff_id = await makeOffered(own, 'Asked plan');
  const [offer] = (await call('listOffers', { tariff_id })).body.items;
  const { amount = 0, currency = '' } = offer?.prices[0] ?? {};
  await call('createPromo', { code: 'AUTUMN', effect: { kind: 'percent', percent: 50 } });
  const user = await makeUser(own, 'Dora', { tariff_id });
  await own.visit(`users/${user.id}`);
  await page.getByRole('button', { name: 'Request a payment' }).click();
  const request = page.getByRole('form', { name: 'Request a payment' });
  await request.getByLabel('Promo code').fill('autumn');
  await request.getByRole('button', { name: 'Create link' }).click();
  await expect(page.getByText(/Order no\. \d+ created\. Send/)).toBeVisible();
  const [order] = (await call('listOrders', { user_id: user.id, limit: 5 })).body.items;
  expect(order).toMatchObject({ amount: Math.ceil(amount / 2), currency, promo: { code: 'AUTUMN' } });
});

test('days for inviting friends are set, and the sums are a chart and a table', async ({ page, own }) => {
  const { call } = otherWindow(own);
  await own.visit('sales/referrals');
  await page.getByRole('switch', { name: 'Users can invite friends' }).press('Space');
  await page.getByLabel('Days for the inviting user').fill('14');
  await expectAccessible(page, 'referrals');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved')).toBeVisible();
  expect((await call('getReferrals', {})).body).toMatchObject({ on: true, referrer_days: 14, friend_days: 3 });

  const tariff_id = await makeOffered(own, 'Charted plan');
  const { id } = await makeUser(own, 'Charlotte', { tariff_id });
  const [offer] = (await call('listOffers', { tariff_id })).body.items;
  for (const [key, method] of [
    ['chart-payment-1', 'cash'],
    ['chart-payment-2', 'transfer'],
  ] as const) {
    const payment = { key, user_id: id, offer_id: offer?.id ?? 0, method, amount: 499, currency: 'EUR' };
    await call('recordPayment', { ...payment, password: ADMIN.password });
  }
  await own.visit('sales');
  const card = page.getByRole('region', { name: 'Income by day, EUR' });
  const chart = card.getByRole('slider');
  await chart.press('End');
  await expect(chart).toHaveAttribute('aria-valuetext', /Cash €4\.99, Transfer €4\.99/);
  await expectAccessible(page, 'the chart of the income');
  await card.getByText('Table', { exact: true }).click();
  await expect(card.getByRole('row').last()).toContainText('€9.98');
  await expectAccessible(page, 'the table of the income');
});
