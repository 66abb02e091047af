// Money on its whole way, for each currency at each provider: typed into the form of an offer, stored, shown to the buyer on pages and in the chat,
// asked for by the provider, paid, and shown in the order. One table, whose columns must all have what was typed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api } from 'grammy/web';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ChatContext } from '../../src/bot/screen.ts';
import { createShopScreens } from '../../src/bot/shop-screens.ts';
import { CURRENCIES, minorDigits } from '../../src/contract/currencies.ts';
import { PROVIDER_KINDS, type ProviderKind } from '../../src/contract/sales/providers.ts';
import { providerFacts } from '../../src/payments/providers.ts';
import { formatPrice, parsePrice, toTypedPrice } from '../../src/renderer/src/format/price.ts';
import { charged } from '../support/charged.ts';
import { AS_DECIMAL } from '../support/money-table.ts';
import type { FakeProvider } from '../support/providers/fake.ts';
import { openShop, type Shop } from '../support/shop.ts';

let folder = '';
let shop: Shop;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-money-'));
  shop = await openShop(folder);
  await shop.panel().act('updateSettings', { stars_only_in_telegram: false });
});
afterAll(async () => {
  await shop[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** The last digits of as many as the provider can be asked for. */
function typeAmount(currency: string, step: number): string {
  const minor = String(1_234_567 - (1_234_567 % step));
  const digits = minorDigits(currency) ?? 0;
  return digits === 0 ? minor : `${minor.slice(0, -digits)}.${minor.slice(-digits)}`;
}

/** The amount in a text for people, as decimal text with all digits of its currency. */
function readShown(text: string, tag: 'en-GB' | 'ru-RU', currency: string): string {
  const found = AS_DECIMAL[tag]?.(/\d[\d\s,.]*\d|\d/.exec(text)?.[0] ?? '') ?? '';
  const [whole = '', part = ''] = found.split('.');
  const digits = minorDigits(currency) ?? 0;
  return digits === 0 ? found : `${whole}.${part.padEnd(digits, '0')}`;
}

const get = async (url: string, language: string) =>
  (await fetch(url, { headers: { 'accept-language': language } })).text();

/** The amount of the request that has opened an invoice, as the provider reads it. */
function readRequest({ kind, requests }: FakeProvider): readonly [amount: string, currency: string] {
  const { raw = '' } = requests.findLast(({ method, path }) => method === 'POST' && OPENS[kind].test(path)) ?? {};
  if (kind === 'stripe') {
    const form = new URLSearchParams(raw);
    const price = 'line_items[0][price_data]';
    return [form.get(`${price}[unit_amount]`) ?? '', (form.get(`${price}[currency]`) ?? '').toUpperCase()];
  }
  const body = JSON.parse(raw);
  if (kind === 'stars') return [String(body.prices[0].amount), body.currency];
  if (kind === 'yookassa') return [body.amount.value, body.amount.currency];
  return kind === 'crypto_pay' ? [body.amount, body.fiat] : [body.amount, body.currency];
}

const OPENS: Readonly<Record<ProviderKind, RegExp>> = {
  stars: /createInvoiceLink$/,
  crypto_pay: /createInvoice$/,
  yookassa: /\/payments$/,
  stripe: /checkout\/sessions$/,
  heleket: /\/payment$/,
};

/** Without zeros at the end: as many digits as a provider counts. */
const trim = (decimal: string) => (decimal.includes('.') ? decimal.replace(/\.?0*$/, '') : decimal);

async function sellIn(kind: ProviderKind, { id, fake }: Awaited<ReturnType<Shop['add']>>, currency: string) {
  const panel = shop.panel();
  const typed = typeAmount(currency, providerFacts(kind).prices[currency] ?? 1);
  const price = parsePrice({ amount: typed, currency });
  if (price === null) return { currency, typed, columns: { typed: 'is not read' } };
  const sold = { kind: 'days', days: 1 } as const;
  const plan = await panel.act('createTariff', { name: `${kind} ${currency}` });
  const offer = await panel.act('createOffer', {
    tariff_id: plan.id,
    name: 'A day',
    sold,
    prices: [price],
    on_sale: true,
  });
  const expires_at = '2027-06-01T10:00:00Z';
  const user = await panel.act('createUser', { name: 'Anna', tariff_id: plan.id, expires_at });
  const subscription = await get(`${user.sub_url}?format=html`, 'en-GB');
  const order = await panel.act('createOrder', { user_id: user.id, offer_id: offer.id });
  const url = order.page_url ?? '';
  const [page, russian] = [await get(url, 'en-GB'), await get(url, 'ru-RU')];
  const token = url.split('/').at(-1) ?? '';
  const screens = createShopScreens({
    core: panel.core,
    botService: { isOwnStars: () => false, openInChat: () => Promise.reject(new Error('not asked')) },
    clock: shop.clock,
  });
  const chat = screens.order(new ChatContext({ update_id: 1 }, new Api('0:unused'), {} as never), token);
  const button = chat.buttons.flat().find((one) => 'callback_data' in one && one.callback_data?.includes(`:${id}:`));
  const email = 'buyer@example.com';
  const opened = await panel.act('openOrder', { id: order.id, provider_id: id, currency, email });
  const [asked, askedIn] = readRequest(fake);
  fake.pay(shop.getInvoiceToken(order.id));
  const paid = await shop.pollOrder(order.id);
  const [payment] = [panel.store.payments.findAppliedPayment(order.id)];
  const read = (text: string | undefined, tag: 'en-GB' | 'ru-RU' = 'en-GB') => readShown(text ?? '', tag, currency);
  const inButton = (text: string) => new RegExp(`open/${id}/${currency}">[^]*?<b>(.*?)</b>`).exec(text)?.[1];
  const columns = {
    stored: toTypedPrice((await panel.act('listOffers', { tariff_id: plan.id })).items[0]?.prices[0] ?? null, '')
      .amount,
    plan: toTypedPrice((await panel.act('getTariff', { id: plan.id })).price, '').amount,
    subscription: read(/aria-label="A day, ([^"]*)"/.exec(subscription)?.[1]),
    page: read(inButton(page)),
    russianPage: read(inButton(russian), 'ru-RU'),
    bot: read(chat.text.split('\n').at(-1)),
    botButton: read(button?.text),
    invoice: toTypedPrice(opened, '').amount,
    request:
      trim(charged(kind, asked, currency)) === trim(typed) && askedIn === currency ? typed : `${asked} ${askedIn}`,
    payment: payment === undefined ? '' : toTypedPrice(payment, '').amount,
    order: paid.state === 'paid' ? toTypedPrice(paid, '').amount : paid.state,
    shownOrder: read(formatPrice(paid, 'en')),
    russianOrder: read(formatPrice(paid, 'ru'), 'ru-RU'),
    paidPage: read(/<dt>Paid<\/dt><dd><div class="figure">(.*?)<\/div>/.exec(await get(url, 'en-GB'))?.[1]),
  };
  return { currency, typed, columns };
}

const seen = new Set<string>();

it.each(PROVIDER_KINDS)('%s: every currency comes back as it was typed, wherever it is shown', async (kind) => {
  const account = await shop.add(kind);
  const wrong: string[] = [];
  for (const currency of Object.keys(providerFacts(kind).prices)) {
    seen.add(currency);
    const { typed, columns } = await sellIn(kind, account, currency);
    for (const [column, shown] of Object.entries(columns)) {
      if (shown !== typed) wrong.push(`${kind} ${currency} ${column}: ${typed} is ${shown}`);
    }
  }
  expect(wrong).toEqual([]);
  await shop.panel().act('enableProvider', { id: account.id, enabled: false });
});

it('has every currency at one provider at least', () => {
  expect([...seen].toSorted()).toEqual([...CURRENCIES]);
});
