// What providers report by themselves: a hint that has them asked at once, and nothing more, whoever sends it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Stripe from 'stripe';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { FakeProvider } from '../support/providers/fake.ts';
import { exchangeRaw, requestText } from '../support/raw-socket.ts';
import { openShop, type Shop } from '../support/shop.ts';

const KINDS = ['crypto_pay', 'yookassa', 'stripe', 'heleket'] as const;

let folder = '';
let shop: Shop;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-hooks-'));
  shop = await openShop(folder);
});
afterEach(async () => {
  await shop[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function enableHook(id: number): Promise<string> {
  return (await shop.panel().act('setProviderHook', { id, enabled: true })).hook_url ?? '';
}

async function report(url: string, { raw, headers }: ReturnType<FakeProvider['hook']>): Promise<number> {
  return (await fetch(url, { method: 'POST', headers, body: raw })).status;
}

const attention = async () => (await shop.panel().act('listAttention', {})).items;

it.each(KINDS)('%s: a report has the order asked about at once, and once', async (kind) => {
  const { id, fake } = await shop.add(kind);
  const url = await enableHook(id);
  expect(url).toMatch(/\/sub\/hook\/[\w-]{32}$/);
  const order = await shop.open(id);
  await shop.turn();
  const token = shop.getInvoiceToken(order.id);
  fake.pay(token);
  await shop.turn();
  expect(await shop.order(order.id)).toMatchObject({ state: 'open' });

  expect(await report(url, shop.hookFrom(fake, token))).toBe(200);
  await shop.turn();
  expect(await shop.order(order.id)).toMatchObject({ state: 'paid', method: kind });
  const asked = fake.requests.length;
  for (let time = 0; time < 5; time++) expect(await report(url, shop.hookFrom(fake, token))).toBe(200);
  await shop.turn();
  expect(fake.requests).toHaveLength(asked);
});

it('an order that had ended is asked about again, however old', async () => {
  const { id, fake } = await shop.add('yookassa');
  const url = await enableHook(id);
  const order = await shop.open(id);
  const token = shop.getInvoiceToken(order.id);
  fake.expire(token);
  await shop.pollOrder(order.id);
  expect(await shop.order(order.id)).toMatchObject({ state: 'expired' });
  // Its list is read from three days ago.
  shop.clock.advance(20 * 24 * 3_600_000);
  await shop.turn();
  expect(await report(url, shop.hookFrom(fake, token))).toBe(200);
  await shop.turn();
  expect(await shop.order(order.id)).toMatchObject({ state: 'expired' });
  fake.pay(token);
  shop.clock.advance(3_700_000);
  await shop.turn();
  expect(await shop.order(order.id)).toMatchObject({ state: 'expired' });
  expect(await report(url, shop.hookFrom(fake, token))).toBe(200);
  await shop.turn();
  expect(await shop.order(order.id)).toMatchObject({ state: 'paid' });
});

it('what is no payment to ask about has the list read, at most once a minute', async () => {
  const { id, fake } = await shop.add('yookassa');
  const url = await enableHook(id);
  const order = await shop.open(id);
  const token = shop.getInvoiceToken(order.id);
  fake.pay(token);
  await shop.pollOrder(order.id);
  await shop.turn();
  shop.clock.advance(120_000);
  fake.refund(token);
  await shop.turn();
  expect(await attention()).toEqual([]);
  expect(await report(url, shop.hookFrom(fake, token))).toBe(200);
  await shop.turn();
  expect(await attention()).toMatchObject([{ reason: 'refunded', order_id: order.id }]);
});

it('what comes within a minute of a reading is read when the minute is over', async () => {
  const { id, fake } = await shop.add('yookassa');
  const url = await enableHook(id);
  const order = await shop.open(id);
  const token = shop.getInvoiceToken(order.id);
  fake.pay(token);
  await shop.pollOrder(order.id);
  await shop.turn();
  const asked = fake.requests.length;
  shop.clock.advance(20_000);
  fake.refund(token);
  for (let time = 0; time < 3; time++) expect(await report(url, shop.hookFrom(fake, token))).toBe(200);
  await shop.turn();
  expect(fake.requests).toHaveLength(asked);
  shop.clock.advance(30_000);
  expect(await report(url, shop.hookFrom(fake, token))).toBe(200);
  await shop.turn();
  expect(fake.requests).toHaveLength(asked);
  shop.clock.advance(11_000);
  await shop.turn();
  expect(await attention()).toMatchObject([{ reason: 'refunded', order_id: order.id }]);
});

it('stripe: what is signed and names no session has the list read', async () => {
  const { id, fake } = await shop.add('stripe');
  const url = await enableHook(id);
  const order = await shop.open(id);
  const token = shop.getInvoiceToken(order.id);
  fake.pay(token);
  await shop.pollOrder(order.id);
  await shop.turn();
  shop.clock.advance(120_000);
  fake.refund(token);
  const object = { id: 'dp_1', object: 'dispute', payment_intent: 'pi_1', metadata: {} };
  const raw = JSON.stringify({ id: 'evt_2', type: 'charge.dispute.created', data: { object } });
  const secret = fake.fields.webhook_secret ?? '';
  const timestamp = Math.floor(shop.clock.now() / 1000);
  const signature = Stripe.webhooks.generateTestHeaderString({ payload: raw, secret, timestamp });
  expect(await report(url, { raw, headers: { 'stripe-signature': signature } })).toBe(200);
  await shop.turn();
  expect(await attention()).toMatchObject([{ reason: 'refunded', order_id: order.id }]);
});

it.each(['crypto_pay', 'stripe', 'heleket'] as const)('%s: what it has not signed is refused', async (kind) => {
  const { id, fake } = await shop.add(kind);
  const url = await enableHook(id);
  const order = await shop.open(id);
  await shop.turn();
  const { raw, headers } = shop.hookFrom(fake, shop.getInvoiceToken(order.id));
  const asked = fake.requests.length;
  expect(await report(url, { raw: raw.replace(/"(?=[^"]*"[^"]*$)/, '"x'), headers })).toBe(400);
  expect(await report(url, { raw: '', headers })).toBe(400);
  if (kind !== 'heleket') expect(await report(url, { raw, headers: {} })).toBe(400);
  await shop.turn();
  expect(fake.requests).toHaveLength(asked);
});

