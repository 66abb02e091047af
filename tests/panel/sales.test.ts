// The shop as the administrator runs it: offers and the price of their plan, payments by hand, and refunds that leave no trace on the user.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventType } from '../../src/contract/event-types.ts';
import type { CallOf } from '../../src/contract/operation.ts';
import type { OPERATIONS } from '../../src/contract/table.ts';
import { createTestClock } from '../support/clock.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';
import { sampleNode } from '../support/temp-store.ts';

const DAY = 86_400_000;
const EUR = { amount: 499, currency: 'EUR' };
const STARS = { amount: 250, currency: 'XTR' };

const clock = createTestClock(Date.parse('2026-11-20T10:00:00Z'));
let panel: TestPanel;
let tariffId = 0;
let month = 0;
let pack = 0;
beforeAll(async () => {
  panel = await startPanel({ clock });
  const tariff = await panel.act('createTariff', { name: 'Monthly', duration: { months: 1 }, traffic_limit: 10_000 });
  tariffId = tariff.id;
  month = await offer({ name: 'Month', sold: { kind: 'months', months: 1 }, prices: [EUR, STARS] });
  pack = await offer({ name: '5 GB', sold: { kind: 'traffic', bytes: 5000, lifetime: 'used' }, prices: [EUR] });
});
afterAll(() => panel.stop());

type NewOffer = Omit<CallOf<(typeof OPERATIONS)['createOffer']>, 'tariff_id'>;

async function offer(input: NewOffer): Promise<number> {
  return (await panel.act('createOffer', { tariff_id: tariffId, on_sale: true, ...input })).id;
}

const makeUser = async (more: object = {}) =>
  (await panel.act('createUser', { name: 'Anna', tariff_id: tariffId, ...more })).id;

let keys = 0;
type Payment = Partial<CallOf<(typeof OPERATIONS)['recordPayment']>>;
function pay(userId: number, offerId: number, more: Payment = {}) {
  keys += 1;
  const key = `payment-${keys}`;
  return panel.act('recordPayment', { key, user_id: userId, offer_id: offerId, method: 'cash', ...EUR, ...more });
}

/** The record without what every change moves. */
async function readRecord(id: number) {
  const { updated_at: _moved, ...user } = await panel.act('getUser', { id });
  return user;
}

function lastEvent(type: EventType): unknown {
  const data = panel.store.events.after(0, 500, [type]).at(-1)?.data;
  return data === undefined ? undefined : JSON.parse(data);
}

describe('an offer', () => {
  it('gives its plan the first price of the first term, and takes the price that the plan is given', async () => {
    const plan = await panel.act('createTariff', { name: 'Priced', price: { amount: 100, currency: 'USD' } });
    const read = async () => (await panel.act('getTariff', { id: plan.id })).price;
    const offers = async () => (await panel.act('listOffers', { tariff_id: plan.id })).items;
    const base = { tariff_id: plan.id, name: 'A' };
    await panel.act('createOffer', { ...base, sold: { kind: 'traffic_days', bytes: 5, days: 3 }, prices: [STARS] });
    expect(await read()).toEqual({ amount: 100, currency: 'USD' });
    const first = await panel.act('createOffer', {
      ...base,
      sold: { kind: 'days', days: 30 },
      prices: [EUR, STARS],
      on_sale: true,
    });
    expect(await read()).toEqual(EUR);
    await panel.act('createOffer', { ...base, sold: { kind: 'days', days: 90 }, prices: [STARS] });
    expect(await read()).toEqual(EUR);
    await panel.full.call('updateTariff', { id: plan.id, price: { amount: 599 } });
    expect((await offers())[1]).toMatchObject({ prices: [{ amount: 599, currency: 'EUR' }, STARS], on_sale: true });
    await panel.act('changeOffer', { id: first.id, prices: [STARS] });
    expect(await read()).toEqual(STARS);
    await panel.full.call('updateTariff', { id: plan.id, price: null });
    expect((await offers())[1]).toMatchObject({ prices: [], on_sale: false });
    await panel.act('deleteOffer', { id: first.id });
    expect(await read()).toEqual(STARS);
    await panel.act('deleteTariff', { id: plan.id });
    expect(await offers()).toEqual([]);
  });

  it('is on sale only with a price, and not at first', async () => {
    const sold = { kind: 'days', days: 1 } as const;
    const made = await panel.act('createOffer', { tariff_id: tariffId, name: 'Day', sold });
    expect(made).toMatchObject({ on_sale: false, prices: [] });
    await expect(panel.act('changeOffer', { id: made.id, on_sale: true })).rejects.toMatchObject({
      code: 'validation',
      errors: [{ pointer: '#/prices', code: 'inconsistent' }],
    });
    const user = await makeUser();
    await expect(pay(user, made.id)).rejects.toMatchObject({ errors: [{ pointer: '#/offer_id' }] });
    await panel.act('deleteOffer', { id: made.id });
  });

  it('sells no devices, which nothing counts', async () => {
    const sold = { kind: 'devices', devices: 1, min_days: 7 } as unknown as NewOffer['sold'];
    const refused = { code: 'validation', errors: [{ pointer: '#/sold/kind' }] };
    await expect(offer({ name: 'One more device', sold, prices: [EUR] })).rejects.toMatchObject(refused);
    await expect(panel.act('changeOffer', { id: pack, sold })).rejects.toMatchObject(refused);
  });

  it('has no currency twice, and belongs to a plan', async () => {
    const made = { name: 'Twice', sold: { kind: 'days', days: 1 } } as const;
    await expect(offer({ ...made, prices: [EUR, EUR] })).rejects.toMatchObject({ code: 'validation' });
    await expect(panel.act('createOffer', { tariff_id: 9999, ...made })).rejects.toMatchObject({
      code: 'tariff_not_found',
    });
  });
});

