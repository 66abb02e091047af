// A shop's life: sales over a network that cuts connections, while the panel is killed twice; then every payment's webhook comes once
// more, after 25 hours, when no Idempotency-Key is known any longer. No sale is lost and none is made twice.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTestClock } from '../support/clock.ts';
import { type Answer, type Client, createClient } from '../support/http-client.ts';
import { startPanel } from '../support/panel.ts';
import { readSeed } from '../support/seed.ts';
import { openCuttingProxy } from './cutting-proxy.ts';
import { createRandom, isCutOff, openTarget, requireSound } from './target.ts';

const SALES = 300;
const CUSTOMERS = 200;
const WORKERS = 6;
/** The panel is killed when so many sales are done. */
const KILLS = [100, 200];
const BYTES = 1_000_000;
const HOUR = 3_600_000;

interface Sale {
  readonly number: number;
  readonly customer: string;
}

const sales = Array.from({ length: SALES }, (_, index): Sale => {
  return { number: index + 1, customer: `customer-${index % CUSTOMERS}` };
});

/** Sends one request, again and again until it is answered. */
type Ask = <Body>(request: (client: Client) => Promise<Answer<Body>>) => Promise<Body>;

/** What the shop does when the provider says that a sale is paid, however often it says so. */
async function deliver(answerQuestion: Ask, tariff_id: number, { number, customer }: Sale): Promise<void> {
  const { id } = await answerQuestion((client) =>
    client.call('putUser', { external_id: customer, name: customer, contact: `@${customer}`, tariff_id }),
  );
  const note = `sale ${number}`;
  const { items } = await answerQuestion((client) => client.call('listGrants', { id, limit: 500 }));
  if (items.some((grant) => grant.note === note)) return;
  const grant = { id, bytes: BYTES, lifetime: 'used', note } as const;
  await answerQuestion((client) => client.call('createGrant', grant, { 'idempotency-key': note }));
}

async function deliverAll(answerQuestion: Ask, tariff_id: number, afterEach: () => void = () => {}): Promise<void> {
  const waiting = [...sales];
  const work = async () => {
    for (let sale = waiting.shift(); sale !== undefined; sale = waiting.shift()) {
      await deliver(answerQuestion, tariff_id, sale);
      afterEach();
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
}

/** Every customer once, with the sales that are theirs, each once. */
async function requireSales(client: Client): Promise<string> {
  const { items, total } = (await client.call('listUsers', { limit: 500, sort: 'id' })).body;
  expect(total).toBe(CUSTOMERS);
  const found: string[] = [];
  for (const { id, external_id, traffic_extra } of items) {
    const grants = (await client.call('listGrants', { id, limit: 500 })).body.items;
    expect(traffic_extra).toBe(grants.length * BYTES);
    found.push(...grants.map(({ note }) => `${external_id} ${note}`));
  }
  expect(found.toSorted()).toEqual(sales.map(({ number, customer }) => `${customer} sale ${number}`).toSorted());
  return JSON.stringify(items.map((user) => [user.id, user.external_id, user.expires_at, user.updated_at]));
}

it('loses no sale and makes none twice', { timeout: 900_000 }, async () => {
  const seed = readSeed('TORTURE_SEED');
  await using target = await openTarget();
  const getPort = () => Number(new URL(target.client().baseUrl).port);
  await using proxy = await openCuttingProxy(getPort, createRandom(seed));
  const { id: tariff } = (
    await target.client().call('createTariff', { name: 'Monthly', duration: { months: 1 }, traffic_limit: 1 })
  ).body;
  const throughProxy = new URL(target.client().baseUrl);
  throughProxy.port = String(proxy.port);
  const shop = createClient({ baseUrl: throughProxy.href, key: target.key, sockets: WORKERS });

  let isUp: Promise<void> = Promise.resolve();
  let repeated = 0;
  const answerQuestion: Ask = async (request) => {
    for (;;) {
      await isUp;
      try {
        const { status, text, body } = await request(shop);
        // The request before this one, whose reply was cut off, still runs.
        const isRunning = status === 409 && text.includes('idempotency_in_flight');
        if (!isRunning) {
          expect(status, text).toBeLessThan(300);
          return body;
        }
      } catch (error) {
        if (!isCutOff(error)) throw error;
        repeated += 1;
      }
    }
  };
  let done = 0;
  await deliverAll(answerQuestion, tariff, () => {
    done += 1;
    if (KILLS.includes(done)) isUp = target.kill().then(() => target.start());
  });
  await isUp;
  expect(proxy.cuts()).toBeGreaterThan(50);
  expect(repeated).toBeGreaterThan(50);
  await requireSales(target.client());
  shop.close();
  await target.stop();
  requireSound(target.database);

  const clock = createTestClock(Date.now() + 25 * HOUR);
  await using later = await startPanel({ clock, folder: join(target.folder, '..') });
  const before = await requireSales(later.full);
  await deliverAll(async (request) => (await request(later.full)).body, tariff);
  expect(await requireSales(later.full)).toBe(before);
});
