// Operations on orders. A payment and its fulfilment are one transaction, and so are a refund and what it revokes.

import type { Order, TakenBack } from '../../contract/sales/sales.ts';
import type { Input, Output } from '../../contract/table.ts';
import { addDays, localDay, startOfLocalDay } from '../../domain/calendar.ts';
import { isTerm } from '../../domain/sales/sold.ts';
import { isGrantLive } from '../../domain/users/account.ts';
import type { AsyncContext, Context, Handlers, Transaction } from '../kernel/context.ts';
import { bodyError, PanelError } from '../kernel/panel-error.ts';
import { fromInstant, toInstantOrNull } from '../kernel/wire.ts';
import { requireOfferFor } from '../offers/offers.ts';
import type { Result } from '../ports/call.ts';
import type { OrderRow } from '../ports/sales.ts';
import {
  findReferrer,
  fulfillOrder,
  listGrantIds,
  listTerms,
  refundOrder,
  revoke,
  revokeReward,
} from '../sales/fulfillment.ts';
import { newOrder, requireOrder, viewOrder } from '../sales/order.ts';
import { soldBy } from '../sales/promos.ts';
import { fulfillReward } from '../sales/referrals.ts';
import { type Change, type Current, openUser } from '../users/change.ts';
import { requireUser } from '../users/users.ts';
import { canRefund, refundPayment } from './refund-payment.ts';

function requirePaid(context: Context, id: number): OrderRow {
  const row = requireOrder(context, id);
  if (row.state === 'refunded') throw new PanelError('order_refunded');
  if (row.state !== 'paid') throw new PanelError('order_unpaid');
  return row;
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
  if (offer.isTrial) throw bodyError('validation', '#/offer_id', 'inconsistent', 'is a free trial');
  if (reference !== null && sales.orderByReference(method, reference)) throw new PanelError('payment_recorded');
  const paidAt = input.paid_at === undefined ? now : fromInstant(input.paid_at);
  if (paidAt < 0 || paidAt > now) throw bodyError('validation', '#/paid_at', 'too_big', 'must not lie in the future');
  const id = sales.nextOrderId();
  const made = newOrder(tx, user, offer, key);
  const given = [...fulfillOrder(tx, user.id, [made.sold], id), ...fulfillReward(tx, made)];
  const row: OrderRow = {
    ...made,
    prices: [{ amount, currency }],
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

/** The change of the term that a refund would make. */
function viewTermLeft({ account }: Current, change: Change | null): Pick<TakenBack, 'expires_at' | 'hold'> {
  const { expiresAt, hold } = change?.account ?? account;
  const isSame = account.expiresAt === expiresAt;
  return {
    expires_at: isSame ? null : { from: toInstantOrNull(account.expiresAt), to: toInstantOrNull(expiresAt) },
    hold,
  };
}

function previewReferrer(context: Context, { id, given }: OrderRow): TakenBack['referrer'] {
  const part = findReferrer(given);
  const user = part === null ? undefined : context.store.users.get(part.userId);
  if (part === null || !user) return null;
  const current = openUser(context, user);
  const change = revokeReward(context, current, id, part);
  return change && { id: user.id, name: user.name, ...viewTermLeft(current, change) };
}

function previewRefund({ id }: Input<'previewRefund'>, context: Context): Result<TakenBack> {
  const order = requirePaid(context, id);
  const { store, now } = context;
  const user = order.userId === null ? undefined : store.users.get(order.userId);
  const payment = store.payments.findAppliedPayment(id);
  const referrer = previewReferrer(context, order);
  const others = { by_provider: payment !== undefined && canRefund(context.env, payment), referrer };
  if (!user) {
    const none = { expires_at: null, hold: null, bytes: 0, bytes_used: 0 };
    return { body: { ...none, ...others, nothing: referrer === null } };
  }
  const current = openUser(context, user);
  const change = revoke(context, current, order);
  const ids = listGrantIds(order.given);
  const bytes = current.account.grants
    .filter((grant) => ids.includes(grant.id) && isGrantLive(grant, now))
    .reduce((sum, { bytesLeft }) => sum + bytesLeft, 0);
  const whole = soldBy(order).reduce((sum, part) => sum + ('bytes' in part ? part.bytes : 0), 0);
  const hasTerm = listTerms(order.given).length > 0;
  return {
    body: {
      ...(hasTerm ? viewTermLeft(current, change) : { expires_at: null, hold: null }),
      bytes,
      bytes_used: ids.length === 0 ? 0 : whole - bytes,
      nothing: change === null && referrer === null,
      ...others,
    },
  };
}

async function refundOrderAtProvider({ id, note }: Input<'refundOrder'>, context: AsyncContext<'refundOrder'>) {
  const { env } = context;
  const { state } = requireOrder(env, id);
  const payment = state === 'paid' ? env.store.payments.findAppliedPayment(id) : undefined;
  if (payment && canRefund(env, payment)) {
    await refundPayment(env, payment.id, note);
    return context.commit((tx) => ({ body: viewOrder(tx, requireOrder(tx, id)) }));
  }
  return context.commit((tx) => {
    const order = requirePaid(tx, id);
    refundOrder(tx, order, note);
    const { amount, currency } = order;
    tx.audit(order.userId === null ? null : `user:${order.userId}`, { order_id: id, amount, currency, note });
    return { body: viewOrder(tx, requireOrder(tx, id)) };
  });
}

function getSales({ days }: Input<'getSales'>, { store, now, settings }: Context): Result<Output<'getSales'>> {
  const since = localDay(addDays(now, 1 - days), settings.timeZone);
  const income = new Map<string, Output<'getSales'>['income'][number]>();
  const byDay: Output<'getSales'>['days'] = [];
  let orders = 0;
  let renewals = 0;
  for (const row of store.sales.sumsSince(since)) {
    const { day, currency, method, amount } = row;
    const sum = income.get(currency) ?? { currency, amount: 0, refunded: 0, orders: 0 };
    if (row.state === 'refunded') {
      income.set(currency, { ...sum, refunded: sum.refunded + amount });
    } else {
      income.set(currency, { ...sum, amount: sum.amount + amount, orders: sum.orders + row.orders });
      byDay.push({ day, currency, method, amount });
      orders += row.orders;
      renewals += row.renewals;
    }
  }
  const from = startOfLocalDay(addDays(now, 1 - days), settings.timeZone);
  const figures = {
    methods: store.sales.methodsSince(since).map((row) => ({ ...row })),
    trials: store.sales.trialsSince(since),
    churn: store.sales.churnSince(since, from, now),
  };
  return { body: { since, orders, renewals, income: [...income.values()], ...figures, days: byDay } };
}

export const ORDER_HANDLERS = {
  recordPayment: { write: recordPayment },
  listOrders: { read: listOrders },
  previewRefund: { read: previewRefund },
  refundOrder: { run: refundOrderAtProvider },
  getSales: { read: getSales },
} satisfies Handlers<'recordPayment' | 'listOrders' | 'previewRefund' | 'refundOrder' | 'getSales'>;
