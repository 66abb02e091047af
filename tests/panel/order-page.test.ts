// The page of an order, as a buyer has it by its link alone: it sells at providers, shows the truth, and tells strangers nothing.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PASSWORD } from '../support/panel.ts';
import { exchangeRaw, requestText } from '../support/raw-socket.ts';
import { openShop, type Shop } from '../support/shop.ts';

let folder = '';
let shop: Shop;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-order-page-'));
  shop = await openShop(folder);
});
afterEach(async () => {
  await shop[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function makeOrder(): Promise<{ readonly id: number; readonly url: string }> {
  const made = await shop.panel().act('createOrder', { user_id: await shop.buyer(), offer_id: shop.offerId });
  return { id: made.id, url: made.page_url ?? '' };
}
const get = async (url: string, language = 'en') =>
  (await (await fetch(url, { headers: { 'accept-language': language } })).text()).replaceAll('\u00a0', ' ');
/** Sends a form of a page; where it leads. */
async function press(url: string, fields?: Record<string, string>): Promise<string> {
  const body = fields === undefined ? null : new URLSearchParams(fields);
  const reply = await fetch(url, { method: 'POST', redirect: 'manual', body });
  expect(reply.status, url).toBe(303);
  return new URL(reply.headers.get('location') ?? '', url).href;
}

describe('the page of an order', () => {
  it('offers each enabled provider for the prices that it takes, leads to it and back, and shows what was paid', async () => {
    const stripe = await shop.add('stripe');
    await shop.add('stars');
    const off = await shop.add('yookassa');
    await shop.panel().act('enableProvider', { id: off.id, enabled: false });
    const { id, url } = await makeOrder();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sub\/pay\/gh_[\w-]{32}$/);
    const page = await get(url);
    for (const text of ['Order no. 1', '>30 days<', 'Monthly · 30 days', '>Not paid<']) expect(page).toContain(text);
    expect(
      [...page.matchAll(/<button[^>]*>(.*?)<\/button>/g)].map(([, text]) => text?.replace(/<[^>]*>/g, '')),
    ).toEqual(['Test provider (Stripe) €4.99', 'Telegram Stars ⭐ 250', 'Test provider (Stripe) ₽450', 'Use the code']);

    expect(await press(`${url}/open/${stripe.id}/EUR`)).toBe('https://checkout.stripe.com/c/pay/cs_test_1');
    expect(new URLSearchParams(stripe.fake.requests.at(-1)?.raw).get('success_url')).toBe(`${url}?back`);
    expect(await press(`${url}/ask`)).toBe(`${url}?asked`);
    expect(await get(`${url}?asked`)).toContain('The payment has not arrived yet');
    stripe.fake.pay(shop.getInvoiceToken(id));
    shop.clock.advance(31_000);
    const back = await get(`${url}?back`, 'ru-RU,ru;q=0.9');
    for (const text of ['<html lang="ru">', '>Оплачен<', '>4,99 €<', '>20 ноября 2026<', '1 июля 2027'])
      expect(back).toContain(text);
    expect(back).not.toContain('<form');
    expect(await shop.order(id)).toMatchObject({ state: 'paid', page_url: null });
    expect(await press(`${url}/open/${stripe.id}/EUR`)).toBe(`${url}?failed`);
    expect(stripe.fake.invoices).toHaveLength(1);
  });

  it('asks for the e-mail address of the buyer where receipts are issued, and tells it to the provider alone', async () => {
    const { id, fake } = await shop.add('yookassa');
    const { id: order, url } = await makeOrder();
    const action = `${url}/open/${id}/RUB`;
    expect(await get(url)).toMatch(/<input id="email-\d" name="email" type="email" required/);
    for (const email of ['', 'nobody', ' @ ', `${'a'.repeat(200)}@example.com`])
      expect(await press(action, { email }), email).toBe(`${url}?email`);
    expect(await get(`${url}?email`)).toContain('Enter an e-mail address.');
    expect(fake.requests.filter(({ method }) => method === 'POST')).toEqual([]);
    const email = 'anna@example.org';
    // The reply is lost: the same request is repeated with the same address, also by another panel over the data.
    fake.fail('/payments', 'cut');
    expect(await press(action, { email: ` ${email} ` })).toBe(`${url}?failed`);
    await shop.restart();
    shop.clock.advance(61_000);
    await shop.turn();
    const bodies = fake.requests.filter(({ method }) => method === 'POST').map(({ raw }) => JSON.parse(raw));
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toEqual(bodies[0]);
    expect(bodies[0].receipt.customer).toEqual({ email });
    // It is kept no longer, and not asked for again.
    expect(shop.panel().store.payments.listInvoices(order)).toMatchObject([{ state: 'open', email: null }]);
    const { page_url: again } = await shop.order(order);
    expect(await get(again ?? '')).not.toContain('type="email"');
    expect(await press(`${again}/open/${id}/RUB`)).toMatch(/^https:\/\/yoomoney\.ru\//);
    expect(JSON.stringify(shop.panel().log.lines)).not.toContain(email);
    fake.pay(shop.getInvoiceToken(order));
    expect(await shop.pollOrder(order)).toMatchObject({ state: 'paid' });
  });

  it('asks for no e-mail address where no receipts are issued', async () => {
    const { id, fake } = await shop.add('yookassa');
    await shop.panel().act('changeProvider', { id, fields: { ...fake.fields, vat_code: '' }, password: PASSWORD });
    const { url } = await makeOrder();
    expect(await get(url)).not.toContain('type="email"');
  });

  it('has the headers of a page that may do nothing, and no cookie', async () => {
    const { url } = await makeOrder();
    const { status, headers } = await fetch(url);
    expect([status, headers.get('set-cookie')]).toEqual([200, null]);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'self' https:; frame-ancestors 'none'$/,
    );
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
  });

  it('cannot be paid while selling is off, and says that a provider fails', async () => {
    const { id, fake } = await shop.add('crypto_pay');
    const { url } = await makeOrder();
    fake.fail('createInvoice', 'down');
    expect(await press(`${url}/open/${id}/EUR`)).toBe(`${url}?failed`);
    expect(await get(`${url}?failed`)).toContain('does not respond at the moment');
    await shop.panel().act('updateSettings', { selling: false });
    expect(await get(url)).toContain('This order cannot be paid at the moment.');
    expect(await press(`${url}/open/${id}/EUR`)).toBe(`${url}?failed`);
    expect(fake.invoices).toEqual([]);
  });

  it('says that money which is not what was asked is looked at', async () => {
    const { id, fake } = await shop.add('stripe');
    const { id: order, url } = await makeOrder();
    await press(`${url}/open/${id}/EUR`);
    Object.assign(fake.invoices[0] ?? {}, { amount: '100' });
    fake.pay(shop.getInvoiceToken(order));
    await press(`${url}/ask`);
    const page = await get(url);
    expect(page).toContain('is being reviewed');
    expect(page).not.toContain('<form');
  });

  it('is pressed so many times a minute from one network', async () => {
    await shop.restart({ rateLimit: { perMinute: 300, burst: 100 } });
    const { id, fake } = await shop.add('stripe');
    const { url } = await makeOrder();
    await press(`${url}/open/${id}/EUR`);
    const before = fake.requests.length;
    for (let time = 0; time < 4; time++) expect(await press(`${url}/ask`)).toBe(`${url}?asked`);
    expect(await press(`${url}/ask`)).toBe(`${url}?wait`);
    // Nor is the provider asked more often than it allows.
    expect(fake.requests).toHaveLength(before + 1);
  });

  it('is not there for strangers', async () => {
    const { id } = await shop.add('stripe');
    const { url } = await makeOrder();
    const { pathname } = new URL(url);
    const token = pathname.slice('/sub/pay/'.length);
    const target = { host: '127.0.0.1', port: shop.panel().port };
    const exchangeLine = (line: string) =>
      exchangeRaw(target, requestText(`${line} HTTP/1.1`, ['Host: 127.0.0.1'], ''));
    const constant = await exchangeLine('GET /nothing');
    expect(constant).toMatch(/^HTTP\/1\.1 404 /);
    const other = `/sub/pay/gh_${'A'.repeat(32)}`;
    for (const line of [
      `GET ${other}`,
      `POST ${other}/ask`,
      `POST ${other}/open/${id}/EUR`,
      `GET /other/pay/${token}`,
      `POST /other/pay/${token}/ask`,
      `POST ${pathname}`,
      `GET ${pathname}/ask`,
      `GET ${pathname}/`,
      `GET /sub/${token}`,
      `POST /sub/${'A'.repeat(22)}/buy/${shop.offerId}`,
    ])
      expect(await exchangeLine(line), line).toBe(constant);
  });
});

describe('a subscription', () => {
  it('sells what its plan offers: an order is made once, and its page opened', async () => {
    await shop.add('stripe');
    const userId = await shop.buyer();
    const { sub_url: link } = await shop.panel().act('getUser', { id: userId });
    const html = async () => (await fetch(`${link}?format=html`)).text();
    const other = await shop.panel().act('createTariff', { name: 'Other', duration: { months: 1 } });
    const [offer] = (await shop.panel().act('listOffers', {})).items;
    const { sold, prices } = offer ?? { sold: { kind: 'days', days: 1 } as const, prices: [] };
    const foreign = await shop
      .panel()
      .act('createOffer', { tariff_id: other.id, name: 'Other', sold, prices, on_sale: true });
    const pack = { tariff_id: shop.tariffId, name: '20 GB', on_sale: true };
    const bytes = { kind: 'traffic', bytes: 20_000_000_000, lifetime: 'used' } as const;
    await shop.panel().act('createOffer', { ...pack, sold: bytes, prices: [{ amount: 300, currency: 'EUR' }] });
    const page = await html();
    for (const text of ['Renew', '30 days, €4.99', 'Add traffic', '20 GB, €3']) expect(page).toContain(text);
    expect(page.match(/formaction/g)).toHaveLength(2);

    const first = await press(`${link}/buy/${shop.offerId}`);
    expect(await get(first)).toContain('Order no. 1');
    expect(await press(`${link}/buy/${shop.offerId}`)).toBe(first);
    expect((await shop.panel().act('listOrders', {})).items).toMatchObject([{ user: { id: userId }, state: 'new' }]);
    expect(await press(`${link}/buy/${foreign.id}`)).toBe(`${link}?refused`);
    expect(
      await (
        await fetch(`${link}?refused`, {
          headers: { 'user-agent': 'Mozilla/5.0', accept: 'text/html', 'accept-language': 'en' },
        })
      ).text(),
    ).toContain('This cannot be bought at the moment. Nothing was charged.');
    await shop.panel().act('updateSettings', { selling: false });
    expect(await html()).not.toContain('<form');
    expect(await press(`${link}/buy/${shop.offerId}`)).toBe(`${link}?refused`);
    expect((await shop.panel().act('listOrders', {})).total).toBe(1);
  });
});

it('leads back to the subscription once it is paid', async () => {
  const { id, fake } = await shop.add('stripe');
  const order = await shop.open(id);
  const url = order.page_url ?? '';
  const { sub_url: subscription } = await shop.panel().act('getUser', { id: order.user?.id ?? 0 });
  const shows = async () => (await (await fetch(url)).text()).includes(`href="${subscription}"`);
  expect(await shows()).toBe(false);
  fake.pay(shop.getInvoiceToken(order.id));
  await shop.pollOrder(order.id);
  expect(await shows()).toBe(true);
  await shop.panel().act('deleteUser', { id: order.user?.id ?? 0 });
  expect(await shows()).toBe(false);
});
