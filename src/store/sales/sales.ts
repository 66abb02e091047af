// Offers and orders.

import { PROVIDER_KINDS } from '../../contract/sales/providers.ts';
import type { MethodRow, OfferRow, OrderRow, SalesRow, SalesStore } from '../../core/ports/sales.ts';
import { parseOwnJson } from '../../domain/own-json.ts';
import type { Connection } from '../database.ts';
import { limitTo } from '../statements.ts';

type OfferCells = Omit<OfferRow, 'sold' | 'prices' | 'isOnSale' | 'isTrial'> & {
  readonly sold: string;
  readonly prices: string;
  readonly isOnSale: number;
  readonly isTrial: number;
};

type OrderCells = Omit<OrderRow, 'sold' | 'prices' | 'given' | 'promo' | 'referral' | 'isRenewal'> & {
  readonly sold: string;
  readonly prices: string;
  readonly given: string | null;
  readonly promo: string | null;
  readonly referral: string | null;
  readonly isRenewal: number;
};

const OFFER_COLUMNS =
  'id, tariff_id AS tariffId, name, sold, prices, on_sale AS isOnSale, audience, trial AS isTrial, created_at AS createdAt, updated_at AS updatedAt';

const ORDER_COLUMNS = `id, key, token, user_id AS userId, user_name AS userName, offer_id AS offerId, offer_name AS offerName,
  tariff_id AS tariffId, tariff_name AS tariffName, sold, prices, amount, currency, method, provider_id AS providerId, reference, note, state,
  is_renewal AS isRenewal, given, paid_at AS paidAt, day, created_at AS createdAt, refunded_at AS refundedAt, refund_note AS refundNote, promo, referral`;

function decodeOffer(cells: OfferCells): OfferRow {
  return {
    ...cells,
    sold: parseOwnJson(cells.sold),
    prices: parseOwnJson(cells.prices),
    isOnSale: cells.isOnSale === 1,
    isTrial: cells.isTrial === 1,
  };
}

function encodeOffer<Row extends Omit<OfferRow, 'id'>>(row: Row) {
  return {
    ...row,
    sold: JSON.stringify(row.sold),
    prices: JSON.stringify(row.prices),
    isOnSale: row.isOnSale ? 1 : 0,
    isTrial: row.isTrial ? 1 : 0,
  };
}

function decodeOrder(cells: OrderCells): OrderRow {
  return {
    ...cells,
    sold: parseOwnJson(cells.sold),
    prices: parseOwnJson(cells.prices),
    given: cells.given === null ? null : parseOwnJson(cells.given),
    promo: cells.promo === null ? null : parseOwnJson(cells.promo),
    referral: cells.referral === null ? null : parseOwnJson(cells.referral),
    isRenewal: cells.isRenewal === 1,
  };
}

function encodeOrder(row: OrderRow): OrderCells {
  return {
    ...row,
    sold: JSON.stringify(row.sold),
    prices: JSON.stringify(row.prices),
    given: row.given === null ? null : JSON.stringify(row.given),
    promo: row.promo === null ? null : JSON.stringify(row.promo),
    referral: row.referral === null ? null : JSON.stringify(row.referral),
    isRenewal: row.isRenewal ? 1 : 0,
  };
}

