// The administrator's operations on orders at providers, and on payments that need a decision.

import type { AttentionPayment, AttentionReason, Order, PaymentAct } from '../../contract/sales/sales.ts';
import type { Input, Output } from '../../contract/table.ts';
import { daysForPart } from '../../domain/sales/sale.ts';
import type { AsyncContext, Context, Env, Handlers, Transaction } from '../kernel/context.ts';
import { bodyError, PanelError } from '../kernel/panel-error.ts';
import { toInstant, toInstantOrNull } from '../kernel/wire.ts';
import type { Result } from '../ports/call.ts';
import type { PaymentRow } from '../ports/payments.ts';
import type { OrderRow } from '../ports/sales.ts';
import type { UserRow } from '../ports/users.ts';
import { getSoldDuration, refundOrder } from '../sales/fulfillment.ts';
import { newToken, requireOrder, viewOrder } from '../sales/order.ts';
import { setPromo } from '../sales/promos.ts';
import { requireUser } from '../users/users.ts';
import { buildAuditDetail, makeOrder } from './make-order.ts';
import { openOrder } from './open-invoice.ts';
import { pollOrder } from './poll-invoice.ts';
import { applyPayment } from './record.ts';
import { canRefund, refundPayment } from './refund-payment.ts';

function createOrder(input: Input<'createOrder'>, tx: Transaction): Result<Order> {
  const { promo_code: code } = input;
  const made = makeOrder(tx, input.user_id, input.offer_id);
  const order = code === undefined ? made : setPromo(tx, made, code);
  tx.audit(`user:${input.user_id}`, buildAuditDetail(order));
  return { body: viewOrder(tx, order) };
}

async function openAtProvider(input: Input<'openOrder'>, context: AsyncContext<'openOrder'>) {
  const { id, provider_id: providerId, currency, email } = input;
  await openOrder(context.env, { orderId: id, providerId, currency, email, returnUrl: null });
  return context.commit((tx) => {
    const order = requireOrder(tx, id);
    tx.audit(order.userId === null ? null : `user:${order.userId}`, { order_id: id, provider_id: providerId });
    return { body: viewOrder(tx, order) };
  });
}

async function pollOrderStatus({ id }: Input<'askOrder'>, context: AsyncContext<'askOrder'>) {
  requireOrder(context.env, id);
  await pollOrder(context.env, id);
  return context.commit((tx) => {
    const order = requireOrder(tx, id);
    tx.audit(order.userId === null ? null : `user:${order.userId}`, { order_id: id, state: order.state });
    return { body: viewOrder(tx, order) };
  });
}

type ActEnv = Pick<Env, 'paymentProviders' | 'store'>;

/** Reasons with which the money went back to the buyer, so that the payment cannot be applied or refunded any more. */
const GONE: ReadonlySet<AttentionReason | null> = new Set(['refunded', 'disputed']);

function listPaymentActs(env: ActEnv, payment: PaymentRow, order: OrderRow | undefined): PaymentAct[] {
  const { reason, state, resolvedAt, nextRefundAt } = payment;
  // A running refund must end before anything else is decided.
  if (reason === null || resolvedAt !== null || nextRefundAt !== null) return [];
  if (GONE.has(reason)) return state === 'applied' ? ['take_back', 'ignore'] : ['ignore'];
  if (state !== 'unapplied')
    return reason === 'refund_failed' && canRefund(env, payment) ? ['refund', 'ignore'] : ['ignore'];
  const applyingActs: PaymentAct[] = order && order.userId !== null ? ['apply', 'days'] : ['days'];
  return [...applyingActs, ...(canRefund(env, payment) ? (['refund'] as const) : []), 'ignore'];
}

function viewPayment(context: Context, row: PaymentRow): AttentionPayment {
  const { store } = context;
  const order = row.orderId === null ? undefined : store.sales.order(row.orderId);
  const user = order?.userId == null ? undefined : store.users.get(order.userId);
  const prices = order?.prices ?? [];
  const price = prices.find(({ currency }) => currency === row.currency) ?? prices[0];
  return {
    id: row.id,
    kind: row.kind,
    provider: row.providerId === null ? null : (store.providers.get(row.providerId)?.name ?? null),
    external_id: row.externalId,
    order_id: row.orderId,
    user: user ? { id: user.id, name: user.name } : null,
    amount: row.amount,
    currency: row.currency,
    expected: price ? { amount: price.amount, currency: price.currency } : null,
    days: daysForPart(order ? getSoldDuration(order.sold) : null, row, price ?? null),
    refunded: row.refunded,
    test: row.isTest,
    applied: row.state === 'applied',
    refunding: row.nextRefundAt !== null,
    paid_at: toInstant(row.paidAt),
    reason: row.reason ?? 'unknown_order',
    acts: listPaymentActs(context.env, row, order),
    act: row.act,
    note: row.note,
    resolved_at: toInstantOrNull(row.resolvedAt),
  };
}

