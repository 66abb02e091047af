// What users buy at providers while the panel is killed: an order is made, opened, paid and asked about, and a kill comes at any of these.
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import type { FakeProvider } from '../support/providers/fake.ts';
import { openStripe } from '../support/providers/stripe.ts';
import { openYookassa } from '../support/providers/yookassa.ts';
import { createLane, type PanelLane } from './panel-lanes.ts';
import { body, PASSWORD, type Target } from './target.ts';

const DAY = 86_400_000;
const TERM_END = Date.parse('2030-01-01T00:00:00Z');
const PRICES = [
  { amount: 499, currency: 'EUR' },
  { amount: 45_000, currency: 'RUB' },
];
/** Then comes another user: one may make only so many orders an hour. */
const ORDERS_EACH = 10;
/** A provider is asked again within seconds of the panel's start. */
const PATIENCE_MS = 60_000;

export interface BuyingLane extends PanelLane, AsyncDisposable {
  /** Each payment stands once in the feed of events and once in the audit log. */
  requireTraces(): void;
}

/** Users buy a day at a time, by turns at two providers. What the providers hold is the truth: a term ends by a day later for each payment there. */
export async function buyingLane(target: Target): Promise<BuyingLane> {
  const plan = await body(target.operate('createTariff', { name: 'Shop' }));
  const sold = { kind: 'days', days: 1 } as const;
  const offered = { tariff_id: plan.id, name: 'Day', sold, prices: PRICES, on_sale: true };
  const offer = await body(target.operate('createOffer', offered));
  const buyers: number[] = [];
  await body(target.operate('updateSettings', { selling: true }));
  const fakes: readonly FakeProvider[] = [await openStripe(), await openYookassa()];
  const ids: number[] = [];
  for (const { kind, fields, root } of fakes) {
    const account = { kind, name: kind, fields, api_root: root, allow_private: true, password: PASSWORD };
    ids.push((await body(target.operate('createProvider', account))).id);
  }
  let number = 0;

  const paid = () => fakes.flatMap(({ invoices }) => invoices).filter(({ state }) => state === 'paid').length;
  const countPaid = async (user_id: number): Promise<number> => {
    const { items } = await body(target.operate('listOrders', { user_id, limit: 500 }));
    return items.filter(({ state }) => state === 'paid').length;
  };

  async function buy(): Promise<void> {
    if (number % ORDERS_EACH === 0) {
      const expires_at = new Date(TERM_END).toISOString();
      buyers.push((await body(target.operate('createUser', { name: 'Buyer', tariff_id: plan.id, expires_at }))).id);
    }
    number += 1;
    const at = number % fakes.length;
    const { id } = await body(target.operate('createOrder', { user_id: buyers.at(-1) ?? 0, offer_id: offer.id }));
    const order = await body(
      target.operate('openOrder', { id, provider_id: ids[at] ?? 0, email: 'buyer@example.com' }),
    );
    const invoice = fakes[at]?.invoices.find((one) => one.id === order.reference);
    if (!invoice) throw new Error(`order ${id} was opened nowhere`);
    fakes[at]?.pay(invoice.token);
    for (const until = Date.now() + PATIENCE_MS; ; ) {
      if ((await body(target.operate('askOrder', { id }))).state === 'paid') return;
      expect(Date.now(), `order ${id} is never paid`).toBeLessThan(until);
      await wait(500);
    }
  }

  /** Everything that was paid is applied, once, sooner or later. */
  async function requireApplied(): Promise<void> {
    // Not by `expect.poll`, which works in vitest alone: `npm run torture` is a program of its own.
    for (const until = Date.now() + PATIENCE_MS; ; ) {
      const counts = await Promise.all(buyers.map(countPaid));
      if (counts.reduce((sum, count) => sum + count, 0) === paid()) break;
      expect(Date.now(), 'what was paid is never applied').toBeLessThan(until);
      await wait(500);
    }
    for (const id of buyers) {
      const { expires_at } = await body(target.operate('getUser', { id }));
      expect(expires_at, 'the end of the term').toBe(new Date(TERM_END + (await countPaid(id)) * DAY).toISOString());
    }
    expect((await body(target.operate('listAttention', {}))).items, 'payments to decide about').toEqual([]);
    // One order never has two invoices at a provider, however often it was opened.
    for (const { invoices } of fakes) expect(new Set(invoices.map(({ token }) => token)).size).toBe(invoices.length);
  }

  const lane = createLane('bought at providers', buy, async (isPending) => {
    const before = paid();
    await requireApplied();
    if (isPending) {
      await buy();
      lane.tally.acknowledged += 1;
    }
    await requireApplied();
    return isPending && paid() > before;
  });
  return {
    ...lane,
    requireTraces() {
      const db = new Database(target.database, { readonly: true });
      const count = (query: string) => db.prepare<[], number>(query).pluck().get();
      try {
        expect(count(`SELECT count(*) FROM audit WHERE action = 'takePayment'`), 'audit rows').toBe(paid());
        const inFeed = `SELECT count(*) FROM events WHERE type = 'user.extended' AND data ->> 'user_id' IN (${buyers.join()})`;
        expect(count(inFeed), 'events').toBe(paid());
      } finally {
        db.close();
      }
    },
    async [Symbol.asyncDispose]() {
      for (const fake of fakes) await fake[Symbol.asyncDispose]();
    },
  };
}
