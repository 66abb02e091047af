// What the administrator sells while the panel is killed: payments recorded by hand, and every fourth request a refund of the last one.
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import type { Order } from '../../src/contract/sales/sales.ts';
import { createLane, type PanelLane } from './panel-lanes.ts';
import { body, PASSWORD, type Target } from './target.ts';

const DAY = 86_400_000;
const TERM_END = Date.parse('2030-01-01T00:00:00Z');
const PRICE = { amount: 499, currency: 'EUR' };
const REFUND_EVERY = 4;

/** An order as it must be listed. Its key is its note as well. */
interface Sale {
  readonly id: number;
  readonly key: string;
  readonly state: Order['state'];
}

/** A payment under a new key, or the refund of an order. */
type SaleRequest = { readonly key: string } | { readonly refunded: Sale };

export interface SalesLane extends PanelLane {
  /** Each order, and each refund, stands once in the feed of events and once in the audit log. */
  requireTraces(): void;
}

/** Payments of one user from kill to kill, who is extended by a day for each: his term ends by as many days later as orders are paid. */
export async function salesLane(target: Target): Promise<SalesLane> {
  const plan = await body(target.operate('createTariff', { name: 'Sales' }));
  const offered = { tariff_id: plan.id, name: 'Day', sold: { kind: 'days' as const, days: 1 }, prices: [PRICE] };
  const offer = await body(target.operate('createOffer', { ...offered, on_sale: true }));
  const expires_at = new Date(TERM_END).toISOString();
  const makeBuyer = async () =>
    (await body(target.operate('createUser', { name: 'Buyer', tariff_id: plan.id, expires_at }))).id;
  // Three other lanes give the password with each call, and a fourth at once would be slowed down.
  const prove = () => body(target.operate('prove', { password: PASSWORD }));

  const verified: Sale[] = [];
  let sales: Sale[] = [];
  let buyer = await makeBuyer();
  let number = 0;
  let pending: SaleRequest = { key: '' };
  await prove();

  const send = (request: SaleRequest) =>
    'key' in request
      ? target.operate('recordPayment', {
          key: request.key,
          note: request.key,
          user_id: buyer,
          offer_id: offer.id,
          method: 'cash',
          ...PRICE,
        })
      : target.operate('refundOrder', { id: request.refunded.id });
  /** The sales once `request` is done, of which this is the order. */
  const applyRequest = (request: SaleRequest, { id }: { readonly id: number }): Sale[] =>
    'key' in request
      ? [...sales, { id, key: request.key, state: 'paid' }]
      : sales.map((sale) => (sale.id === request.refunded.id ? { ...sale, state: 'refunded' } : sale));

  async function listed(): Promise<Sale[]> {
    const orders: Order[] = [];
    for (let before: number | undefined; ; ) {
      const page = await body(target.operate('listOrders', { user_id: buyer, limit: 500, before }));
      orders.push(...page.items);
      if (page.next_before === null) break;
      before = page.next_before;
    }
    return orders.map(({ id, note, state }) => ({ id, key: note, state })).reverse();
  }
  async function requireSales(when: string): Promise<void> {
    expect(await listed(), `sales ${when}`).toEqual(sales);
    const days = sales.filter(({ state }) => state === 'paid').length;
    const user = await body(target.operate('getUser', { id: buyer }));
    expect(user.expires_at, `the end of the term ${when}`).toBe(new Date(TERM_END + days * DAY).toISOString());
  }
  /** Whether the request that a kill met is there. */
  async function isDone(request: SaleRequest): Promise<boolean> {
    const found = await listed();
    const order = found.find(({ id, key }) => ('key' in request ? key === request.key : id === request.refunded.id));
    if (order === undefined || !('key' in request || order.state === 'refunded')) return false;
    sales = applyRequest(request, order);
    return true;
  }
  /** Twice at once: a payment is answered with its one order, a refund is made once. */
  async function repeat(request: SaleRequest, wasThere: boolean): Promise<void> {
    const answers = await Promise.all([send(request), send(request)]);
    const done = answers.filter(({ status }) => status < 300);
    if ('key' in request) {
      expect(new Set(done.map((answer) => answer.body.id)).size, `${request.key}: one order`).toBe(1);
      expect(done.length, `${request.key}, repeated`).toBe(2);
    } else {
      expect(done.length, 'a refund, repeated').toBe(wasThere ? 0 : 1);
      const refused = answers.filter(({ status }) => status >= 300);
      for (const { problem } of refused) expect(problem.detail).toBe('order_refunded');
    }
    const [first] = done;
    if (!wasThere && first) sales = applyRequest(request, first.body);
  }

  const lane = createLane(
    'sales',
    async () => {
      number += 1;
      const last = sales.at(-1);
      pending =
        number % REFUND_EVERY === 0 && last?.state === 'paid' ? { refunded: last } : { key: `payment ${number}` };
      sales = applyRequest(pending, await body(send(pending)));
    },
    async (isPending) => {
      await prove();
      const wasThere = isPending && (await isDone(pending));
      await requireSales('after the kill');
      if (isPending) {
        await repeat(pending, wasThere);
        await requireSales('after the repetition');
      }
      if (sales.length > 0) {
        verified.push(...sales);
        sales = [];
        buyer = await makeBuyer();
      }
      return wasThere;
    },
  );
  return {
    ...lane,
    requireTraces() {
      const refunded = verified.filter(({ state }) => state === 'refunded');
      const traces = (paid: string, refund: string) =>
        [...verified.map(({ id }) => `${paid} ${id}`), ...refunded.map(({ id }) => `${refund} ${id}`)].toSorted();
      const db = new Database(target.database, { readonly: true });
      const column = (query: string) => db.prepare<[], string>(query).pluck().all().toSorted();
      try {
        const audited = `SELECT action || ' ' || (detail ->> 'order_id') FROM audit
          WHERE action IN ('recordPayment', 'refundOrder') AND outcome = 'done'`;
        expect(column(audited), 'audit rows').toEqual(traces('recordPayment', 'refundOrder'));
        const inFeed = `SELECT type || ' ' || (data ->> 'order_id') FROM events
          WHERE data ->> 'order_id' IN (SELECT id FROM orders WHERE method = 'cash')`;
        expect(column(inFeed), 'events').toEqual(traces('user.extended', 'user.shortened'));
      } finally {
        db.close();
      }
    },
  };
}