describe('a payment by hand', () => {
  it('extends the term in the same transaction, with the order in the event and the history', async () => {
    const user = await makeUser({ expires_at: '2026-12-01T10:00:00Z' });
    const order = await pay(user, month, { method: 'transfer', reference: 'RF1', note: 'Thanks', ...STARS });
    expect(order).toMatchObject({
      user: { id: user, name: 'Anna' },
      offer: 'Month',
      tariff: 'Monthly',
      ...STARS,
      method: 'transfer',
      reference: 'RF1',
      state: 'paid',
      renewal: false,
      paid_at: '2026-11-20T10:00:00.000Z',
    });
    expect(await readRecord(user)).toMatchObject({ expires_at: '2027-01-01T10:00:00.000Z' });
    expect(lastEvent('user.extended')).toMatchObject({ user_id: user, months: 1, order_id: order.id });
    const [entry] = (await panel.act('listAudit', { target: `user:${user}`, limit: 1 })).items;
    expect(entry).toMatchObject({ action: 'recordPayment', detail: { order_id: order.id, offer: 'Month', ...STARS } });
    expect(await pay(user, month)).toMatchObject({ renewal: true });
  });

  it('gives once under one key, however often it is repeated', async () => {
    const user = await makeUser({ expires_at: '2026-12-01T10:00:00Z' });
    const again = { key: 'the-very-same' };
    const orders = await Promise.all([1, 2, 3].map(() => pay(user, month, again)));
    expect(new Set(orders.map(({ id }) => id)).size).toBe(1);
    expect(await readRecord(user)).toMatchObject({ expires_at: '2027-01-01T10:00:00.000Z' });
    await expect(pay(user, month, { ...again, amount: 1 })).rejects.toMatchObject({ code: 'idempotency_mismatch' });
  });

  it('is refused twice under one reference, and gives nothing then', async () => {
    const user = await makeUser();
    const transfer = { method: 'transfer', reference: 'RF2' } as const;
    await pay(user, month, transfer);
    const before = await readRecord(user);
    await expect(pay(user, month, transfer)).rejects.toMatchObject({ code: 'payment_recorded' });
    expect(await readRecord(user)).toEqual(before);
    await pay(user, month, { method: 'cash', reference: 'RF2' });
  });

  it('is refused where there is nothing to sell', async () => {
    const other = await panel.act('createTariff', { name: 'Other' });
    const endless = await makeUser({ expires_at: null });
    const elsewhere = (await panel.act('createUser', { name: 'Boris', tariff_id: other.id })).id;
    await expect(pay(endless, month)).rejects.toMatchObject({ code: 'term_unlimited' });
    await expect(pay(elsewhere, month)).rejects.toMatchObject({ errors: [{ pointer: '#/offer_id' }] });
    await expect(pay(elsewhere, 9999)).rejects.toMatchObject({ errors: [{ pointer: '#/offer_id' }] });
    await expect(pay(9999, month)).rejects.toMatchObject({ code: 'not_found' });
    const future = { paid_at: '2026-11-21T10:00:00Z' };
    await expect(pay(await makeUser(), month, future)).rejects.toMatchObject({ errors: [{ pointer: '#/paid_at' }] });
    expect((await panel.act('listOrders', { user_id: endless })).total).toBe(0);
  });
});

