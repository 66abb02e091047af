// A month of each provider against what is recorded here: equal where nothing is odd, and each odd payment named where something is.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PROVIDER_KINDS } from '../../src/contract/sales/providers.ts';
import { PASSWORD } from '../support/panel.ts';
import { openShop, type Shop } from '../support/shop.ts';

const HOUR = 3_600_000;
const MONTH = '2026-11';

let folder = '';
let shop: Shop;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-reconcile-'));
  shop = await openShop(folder);
});
afterEach(async () => {
  await shop[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const compare = (provider_id: number, month = MONTH) => shop.panel().act('reconcilePayments', { provider_id, month });

it.each(PROVIDER_KINDS)('%s: finds what came and was not read yet, and then no difference', async (kind) => {
  const { id, fake } = await shop.add(kind);
  const [first, second] = [await shop.open(id), await shop.open(id)];
  await shop.open(id);
  for (const { id: order } of [first, second]) fake.pay(shop.getInvoiceToken(order));
  const reply = await compare(id);
  const { amount, currency } = await shop.order(first.id);
  expect(reply).toMatchObject({
    whole: true,
    sums: [{ currency, theirs: 2 * amount, ours: 2 * amount, payments: 2 }],
    differences: [],
    foreign: [],
  });
  for (const { id: order } of [first, second]) expect(await shop.order(order)).toMatchObject({ state: 'paid' });
  expect(await compare(id, '2026-10')).toMatchObject({ sums: [], differences: [] });
});

it('names what is not given, given back there, given back here, and what this panel did not ask for', async () => {
  const { id, fake } = await shop.add('yookassa');
  const orders = [await shop.open(id), await shop.open(id), await shop.open(id), await shop.open(id)] as const;
  const [waits, backThere, backBoth, fine] = orders;
  await shop.panel().act('updateUser', { id: waits.user?.id ?? 0, expires_at: null });
  for (const { id: order } of orders) fake.pay(shop.getInvoiceToken(order));
  await compare(id);
  fake.refund(shop.getInvoiceToken(backThere.id));
  await shop.panel().act('refundOrder', { id: backBoth.id, password: PASSWORD });
  const [paid] = fake.invoices;
  if (paid) fake.invoices.push({ ...paid, id: '2d-99', token: 'another program', amount: '10.00' });
  shop.clock.advance(HOUR);
  const { sums, differences, foreign } = await compare(id);
  const { amount, currency } = await shop.order(fine.id);
  expect(sums).toEqual([{ currency, theirs: 2 * amount, ours: 2 * amount, payments: 4 }]);
  expect(differences.map(({ reason, order_id }) => [reason, order_id])).toEqual([
    ['unapplied', waits.id],
    ['refunded_there', backThere.id],
  ]);
  expect(differences[0]).toMatchObject({ theirs: { amount, currency }, ours: { amount: 0, currency } });
  expect(foreign).toEqual([{ currency: 'RUB', amount: 1000, payments: 1 }]);
  // What differs is what waits for a person.
  expect((await shop.panel().act('listAttention', {})).items.map(({ order_id }) => order_id).sort()).toEqual([
    waits.id,
    backThere.id,
  ]);
});

it('asks for payments that the list shows no more, and says what it cannot see', async () => {
  const { id, fake } = await shop.add('stripe');
  const order = await shop.open(id);
  fake.pay(shop.getInvoiceToken(order.id));
  await shop.pollOrder(order.id);
  shop.clock.advance(40 * 24 * HOUR);
  const [listed] = fake.invoices;
  fake.fail('/v1/events', 'garbage');
  await expect(compare(id)).rejects.toMatchObject({ code: 'provider_failed' });
  const reply = await compare(id);
  expect(reply).toMatchObject({ whole: false, differences: [], sums: [{ theirs: 499, ours: 499 }] });
  // The account was emptied at the provider.
  fake.invoices.splice(fake.invoices.indexOf(listed as NonNullable<typeof listed>), 1);
  expect((await compare(id)).differences).toMatchObject([
    { reason: 'missing_there', order_id: order.id, theirs: null },
  ]);
  await expect(compare(id, '2027-05')).rejects.toMatchObject({ errors: [{ pointer: '#/month' }] });
});
