// Orders: a payment and what was bought for it are one transaction, and so are a refund and what it takes back.

import type { Order, Sold, TakenBack } from '../../contract/sales.ts';
import type { Input, Output } from '../../contract/table.ts';
import { isGrantLive } from '../../domain/account.ts';
import { addDays, localDay } from '../../domain/calendar.ts';
import { giveTerm, takeTermBack } from '../../domain/sale.ts';
import type { Duration } from '../../domain/term.ts';
import type { Result } from '../call.ts';
import type { Context, Handlers, Transaction } from '../context.ts';
import { bodyError, PanelError } from '../panel-error.ts';
import type { Given, OfferRow, OrderRow } from '../ports/sales.ts';
import type { UserRow } from '../ports/users.ts';
import { type Change, type Current, commitUser, openUser } from '../users/change.ts';
import { grantBy } from '../users/grants.ts';
import { requireUser } from '../users/users.ts';
import { fromInstant, toInstant, toInstantOrNull } from '../wire.ts';
import { isTerm } from './offers.ts';

function viewOrder({ store }: Context, row: OrderRow): Order {
  const user = row.userId === null ? undefined : store.users.get(row.userId);
  return {
    id: row.id,
    user: user ? { id: user.id, name: user.name } : null,
    user_name: row.userName,
    offer: row.offerName,
    tariff: row.tariffName,
    sold: row.sold,
    amount: row.amount,
    currency: row.currency,
    method: row.method,
    reference: row.reference,
    note: row.note,
    state: row.state,
    renewal: row.isRenewal,
    paid_at: toInstant(row.paidAt),
    created_at: toInstant(row.createdAt),
    refunded_at: toInstantOrNull(row.refundedAt),
    refund_note: row.refundNote,
  };
}

function requireOrder({ store }: Context, id: number): OrderRow {
  const row = store.sales.order(id);
  if (!row) throw new PanelError('not_found');
  return row;
}

function requireUnrefunded(context: Context, id: number): OrderRow {
  const row = requireOrder(context, id);
  if (row.state === 'refunded') throw new PanelError('order_refunded');
  return row;
}

/** The offer that this user may buy: of the plan he has, and on sale. */
function requireOfferFor({ store }: Context, user: UserRow, id: number): OfferRow {
  const refuse = (message: string) => bodyError('validation', '#/offer_id', 'inconsistent', message);
  const offer = store.sales.offer(id);
  if (!offer) throw bodyError('validation', '#/offer_id', 'invalid', 'there is no such offer');
  if (!offer.isOnSale) throw refuse('is not on sale');
  if (offer.tariffId !== user.tariffId) throw refuse('is of a plan that the user does not have');
  return offer;
}

function durationOf(sold: Sold): Duration | null {
  if (sold.kind === 'days') return { days: sold.days };
  return sold.kind === 'months' ? { months: sold.months } : null;
}

/** Gives what was sold: extends the term or grants the traffic, with the number of the order in the event. */
function give(tx: Transaction, user: UserRow, sold: Sold, orderId: number): Given {
  const duration = durationOf(sold);
  return duration === null ? giveTraffic(tx, user, sold, orderId) : giveTime(tx, user, duration, orderId);
}

function giveTime(tx: Transaction, user: UserRow, duration: Duration, orderId: number): Given {
  const current = openUser(tx, user);
  const result = giveTerm(current.account, duration, tx.now, tx.settings.timeZone);
  if (!result.ok) {
    if (result.error === 'term_unlimited') throw new PanelError('term_unlimited');
    throw bodyError('validation', '#/offer_id', 'too_big', 'the term would end after 2100-01-01');
  }
  const emit: Change['emit'] = (after, changed, inner) =>
    inner.emit('user.extended', { ...after, ...duration, order_id: orderId }, changed);
  commitUser(tx, current, { account: result.account, setsEnd: true, emit });
  return { kind: 'term', term: result.given };
}

function giveTraffic(tx: Transaction, user: UserRow, sold: Sold, orderId: number): Given {
  if (!('bytes' in sold)) throw new Error('a term is no traffic');
  const request =
    sold.kind === 'traffic_days' ? { lifetime: 'days' as const, days: sold.days } : { lifetime: sold.lifetime };
  const current = openUser(tx, user);
  const plan = grantBy({ bytes: sold.bytes, ...request, note: `#${orderId}` })(current, tx);
  if (plan instanceof PanelError) throw plan;
  if (plan === 'unchanged') throw new Error('a grant changes a user');
  commitUser(tx, current, { ...plan.change, orderId });
  const grant = tx.store.grants.latest(user.id);
  if (!grant) throw new Error('the grant was not stored');
  return { kind: 'traffic', grantId: grant.id };
}

function isSamePayment(row: OrderRow, input: Input<'recordPayment'>): boolean {
  return (
    row.userId === input.user_id &&
    row.offerId === input.offer_id &&
    row.amount === input.amount &&
    row.currency === input.currency &&
    row.method === input.method &&
    row.reference === (input.reference ?? null)
  );
}

