// A provider that does not allow the keys what selling needs: found when the keys are tried, or reported when it happens, and money that came is
// seen all the same.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PROVIDER_KINDS, type ProviderKind } from '../../src/contract/sales/providers.ts';
import type { Store } from '../../src/core/ports/ports.ts';
import type { FakeRequest } from '../../src/demo/fake-stripe.ts';
import { computeAttention } from '../../src/domain/sales/attention.ts';
import { ADMIN, pairAdmin } from '../support/bot-admin.ts';
import { PASSWORD } from '../support/panel.ts';
import type { FakeProvider } from '../support/providers/fake.ts';
import { openStripe } from '../support/providers/stripe.ts';
import { openShop, type Shop } from '../support/shop.ts';

const HOUR = 3_600_000;
/** As the form of the account lists them. */
const WHOLE = ['checkout_session_write', 'payment_intent_read', 'charge_write', 'event_read'];

let folder = '';
let shop: Shop;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-refusals-'));
  shop = await openShop(folder);
});
afterEach(async () => {
  await shop[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** The notices that wait for the administrator, which are sent by that. */
function sentNotices({ bot, write }: Store, now: number): string[] {
  const sent: string[] = [];
  for (;;) {
    const next = bot.nextMessage({ now, most: 3, ids: [], chats: [], methods: [] });
    if (!next) return sent;
    if (next.chatId === ADMIN) sent.push(String(next.payload.text));
    write(() => bot.finishMessage(next.id, 1, null, now));
  }
}

/** What the administrator is told by the bot, and by the overview. */
async function reports() {
  const panel = shop.panel();
  const facts = {
    clock: undefined,
    overview: undefined,
    nodes: undefined,
    plans: undefined,
    certificates: undefined,
    acme: undefined,
  };
  const more = {
    backups: undefined,
    places: undefined,
    updates: undefined,
    failures: undefined,
    now: shop.clock.now(),
  };
  return {
    events: panel.store.events
      .after(0, 500, ['provider.failed'])
      .map(({ data }) => JSON.parse(data) as Readonly<Record<string, unknown>>),
    notices: sentNotices(panel.store, shop.clock.now()),
    attention: computeAttention({ ...facts, ...more, providers: await panel.act('listProviders', {}) }),
  };
}

/** As each hour. */
async function probeAll(): Promise<void> {
  shop.clock.advance(HOUR);
  shop.timers.tick();
  await shop.turn();
}

describe('a restricted key of Stripe', () => {
  it.each([
    [
      ['checkout_session_write', 'refund_write'],
      ['charges_read', 'refunds_write', 'events_read'],
    ],
    [['checkout_session_read', 'charge_write', 'event_read'], ['checkout_sessions_write']],
    [['checkout_session_write', 'charge_read', 'event_read'], ['refunds_write']],
    [
      ['checkout_session_write', 'event_read'],
      ['charges_read', 'refunds_write'],
    ],
    [['checkout_session_write', 'charge_write'], ['events_read']],
    [['event_read'], ['checkout_sessions_write', 'payment_intents_read', 'charges_read', 'refunds_write']],
  ])('with %j is not saved, and what it lacks is named', async (granted, missing) => {
    await using fake = await openStripe(granted);
    const input = { kind: fake.kind, name: 'Cards', fields: fake.fields, api_root: fake.root, allow_private: true };
    await expect(shop.panel().act('createProvider', { ...input, password: PASSWORD })).rejects.toMatchObject({
      code: 'provider_failed',
      errors: missing.map((permission) => ({ pointer: '#/fields/secret_key', code: `lacks_${permission}` })),
    });
    expect((await shop.panel().act('listProviders', {})).items).toEqual([]);
    expect(fake.invoices).toEqual([]);
  });

  it('with those that are listed sells, sees the money and gives it back', async () => {
    const fake = await openStripe(WHOLE);
    const { id } = await shop.add('stripe', fake);
    const order = await shop.open(id);
    fake.pay(shop.getInvoiceToken(order.id));
    expect(await shop.pollOrder(order.id)).toMatchObject({ state: 'paid' });
    await shop.panel().act('refundOrder', { id: order.id, password: PASSWORD });
    expect(await shop.order(order.id)).toMatchObject({ state: 'refunded' });
    await probeAll();
    expect(await reports()).toEqual({ events: [], notices: [], attention: [] });
  });

  it('that loses some still counts what is paid, and the administrator is told once', async () => {
    const fake = await openStripe(WHOLE);
    const { id } = await shop.add('stripe', fake);
    const order = await shop.open(id);
    pairAdmin(shop.panel().store);
    fake.granted.clear();
    fake.granted.add('checkout_session_write');
    fake.pay(shop.getInvoiceToken(order.id));
    expect(await shop.pollOrder(order.id)).toMatchObject({ state: 'paid' });
    // By the list of events, by asking, and each hour.
    await shop.turn();
    await shop.pollOrder((await shop.open(id)).id);
    const { notices, attention, events } = await reports();
    expect(events).toMatchObject([
      { provider_id: id, kind: 'stripe', name: 'My stripe', error: 'forbidden' },
      { error: 'forbidden' },
    ]);
    expect(notices).toEqual([
      expect.stringMatching(
        /^The keys of the payment provider My stripe lack permissions: Charges and Refunds: Read\. /,
      ),
      'Test payment, €4.99: 30 days, Anna.',
      expect.stringMatching(/lack permissions: Charges and Refunds: Read, Events: Read\. /),
    ]);
    expect(attention).toEqual([{ kind: 'provider', id, name: 'My stripe' }]);
    const missing = ['charges_read', 'refunds_write', 'events_read'];
    expect(await shop.panel().act('testProvider', { id })).toMatchObject({ error: 'forbidden', missing });
    await probeAll();
    await shop.pollOrder((await shop.open(id)).id);
    expect((await shop.panel().act('listProviders', {})).items).toMatchObject([{ error: 'forbidden', missing }]);
    expect((await reports()).notices.filter((text) => !text.includes('Refunds: Write'))).toEqual([]);

    for (const permission of WHOLE) fake.granted.add(permission);
    expect(await shop.panel().act('testProvider', { id })).toMatchObject({ error: null, missing: [], error_at: null });
    expect((await reports()).attention).toEqual([]);
  });
});

/** A request without what is of one order. */
function describeCall({ method, path }: Pick<FakeRequest, 'method' | 'path'>): string {
  return `${method} ${path.replace(/^\/bot[^/]+/, '').replace(/\/(cs_|re_|2d-|r\d|u-)[^/]*/g, '/:id')}`;
}

/** A sale from the invoice to the refund, as far as it comes; the call that the administrator makes by hand, if the provider refuses that. */
async function sell({ id, fake }: { readonly id: number; readonly fake: FakeProvider }): Promise<'refund' | null> {
  const panel = shop.panel();
  const order = await shop.open(id).catch(() => null);
  await probeAll();
  if (order === null) return null;
  await shop.pollOrder(order.id);
  fake.pay(shop.getInvoiceToken(order.id));
  const paid = await shop.pollOrder(order.id);
  shop.clock.advance(2 * HOUR);
  await shop.turn();
  if (paid.state !== 'paid' || fake.kind === 'crypto_pay' || fake.kind === 'heleket') return null;
  fake.delayRefunds();
  const input = { id: order.id, password: PASSWORD } as const;
  const isRefused = await panel.act('refundOrder', input).then(
    () => false,
    () => true,
  );
  shop.clock.advance(HOUR);
  await shop.turn();
  return isRefused ? 'refund' : null;
}

/** By which it is asked whose keys these are, and nothing is sold. */
const NAMING = ['POST /getMe', 'GET /v1/account'];

/** The calls of a whole sale. */
async function listCalls(kind: ProviderKind): Promise<readonly string[]> {
  const account = await shop.add(kind);
  const saved = account.fake.requests.length;
  await sell(account);
  return [...new Set(account.fake.requests.slice(saved).map(describeCall))].filter((call) => !NAMING.includes(call));
}

describe.each(PROVIDER_KINDS)('%s', (kind) => {
  it('that no longer knows the keys is an event, a notice and an item of the overview, once until it works again', async () => {
    const { id, fake } = await shop.add(kind);
    pairAdmin(shop.panel().store);
    for (const times of [1, 2]) {
      fake.revoke();
      for (let hour = 0; hour < 3; hour++) await probeAll();
      const { events, notices, attention } = await reports();
      const failed = { provider_id: id, kind, name: `My ${kind}`, error: 'unauthorized', codes: expect.any(Array) };
      expect(events).toEqual(Array.from({ length: times }, () => failed));
      // At most once a day for each reason.
      expect(notices.filter((text) => text.includes(`My ${kind}`))).toHaveLength(times === 1 ? 1 : 0);
      expect(attention).toEqual([{ kind: 'provider', id, name: `My ${kind}` }]);
      fake.revoke(false);
      await probeAll();
      expect((await reports()).attention).toEqual([]);
    }
    // Clients of the API read it like every other event.
    const feed = await shop.panel().read.call('listEvents', { type: 'provider.failed' });
    expect(feed.body.items).toMatchObject([{ type: 'provider.failed' }, { type: 'provider.failed' }]);
    expect(JSON.stringify(feed.body.items)).not.toContain('canary');
  });

  it('reports each call of a sale that it does not allow', async () => {
    const calls = await listCalls(kind);
    expect(calls.length).toBeGreaterThan(2);
    for (const call of calls) {
      await shop[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
      folder = mkdtempSync(join(tmpdir(), 'gatehouse-refusals-'));
      shop = await openShop(folder);
      const account = await shop.add(kind);
      pairAdmin(shop.panel().store);
      account.fake.deny((request) => describeCall(request) === call);
      const byHand = await sell(account);
      const { notices, attention, events } = await reports();
      const isReported =
        notices.some((text) => text.includes(`My ${kind}`)) &&
        attention.length === 1 &&
        events.some((event) => event.provider_id === account.id);
      expect(isReported || byHand !== null, `${call} is not allowed: ${JSON.stringify({ notices, attention })}`).toBe(
        true,
      );
    }
  });
});

/** Refusals to open a payment as each provider writes them, with what is kept of them. */
const REASONS: Readonly<
  Record<ProviderKind, readonly [of: string, status: number, body: object, codes: readonly string[]]>
> = {
  stars: [
    'createInvoiceLink',
    400,
    { ok: false, error_code: 400, description: 'Bad Request: STARS_INVOICE_INVALID' },
    ['STARS_INVOICE_INVALID'],
  ],
  // https://help.send.tg/en/articles/10279948-crypto-pay-api
  crypto_pay: [
    'createInvoice',
    400,
    { ok: false, error: { code: 400, name: 'FIAT_UNSUPPORTED' } },
    ['FIAT_UNSUPPORTED'],
  ],
  // https://yookassa.ru/developers/using-api/response-handling/response-format
  yookassa: [
    '/payments',
    400,
    {
      type: 'error',
      id: 'x',
      code: 'invalid_request',
      description: 'Receipt is missing',
      parameter: 'receipt.items[0]',
    },
    ['invalid_request', 'receipt.items[0]'],
  ],
  // https://docs.stripe.com/error-codes
  stripe: [
    '/v1/checkout/sessions',
    400,
    {
      error: {
        type: 'invalid_request_error',
        code: 'amount_too_small',
        param: 'line_items[0][price_data][unit_amount]',
        message: 'The amount must be at least $0.50 usd, says sk_test_secret',
      },
    },
    ['amount_too_small', 'line_items[0][price_data][unit_amount]'],
  ],
  // heleket-sdk 0.3.0, _base_client.py: a reply 422 has a list of texts for each field.
  heleket: [
    '/payment',
    422,
    { state: 1, errors: { amount: ['The amount is too small'], 'a text with spaces': ['x'] } },
    ['amount'],
  ],
};

it.each(PROVIDER_KINDS)('%s: why it refuses is kept as its own identifiers, and shown', async (kind) => {
  const { id, fake } = await shop.add(kind);
  pairAdmin(shop.panel().store);
  const [of, status, body, codes] = REASONS[kind];
  fake.answerNext(of, { status, body });
  await expect(shop.open(id)).rejects.toMatchObject({ code: 'provider_failed' });
  const { items } = await shop.panel().act('listProviders', {});
  expect(items).toMatchObject([{ error: 'open_refused', codes }]);
  const { notices } = await reports();
  expect(notices).toEqual([expect.stringContaining(`(${codes.join(', ')})`)]);
  await shop.open(id);
  expect((await shop.panel().act('listProviders', {})).items).toMatchObject([{ error: null, codes: [] }]);
});

it('keeps no identifier that shares text with a key, or is a text', async () => {
  const { id, fake } = await shop.add('stripe');
  const key = fake.fields.secret_key ?? '';
  for (const code of [key, key.slice(0, 12), `a_${key}`, 'with spaces', 'x'.repeat(61), 'a:b', '<b>']) {
    fake.answerNext('/v1/checkout/sessions', { status: 400, body: { error: { code, param: code } } });
    await expect(shop.open(id)).rejects.toMatchObject({ code: 'provider_failed' });
    expect((await shop.panel().act('listProviders', {})).items, code).toMatchObject([{ codes: [] }]);
  }
});

describe('what cannot be paid', () => {
  const prices = (...all: readonly (readonly [number, string])[]) =>
    all.map(([amount, currency]) => ({ amount, currency }));
  const change = (...all: readonly (readonly [number, string])[]) =>
    shop.panel().act('changeOffer', { id: shop.offerId, prices: prices(...all) });

  // https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts
  it.each([
    ['USD', 50],
    ['EUR', 50],
    ['GBP', 30],
    ['HUF', 17_500],
    ['JPY', 50],
    ['CZK', 1500],
    ['MXN', 1000],
  ] as const)('at Stripe is not saved in an offer: less than the least in %s', async (currency, least) => {
    await change([1, currency]);
    await shop.add('stripe');
    await expect(change([500, 'EUR'], [least - 1, currency === 'EUR' ? 'USD' : currency])).rejects.toMatchObject({
      errors: [{ pointer: '#/prices/1/amount', code: 'too_small' }],
    });
    await change([least, currency]);
    // Where another provider takes less, it can be paid there.
    await shop.add('heleket');
    await change([least - 1, currency]);
    const order = await shop.panel().act('createOrder', { user_id: await shop.buyer(), offer_id: shop.offerId });
    const page = await (await fetch(order.page_url ?? '')).text();
    expect(page).toContain('Heleket');
    expect(page).not.toMatch(/Pay .* with Stripe|by card/i);
  });

  it.each(['yookassa', 'stars'] as const)('at %s is not saved: nothing', async (kind) => {
    await shop.add(kind);
    const currency = kind === 'yookassa' ? 'RUB' : 'XTR';
    await expect(change([0, currency])).rejects.toMatchObject({ code: 'validation' });
  });

  it.each([
    [
      'stripe',
      '/v1/checkout/sessions',
      400,
      { error: { code: 'parameter_invalid', param: 'line_items[0][price_data][currency]' } },
    ],
    ['heleket', '/payment', 422, { state: 1, errors: { currency: ['is not supported'] } }],
    ['crypto_pay', 'createInvoice', 400, { ok: false, error: { code: 400, name: 'FIAT_INVALID' } }],
  ] as const)('at %s is not offered there again in a currency that it refused', async (kind, of, status, body) => {
    const { id, fake } = await shop.add(kind);
    await change([500, 'EUR'], [600, 'GBP']);
    const order = await shop.panel().act('createOrder', { user_id: await shop.buyer(), offer_id: shop.offerId });
    const buttons = async () => [...(await (await fetch(order.page_url ?? '')).text()).matchAll(/[€£]\d/g)].map(String);
    const shown = new Set(await buttons());
    expect([...shown].sort()).toEqual(['£6', '€5']);
    fake.answerNext(of, { status, body });
    const open = (currency: string) => shop.panel().act('openOrder', { id: order.id, provider_id: id, currency });
    await expect(open('GBP')).rejects.toMatchObject({ code: 'provider_failed' });
    const [account] = (await shop.panel().act('listProviders', {})).items;
    expect(account?.prices).not.toHaveProperty('GBP');
    expect(account?.prices).toHaveProperty('EUR');
    await expect(open('GBP')).rejects.toMatchObject({ errors: [{ pointer: '#/currency' }] });
    await open('EUR');
    // The owner has had it allowed.
    await shop.panel().act('changeProvider', { id, name: 'Allowed', password: PASSWORD });
    await open('GBP');
  });
});
