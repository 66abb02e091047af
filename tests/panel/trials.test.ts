// Who may buy an offer, and the free trial: given at once, and once for each account.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PASSWORD } from '../support/panel.ts';
import { END, openShop, type Shop } from '../support/shop.ts';

const DAY = 86_400_000;
const proof = { password: PASSWORD };
const WEEK = { kind: 'days', days: 7 } as const;
const later = (days: number) => new Date(Date.parse(END) + days * DAY).toISOString();

let folder = '';
let shop: Shop;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-trials-'));
  shop = await openShop(folder);
});
afterEach(async () => {
  await shop[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const makeTrial = () =>
  shop.panel().act('createOffer', { tariff_id: shop.tariffId, name: 'Trial', sold: WEEK, trial: true, on_sale: true });
const makeUser = (more: object = {}) =>
  shop.panel().act('createUser', { name: 'Ivan', tariff_id: shop.tariffId, expires_at: END, ...more });
const order = (user_id: number, offer_id: number) => shop.panel().act('createOrder', { user_id, offer_id });
const payByHand = (user_id: number, offer_id: number, key: string) =>
  shop.panel().act('recordPayment', { key, user_id, offer_id, amount: 499, currency: 'EUR', method: 'cash', ...proof });
const press = async (url: string) => {
  const reply = await fetch(url, { method: 'POST', redirect: 'manual' });
  return new URL(reply.headers.get('location') ?? '', url).href;
};
const read = async (url: string) =>
  (await (await fetch(url, { headers: { 'accept-language': 'en' } })).text()).replaceAll('\u00a0', ' ');

describe('a free trial', () => {
  it('is taken on the page of a subscription, without a provider, and is gone from it', async () => {
    const { id } = await makeTrial();
    const user = await makeUser();
    const link = user.sub_url ?? '';
    const page = () => read(`${link}?format=html`);
    for (const text of ['Try for free', 'Trial, Free']) expect(await page()).toContain(text);
    const at = await press(`${link}/buy/${id}`);
    const html = await read(at);
    for (const text of ['>Free<', 'Your free trial has started.']) expect(html).toContain(text);
    expect(html).not.toContain('<form');
    expect(await shop.panel().act('getUser', { id: user.id })).toMatchObject({ expires_at: later(7) });
    expect(await page()).not.toContain('Trial');
    expect(await press(`${link}/buy/${id}`)).toBe(`${link}?refused`);
    const [taken] = (await shop.panel().act('listOrders', {})).items;
    expect(taken).toMatchObject({ state: 'paid', method: 'trial', amount: 0, renewal: false });
    // No money came.
    expect(await shop.panel().act('getSales', {})).toMatchObject({ orders: 0, income: [], days: [] });
    const events = shop.panel().store.events.after(0, 500, ['user.extended']);
    expect(events.map(({ data }) => JSON.parse(data).order_id)).toEqual([taken?.id]);
  });

  it('is one for a user, and for a Telegram account that comes back, also after a refund', async () => {
    const { id } = await makeTrial();
    const first = await makeUser({ telegram_id: 42 });
    const taken = await order(first.id, id);
    expect(taken).toMatchObject({ state: 'paid', method: 'trial' });
    await shop.panel().act('refundOrder', { id: taken.id, ...proof });
    expect(await shop.panel().act('getUser', { id: first.id })).toMatchObject({ expires_at: END });
    await expect(order(first.id, id)).rejects.toMatchObject({ code: 'trial_taken' });
    await shop.panel().act('deleteUser', { id: first.id });
    const again = await makeUser({ telegram_id: 42 });
    await expect(order(again.id, id)).rejects.toMatchObject({ code: 'trial_taken' });
    const [one, two] = [await makeUser(), await makeUser()];
    const raced = await Promise.allSettled([order(one.id, id), order(one.id, id), order(two.id, id)]);
    expect(raced.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('is not for one who has bought, and buying after it is no renewal', async () => {
    const { id } = await makeTrial();
    const bought = await makeUser();
    await payByHand(bought.id, shop.offerId, 'by-hand-1');
    await expect(order(bought.id, id)).rejects.toMatchObject({ code: 'trial_taken' });
    const tried = await makeUser();
    await order(tried.id, id);
    expect(await payByHand(tried.id, shop.offerId, 'by-hand-2')).toMatchObject({ renewal: false });
    await expect(payByHand(tried.id, id, 'by-hand-3')).rejects.toMatchObject({ code: 'trial_taken' });
    await expect(payByHand((await makeUser()).id, id, 'by-hand-4')).rejects.toMatchObject({ code: 'validation' });
  });

  it('has no price, is not the price of its plan, and is not given while selling is off', async () => {
    const panel = shop.panel();
    const { id } = await makeTrial();
    await expect(panel.act('changeOffer', { id, prices: [{ amount: 1, currency: 'EUR' }] })).rejects.toMatchObject({
      code: 'validation',
      errors: [{ pointer: '#/prices' }],
    });
    await expect(panel.act('changeOffer', { id, trial: false })).rejects.toMatchObject({ code: 'validation' });
    await panel.act('deleteOffer', { id: shop.offerId });
    expect((await panel.act('getTariff', { id: shop.tariffId })).price).toEqual({ amount: 499, currency: 'EUR' });
    await panel.act('updateSettings', { selling: false });
    await expect(order((await makeUser()).id, id)).rejects.toMatchObject({ code: 'selling_off' });
  });
});

describe('an offer is sold', () => {
  const PRICE = [{ amount: 100, currency: 'EUR' }];
  const make = (name: string, audience: 'new' | 'existing' | 'link') =>
    shop.panel().act('createOffer', {
      tariff_id: shop.tariffId,
      name,
      sold: WEEK,
      prices: PRICE,
      on_sale: true,
      audience,
    });

  it('to new users, to those who have bought, or by a link alone', async () => {
    await shop.add('stripe');
    const welcome = await make('Welcome', 'new');
    const loyal = await make('Loyal', 'existing');
    const secret = await make('Secret', 'link');
    const user = await makeUser();
    const shown = async () => {
      const html = await read(`${user.sub_url}?format=html`);
      return ['30 days', 'Welcome', 'Loyal', 'Secret'].filter((name) => html.includes(`>${name}<`));
    };
    expect(await shown()).toEqual(['30 days', 'Welcome']);
    expect(await press(`${user.sub_url}/buy/${loyal.id}`)).toBe(`${user.sub_url}?refused`);
    expect(await press(`${user.sub_url}/buy/${secret.id}`)).toBe(`${user.sub_url}?refused`);
    await expect(order(user.id, loyal.id)).rejects.toMatchObject({ code: 'validation' });
    expect(await order(user.id, secret.id)).toMatchObject({ state: 'new', amount: 100 });
    await payByHand(user.id, shop.offerId, 'by-hand-1');
    expect(await shown()).toEqual(['30 days', 'Loyal']);
    await expect(order(user.id, welcome.id)).rejects.toMatchObject({ code: 'validation' });
  });

  it('to a new user once, also where two orders were made before', async () => {
    const { id, fake } = await shop.add('stripe');
    const [one, two] = [await make('Welcome', 'new'), await make('Hello', 'new')];
    const user = await makeUser();
    const [first, second] = [await order(user.id, one.id), await order(user.id, two.id)];
    await shop.panel().act('openOrder', { id: first.id, provider_id: id, email: 'buyer@example.com' });
    fake.pay(shop.getInvoiceToken(first.id));
    expect(await shop.pollOrder(first.id)).toMatchObject({ state: 'paid' });
    await expect(
      shop.panel().act('openOrder', { id: second.id, provider_id: id, email: 'buyer@example.com' }),
    ).rejects.toMatchObject({
      code: 'order_ended',
    });
    expect(await read(second.page_url ?? '')).toContain('This order cannot be paid at the moment.');
  });
});

it('is followed to what it led to: trials that became sales, income by method, and users who did not renew', async () => {
  const { id } = await makeTrial();
  const [tried, bought, again, gone] = [await makeUser(), await makeUser(), await makeUser(), await makeUser()];
  await order(tried.id, id);
  await order(bought.id, id);
  // Bought before the sums begin: what counts is that the term ends within them.
  for (const { id: user } of [again, gone]) await payByHand(user, shop.offerId, `early-payment-${user}`);
  await shop.panel().act('updateUser', { id: gone.id, expires_at: '2026-12-20T00:00:00Z' });
  await shop.panel().act('updateUser', { id: tried.id, expires_at: '2026-12-20T00:00:00Z' });
  shop.clock.advance(35 * DAY);
  const sums = () => shop.panel().act('getSales', { days: 7 });
  expect(await sums()).toMatchObject({ trials: { taken: 0, bought: 0 }, churn: { lost: 1, kept: 0 }, methods: [] });
  await payByHand(bought.id, shop.offerId, 'first-of-bought');
  await payByHand(again.id, shop.offerId, 'payment-again-1');
  await payByHand(again.id, shop.offerId, 'payment-again-2');
  expect(await sums()).toMatchObject({
    renewals: 2,
    churn: { lost: 1, kept: 1 },
    methods: [{ method: 'cash', currency: 'EUR', amount: 1497, orders: 3 }],
  });
  expect(await shop.panel().act('getSales', { days: 90 })).toMatchObject({ trials: { taken: 2, bought: 1 } });
});