export function createSalesStore(db: Connection): SalesStore {
  const insertOffer = db.prepare<[Omit<OfferCells, 'id'>]>(
    `INSERT INTO offers (tariff_id, name, sold, prices, on_sale, audience, trial, created_at, updated_at)
     VALUES (:tariffId, :name, :sold, :prices, :isOnSale, :audience, :isTrial, :createdAt, :updatedAt)`,
  );
  const offer = db.prepare<[number], OfferCells>(`SELECT ${OFFER_COLUMNS} FROM offers WHERE id = ?`);
  const allOffers = db.prepare<[], OfferCells>(`SELECT ${OFFER_COLUMNS} FROM offers ORDER BY id`);
  const tariffOffers = db.prepare<[number], OfferCells>(
    `SELECT ${OFFER_COLUMNS} FROM offers WHERE tariff_id = ? ORDER BY id`,
  );
  const saveOffer = db.prepare<[OfferCells]>(
    `UPDATE offers SET name = :name, sold = :sold, prices = :prices, on_sale = :isOnSale, audience = :audience,
       trial = :isTrial, updated_at = :updatedAt
     WHERE id = :id`,
  );
  const removeOffer = db.prepare<[number]>('DELETE FROM offers WHERE id = ?');
  const lastOrderId = db.prepare<[], number>(`SELECT seq FROM sqlite_sequence WHERE name = 'orders'`).pluck();
  const insertOrder = db.prepare<[OrderCells]>(
    `INSERT INTO orders (id, key, token, user_id, user_name, offer_id, offer_name, tariff_id, tariff_name, sold, prices, amount, currency,
       method, provider_id, reference, note, state, is_renewal, given, paid_at, day, created_at, refunded_at, refund_note, promo, referral)
     VALUES (:id, :key, :token, :userId, :userName, :offerId, :offerName, :tariffId, :tariffName, :sold, :prices, :amount, :currency,
       :method, :providerId, :reference, :note, :state, :isRenewal, :given, :paidAt, :day, :createdAt, :refundedAt, :refundNote, :promo, :referral)`,
  );
  const saveOrder = db.prepare<[OrderCells]>(
    `UPDATE orders SET sold = :sold, prices = :prices, promo = :promo, amount = :amount, currency = :currency, method = :method, provider_id = :providerId, state = :state,
       is_renewal = :isRenewal, given = :given, paid_at = :paidAt, day = :day, refunded_at = :refundedAt, refund_note = :refundNote WHERE id = :id`,
  );
  const byToken = db.prepare<[string], OrderCells>(`SELECT ${ORDER_COLUMNS} FROM orders WHERE token = ?`);
  const unpaid = db.prepare<[number, number], OrderCells>(
    `SELECT ${ORDER_COLUMNS} FROM orders WHERE user_id = ? AND offer_id = ? AND given IS NULL ORDER BY id DESC LIMIT 1`,
  );
  const made = db
    .prepare<[number, number], number>(
      `SELECT count(*) FROM orders WHERE user_id = ? AND created_at >= ?
       AND (method IS NULL OR method NOT IN ('cash', 'transfer', 'other'))`,
    )
    .pluck();
  const order = db.prepare<[number], OrderCells>(`SELECT ${ORDER_COLUMNS} FROM orders WHERE id = ?`);
  const byKey = db.prepare<[string], OrderCells>(`SELECT ${ORDER_COLUMNS} FROM orders WHERE key = ?`);
  const byReference = db.prepare<[string, string], OrderCells>(
    `SELECT ${ORDER_COLUMNS} FROM orders WHERE method = ? AND reference = ?`,
  );
  const byText = db.prepare<[{ readonly text: string }], OrderCells>(
    `SELECT ${ORDER_COLUMNS} FROM orders WHERE id IN (
       SELECT id FROM orders WHERE token = :text
       UNION ALL SELECT id FROM orders WHERE reference = :text
       UNION ALL SELECT order_id FROM invoices WHERE external_id = :text
       UNION ALL SELECT order_id FROM payments WHERE kind IN (${PROVIDER_KINDS.map((kind) => `'${kind}'`).join()})
         AND is_test IN (0, 1) AND external_id = :text)
     ORDER BY id DESC LIMIT 1`,
  );
  const WHERE = '(:userId IS NULL OR user_id = :userId) AND (:state IS NULL OR state = :state)';
  interface Conditions {
    readonly userId: number | null;
    readonly state: string | null;
  }
  const page = db.prepare<[Conditions & { readonly before: number; readonly limit: number }], OrderCells>(
    `SELECT ${ORDER_COLUMNS} FROM orders WHERE id < :before AND ${WHERE} ORDER BY id DESC ${limitTo(':limit')}`,
  );
  const count = db.prepare<[Conditions], number>(`SELECT count(*) FROM orders WHERE ${WHERE}`).pluck();
  const boughtTerm = db
    .prepare<[number], number>(
      `SELECT 1 FROM orders WHERE user_id = ? AND state = 'paid' AND method <> 'trial'
       AND sold ->> 'kind' IN ('days', 'months') LIMIT 1`,
    )
    .pluck();
  const hadTrial = db
    .prepare<[{ readonly userId: number; readonly telegramId: number | null }], number>(
      'SELECT 1 FROM trials WHERE user_id = :userId OR telegram_id = :telegramId LIMIT 1',
    )
    .pluck();
  const insertTrial = db.prepare<[number, number, number | null]>(
    'INSERT INTO trials (order_id, user_id, telegram_id) VALUES (?, ?, ?)',
  );
  const refund = db.prepare<[{ readonly id: number; readonly at: number; readonly note: string }]>(
    `UPDATE orders SET state = 'refunded', refunded_at = :at, refund_note = :note WHERE id = :id AND state = 'paid'`,
  );
  const sums = db.prepare<[string], SalesRow>(
    `SELECT day, currency, method, state, sum(amount) AS amount, count(*) AS orders, sum(is_renewal) AS renewals
     FROM orders WHERE day >= ? AND method <> 'trial' GROUP BY day, currency, method, state ORDER BY day, currency, method, state`,
  );
  const methods = db.prepare<[string], MethodRow>(
    `SELECT method, currency, sum(amount) AS amount, count(*) AS orders FROM orders
     WHERE day >= ? AND state = 'paid' AND method <> 'trial' GROUP BY method, currency ORDER BY currency, amount DESC, method`,
  );
  const BOUGHT = `state = 'paid' AND method <> 'trial' AND sold ->> 'kind' IN ('days', 'months')`;
  const trials = db.prepare<[string], { readonly taken: number; readonly bought: number }>(
    `SELECT count(*) AS taken, count(*) FILTER (WHERE EXISTS (
       SELECT 1 FROM orders WHERE user_id = taken.user_id AND paid_at >= taken.paid_at AND ${BOUGHT})) AS bought
     FROM orders AS taken WHERE day >= ? AND method = 'trial'`,
  );
  const churn = db.prepare<
    [{ readonly day: string; readonly from: number; readonly now: number }],
    { readonly lost: number; readonly kept: number }
  >(
    `SELECT
       (SELECT count(DISTINCT users.id) FROM orders JOIN users ON users.id = orders.user_id
        WHERE orders.id IN (SELECT id FROM orders WHERE ${BOUGHT}) AND users.expires_at BETWEEN :from AND :now) AS lost,
       (SELECT count(DISTINCT user_id) FROM orders WHERE day >= :day AND is_renewal = 1 AND ${BOUGHT}) AS kept`,
  );
  const decodeFound = (cells: OrderCells | undefined) => cells && decodeOrder(cells);
  const toConditions = ({ userId, state }: { userId: number | undefined; state: string | undefined }): Conditions => ({
    userId: userId ?? null,
    state: state ?? null,
  });

  return {
    insertOffer: (row) => Number(insertOffer.run(encodeOffer(row)).lastInsertRowid),
    offer: (id) => {
      const cells = offer.get(id);
      return cells && decodeOffer(cells);
    },
    offers: (tariffId) => (tariffId === undefined ? allOffers.all() : tariffOffers.all(tariffId)).map(decodeOffer),
    saveOffer: (row) => {
      saveOffer.run(encodeOffer(row));
    },
    removeOffer: (id) => {
      removeOffer.run(id);
    },
    nextOrderId: () => (lastOrderId.get() ?? 0) + 1,
    insertOrder: (row) => {
      insertOrder.run(encodeOrder(row));
    },
    saveOrder: (row) => {
      saveOrder.run(encodeOrder(row));
    },
    orderByToken: (token) => decodeFound(byToken.get(token)),
    unpaidOrder: (userId, offerId) => decodeFound(unpaid.get(userId, offerId)),
    countMade: (userId, since) => made.get(userId, since) ?? 0,
    order: (id) => decodeFound(order.get(id)),
    orderByKey: (key) => decodeFound(byKey.get(key)),
    orderByText: (text) => decodeFound(byText.get({ text })),
    orderByReference: (method, reference) => decodeFound(byReference.get(method, reference)),
    orders: (query) =>
      page
        .all({ ...toConditions(query), before: query.before ?? Number.MAX_SAFE_INTEGER, limit: query.limit })
        .map(decodeOrder),
    countOrders: (query) => count.get(toConditions(query)) ?? 0,
    hasBoughtTerm: (userId) => boughtTerm.get(userId) !== undefined,
    hasHadTrial: (userId, telegramId) => hadTrial.get({ userId, telegramId }) !== undefined,
    insertTrial: (orderId, userId, telegramId) => {
      insertTrial.run(orderId, userId, telegramId);
    },
    markRefunded: (id, at, note) => refund.run({ id, at, note }).changes === 1,
    methodsSince: (day) => methods.all(day),
    trialsSince: (day) => trials.get(day) ?? { taken: 0, bought: 0 },
    churnSince: (day, from, now) => churn.get({ day, from, now }) ?? { lost: 0, kept: 0 },
    sumsSince: (day) => sums.all(day),
  };
}