function recordPayment(input: Input<'recordPayment'>, tx: Transaction): Result<Order> {
  const { store, now, settings } = tx;
  const { sales } = store;
  const { key, amount, currency, method, note } = input;
  const before = sales.orderByKey(key);
  if (before) {
    if (!isSamePayment(before, input)) throw new PanelError('idempotency_mismatch');
    return { body: viewOrder(tx, before) };
  }
  const reference = input.reference ?? null;
  const user = requireUser(tx, input.user_id);
  const offer = requireOfferFor(tx, user, input.offer_id);
  if (reference !== null && sales.orderByReference(method, reference)) throw new PanelError('payment_recorded');
  const paidAt = input.paid_at === undefined ? now : fromInstant(input.paid_at);
  if (paidAt < 0 || paidAt > now) throw bodyError('validation', '#/paid_at', 'too_big', 'must not lie in the future');
  const id = sales.nextOrderId();
  const given = give(tx, user, offer.sold, id);
  const row: OrderRow = {
    id,
    key,
    userId: user.id,
    userName: user.name,
    offerId: offer.id,
    offerName: offer.name,
    tariffName: store.tariffs.get(offer.tariffId)?.name ?? '',
    sold: offer.sold,
    amount,
    currency,
    method,
    reference,
    note,
    state: 'paid',
    isRenewal: isTerm(offer.sold) && sales.hasBoughtTerm(user.id),
    given,
    paidAt,
    day: localDay(paidAt, settings.timeZone),
    createdAt: now,
    refundedAt: null,
    refundNote: null,
  };
  sales.insertOrder(row);
  tx.audit(`user:${user.id}`, { order_id: id, offer: offer.name, amount, currency, method });
  return { body: viewOrder(tx, row) };
}

function listOrders(input: Input<'listOrders'>, context: Context): Result<Output<'listOrders'>> {
  const { sales } = context.store;
  const { before, limit, user_id: userId, state } = input;
  const rows = sales.orders({ before, limit, userId, state });
  const next = rows.length < limit ? null : (rows.at(-1)?.id ?? null);
  const items = rows.map((row) => viewOrder(context, row));
  return { body: { items, total: sales.countOrders({ userId, state }), next_before: next } };
}

/** What a refund does to a user; null: nothing is left to take. */
function takeBack(context: Context, current: Current, { id, given }: OrderRow): Change | null {
  const { account, row } = current;
  if (given.kind === 'traffic') {
    const grants = account.grants.filter((grant) => grant.id !== given.grantId);
    if (grants.length === account.grants.length) return null;
    return {
      account: { ...account, grants },
      emit: (after, changed, tx) => tx.emit('user.changed', { ...after, tariff_id: row.tariffId }, changed),
    };
  }
  const after = takeTermBack(account, given.term, context.now, context.settings.timeZone);
  if (after === account) return null;
  return {
    account: after,
    setsEnd: true,
    emit: (facts, changed, tx) => tx.emit('user.shortened', { ...facts, order_id: id }, changed),
  };
}

const NOTHING: TakenBack = { expires_at: null, hold: null, bytes: 0, bytes_used: 0, nothing: true };

function previewRefund({ id }: Input<'previewRefund'>, context: Context): Result<TakenBack> {
  const order = requireUnrefunded(context, id);
  const user = order.userId === null ? undefined : context.store.users.get(order.userId);
  if (!user) return { body: NOTHING };
  const current = openUser(context, user);
  const change = takeBack(context, current, order);
  const { given, sold } = order;
  if (given.kind === 'traffic') {
    const grant = current.account.grants.find((one) => one.id === given.grantId);
    const bytes = grant && isGrantLive(grant, context.now) ? grant.bytesLeft : 0;
    const whole = 'bytes' in sold ? sold.bytes : 0;
    return { body: { ...NOTHING, bytes, bytes_used: whole - bytes, nothing: change === null } };
  }
  if (change?.account === undefined) return { body: NOTHING };
  const { expiresAt, hold } = change.account;
  return {
    body: {
      ...NOTHING,
      expires_at:
        current.account.expiresAt === expiresAt
          ? null
          : { from: toInstantOrNull(current.account.expiresAt), to: toInstantOrNull(expiresAt) },
      hold,
      nothing: false,
    },
  };
}

function refundOrder({ id, note }: Input<'refundOrder'>, tx: Transaction): Result<Order> {
  const { store, now } = tx;
  const order = requireUnrefunded(tx, id);
  if (!store.sales.markRefunded(id, now, note)) throw new PanelError('order_refunded');
  const user = order.userId === null ? undefined : store.users.get(order.userId);
  if (user) {
    const current = openUser(tx, user);
    const change = takeBack(tx, current, order);
    if (change) commitUser(tx, current, change);
    if (change && order.given.kind === 'traffic') store.grants.remove(order.given.grantId);
  }
  const { amount, currency } = order;
  tx.audit(order.userId === null ? null : `user:${order.userId}`, { order_id: id, amount, currency, note });
  return { body: viewOrder(tx, requireOrder(tx, id)) };
}

function getSales({ days }: Input<'getSales'>, { store, now, settings }: Context): Result<Output<'getSales'>> {
  const since = localDay(addDays(now, 1 - days), settings.timeZone);
  const income = new Map<string, Output<'getSales'>['income'][number]>();
  const byDay: Output<'getSales'>['days'] = [];
  let orders = 0;
  let renewals = 0;
  for (const row of store.sales.sumsSince(since)) {
    const { day, currency, amount } = row;
    const sum = income.get(currency) ?? { currency, amount: 0, refunded: 0, orders: 0 };
    if (row.state === 'refunded') {
      income.set(currency, { ...sum, refunded: sum.refunded + amount });
    } else {
      income.set(currency, { ...sum, amount: sum.amount + amount, orders: sum.orders + row.orders });
      byDay.push({ day, currency, amount });
      orders += row.orders;
      renewals += row.renewals;
    }
  }
  return { body: { since, orders, renewals, income: [...income.values()], days: byDay } };
}

export const ORDER_HANDLERS = {
  recordPayment: { write: recordPayment },
  listOrders: { read: listOrders },
  previewRefund: { read: previewRefund },
  refundOrder: { write: refundOrder },
  getSales: { read: getSales },
} satisfies Handlers<'recordPayment' | 'listOrders' | 'previewRefund' | 'refundOrder' | 'getSales'>;