it('a report without an order, of any size and kind, is never answered with a failure', async () => {
  const { id } = await shop.add('yookassa');
  const url = await enableHook(id);
  for (const body of ['null', '[]', '{}', '{"object":{"id":5}}', '\u0000', 'x'.repeat(60_000)])
    expect(await report(url, { raw: body, headers: {} }), body.slice(0, 20)).toBe(400);
  expect(await report(url, { raw: 'x'.repeat(70_000), headers: {} })).toBe(413);
  await shop.restart({ rateLimit: { perMinute: 300, burst: 100 } });
  const path = new URL(url).pathname;
  const present = `http://127.0.0.1:${shop.panel().port}${path}`;
  const answers = [];
  for (let time = 0; time < 62; time++) answers.push(await report(present, { raw: '{}', headers: {} }));
  expect(answers.slice(0, 60).every((status) => status === 400)).toBe(true);
  expect(answers.at(-1)).toBe(429);
});

it('is off at first, has another address each time it is turned on, and is not there for strangers', async () => {
  const { id, fake } = await shop.add('crypto_pay');
  expect((await shop.panel().act('listProviders', {})).items[0]).toMatchObject({ hook_url: null });
  const first = await enableHook(id);
  await shop.panel().act('setProviderHook', { id, enabled: false });
  const second = await enableHook(id);
  expect(second).not.toBe(first);
  const stars = await shop.add('stars');
  await expect(shop.panel().act('setProviderHook', { id: stars.id, enabled: true })).rejects.toMatchObject({
    code: 'validation',
  });
  const order = await shop.open(id);
  const { raw } = fake.hook(shop.getInvoiceToken(order.id));
  const target = { host: '127.0.0.1', port: shop.panel().port };
  const exchangeLine = (line: string, body = '') =>
    exchangeRaw(target, requestText(`${line} HTTP/1.1`, ['Host: 127.0.0.1', `Content-Length: ${body.length}`], body));
  const constant = await exchangeLine('GET /nothing');
  const { pathname } = new URL(second);
  for (const line of [
    `POST ${new URL(first).pathname}`,
    `POST /sub/hook/${'A'.repeat(32)}`,
    `GET ${pathname}`,
    `PUT ${pathname}`,
    `POST ${pathname}/`,
    `POST ${pathname.replace('/sub/', '/other/')}`,
  ])
    expect(await exchangeLine(line, line.startsWith('POST') ? raw : ''), line).toBe(constant);
});
