// Orders through providers, from the first call to the money and back: paid is applied exactly once, whatever the provider, the network and the panel do.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fc } from '@fast-check/vitest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventType } from '../../src/contract/event-types.ts';
import { PROVIDER_KINDS, type ProviderKind } from '../../src/contract/sales/providers.ts';
import type { Order, PaymentAct } from '../../src/contract/sales/sales.ts';
import { times } from '../support/long.ts';
import { PASSWORD } from '../support/panel.ts';
import { advanceClock, type FakeProvider } from '../support/providers/fake.ts';
import { openHeleket } from '../support/providers/heleket.ts';
import { openStripe } from '../support/providers/stripe.ts';
import { END, openShop, type Shop } from '../support/shop.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const proof = { password: PASSWORD };
/** Where each fake opens an invoice. */
const OPENS: Readonly<Record<ProviderKind, string>> = {
  stars: 'createInvoiceLink',
  crypto_pay: 'createInvoice',
  yookassa: '/payments',
  stripe: '/v1/checkout/sessions',
  heleket: '/payment',
};

/** Of the buyer, for who issues receipts. */
const EMAIL = 'buyer@example.com';

let folder = '';
let shop: Shop;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-shop-'));
  shop = await openShop(folder);
});
afterEach(async () => {
  await shop[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const readEnd = async ({ user }: Order) => (await shop.panel().act('getUser', { id: user?.id ?? 0 })).expires_at;
const later = (days: number) => new Date(Date.parse(END) + days * DAY).toISOString();
const attention = async () => (await shop.panel().act('listAttention', {})).items;
const resolve = (id: number, act: PaymentAct, more: object = {}) =>
  shop.panel().act('resolvePayment', { id, act, ...more, ...proof });
function events(type: EventType): { readonly order_id?: number }[] {
  return shop
    .panel()
    .store.events.after(0, 500, [type])
    .map(({ data }) => JSON.parse(data));
}
const opened = (fake: FakeProvider, kind: ProviderKind) =>
  fake.requests.filter(({ method, path }) => method === 'POST' && path.endsWith(OPENS[kind]));

/** Another paid invoice under the same token, as where an order is paid twice; or of another amount or currency. */
function payBeside(fake: FakeProvider, token: string, more: Partial<FakeProvider['invoices'][number]> = {}): void {
  const first = fake.invoices.find((invoice) => invoice.token === token);
  if (!first) throw new Error(`no invoice ${token}`);
  const id = first.id.replace(/\d+$/, String(fake.invoices.length + 900));
  fake.invoices.push({ ...first, id, state: 'open', ...more });
  fake.invoices.reverse();
  fake.pay(token);
  fake.invoices.reverse();
}

describe.each(PROVIDER_KINDS)('%s', (kind) => {
  it('is opened, asked and paid once: the term, the event and the audit row are there with the payment', async () => {
    const { id, fake } = await shop.add(kind);
    const order = await shop.open(id);
    expect(order).toMatchObject({
      state: 'open',
      method: kind,
      paid_at: null,
      pay_url: expect.stringMatching(/^https:/),
    });
    expect(await shop.pollOrder(order.id)).toMatchObject({ state: 'open' });
    fake.pay(shop.getInvoiceToken(order.id));
    const paid = await shop.pollOrder(order.id);
    expect(paid).toMatchObject({ state: 'paid', method: kind, pay_url: null, amount: order.amount });
    expect(await readEnd(paid)).toBe(later(30));
    // Again, by its list, and after a restart.
    await shop.pollOrder(order.id);
    await shop.restart();
    shop.clock.advance(2 * HOUR);
    await shop.turn();
    expect(await readEnd(paid)).toBe(later(30));
    expect(events('user.extended')).toMatchObject([{ order_id: order.id }]);
    const entries = (await shop.panel().act('listAudit', { target: `user:${paid.user?.id}` })).items;
    const taken = entries.filter(({ action }) => action === 'takePayment');
    expect(taken).toHaveLength(1);
    expect(taken[0]?.detail).toMatchObject({ order_id: order.id, method: kind });
    expect(await attention()).toEqual([]);
    await expect(shop.panel().act('openOrder', { id: order.id, provider_id: id, email: EMAIL })).rejects.toMatchObject({
      code: 'order_ended',
    });
  });

  it('is opened once where the reply is lost, and the panel dies before the next try', async () => {
    const { id, fake } = await shop.add(kind);
    const made = await shop.panel().act('createOrder', { user_id: await shop.buyer(), offer_id: shop.offerId });
    fake.fail(OPENS[kind], 'cut');
    await expect(shop.panel().act('openOrder', { id: made.id, provider_id: id, email: EMAIL })).rejects.toMatchObject({
      code: 'provider_failed',
    });
    expect(await shop.order(made.id)).toMatchObject({ state: 'opening' });
    await shop.restart();
    shop.clock.advance(2 * 60_000);
    await shop.turn();
    expect(await shop.order(made.id)).toMatchObject({ state: 'open', pay_url: expect.anything() });
    const token = shop.getInvoiceToken(made.id);
    // Stars have no key and no way to look a link up: both links are of one order, which is paid once.
    expect(fake.invoices).toHaveLength(kind === 'stars' ? 2 : 1);
    for (const request of opened(fake, kind)) {
      const key = request.headers['idempotency-key'] ?? request.headers['idempotence-key'];
      if (kind === 'stripe' || kind === 'yookassa')
        expect(key).toBe(shop.panel().store.payments.listInvoices(made.id)[0]?.key);
      expect(request.raw).toContain(token);
    }
    fake.pay(token);
    expect(await readEnd(await shop.pollOrder(made.id))).toBe(later(30));
  });

  it('is found paid after a month of sleep', async () => {
    const { id, fake } = await shop.add(kind);
    const order = await shop.open(id);
    fake.pay(shop.getInvoiceToken(order.id));
    shop.clock.advance(30 * DAY);
    await shop.restart();
    await shop.turn();
    expect(await shop.order(order.id)).toMatchObject({ state: 'paid' });
    expect(await readEnd(order)).toBe(later(30));
    expect(events('user.extended')).toHaveLength(1);
  });

  it('asks again after each fault', async () => {
    const { id, fake } = await shop.add(kind);
    const order = await shop.open(id);
    fake.pay(shop.getInvoiceToken(order.id));
    const path = kind === 'stars' ? 'getStarTransactions' : kind === 'crypto_pay' ? 'getInvoices' : '';
    const provider = () => shop.panel().store.providers.get(id);
    for (const fault of ['late', 'cut', 'busy', 'down', 'garbage', 'endless'] as const) {
      fake.fail(path, fault);
      expect(await shop.pollOrder(order.id), fault).toMatchObject({ state: 'open' });
      expect(provider()?.error, fault).not.toBeNull();
    }
    expect(await shop.pollOrder(order.id)).toMatchObject({ state: 'paid' });
    expect(provider()?.error).toBeNull();
    expect(await readEnd(order)).toBe(later(30));
  });
});

describe('asking', () => {
  it('follows its times, which are stored, and ends with the last word', async () => {
    const { id, fake } = await shop.add('yookassa');
    const order = await shop.open(id);
    const invoice = () => shop.panel().store.payments.listInvoices(order.id)[0];
    const wait = () => (invoice()?.nextPollAt ?? 0) - shop.clock.now();
    await shop.turn();
    const waits: number[] = [];
    for (const pause of [5000, 10_000, 15_000, 60_000, DAY, 7 * DAY, 30 * DAY]) {
      waits.push(wait());
      shop.clock.advance(Math.max(pause, wait()));
      await shop.restart();
      await shop.turn();
    }
    waits.push(wait());
    expect(waits.map((ms) => ms / 1000)).toEqual([5, 10, 15, 60, 60, 3600, 86_400, 86_400]);
    fake.expire(shop.getInvoiceToken(order.id));
    expect(await shop.pollOrder(order.id)).toMatchObject({ state: 'expired', pay_url: null });
    expect(invoice()?.nextPollAt).toBeNull();
    const asked = fake.requests.length;
    await shop.pollOrder(order.id);
    expect(fake.requests).toHaveLength(asked);
  });

  it('at once is no more often than the provider allows', async () => {
    const { id, fake } = await shop.add('heleket');
    const order = await shop.open(id);
    await shop.pollOrder(order.id);
    const asked = fake.requests.length;
    shop.clock.advance(29_000);
    await Promise.all([1, 2, 3].map(() => shop.panel().act('askOrder', { id: order.id })));
    expect(fake.requests).toHaveLength(asked);
    shop.clock.advance(2000);
    await Promise.all([1, 2, 3].map(() => shop.panel().act('askOrder', { id: order.id })));
    expect(fake.requests).toHaveLength(asked + 1);
  });

  it('of a provider that hangs holds up neither another nor the API', async () => {
    const slow = await shop.add('stripe');
    const good = await shop.add('yookassa');
    const [waiting, order] = [await shop.open(slow.id), await shop.open(good.id)];
    slow.fake.fail('', ...Array.from({ length: 20 }, () => 'silent' as const));
    good.fake.pay(shop.getInvoiceToken(order.id));
    shop.clock.advance(60_000);
    shop.timers.tick();
    await expect.poll(async () => (await shop.order(order.id)).state).toBe('paid');
    expect((await shop.panel().full.call('listUsers', {})).status).toBe(200);
    expect(await shop.order(waiting.id)).toMatchObject({ state: 'open' });
  });

  it('reads a long list in parts, so that one that never ends is not read for ever', async () => {
    const { id, fake } = await shop.add('yookassa');
    const order = await shop.open(id);
    await shop.turn();
    const [invoice] = fake.invoices;
    for (let count = 0; count < 250; count++)
      if (invoice) fake.invoices.push({ ...invoice, id: `2d-other-${count}`, token: 'another program', state: 'paid' });
    const lists = () => fake.requests.filter(({ path, query }) => path === '/payments' && query.has('limit')).length;
    shop.clock.advance(HOUR);
    const before = lists();
    await shop.turn();
    expect(lists() - before).toBe(100);
    // Orders are asked about all the same.
    fake.pay(shop.getInvoiceToken(order.id));
    expect(await shop.pollOrder(order.id)).toMatchObject({ state: 'paid' });
    await shop.turn();
    expect(lists() - before).toBe(100);
    shop.clock.advance(5 * 60_000);
    await shop.turn();
    // The rest of 251 payments by two, and the list of refunds.
    expect(lists() - before).toBe(126);
  });

  it('goes on behind answers that cannot be true', async () => {
    const { id, fake } = await shop.add('yookassa');
    const [order, future] = [await shop.open(id), await shop.open(id)];
    const [first, second] = fake.invoices;
    if (!first || !second) throw new Error('nothing was opened');
    // Paid in the year 275760.
    Object.assign(second, { createdAt: 8.64e15 - 1000, state: 'paid' });
    const paid = { ...first, state: 'paid' } as const;
    const odd = { token: `gh_${'x'.repeat(32)}`, createdAt: first.createdAt + 1 };
    fake.invoices.unshift(
      { ...paid, ...odd, id: 'x'.repeat(301) },
      { ...paid, ...odd, id: '\0' },
      { ...paid, ...odd, id: 'odd-1', currency: '' },
      { ...paid, ...odd, id: 'odd-2', currency: 'X'.repeat(40) },
      { ...paid, ...odd, id: 'odd-3', amount: '99999999999999999999.00' },
      { ...paid, ...odd, id: 'odd-4', refunded: '99999999999999999999.00' },
    );
    fake.pay(shop.getInvoiceToken(order.id));
    shop.clock.advance(HOUR);
    await shop.turn();
    const orders = [await shop.order(order.id), await shop.order(future.id)];
    expect(orders).toMatchObject([
      { state: 'paid' },
      { state: 'paid', paid_at: new Date(shop.clock.now()).toISOString() },
    ]);
    const found = (await attention()).map(({ external_id, amount, currency }) => [external_id, amount, currency]);
    expect(found.toSorted()).toEqual([
      ['odd-1', 0, '?'],
      ['odd-2', 0, 'X'.repeat(20)],
      ['odd-3', 0, 'RUB'],
      ['odd-4', 45_000, 'RUB'],
    ]);
    // Nor is such a currency in the way of what a person decides.
    const [days] = (await attention()).filter(({ external_id }) => external_id === 'odd-2');
    await resolve(days?.id ?? 0, 'days', { days: 5, user_id: await shop.buyer() });
    expect((await attention()).length).toBe(3);
  });

  it('reads the list of Stars once for all orders that are due', async () => {
    const { id, fake } = await shop.add('stars');
    await shop.turn();
    const orders = [await shop.open(id), await shop.open(id), await shop.open(id)];
    fake.pay(shop.getInvoiceToken(orders[1]?.id ?? 0));
    shop.clock.advance(60_000);
    const lists = () => fake.requests.filter(({ path }) => path.endsWith('/getStarTransactions')).length;
    const before = lists();
    await shop.turn();
    expect(lists() - before).toBe(1);
    const states = (await Promise.all(orders.map((order) => shop.order(order.id)))).map(({ state }) => state);
    expect(states).toEqual(['open', 'paid', 'open']);
    shop.clock.advance(60_000);
    await shop.turn();
    expect(lists() - before).toBe(2);
  });

  it('goes on after a clock that was set back', async () => {
    const { id, fake } = await shop.add('stripe');
    const order = await shop.open(id);
    shop.clock.advance(4000 * DAY);
    await shop.turn();
    shop.clock.advance(-4000 * DAY);
    fake.pay(shop.getInvoiceToken(order.id));
    await shop.turn();
    expect(await shop.order(order.id)).toMatchObject({ state: 'paid' });
  });
});

describe('an order', () => {
  it('that expired can be opened again, and is paid by whichever invoice money comes for first', async () => {
    const { id, fake } = await shop.add('stripe');
    const order = await shop.open(id);
    const first = shop.getInvoiceToken(order.id);
    fake.expire(first);
    await shop.pollOrder(order.id);
    await shop.panel().act('openOrder', { id: order.id, provider_id: id, email: EMAIL });
    const second = shop.getInvoiceToken(order.id);
    expect(second).not.toBe(first);
    fake.pay(first);
    shop.clock.advance(HOUR);
    await shop.turn();
    expect(await shop.order(order.id)).toMatchObject({ state: 'paid' });
    fake.pay(second);
    shop.clock.advance(HOUR);
    await shop.turn();
    expect(await readEnd(order)).toBe(later(30));
    expect(await attention()).toMatchObject([
      { reason: 'paid_twice', applied: false, acts: ['apply', 'days', 'refund', 'ignore'] },
    ]);
  });

  it('is made once for the same content, and opened once at a provider', async () => {
    const { id, fake } = await shop.add('stripe');
    const user = await shop.buyer();
    const make = () => shop.panel().act('createOrder', { user_id: user, offer_id: shop.offerId });
    const [first, second] = [await make(), await make()];
    expect(second.id).toBe(first.id);
    const open = () => shop.panel().act('openOrder', { id: first.id, provider_id: id, email: EMAIL });
    const urls = (await Promise.all([open(), open(), open()])).map(({ pay_url }) => pay_url);
    expect(new Set(urls).size).toBe(1);
    await open();
    expect(opened(fake, 'stripe')).toHaveLength(1);
  });

  it('that is too old to be paid in time makes way for another, and is not offered to be paid', async () => {
    const { id, fake } = await shop.add('stripe');
    const user_id = await shop.buyer();
    const make = () => shop.panel().act('createOrder', { user_id, offer_id: shop.offerId });
    const old = await make();
    const form = async () => (await (await fetch(old.page_url ?? '')).text()).includes('<form');
    shop.clock.advance(14 * DAY);
    expect((await make()).id).toBe(old.id);
    shop.clock.advance(14 * DAY);
    const fresh = await make();
    expect(fresh.id).not.toBe(old.id);
    expect((await make()).id).toBe(fresh.id);
    expect(await form()).toBe(true);
    shop.clock.advance(2 * DAY);
    expect(await form()).toBe(false);
    await shop.panel().act('openOrder', { id: fresh.id, provider_id: id, email: EMAIL });
    fake.pay(shop.getInvoiceToken(fresh.id));
    expect(await shop.pollOrder(fresh.id)).toMatchObject({ state: 'paid' });
  });

  it('is refused where nothing is sold', async () => {
    const { id } = await shop.add('stripe');
    const stars = await shop.add('stars');
    const { panel } = shop;
    const user_id = await shop.buyer();
    const make = () => panel().act('createOrder', { user_id, offer_id: shop.offerId });
    const order = await make();
    const open = (provider_id: number, currency?: string) =>
      panel().act('openOrder', {
        id: order.id,
        provider_id,
        ...(currency !== undefined && { currency }),
        email: EMAIL,
      });
    await expect(open(stars.id, 'EUR')).rejects.toMatchObject({ errors: [{ pointer: '#/currency' }] });
    await expect(open(99)).rejects.toMatchObject({ errors: [{ pointer: '#/provider_id' }] });
    await panel().act('enableProvider', { id, enabled: false });
    await expect(open(id)).rejects.toMatchObject({ errors: [{ pointer: '#/provider_id' }] });
    await panel().act('updateSettings', { selling: false });
    await expect(open(stars.id)).rejects.toMatchObject({ code: 'selling_off' });
    await expect(make()).rejects.toMatchObject({ code: 'selling_off' });
    await panel().act('updateSettings', { selling: true });
    await panel().act('updateUser', { id: user_id, expires_at: null });
    await expect(make()).rejects.toMatchObject({ code: 'term_unlimited' });
    const endings = Array.from({ length: 20 }, (_, index) => index + 1);
    const other = await shop.buyer();
    for (const amount of endings) {
      await panel().act('changeOffer', { id: shop.offerId, prices: [{ amount, currency: 'EUR' }] });
      await panel().act('createOrder', { user_id: other, offer_id: shop.offerId });
    }
    await panel().act('changeOffer', { id: shop.offerId, prices: [{ amount: 99, currency: 'EUR' }] });
    const again = () => panel().act('createOrder', { user_id: other, offer_id: shop.offerId });
    await expect(again()).rejects.toMatchObject({ code: 'order_limit' });
    shop.clock.advance(2 * HOUR);
    expect(await again()).toMatchObject({ state: 'new', amount: 99 });
  });

  it('that waits keeps its provider, which is asked also when it is off', async () => {
    const { id, fake } = await shop.add('stripe');
    const order = await shop.open(id);
    await expect(shop.panel().act('deleteProvider', { id })).rejects.toMatchObject({ code: 'provider_in_use' });
    await shop.panel().act('enableProvider', { id, enabled: false });
    await shop.panel().act('updateSettings', { selling: false });
    fake.pay(shop.getInvoiceToken(order.id));
    shop.clock.advance(60_000);
    await shop.turn();
    expect(await shop.order(order.id)).toMatchObject({ state: 'paid' });
    await shop.panel().act('deleteProvider', { id });
    expect(await shop.order(order.id)).toMatchObject({ state: 'paid', method: 'stripe' });
  });

  it('in Stars that is not paid does not keep its account, and what was paid is found before', async () => {
    const { id, fake } = await shop.add('stars');
    const [unpaid, paid] = [await shop.open(id), await shop.open(id)];
    fake.pay(shop.getInvoiceToken(paid.id));
    fake.fail('getStarTransactions', 'down');
    await expect(shop.panel().act('deleteProvider', { id })).rejects.toMatchObject({ code: 'provider_in_use' });
    await shop.panel().act('deleteProvider', { id });
    expect(await shop.order(paid.id)).toMatchObject({ state: 'paid' });
    expect(await shop.order(unpaid.id)).toMatchObject({ state: 'expired' });
    expect((await shop.panel().act('listProviders', {})).items).toEqual([]);
  });

  it('sells what was agreed, whatever became of the offer since', async () => {
    const { id, fake } = await shop.add('stripe');
    const order = await shop.open(id);
    const dearer = [{ amount: 999, currency: 'EUR' }];
    await shop.panel().act('changeOffer', { id: shop.offerId, sold: { kind: 'days', days: 1 }, prices: dearer });
    await shop.panel().act('deleteOffer', { id: shop.offerId });
    fake.pay(shop.getInvoiceToken(order.id));
    expect(await readEnd(await shop.pollOrder(order.id))).toBe(later(30));
  });
});

describe('a payment that needs a person', () => {
  const cases: Readonly<
    Record<string, (fake: FakeProvider, order: Order, token: string) => Promise<unknown> | unknown>
  > = {
    too_little: (fake, _order, token) => payBeside(fake, token, { amount: '3.00' }),
    currency: (fake, _order, token) => payBeside(fake, token, { currency: 'USD' }),
    user_deleted: (fake, order, token) => {
      fake.pay(token);
      return shop.panel().act('deleteUser', { id: order.user?.id ?? 0 });
    },
    plan_archived: (fake, _order, token) => {
      fake.pay(token);
      return shop.panel().full.call('updateTariff', { id: shop.tariffId, archived: true });
    },
    plan_changed: async (fake, order, token) => {
      fake.pay(token);
      const other = await shop.panel().act('createTariff', { name: 'Other' });
      await shop.panel().act('updateUser', { id: order.user?.id ?? 0, tariff_id: other.id, expires_at: END });
    },
    not_applicable: (fake, order, token) => {
      fake.pay(token);
      return shop.panel().act('updateUser', { id: order.user?.id ?? 0, expires_at: null });
    },
    refunded: (fake, _order, token) => {
      fake.pay(token);
      fake.refund(token);
    },
  };
  it.each(Object.keys(cases))('%s: nothing is given, and it is there once', async (reason) => {
    const kind = reason === 'refunded' ? 'yookassa' : 'crypto_pay';
    const { id, fake } = await shop.add(kind);
    const order = await shop.open(id);
    await cases[reason]?.(fake, order, shop.getInvoiceToken(order.id));
    shop.clock.advance(HOUR);
    await shop.turn();
    const [payment, ...others] = await attention();
    expect(others).toEqual([]);
    expect(payment).toMatchObject({ reason, kind, order_id: order.id, applied: false, act: null });
    expect((await shop.order(order.id)).paid_at).toBeNull();
    expect(events('user.extended')).toEqual([]);
    await expect(shop.panel().act('openOrder', { id: order.id, provider_id: id, email: EMAIL })).rejects.toMatchObject({
      code: 'order_ended',
    });
    const ignored = await resolve(payment?.id ?? 0, 'ignore', { note: 'Given back by hand' });
    expect(ignored).toMatchObject({ act: 'ignore', note: 'Given back by hand', acts: [] });
    expect(await attention()).toEqual([]);
    shop.clock.advance(HOUR);
    await shop.turn();
    expect(await attention()).toEqual([]);
    await expect(resolve(payment?.id ?? 0, 'apply')).rejects.toMatchObject({ code: 'payment_resolved' });
  });

  it('may be applied all the same, or give days for the part', async () => {
    const { id, fake } = await shop.add('crypto_pay');
    const [whole, part] = [await shop.open(id), await shop.open(id)];
    const worth = Math.floor((30 * 300) / 499);
    for (const { id: order } of [whole, part]) payBeside(fake, shop.getInvoiceToken(order), { amount: '3.00' });
    shop.clock.advance(HOUR);
    await shop.turn();
    const found = await attention();
    expect(found.map(({ days }) => days)).toEqual([worth, worth]);
    const of = ({ id: order }: Order) => found.find(({ order_id }) => order_id === order)?.id ?? 0;
    await resolve(of(whole), 'apply');
    expect(await shop.order(whole.id)).toMatchObject({ state: 'paid', amount: 300, currency: 'EUR' });
    expect(await readEnd(whole)).toBe(later(30));
    await expect(resolve(of(part), 'days')).rejects.toMatchObject({ errors: [{ pointer: '#/days' }] });
    await resolve(of(part), 'days', { days: 18 });
    expect(await shop.order(part.id)).toMatchObject({ state: 'paid', sold: { kind: 'days', days: 18 } });
    expect(await readEnd(part)).toBe(later(18));
    expect(events('user.extended')).toHaveLength(2);
  });

  it('more than was asked pays the order, and the rest is shown', async () => {
    const { id, fake } = await shop.add('crypto_pay');
    const order = await shop.open(id);
    payBeside(fake, shop.getInvoiceToken(order.id), { amount: '9.99' });
    shop.clock.advance(HOUR);
    await shop.turn();
    expect(await shop.order(order.id)).toMatchObject({ state: 'paid', amount: 999 });
    expect(await attention()).toMatchObject([
      { reason: 'too_much', applied: true, amount: 999, expected: { amount: 499, currency: 'EUR' }, acts: ['ignore'] },
    ]);
  });

  it('of an order that this panel does not know gives days to a user that is named', async () => {
    const { fake } = await shop.add('crypto_pay');
    const token = `gh_${'x'.repeat(32)}`;
    const foreign = { id: '1', amount: '4.99', currency: 'EUR', createdAt: 1, state: 'paid', refunded: '0' } as const;
    fake.invoices.push({ ...foreign, token }, { ...foreign, id: '2', token: 'another shop' });
    await shop.turn();
    const [payment, ...others] = await attention();
    expect(others).toEqual([]);
    expect(payment).toMatchObject({ reason: 'unknown_order', order_id: null, acts: ['days', 'ignore'] });
    const user_id = await shop.buyer();
    await expect(resolve(payment?.id ?? 0, 'days', { days: 5 })).rejects.toMatchObject({
      errors: [{ pointer: '#/user_id' }],
    });
    const given = await resolve(payment?.id ?? 0, 'days', { days: 5, user_id });
    expect(given).toMatchObject({ applied: true, user: { id: user_id } });
    expect((await shop.panel().act('getUser', { id: user_id })).expires_at).toBe(later(5));
  });

  it('late, more than a month after its order', async () => {
    const { id, fake } = await shop.add('heleket');
    const order = await shop.open(id);
    shop.clock.advance(40 * DAY);
    const token = shop.getInvoiceToken(order.id);
    payBeside(fake, token, { createdAt: shop.clock.now() });
    await shop.turn();
    expect(await attention()).toMatchObject([{ reason: 'late', order_id: order.id }]);
  });

  it.each([4, 25])('paid at Heleket %i days after its invoice had ended is found without a report', async (days) => {
    const { id, fake } = await shop.add('heleket');
    const order = await shop.open(id);
    const token = shop.getInvoiceToken(order.id);
    fake.expire(token);
    expect(await shop.pollOrder(order.id)).toMatchObject({ state: 'expired' });
    for (let day = 0; day < days; day++) {
      shop.clock.advance(DAY);
      await shop.turn();
    }
    expect(await shop.order(order.id)).toMatchObject({ state: 'expired' });
    fake.pay(token);
    shop.clock.advance(DAY);
    await shop.turn();
    expect(await shop.order(order.id)).toMatchObject({ state: 'paid' });
    expect(await readEnd(order)).toBe(later(30));
    expect(await attention()).toEqual([]);
    // The list is read from far back once a day only.
    const readFar = () =>
      fake.requests.filter(({ path, raw }) => path === '/payment/list' && JSON.parse(raw).date_from < '2026-11-21')
        .length;
    const read = readFar();
    for (let hour = 0; hour < 5; hour++) {
      shop.clock.advance(HOUR);
      await shop.turn();
    }
    expect(readFar()).toBe(read);
  });

  it('paid at Heleket later than its order could be: a reconciliation finds it, for a person', async () => {
    const { id, fake } = await shop.add('heleket');
    await shop.turn();
    const order = await shop.open(id);
    const token = shop.getInvoiceToken(order.id);
    fake.expire(token);
    await shop.pollOrder(order.id);
    for (let day = 0; day < 34; day++) {
      shop.clock.advance(DAY);
      await shop.turn();
    }
    // The invoice of 20 November.
    const [invoice] = fake.invoices;
    if (invoice) invoice.paidAt = shop.clock.now();
    fake.pay(token);
    shop.clock.advance(2 * DAY);
    await shop.turn();
    expect(await attention()).toEqual([]);
    const reply = await shop.panel().act('reconcilePayments', { provider_id: id, month: '2026-12' });
    expect(reply).toMatchObject({ whole: true, differences: [{ reason: 'unapplied', order_id: order.id }] });
    expect(await attention()).toMatchObject([{ reason: 'late', order_id: order.id, applied: false }]);
  });

  it('given back in the pages of the provider: the order is taken back, and the user is as before', async () => {
    for (const kind of ['stars', 'yookassa', 'stripe', 'heleket'] as const) {
      const { id, fake } = await shop.add(kind);
      const order = await shop.open(id);
      const token = shop.getInvoiceToken(order.id);
      fake.pay(token);
      await shop.pollOrder(order.id);
      fake.refund(token);
      shop.clock.advance(2 * HOUR);
      await shop.turn();
      const [payment, ...others] = await attention();
      expect(others).toEqual([]);
      expect(payment).toMatchObject({ kind, reason: 'refunded', applied: true, acts: ['take_back', 'ignore'] });
      expect(await readEnd(order)).toBe(later(30));
      expect(await resolve(payment?.id ?? 0, 'take_back')).toMatchObject({ act: 'take_back', applied: false });
      expect(await readEnd(order)).toBe(END);
      expect(await shop.order(order.id)).toMatchObject({ state: 'refunded' });
      shop.clock.advance(2 * HOUR);
      await shop.turn();
      expect(await attention()).toEqual([]);
    }
  });
});

describe('Heleket', () => {
  const notices = () => shop.panel().act('listProviders', {});
  /** An order whose invoice has this status, after its provider was polled. */
  async function settle(status: string, arrived?: string) {
    const { id, fake } = await shop.add('heleket');
    const order = await shop.open(id);
    const [invoice] = fake.invoices;
    Object.assign(invoice ?? {}, { state: 'paid', status, ...(arrived !== undefined && { arrived }) });
    await shop.pollOrder(order.id);
    return { id, fake, order, invoice };
  }

  it('is read page by page, and each order that was paid late is found', async () => {
    const { id, fake } = await shop.add('heleket');
    const orders: Order[] = [];
    for (let count = 0; count < 7; count++) orders.push(await shop.open(id));
    for (const order of orders) {
      fake.expire(shop.getInvoiceToken(order.id));
      await shop.pollOrder(order.id);
    }
    for (const order of orders) fake.pay(shop.getInvoiceToken(order.id));
    shop.clock.advance(DAY);
    await shop.turn();
    for (const order of orders) expect(await shop.order(order.id)).toMatchObject({ state: 'paid' });
    expect(fake.requests.some(({ raw }) => raw.includes('cursor'))).toBe(false);
    expect((await notices()).items).toMatchObject([{ error: null }]);
  });

  it('whose list repeats itself is read to there and reported', async () => {
    const { id, fake } = await shop.add('heleket', await openHeleket(true));
    for (let count = 0; count < 5; count++) await shop.open(id);
    const lists = () => fake.requests.filter(({ path }) => path === '/payment/list').length;
    const before = lists();
    shop.clock.advance(2 * HOUR);
    await shop.turn();
    expect(lists() - before).toBe(2);
    expect((await notices()).items).toMatchObject([{ error: 'list_repeats' }]);
    await shop.turn();
    expect(lists() - before).toBe(2);
    const compared = await shop.panel().act('reconcilePayments', { provider_id: id, month: '2026-11' });
    expect(compared.whole).toBe(false);
  });

  it('less than was asked is recorded as what has arrived', async () => {
    const { order } = await settle('wrong_amount', '4.94');
    expect(await attention()).toMatchObject([
      { reason: 'too_little', amount: 494, currency: 'EUR', days: 29, order_id: order.id, applied: false },
    ]);
    expect((await shop.order(order.id)).paid_at).toBeNull();
  });

  it('more than was asked pays the order and shows the surplus', async () => {
    const { order } = await settle('paid_over', '7.50');
    expect(await shop.order(order.id)).toMatchObject({ state: 'paid', amount: 750 });
    expect(await attention()).toMatchObject([{ reason: 'too_much', amount: 750, expected: { amount: 499 } }]);
  });

  it('opens invoices that count as paid within the accuracy of the account', async () => {
    const { id, fake } = await shop.add('heleket');
    const fields = { accuracy_payment_percent: '3' };
    await shop.panel().act('changeProvider', { id, fields, ...proof });
    await shop.open(id);
    const [, opening] = fake.requests.filter(({ path }) => path === '/payment' || path === '/payment/list');
    expect(JSON.parse(fake.requests.find(({ path }) => path === '/payment')?.raw ?? '{}')).toMatchObject(fields);
    expect(opening).toBeDefined();
    const wrong = shop.panel().act('changeProvider', { id, fields: { accuracy_payment_percent: '6' }, ...proof });
    await expect(wrong).rejects.toMatchObject({ errors: [{ pointer: '#/fields/accuracy_payment_percent' }] });
  });

  it.each(['paid', 'wrong_amount', 'cancel', 'refund_paid'])(
    'that holds coins back is asked until it says %s, and a person knows',
    async (status) => {
      const { order, invoice } = await settle('locked', '4.99');
      expect(await attention()).toMatchObject([{ reason: 'held', amount: 499, order_id: order.id, applied: false }]);
      expect(await readEnd(order)).toBe(END);
      shop.clock.advance(2 * DAY);
      await shop.turn();
      expect(await attention()).toHaveLength(1);
      Object.assign(invoice ?? {}, { status, arrived: status === 'wrong_amount' ? '3.00' : '4.99' });
      shop.clock.advance(2 * DAY);
      await shop.turn();
      shop.clock.advance(2 * DAY);
      await shop.turn();
      const left = { paid: [], cancel: [], wrong_amount: ['too_little'], refund_paid: ['refunded'] }[status];
      expect((await attention()).map(({ reason }) => reason)).toEqual(left);
      expect(await readEnd(order)).toBe(status === 'paid' ? later(30) : END);
      expect(events('user.extended')).toHaveLength(status === 'paid' ? 1 : 0);
      expect(shop.panel().store.payments.listInvoices(order.id)[0]?.nextPollAt).toBeNull();
    },
  );

  it.each(['paid', 'cancel'])('whose held coins a person has applied says %s later', async (status) => {
    const { order, invoice } = await settle('locked', '4.99');
    await resolve((await attention())[0]?.id ?? 0, 'apply');
    expect(await readEnd(order)).toBe(later(30));
    Object.assign(invoice ?? {}, { status });
    shop.clock.advance(2 * DAY);
    await shop.turn();
    expect((await attention()).map(({ reason, acts }) => [reason, acts])).toEqual(
      status === 'paid' ? [] : [['refunded', ['take_back', 'ignore']]],
    );
    expect(await readEnd(order)).toBe(later(30));
  });
});

describe('a refund through the provider', () => {
  const kinds = ['stars', 'yookassa', 'stripe'] as const;
  const REFUNDS = { stars: 'refundStarPayment', yookassa: '/refunds', stripe: '/v1/refunds' } as const;
  const FORBIDDEN = {
    // telegram-bot-api, Client.cpp: what a call about a deleted account is answered.
    stars: { ok: false, error_code: 403, description: 'Forbidden: user is deactivated' },
    // https://yookassa.ru/developers/using-api/response-handling/response-format
    yookassa: { type: 'error', code: 'forbidden', description: 'Refunds are not allowed for this shop' },
    // https://docs.stripe.com/error-codes
    stripe: { error: { type: 'invalid_request_error', code: 'account_invalid', message: 'No access' } },
  } as const;
  const refundsAt = (fake: FakeProvider, kind: (typeof kinds)[number]) =>
    fake.requests.filter(({ method, path }) => method === 'POST' && path.endsWith(REFUNDS[kind]));

  it.each(kinds)('%s gives the money back once, and takes the order back with it', async (kind) => {
    const { id, fake } = await shop.add(kind);
    const order = await shop.open(id);
    fake.pay(shop.getInvoiceToken(order.id));
    await shop.pollOrder(order.id);
    expect(await shop.panel().act('previewRefund', { id: order.id })).toMatchObject({
      expires_at: { from: later(30), to: END },
      by_provider: true,
    });
    const refund = () => shop.panel().act('refundOrder', { id: order.id, note: 'Changed her mind', ...proof });
    const [first, second] = await Promise.allSettled([refund(), refund()]);
    expect(first).toMatchObject({ value: { state: 'refunded', refund_note: 'Changed her mind', refunding: false } });
    expect(second.status === 'fulfilled' || second.reason.code === 'order_refunded').toBe(true);
    await expect(refund()).rejects.toMatchObject({ code: 'order_refunded' });
    expect(await readEnd(order)).toBe(END);
    expect(
      new Set(refundsAt(fake, kind).map(({ headers }) => headers['idempotency-key'] ?? headers['idempotence-key']))
        .size,
    ).toBe(1);
    shop.clock.advance(2 * HOUR);
    await shop.turn();
    expect(await attention()).toEqual([]);
    expect(events('user.shortened')).toMatchObject([{ order_id: order.id }]);
  });

  it.each(kinds)('%s whose reply is lost is asked for again by the same key, also after a crash', async (kind) => {
    const { id, fake } = await shop.add(kind);
    const order = await shop.open(id);
    fake.pay(shop.getInvoiceToken(order.id));
    await shop.pollOrder(order.id);
    fake.fail(REFUNDS[kind], 'cut');
    const refund = shop.panel().act('refundOrder', { id: order.id, ...proof });
    await expect(refund).rejects.toMatchObject({ code: 'provider_failed' });
    expect(await shop.order(order.id)).toMatchObject({ state: 'paid', refunding: true });
    expect(await readEnd(order)).toBe(later(30));
    await expect(shop.panel().act('deleteProvider', { id })).rejects.toMatchObject({ code: 'provider_in_use' });
    await shop.restart();
    shop.clock.advance(2 * 60_000);
    await shop.turn();
    expect(await shop.order(order.id)).toMatchObject({ state: 'refunded', refunding: false });
    expect(await readEnd(order)).toBe(END);
    expect(await attention()).toEqual([]);
  });

  const slow = ['yookassa', 'stripe'] as const;
  it.each(slow)('%s that stays pending takes nothing back until the last word, also after a crash', async (kind) => {
    const { id, fake } = await shop.add(kind);
    fake.delayRefunds();
    for (const isDone of [true, false]) {
      const order = await shop.open(id);
      const token = shop.getInvoiceToken(order.id);
      fake.pay(token);
      await shop.pollOrder(order.id);
      const begun = await shop.panel().act('refundOrder', { id: order.id, note: 'Slow', ...proof });
      expect(begun).toMatchObject({ state: 'paid', refunding: true });
      await shop.restart();
      // The provider's lists and events may speak of it already.
      shop.clock.advance(2 * HOUR);
      await shop.turn();
      expect(await shop.order(order.id)).toMatchObject({ state: 'paid', refunding: true });
      expect(await readEnd(order)).toBe(later(30));
      fake.settleRefund(token, isDone);
      shop.clock.advance(HOUR);
      await shop.turn();
      expect(await readEnd(order)).toBe(isDone ? END : later(30));
      expect(await shop.order(order.id)).toMatchObject({ state: isDone ? 'refunded' : 'paid', refunding: false });
      const found = await attention();
      if (isDone) expect(found).toEqual([]);
      else
        expect(found).toMatchObject([
          { reason: 'refund_failed', order_id: order.id, applied: true, acts: ['refund', 'ignore'] },
        ]);
      expect(refundsAt(fake, kind)).toHaveLength(isDone ? 1 : 2);
    }
    // Once more, with a key of its own.
    const [failed] = await attention();
    expect(await resolve(failed?.id ?? 0, 'refund')).toMatchObject({ act: null, refunding: true, acts: [] });
    fake.settleRefund(fake.invoices.at(-1)?.token ?? '', true);
    shop.clock.advance(HOUR);
    await shop.turn();
    expect(await attention()).toEqual([]);
    expect(await readEnd(await shop.order(failed?.order_id ?? 0))).toBe(END);
  });

  it('that the provider refuses changes nothing', async () => {
    const { id, fake } = await shop.add('stripe');
    const order = await shop.open(id);
    const token = shop.getInvoiceToken(order.id);
    fake.pay(token);
    await shop.pollOrder(order.id);
    fake.refund(token);
    const refund = shop.panel().act('refundOrder', { id: order.id, ...proof });
    await expect(refund).rejects.toMatchObject({ code: 'provider_failed' });
    expect(await shop.order(order.id)).toMatchObject({ state: 'paid', refunding: false });
    expect(await readEnd(order)).toBe(later(30));
  });

  it('that the provider refuses when it is asked for again needs a person', async () => {
    const { id, fake } = await shop.add('stripe');
    const order = await shop.open(id);
    const token = shop.getInvoiceToken(order.id);
    fake.pay(token);
    await shop.pollOrder(order.id);
    fake.fail('/v1/refunds', 'down');
    const refund = shop.panel().act('refundOrder', { id: order.id, ...proof });
    await expect(refund).rejects.toMatchObject({ code: 'provider_failed' });
    expect(await shop.order(order.id)).toMatchObject({ state: 'paid', refunding: true });
    fake.refund(token);
    shop.clock.advance(2 * 60_000);
    await shop.turn();
    expect(await shop.order(order.id)).toMatchObject({ state: 'paid', refunding: false });
    expect(await attention()).toMatchObject([{ reason: 'refund_failed', order_id: order.id, applied: true }]);
    expect(await readEnd(order)).toBe(later(30));
  });

  it.each(kinds)('%s that its account may no longer give needs a person, and is not asked for again', async (kind) => {
    const { id, fake } = await shop.add(kind);
    const order = await shop.open(id);
    fake.pay(shop.getInvoiceToken(order.id));
    await shop.pollOrder(order.id);
    fake.fail(REFUNDS[kind], 'down');
    const refund = shop.panel().act('refundOrder', { id: order.id, ...proof });
    await expect(refund).rejects.toMatchObject({ code: 'provider_failed' });
    fake.answerNext(REFUNDS[kind], { status: 403, body: FORBIDDEN[kind] });
    shop.clock.advance(2 * 60_000);
    await shop.turn();
    expect(await shop.order(order.id)).toMatchObject({ state: 'paid', refunding: false });
    expect(await attention()).toMatchObject([{ reason: 'refund_failed', order_id: order.id, applied: true }]);
    const asked = refundsAt(fake, kind).length;
    shop.clock.advance(2 * HOUR);
    await shop.turn();
    expect(refundsAt(fake, kind)).toHaveLength(asked);
    expect(await readEnd(order)).toBe(later(30));
  });

  it('on its way, of an order that was taken back meanwhile, is asked about until it is done, and not again', async () => {
    const { id, fake } = await shop.add('yookassa');
    fake.delayRefunds();
    const order = await shop.open(id);
    const token = shop.getInvoiceToken(order.id);
    fake.pay(token);
    await shop.pollOrder(order.id);
    await shop.panel().act('refundOrder', { id: order.id, ...proof });
    const [invoice] = fake.invoices;
    if (invoice) invoice.refunded = '1.00';
    shop.clock.advance(HOUR + 1000);
    await shop.turn();
    expect(await shop.order(order.id)).toMatchObject({ state: 'paid', refunding: true });
    // Its provider has given a part of it back, so that the panel takes back the order by itself.
    expect(await shop.panel().act('refundOrder', { id: order.id, ...proof })).toMatchObject({ state: 'refunded' });
    expect(await readEnd(order)).toBe(END);
    fake.settleRefund(token, true);
    shop.clock.advance(HOUR + 1000);
    await shop.turn();
    expect(await shop.order(order.id)).toMatchObject({ state: 'refunded', refunding: false });
    const asked = () => fake.requests.filter(({ path }) => path.startsWith('/refunds/')).length;
    const before = asked();
    shop.clock.advance(HOUR + 1000);
    await shop.turn();
    expect(asked()).toBe(before);
  });

  it('gives back what was not applied', async () => {
    const { id, fake } = await shop.add('stripe');
    const order = await shop.open(id);
    fake.pay(shop.getInvoiceToken(order.id));
    await shop.panel().act('updateUser', { id: order.user?.id ?? 0, expires_at: null });
    await shop.pollOrder(order.id);
    const [payment] = await attention();
    expect(payment).toMatchObject({ reason: 'not_applicable', acts: ['apply', 'days', 'refund', 'ignore'] });
    expect(await resolve(payment?.id ?? 0, 'refund', { note: 'Never expires' })).toMatchObject({
      act: 'refund',
      note: 'Never expires',
      refunded: 499,
      acts: [],
    });
    expect(fake.invoices[0]?.refunded).toBe('499');
    shop.clock.advance(2 * HOUR);
    await shop.turn();
    expect(await attention()).toEqual([]);
  });
});

describe('an order with invoices at two providers', () => {
  type Account = Awaited<ReturnType<Shop['add']>>;
  /** Of Stripe, where it is paid, and of another one. */
  async function openBoth(kind: ProviderKind) {
    return openAt(await shop.add('yookassa'), await shop.add(kind));
  }
  async function openAt(paid: Account, other: Account) {
    const order = await shop.open(other.id);
    const token = shop.getInvoiceToken(order.id);
    await shop.panel().act('openOrder', { id: order.id, provider_id: paid.id, email: EMAIL });
    const invoice = () => shop.panel().store.payments.invoiceByToken(token);
    return { order, token, paid, other, invoice };
  }
  const pay = async ({ order, paid }: Awaited<ReturnType<typeof openBoth>>) => {
    paid.fake.pay(shop.getInvoiceToken(order.id));
    await shop.pollOrder(order.id);
    expect(await shop.order(order.id)).toMatchObject({ state: 'paid' });
  };
  const isPayable = (fake: FakeProvider, token: string) =>
    fake.invoices.some((invoice) => invoice.token === token && invoice.state === 'open');

  it.each(['stripe', 'crypto_pay'] as const)('ends the one at %s when the other is paid', async (kind) => {
    const both = await openBoth(kind);
    await pay(both);
    await shop.turn();
    expect(isPayable(both.other.fake, both.token)).toBe(false);
    expect(both.invoice()).toMatchObject({ state: 'expired', nextPollAt: null });
    expect(await shop.order(both.order.id)).toMatchObject({ state: 'paid' });
    const asked = both.other.fake.requests.length;
    shop.clock.advance(50 * 60_000);
    await shop.turn();
    expect(both.other.fake.requests).toHaveLength(asked);
    await shop.panel().act('deleteProvider', { id: both.other.id });
  });

  it.each(['stripe', 'crypto_pay'] as const)(
    'finds the one at %s paid where the buyer was faster: a person knows, and nothing is given twice',
    async (kind) => {
      const both = await openBoth(kind);
      // It is paid while the panel is about to end it.
      const { fake } = both.other;
      fake.deny(({ path }) => {
        if (/expire$|deleteInvoice$/.test(path) && isPayable(fake, both.token)) fake.pay(both.token);
        return false;
      });
      await pay(both);
      await shop.turn();
      expect(await attention()).toMatchObject([{ reason: 'paid_twice', kind, order_id: both.order.id }]);
      expect(await readEnd(both.order)).toBe(later(30));
      expect(both.invoice()).toMatchObject({ state: 'paid', nextPollAt: null });
    },
  );

  it.each(['stripe', 'crypto_pay'] as const)(
    'asks again where %s does not answer clearly, also after a crash',
    async (kind) => {
      const accounts = [await shop.add('yookassa'), await shop.add(kind)] as const;
      for (const fault of ['late', 'cut', 'busy', 'down', 'garbage'] as const) {
        const both = await openAt(...accounts);
        both.other.fake.fail(kind === 'stripe' ? '/expire' : 'deleteInvoice', fault);
        await pay(both);
        await shop.turn();
        await shop.restart();
        shop.clock.advance(10 * 60_000);
        await shop.turn();
        expect(isPayable(both.other.fake, both.token), fault).toBe(false);
        expect(both.invoice(), fault).toMatchObject({ state: 'expired', nextPollAt: null });
      }
      expect(await attention()).toEqual([]);
    },
  );

  it.each(['stars', 'yookassa', 'heleket'] as const)(
    '%s cannot end one: a second payment needs a person',
    async (kind) => {
      const { id, fake } = await shop.add(kind);
      const stripe = await shop.add('stripe');
      const order = await shop.open(id);
      const token = shop.getInvoiceToken(order.id);
      await shop.panel().act('openOrder', { id: order.id, provider_id: stripe.id, email: EMAIL });
      stripe.fake.pay(shop.getInvoiceToken(order.id));
      await shop.pollOrder(order.id);
      fake.pay(token);
      shop.clock.advance(HOUR);
      await shop.turn();
      expect(await attention()).toMatchObject([{ reason: 'paid_twice', kind, order_id: order.id }]);
      expect(await readEnd(order)).toBe(later(30));
    },
  );

  it('is paid by hand or by a decision of a person: its invoices are ended as well', async () => {
    const both = await openBoth('stripe');
    const invoice = both.paid.fake.invoices.at(-1);
    if (invoice) invoice.amount = '1.00';
    both.paid.fake.pay(shop.getInvoiceToken(both.order.id));
    await shop.pollOrder(both.order.id);
    expect(isPayable(both.other.fake, both.token)).toBe(true);
    await resolve((await attention())[0]?.id ?? 0, 'apply');
    await shop.turn();
    expect(isPayable(both.other.fake, both.token)).toBe(false);
  });
});

describe('a refund at Stripe that changes later', () => {
  const providerId = async () => (await shop.panel().act('listProviders', {})).items[0]?.id ?? 0;
  async function payOrder(fake: FakeProvider) {
    const order = await shop.open(await providerId());
    const token = shop.getInvoiceToken(order.id);
    fake.pay(token);
    await shop.pollOrder(order.id);
    return { order, token };
  }
  async function readEvents() {
    shop.clock.advance(2 * HOUR);
    await shop.turn();
  }
  /** As another program, or Stripe's own pages, do. */
  const refundOutsideOf = (fake: FakeProvider) => {
    const { id = '', amount = '' } = fake.invoices.at(-1) ?? {};
    return fetch(`${fake.root}/v1/refunds`, {
      method: 'POST',
      headers: { authorization: `Bearer ${fake.fields.secret_key}` },
      body: new URLSearchParams({ payment_intent: `pi_${id}`, amount }),
    });
  };

  it('was done and has failed since: the service is given back, and a person knows', async () => {
    const { fake } = await shop.add('stripe');
    const { order, token } = await payOrder(fake);
    await shop.panel().act('refundOrder', { id: order.id, ...proof });
    expect(await readEnd(order)).toBe(END);
    await readEvents();
    expect(await attention()).toEqual([]);
    fake.settleRefund(token, false);
    await readEvents();
    expect(await attention()).toMatchObject([
      { reason: 'refund_failed', applied: true, refunded: 0, acts: ['refund', 'ignore'] },
    ]);
    expect(await shop.order(order.id)).toMatchObject({ state: 'paid', refunded_at: null, refunding: false });
    expect(await readEnd(order)).toBe(later(30));
    await readEvents();
    expect(events('user.extended')).toHaveLength(2);
    // Once more, with a key of its own.
    await shop.panel().act('resolvePayment', { id: (await attention())[0]?.id ?? 0, act: 'refund', ...proof });
    expect(await readEnd(order)).toBe(END);
    await readEvents();
    expect(await attention()).toEqual([]);
  });

  it('whose user is gone meanwhile needs a person', async () => {
    const { fake } = await shop.add('stripe');
    const { order, token } = await payOrder(fake);
    await shop.panel().act('refundOrder', { id: order.id, ...proof });
    await shop.panel().act('deleteUser', { id: order.user?.id ?? 0 });
    fake.settleRefund(token, false);
    await readEvents();
    expect(await attention()).toMatchObject([
      { reason: 'refund_failed', applied: false, acts: ['days', 'refund', 'ignore'] },
    ]);
  });

  it('was made in its pages and failed before it was taken back: nothing changes, and a person knows', async () => {
    const { fake } = await shop.add('stripe');
    const { order, token } = await payOrder(fake);
    await refundOutsideOf(fake);
    await readEvents();
    expect(await attention()).toMatchObject([{ reason: 'refunded', refunded: 499 }]);
    fake.settleRefund(token, false);
    await readEvents();
    expect(await attention()).toMatchObject([{ reason: 'refund_failed', refunded: 0, applied: true }]);
    expect(await readEnd(order)).toBe(later(30));
  });

  it('was pending when its event came is noticed once it is done', async () => {
    const { fake } = await shop.add('stripe');
    const { token } = await payOrder(fake);
    fake.delayRefunds();
    await refundOutsideOf(fake);
    await readEvents();
    expect(await attention()).toEqual([]);
    fake.settleRefund(token, true);
    await readEvents();
    expect(await attention()).toMatchObject([{ reason: 'refunded', refunded: 499, acts: ['take_back', 'ignore'] }]);
  });

  it('is not undone by a reading that began before it', async () => {
    const { id, fake } = await shop.add('stripe');
    const sold: Order[] = [];
    for (let count = 0; count < 6; count++) sold.push((await payOrder(fake)).order);
    await readEvents();
    // The newest is on the first page of the list; it is given back while the others are read.
    const order = sold.at(-1);
    let refund: Promise<unknown> | null = null;
    fake.deny(({ path, query }) => {
      if (path === '/v1/events' && query.has('starting_after'))
        refund ??= shop.panel().act('refundOrder', { id: order?.id ?? 0, ...proof });
      return false;
    });
    await shop.panel().act('reconcilePayments', { provider_id: id, month: '2026-11' });
    await refund;
    expect(await shop.order(order?.id ?? 0)).toMatchObject({ state: 'refunded' });
    expect(await attention()).toEqual([]);
    await readEvents();
    expect(await shop.order(order?.id ?? 0)).toMatchObject({ state: 'refunded' });
  });

  it('is not taken for failed where the key may no longer read refunds', async () => {
    const fake = await openStripe(['checkout_session_write', 'payment_intent_read', 'charge_write', 'event_read']);
    await shop.add('stripe', fake);
    const { order } = await payOrder(fake);
    await shop.panel().act('refundOrder', { id: order.id, ...proof });
    fake.granted.delete('charge_write');
    await readEvents();
    expect(await shop.order(order.id)).toMatchObject({ state: 'refunded' });
    expect(await attention()).toEqual([]);
  });
});

it('the preview of a refund without a term leaves a term out that waits for its first connection', async () => {
  const { panel, tariffId } = shop;
  const held = await panel().act('createTariff', { name: 'Held', duration: { months: 1 }, starts: 'on_first_use' });
  const user = await panel().act('createUser', { name: 'Boris', tariff_id: held.id });
  expect(user).toMatchObject({ expires_at: null, hold: expect.anything() });
  const sold = { kind: 'traffic', bytes: 1_000_000_000, lifetime: 'used' } as const;
  const prices = [{ amount: 100, currency: 'EUR' }];
  const offer = await panel().act('createOffer', { tariff_id: held.id, name: '1 GB', sold, prices, on_sale: true });
  expect(tariffId).not.toBe(held.id);
  const { id } = await panel().act('recordPayment', {
    key: 'by-hand-of-traffic',
    user_id: user.id,
    offer_id: offer.id,
    method: 'cash',
    amount: 100,
    currency: 'EUR',
    note: '',
    ...proof,
  });
  expect(await panel().act('previewRefund', { id })).toMatchObject({
    expires_at: null,
    hold: null,
    bytes: 1_000_000_000,
    bytes_used: 0,
    nothing: false,
  });
});

describe('a dispute at Stripe', () => {
  async function disputed(status: 'won' | 'lost') {
    const fake = await openStripe();
    const { id } = await shop.add('stripe', fake);
    const order = await shop.open(id);
    const token = shop.getInvoiceToken(order.id);
    fake.pay(token);
    await shop.pollOrder(order.id);
    fake.dispute(token);
    shop.clock.advance(2 * HOUR);
    await shop.turn();
    expect(await attention()).toMatchObject([{ reason: 'disputed', acts: ['take_back', 'ignore'] }]);
    fake.endDispute(token, status);
    shop.clock.advance(2 * HOUR);
    await shop.turn();
    return order;
  }

  it('that was won is shown so: the money stays, and can be given back', async () => {
    const order = await disputed('won');
    expect(await attention()).toMatchObject([{ reason: 'dispute_won', applied: true, acts: ['ignore'] }]);
    expect(await readEnd(order)).toBe(later(30));
    await shop.pollOrder(order.id);
    shop.clock.advance(2 * HOUR);
    await shop.turn();
    expect(await attention()).toMatchObject([{ reason: 'dispute_won' }]);
    expect(await shop.panel().act('previewRefund', { id: order.id })).toMatchObject({ by_provider: true });
  });

  it('that was lost stays one', async () => {
    await disputed('lost');
    expect(await attention()).toMatchObject([{ reason: 'disputed' }]);
  });
});

describe('an account whose keys were revoked', () => {
  it.each(PROVIDER_KINDS)('%s can be deleted once what is open has ended by time', async (kind) => {
    const { id, fake } = await shop.add(kind);
    const order = await shop.open(id);
    const remove = () => shop.panel().act('deleteProvider', { id });
    if (kind !== 'stars') await expect(remove()).rejects.toMatchObject({ code: 'provider_in_use' });
    fake.revoke();
    await shop.pollOrder(order.id);
    if (kind !== 'stars') await expect(remove()).rejects.toMatchObject({ code: 'provider_in_use' });
    shop.clock.advance(8 * DAY);
    await shop.turn();
    await remove();
    expect(await shop.order(order.id)).toMatchObject({ state: 'expired' });
  });

  it('and a refund under way: a person knows that its end is not known', async () => {
    const { id, fake } = await shop.add('yookassa');
    fake.delayRefunds();
    const order = await shop.open(id);
    fake.pay(shop.getInvoiceToken(order.id));
    await shop.pollOrder(order.id);
    await shop.panel().act('refundOrder', { id: order.id, ...proof });
    fake.revoke();
    shop.clock.advance(HOUR);
    await shop.turn();
    await expect(shop.panel().act('deleteProvider', { id })).rejects.toMatchObject({ code: 'provider_in_use' });
    shop.clock.advance(8 * DAY);
    await shop.turn();
    await shop.panel().act('deleteProvider', { id });
    expect(await attention()).toMatchObject([{ reason: 'refund_failed', order_id: order.id, applied: true }]);
  });
});

/**
 * What may happen to an order, in any order. `expire`: the provider's last word, which a buyer may still overtake; `hook`: what the provider
 * reports, which may come before and after it happened; `crash`: the panel ends while it asks; `refundThere`: in the pages of the provider.
 */
const HAPPENINGS = [
  'ask',
  'turn',
  'hook',
  'crash',
  'pay',
  'expire',
  'duplicate',
  'hour',
  'fault',
  'open',
  'refund',
  'refundThere',
] as const;
const FAULTS = ['late', 'cut', 'busy', 'down', 'garbage'] as const;
/** Where the provider shows refunds that were made in its pages. */
const SHOWS_REFUNDS: ReadonlySet<ProviderKind> = new Set(['stars', 'yookassa', 'stripe', 'heleket']);

it.each(PROVIDER_KINDS)(
  '%s ends in one outcome, whatever comes in whatever order',
  async (kind) => {
    const { fake, id } = await shop.add(kind);
    const url = kind === 'stars' ? null : (await shop.panel().act('setProviderHook', { id, enabled: true })).hook_url;
    const hookToken = url?.split('/').at(-1);
    const happening = fc.record({ what: fc.constantFrom(...HAPPENINGS), fault: fc.constantFrom(...FAULTS) });
    const began = shop.clock.now();
    let passed = 0;
    /** The provider's clock follows that of the panel: orders of one example are days after those of another. */
    const setProvidersClock = (ms: number) => {
      advanceClock(ms - passed);
      passed = ms;
    };
    await using stack = new AsyncDisposableStack();
    stack.defer(() => setProvidersClock(0));
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { minLength: 4, maxLength: 10 }), async (happenings) => {
        setProvidersClock(shop.clock.now() - began);
        const order = await shop.open(id);
        const token = shop.getInvoiceToken(order.id);
        const invoice = fake.invoices.find((one) => one.token === token);
        let isPaid = false;
        const happen: Readonly<Record<(typeof HAPPENINGS)[number], (fault: (typeof FAULTS)[number]) => unknown>> = {
          ask: () => shop.pollOrder(order.id),
          turn: () => shop.turn(),
          hook: () => hookToken !== undefined && shop.panel().core.shop.hint(hookToken, shop.hookFrom(fake, token)),
          async crash() {
            shop.clock.advance(31_000);
            const asked = [shop.panel().act('askOrder', { id: order.id }), shop.turn()];
            await shop.restart();
            await Promise.allSettled(asked);
          },
          pay() {
            if (!isPaid) fake.pay(token);
            isPaid = true;
          },
          expire: () => !isPaid && fake.expire(token),
          duplicate: () =>
            Promise.all([shop.pollOrder(order.id), shop.turn(), happen.hook('late'), happen.hook('late')]),
          hour: () => shop.clock.advance(HOUR + 1000),
          fault: (fault) => fake.fail('', fault),
          open: () =>
            shop
              .panel()
              .act('openOrder', { id: order.id, provider_id: id, email: EMAIL })
              .catch(() => null),
          refund: () => refundOutside(order.id),
          refundThere: () => isPaid && SHOWS_REFUNDS.has(kind) && invoice?.refunded === '0' && fake.refund(token),
        };
        for (const { what, fault } of happenings) await happen[what](fault);
        happen.pay('late');
        // Faults that are left over are gone through.
        for (let turns = 0; turns < 12; turns += 1) {
          shop.clock.advance(HOUR + 1000);
          await shop.turn();
        }
        // What was given back at the provider is taken back by a person, where it was given.
        const found = await attention();
        const there = { reason: 'refunded', order_id: order.id };
        expect(found).toMatchObject(found.length === 0 ? [] : [there]);
        for (const { id: payment, applied } of found) await resolve(payment, applied ? 'take_back' : 'ignore');
        const isGiven = events('user.extended').some(({ order_id }) => order_id === order.id);
        const { state } = await shop.order(order.id);
        expect(isGiven ? ['paid', 'refunded'] : ['open', 'expired', 'failed', 'opening']).toContain(state);
        // Given once, or not at all where it was given back before the panel heard of it.
        expect(isGiven || found.length === 1).toBe(true);
        expect(await readEnd(order)).toBe(state === 'paid' ? later(30) : END);
        expect(events('user.extended').filter(({ order_id }) => order_id === order.id)).toHaveLength(isGiven ? 1 : 0);
        expect(invoice?.refunded === '0' || state !== 'paid').toBe(true);
        expect(await attention()).toEqual([]);
      }),
      { numRuns: times(5, 100) },
    );
  },
  times(600_000, 7_200_000),
);

/** As the administrator does; where the provider does not answer, it is asked again later. */
async function refundOutside(id: number): Promise<void> {
  const { state } = await shop.order(id);
  if (state !== 'paid') return;
  const refund = shop.panel().act('refundOrder', { id, ...proof });
  await refund.catch((error: unknown) => expect(error).toMatchObject({ code: 'provider_failed' }));
}