describe('a refund', () => {
  it.each([
    ['of a term that runs', { expires_at: '2026-12-01T10:00:00Z' }],
    ['of a term that had ended', { expires_at: '2026-11-01T10:00:00Z', reset_strategy: 'period' }],
  ])('%s brings the user back to the record before, as the preview says', async (_, more) => {
    const user = await makeUser(more);
    const before = await readRecord(user);
    const order = await pay(user, month);
    expect(await readRecord(user)).not.toEqual(before);
    const seen = await panel.act('previewRefund', { id: order.id });
    expect(seen).toMatchObject({ expires_at: { to: before.expires_at }, nothing: false });
    expect(await panel.act('refundOrder', { id: order.id, note: 'Twice' })).toMatchObject({
      state: 'refunded',
      refund_note: 'Twice',
    });
    expect(await readRecord(user)).toEqual(before);
    expect(lastEvent('user.shortened')).toMatchObject({ user_id: user, order_id: order.id });
    await expect(panel.act('refundOrder', { id: order.id })).rejects.toMatchObject({ code: 'order_refunded' });
    await expect(panel.act('previewRefund', { id: order.id })).rejects.toMatchObject({ code: 'order_refunded' });
    expect(await readRecord(user)).toEqual(before);
  });

  it('of a first use that has not come brings the hold back', async () => {
    const plan = await panel.act('createTariff', { name: 'Held', duration: { months: 1 }, starts: 'on_first_use' });
    const sold = { kind: 'days', days: 10 } as const;
    const days = await panel.act('createOffer', { tariff_id: plan.id, name: 'D', sold, prices: [EUR], on_sale: true });
    const user = (await panel.act('createUser', { name: 'Clara', tariff_id: plan.id })).id;
    const before = await readRecord(user);
    const order = await pay(user, days.id);
    expect(await panel.act('previewRefund', { id: order.id })).toMatchObject({ hold: { months: 1, days: 0 } });
    await panel.act('refundOrder', { id: order.id });
    expect(await readRecord(user)).toEqual(before);
  });

  it('of traffic says nothing of a term, also of one that has not begun', async () => {
    const plan = await panel.act('createTariff', { name: 'Held', duration: { months: 1 }, starts: 'on_first_use' });
    const sold = { kind: 'traffic', bytes: 5000, lifetime: 'used' } as const;
    const held = await panel.act('createOffer', { tariff_id: plan.id, name: 'P', sold, prices: [EUR], on_sale: true });
    for (const made of [
      { tariff_id: plan.id, offer: held.id },
      { tariff_id: tariffId, offer: pack },
    ]) {
      const { id } = await panel.act('createUser', { name: 'Dora', tariff_id: made.tariff_id });
      const order = await pay(id, made.offer);
      expect(await panel.act('previewRefund', { id: order.id })).toMatchObject({
        expires_at: null,
        hold: null,
        bytes: 5000,
        nothing: false,
      });
      const { expires_at, state } = await readRecord(id);
      await panel.act('refundOrder', { id: order.id });
      expect(await readRecord(id)).toMatchObject({ expires_at, state });
    }
  });

  it('of traffic takes what is left of it, and leaves what was used', async () => {
    const user = await makeUser();
    const before = await readRecord(user);
    const first = await pay(user, pack);
    expect(lastEvent('user.granted')).toMatchObject({ user_id: user, bytes: 5000, order_id: first.id });
    expect(await panel.act('previewRefund', { id: first.id })).toMatchObject({ bytes: 5000, bytes_used: 0 });
    await panel.act('refundOrder', { id: first.id });
    expect(await readRecord(user)).toEqual(before);
    const second = await pay(user, pack);
    const moved = { up: 12_000, down: 0 };
    const nodeId = panel.store.nodes.insert(sampleNode({ name: 'Node', kind: 'remote' }));
    panel.move({ nodeId, total: moved, users: [{ userId: user, ...moved }], inbounds: [] });
    expect(await panel.act('previewRefund', { id: second.id })).toMatchObject({ bytes: 3000, bytes_used: 2000 });
    await panel.act('refundOrder', { id: second.id });
    expect(await readRecord(user)).toMatchObject({ state: 'limited', traffic_extra: 0 });
  });

  it('of one of many leaves the time of the others', async () => {
    const user = await makeUser({ expires_at: '2026-12-01T10:00:00Z' });
    const first = await pay(user, month);
    await pay(user, month);
    await panel.act('refundOrder', { id: first.id });
    expect(await readRecord(user)).toMatchObject({ expires_at: '2027-01-01T10:00:00.000Z' });
  });

  it('of a user who was deleted changes no user, and the order stays', async () => {
    const user = await makeUser();
    const order = await pay(user, month);
    await panel.act('deleteUser', { id: user });
    expect(await panel.act('previewRefund', { id: order.id })).toMatchObject({ nothing: true });
    expect(await panel.act('refundOrder', { id: order.id })).toMatchObject({ user: null, user_name: 'Anna' });
  });
});

it('sums what came by currency and day, without what was refunded', async () => {
  clock.advance(400 * DAY);
  const user = await makeUser();
  await pay(user, month, { paid_at: new Date(clock.now() - 2 * DAY).toISOString() });
  await pay(user, month, STARS);
  const refunded = await pay(user, month);
  await panel.act('refundOrder', { id: refunded.id });
  const sales = await panel.act('getSales', { days: 7 });
  expect(sales).toMatchObject({
    orders: 2,
    renewals: 1,
    income: [
      { currency: 'EUR', amount: 499, refunded: 499, orders: 1 },
      { currency: 'XTR', amount: 250, refunded: 0, orders: 1 },
    ],
    days: [
      { currency: 'EUR', amount: 499 },
      { currency: 'XTR', amount: 250 },
    ],
  });
  const page = await panel.act('listOrders', { limit: 2 });
  expect(page.items.map(({ state }) => state)).toEqual(['refunded', 'paid']);
  const rest = await panel.act('listOrders', { before: page.next_before ?? 0, limit: 1, state: 'paid', user_id: user });
  expect(rest.items).toMatchObject([{ ...EUR, renewal: false }]);
});