function listAttention(input: Input<'listAttention'>, context: Context): Result<Output<'listAttention'>> {
  const { payments } = context.store;
  const { before, limit, open: isOpen } = input;
  const rows = payments.attention({ before, limit, isOpen });
  const next = rows.length < limit ? null : (rows.at(-1)?.id ?? null);
  const items = rows.map((row) => viewPayment(context, row));
  return { body: { items, total: payments.countAttention(isOpen), next_before: next } };
}

/** Creates an order for a payment whose own order is already paid or unknown. */
function createSubstituteOrder(
  tx: Transaction,
  user: UserRow,
  payment: PaymentRow,
  order: OrderRow | undefined,
): OrderRow {
  const { store, now, crypto } = tx;
  const { amount, currency } = payment;
  const row: OrderRow = {
    id: store.sales.nextOrderId(),
    key: crypto.uuid(),
    token: newToken(tx),
    userId: user.id,
    userName: user.name,
    offerId: order?.offerId ?? null,
    offerName: order?.offerName ?? `#${payment.externalId}`.slice(0, 100),
    tariffId: user.tariffId,
    tariffName: user.tariffId === null ? '' : (store.tariffs.get(user.tariffId)?.name ?? ''),
    sold: order?.sold ?? { kind: 'days', days: 1 },
    prices: [{ amount, currency }],
    amount,
    currency,
    method: payment.kind,
    providerId: payment.providerId,
    reference: null,
    note: '',
    state: 'new',
    isRenewal: false,
    given: null,
    paidAt: null,
    day: null,
    createdAt: now,
    refundedAt: null,
    refundNote: null,
    promo: null,
    referral: null,
  };
  store.sales.insertOrder(row);
  return row;
}

function applyTo(tx: Transaction, payment: PaymentRow, order: OrderRow | undefined, input: Input<'resolvePayment'>) {
  const { act, days, user_id: userId } = input;
  if (act === 'days' && days === undefined) throw bodyError('validation', '#/days', 'required', 'is missing');
  const ownerId = order?.userId ?? userId;
  if (ownerId === undefined) throw bodyError('validation', '#/user_id', 'required', 'is missing');
  const user = requireUser(tx, ownerId);
  const isOwn = order !== undefined && order.given === null && order.userId === user.id;
  const paid = isOwn ? order : createSubstituteOrder(tx, user, payment, order);
  return applyPayment(tx, paid, payment, days);
}

function requireAct(env: ActEnv, { id, act }: Pick<Input<'resolvePayment'>, 'id' | 'act'>) {
  const { store } = env;
  const payment = store.payments.payment(id);
  if (!payment || payment.reason === null) throw new PanelError('not_found');
  const order = payment.orderId === null ? undefined : store.sales.order(payment.orderId);
  if (!listPaymentActs(env, payment, order).includes(act)) throw new PanelError('payment_resolved');
  return { payment, order };
}

async function resolvePayment(input: Input<'resolvePayment'>, context: AsyncContext<'resolvePayment'>) {
  const { env, commit } = context;
  const { id, act, note } = input;
  if (act !== 'refund') return commit((tx) => decide(tx, input));
  const { payment } = requireAct(env, input);
  await refundPayment(env, payment.id, note);
  return commit((tx) => ({ body: viewPayment(tx, tx.store.payments.payment(id) ?? payment) }));
}

function decide(tx: Transaction, input: Input<'resolvePayment'>): Result<AttentionPayment> {
  const { store, now } = tx;
  const { id, act, note } = input;
  const { payment, order } = requireAct(tx.env, input);
  const isGiven = act === 'apply' || act === 'days';
  const given = isGiven
    ? applyTo(tx, payment, order, { ...input, days: act === 'days' ? input.days : undefined })
    : payment;
  if (act === 'take_back' && order) refundOrder(tx, order, note);
  const after = store.payments.payment(id) ?? given;
  const resolved = { ...after, act, note, resolvedAt: now };
  store.payments.savePayment(resolved);
  const owner = resolved.orderId === null ? undefined : store.sales.order(resolved.orderId);
  const { amount, currency, orderId } = resolved;
  tx.audit(owner?.userId == null ? null : `user:${owner.userId}`, {
    payment_id: id,
    order_id: orderId,
    amount,
    currency,
    reason: payment.reason,
    act,
    note,
  });
  return { body: viewPayment(tx, resolved) };
}

export const PAYMENT_HANDLERS = {
  createOrder: { write: createOrder },
  openOrder: { run: openAtProvider },
  askOrder: { run: pollOrderStatus },
  listAttention: { read: listAttention },
  resolvePayment: { run: resolvePayment },
} satisfies Handlers<'createOrder' | 'openOrder' | 'askOrder' | 'listAttention' | 'resolvePayment'>;
