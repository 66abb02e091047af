// Records payments that providers report. A report may come repeatedly and in any order; each payment counts once. The payment, its order,
// the fulfilment, events and the audit row are one transaction. All reports of providers go through recordPayment.

import type { AttentionReason, Sold } from '../../contract/sales/sales.ts';
import { localDay } from '../../domain/calendar.ts';
import { LATE_PAYMENT_MS } from '../../domain/limits.ts';
import { isOwnToken } from '../../domain/sales/own-token.ts';
import { isTerm } from '../../domain/sales/sold.ts';
import type { Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import type { InvoiceRow, PaymentRow } from '../ports/payments.ts';
import type { ProviderPayment, ProviderRow } from '../ports/providers.ts';
import type { OrderRow } from '../ports/sales.ts';
import { fulfillOrder, refundOrder } from '../sales/fulfillment.ts';
import { clearPromo, countPromo, isPromoGone, soldBy } from '../sales/promos.ts';
import { fulfillReward } from '../sales/referrals.ts';
import { sanitizePayment } from './sanitize-payment.ts';

/** A payment's state changes only to one of a higher rank, so that old reports do not undo newer ones. */
const RANK: Readonly<Record<PaymentRow['providerState'], number>> = {
  held: -1,
  paid: 0,
  disputed: 1,
  dispute_won: 2,
  partly_refunded: 3,
  refunded: 4,
};

/** The account that received a payment. `id` null: it was deleted here. */
export interface PaidAt extends Pick<ProviderRow, 'kind' | 'isTest'> {
  readonly id: number | null;
}

/**
 * Records a reported payment or a change of a recorded one. Its token is that of an invoice or of an order; payments with neither belong to
 * another program that uses the account and are ignored.
 */
export function recordPayment(tx: Transaction, provider: PaidAt, answer: ProviderPayment): void {
  const { store, now } = tx;
  const reported = sanitizePayment(answer, now);
  if (reported === null) return;
  const known = store.payments.paymentByExternalId(provider.kind, reported.isTest, reported.externalId);
  const { token, externalId, state } = reported;
  const invoice =
    (token === null ? undefined : store.payments.invoiceByToken(token)) ??
    (provider.id === null ? undefined : store.payments.invoiceByExternalId(provider.id, externalId));
  if (known?.providerState === 'held') {
    recordRelease(tx, provider, known, reported, invoice);
    return;
  }
  if (known) {
    recordStatusChange(tx, known, reported);
    return;
  }
  if (state === 'open') return;
  if (state === 'expired' || state === 'failed') {
    if (invoice) endInvoice(tx, invoice, state);
    return;
  }
  const order = invoice
    ? store.sales.order(invoice.orderId)
    : token === null
      ? undefined
      : store.sales.orderByToken(token);
  if (order || isOwnToken(token)) recordNew(tx, provider, { ...reported, state }, order, invoice);
}

type PaidPayment = Pick<ProviderPayment, 'paid' | 'isTest' | 'paidAt'> & Pick<PaymentRow, 'providerState'>;

function recordNew(
  tx: Transaction,
  provider: PaidAt,
  reported: ProviderPayment & { readonly state: PaymentRow['providerState'] },
  order: OrderRow | undefined,
  invoice: InvoiceRow | undefined,
): void {
  const { store, now } = tx;
  const { externalId, paid, refunded, isTest, buyer, raw, state: providerState } = reported;
  const paidAt = reported.paidAt ?? now;
  const found: PaidPayment = { paid, isTest, providerState, paidAt };
  const reason = order ? findPaymentIssue(tx, provider, found, order, invoice) : 'unknown_order';
  const unsaved: Omit<PaymentRow, 'id'> = {
    kind: provider.kind,
    providerId: provider.id,
    externalId,
    isTest,
    orderId: order?.id ?? null,
    amount: paid.amount,
    currency: paid.currency,
    refunded,
    refundedAt: refunded > 0 ? now : null,
    paidAt,
    buyer,
    raw,
    state: 'unapplied',
    providerState,
    reason,
    act: null,
    note: '',
    resolvedAt: null,
    refundKey: null,
    refundId: null,
    nextRefundAt: null,
    createdAt: now,
  };
  const payment = { ...unsaved, id: store.payments.insertPayment(unsaved) };
  // A held payment is polled until the provider releases or cancels it.
  if (invoice && providerState !== 'held') endInvoice(tx, invoice, 'paid');
  const applied =
    order && (reason === null || reason === 'too_much') ? applyOrFlagForReview(tx, order, payment) : payment;
  tx.publish({ type: 'payment.recorded', order, payment: applied });
  const detail = { order_id: applied.orderId, offer: order?.offerName, amount: paid.amount, currency: paid.currency };
  tx.audit(order?.userId == null ? null : `user:${order.userId}`, {
    ...detail,
    method: provider.kind,
    payment_id: applied.id,
    ...(order?.promo && { promo: order.promo.code }),
    ...(applied.reason !== null && { reason: applied.reason }),
  });
}

/** Applies a payment to its order, or flags it for a decision if the order cannot be fulfilled. */
function applyOrFlagForReview(tx: Transaction, order: OrderRow, payment: PaymentRow): PaymentRow {
  try {
    return tx.store.write(() => applyPayment(tx, order, payment));
  } catch (error) {
    if (!(error instanceof PanelError)) throw error;
    const waiting: PaymentRow = { ...payment, reason: 'not_applicable' };
    tx.store.payments.savePayment(waiting);
    return waiting;
  }
}

/**
 * Fulfils an order, or adds `days` instead, and marks it as paid by this payment. Throws PanelError if the user cannot receive it; the
 * caller's savepoint then undoes the writes.
 */
export function applyPayment(tx: Transaction, before: OrderRow, payment: PaymentRow, days?: number): PaymentRow {
  const { store, settings } = tx;
  const user = before.userId === null ? undefined : store.users.get(before.userId);
  if (!user || before.given !== null) throw new PanelError('payment_resolved');
  const instead: Sold | null = days === undefined ? null : { kind: 'days', days };
  const order = instead === null ? countPromo(tx, before, payment) : clearPromo(tx, before);
  const sold = instead ?? order.sold;
  const isRenewal = isTerm(sold) && store.sales.hasBoughtTerm(user.id);
  const fulfilled = fulfillOrder(tx, user.id, instead === null ? soldBy(order) : [instead], order.id);
  const given = [...fulfilled, ...(instead === null ? fulfillReward(tx, order) : [])];
  const { amount, currency, kind, providerId, paidAt } = payment;
  const day = localDay(paidAt, settings.timeZone);
  const paid = { amount, currency, method: kind, providerId, state: 'paid', isRenewal, given, paidAt, day } as const;
  store.sales.saveOrder({ ...order, ...paid, sold });
  const applied: PaymentRow = { ...payment, state: 'applied', orderId: order.id };
  store.payments.savePayment(applied);
  // Poll the order's other invoices now, which ends them at their providers.
  for (const other of store.payments.listInvoices(order.id))
    if (other.nextPollAt !== null && other.nextPollAt > tx.now)
      store.payments.saveInvoice({ ...other, nextPollAt: tx.now });
  return applied;
}

/** Why a payment needs a decision; null: it pays its order. */
export function findPaymentIssue(
  context: Pick<Transaction, 'store' | 'now'>,
  provider: Pick<PaidAt, 'isTest'>,
  { paid, isTest, paidAt, providerState }: PaidPayment,
  order: OrderRow,
  invoice: InvoiceRow | undefined,
): AttentionReason | null {
  const { store } = context;
  if (providerState === 'held') return 'held';
  if (providerState === 'disputed') return 'disputed';
  if (providerState !== 'paid' && providerState !== 'dispute_won') return 'refunded';
  if (isTest && !provider.isTest) return 'test_money';
  const price = order.prices.find(({ currency }) => currency === paid.currency);
  const expected = invoice ?? price;
  if (expected?.currency !== paid.currency) return 'currency';
  // Only a promo code changes an order's prices: the invoice may be older than the removal of a code.
  if (paid.amount < Math.max(expected.amount, price?.amount ?? 0)) return 'too_little';
  if (order.given !== null) return 'paid_twice';
  const user = order.userId === null ? undefined : store.users.get(order.userId);
  if (!user) return 'user_deleted';
  const tariff = order.tariffId === null ? undefined : store.tariffs.get(order.tariffId);
  if (!tariff || tariff.archived) return 'plan_archived';
  if (user.tariffId !== tariff.id) return 'plan_changed';
  if (paidAt !== null && paidAt - order.createdAt > LATE_PAYMENT_MS) return 'late';
  if (isPromoGone(context, order, paid)) return 'promo_ended';
  return paid.amount > expected.amount ? 'too_much' : null;
}

/** Ends an invoice with its final state. `paid` is never replaced, and replaces the others when money arrives late. */
export function endInvoice({ store }: Transaction, invoice: InvoiceRow, state: 'paid' | 'expired' | 'failed'): void {
  if (invoice.state === 'paid' || invoice.state === state) return;
  store.payments.saveInvoice({ ...invoice, state, nextPollAt: null });
  const order = store.sales.order(invoice.orderId);
  const newest = store.payments.listInvoices(invoice.orderId)[0];
  if (order && order.given === null && state !== 'paid' && newest?.id === invoice.id) {
    store.promos.removeUse(order.id);
    store.sales.saveOrder({ ...order, state });
  }
}

/** Records that a provider has released or cancelled a held payment. A decision made meanwhile is kept. */
function recordRelease(
  tx: Transaction,
  provider: PaidAt,
  known: PaymentRow,
  { state, paid, isTest, paidAt, refunded, raw }: ProviderPayment,
  invoice: InvoiceRow | undefined,
): void {
  if (state === 'open' || state === 'held') return;
  const { store, now } = tx;
  const order = known.orderId === null ? undefined : store.sales.order(known.orderId);
  const isOpen = known.state === 'unapplied' && known.resolvedAt === null;
  if (state === 'expired' || state === 'failed') {
    if (invoice) endInvoice(tx, invoice, state);
    // The provider has cancelled a payment that was already applied.
    if (known.state === 'applied')
      recordStatusChange(tx, known, { ...toReport(known), state: 'refunded', refunded: 0 });
    else if (isOpen) store.payments.savePayment({ ...known, raw, act: 'ignore', resolvedAt: now });
    return;
  }
  if (invoice) endInvoice(tx, invoice, 'paid');
  if (!isOpen) {
    if (state === 'paid') store.payments.savePayment({ ...known, providerState: state, raw });
    else recordStatusChange(tx, known, { ...toReport(known), state, refunded, raw });
    return;
  }
  const found: PaidPayment = { paid, isTest, providerState: state, paidAt: paidAt ?? known.paidAt };
  const reason = order ? findPaymentIssue(tx, provider, found, order, invoice) : 'unknown_order';
  const refundedAt = refunded > 0 ? now : null;
  const released: PaymentRow = { ...known, ...paid, refunded, refundedAt, providerState: state, raw, reason };
  store.payments.savePayment(released);
  const applied =
    order && (reason === null || reason === 'too_much') ? applyOrFlagForReview(tx, order, released) : released;
  tx.publish({ type: 'payment.recorded', order, payment: applied });
  const { amount, currency, kind: method, id, orderId } = applied;
  const detail = { order_id: orderId, offer: order?.offerName, amount, currency, method, payment_id: id };
  tx.audit(order?.userId == null ? null : `user:${order.userId}`, {
    ...detail,
    ...(applied.reason !== null && { reason: applied.reason }),
  });
}

/** Converts a recorded payment to a provider's report. */
function toReport({ externalId, amount, currency, refunded, isTest, paidAt, buyer, raw }: PaymentRow): ProviderPayment {
  const paid = { amount, currency };
  return { externalId, token: null, state: 'paid', paid, refunded, isTest, paidAt, buyer, raw };
}

/** Records a later report of a known payment. A refund or dispute that was not started here needs a decision. */
function recordStatusChange(tx: Transaction, known: PaymentRow, reported: ProviderPayment): void {
  const { state, refunded, raw } = reported;
  if (hasRefundFailed(known, reported)) {
    recordFailedRefund(tx, known, reported);
    return;
  }
  if (state === 'open' || state === 'held' || state === 'expired' || state === 'failed' || state === 'paid') return;
  const isNews = RANK[state] > RANK[known.providerState] || refunded > known.refunded;
  if (!isNews) return;
  // This is the panel's own refund, whose reply was lost.
  if (known.refundKey !== null && state === 'refunded') {
    endRefund(tx, known);
    return;
  }
  const isMore = refunded > known.refunded;
  const seen = {
    ...known,
    providerState: state,
    refunded: isMore ? refunded : known.refunded,
    refundedAt: isMore ? tx.now : known.refundedAt,
    raw,
  };
  if (known.state === 'refunded') {
    tx.store.payments.savePayment(seen);
    return;
  }
  flagForReview(tx, seen, state === 'disputed' || state === 'dispute_won' ? state : 'refunded');
}

/** Flags a recorded payment for a decision of the administrator. */
function flagForReview(tx: Transaction, seen: PaymentRow, reason: AttentionReason): void {
  const waiting: PaymentRow = { ...seen, reason, act: null, note: '', resolvedAt: null };
  tx.store.payments.savePayment(waiting);
  const order = seen.orderId === null ? undefined : tx.store.sales.order(seen.orderId);
  tx.publish({ type: 'payment.needs_decision', order, payment: waiting });
  const { amount, currency, kind: method, id, orderId } = seen;
  const detail = { order_id: orderId, offer: order?.offerName, amount, currency, method, payment_id: id, reason };
  tx.audit(order?.userId == null ? null : `user:${order.userId}`, detail);
}

/**
 * Whether a recorded refund has failed: the reported sum is smaller than before. Reports read before the refund was recorded do not count,
 * because replies may arrive out of order.
 */
function hasRefundFailed(known: PaymentRow, { state, refunded, refundsReadAt }: ProviderPayment): boolean {
  if (!['paid', 'partly_refunded', 'disputed', 'dispute_won'].includes(state)) return false;
  return refunded < known.refunded && refundsReadAt !== undefined && refundsReadAt > (known.refundedAt ?? 0);
}

/** Handles a completed refund that failed later: fulfils the order again and flags the payment. */
function recordFailedRefund(tx: Transaction, known: PaymentRow, { state, refunded, raw }: ProviderPayment): void {
  const { store } = tx;
  const providerState = state === 'partly_refunded' || state === 'disputed' || state === 'dispute_won' ? state : 'paid';
  const end = { refundKey: null, refundId: null, nextRefundAt: null };
  const seen: PaymentRow = { ...known, ...end, providerState, refunded, raw };
  const order = known.orderId === null ? undefined : store.sales.order(known.orderId);
  const isTakenBack = known.state === 'refunded' && order?.state === 'refunded';
  const isGiven = isTakenBack ? restoreOrder(tx, order) : known.state === 'applied';
  flagForReview(tx, { ...seen, state: isGiven ? 'applied' : 'unapplied' }, 'refund_failed');
}

/** Fulfils a refunded order again; false: its user cannot receive it. */
function restoreOrder(tx: Transaction, order: OrderRow): boolean {
  const { userId } = order;
  if (userId === null) return false;
  try {
    tx.store.write(() => {
      const given = fulfillOrder(tx, userId, soldBy(order), order.id);
      tx.store.sales.saveOrder({ ...order, state: 'paid', given, refundedAt: null, refundNote: null });
    });
    return true;
  } catch (error) {
    if (error instanceof PanelError) return false;
    throw error;
  }
}

/** Ends the polling of a payment that is refunded already; false: it is not. */
function endRefundedAlready({ store }: Transaction, payment: PaymentRow): boolean {
  if (payment.state !== 'refunded') return false;
  if (payment.nextRefundAt !== null) store.payments.savePayment({ ...payment, refundId: null, nextRefundAt: null });
  return true;
}

/** Records that a provider did not refund a payment. The order stays fulfilled, and the payment is flagged. */
export function failRefund(tx: Transaction, before: PaymentRow): void {
  const { store } = tx;
  if (endRefundedAlready(tx, before)) return;
  const isApplied = before.state === 'applied';
  const after: PaymentRow = {
    ...before,
    refundKey: null,
    refundId: null,
    nextRefundAt: null,
    ...(isApplied && { reason: 'refund_failed', act: null, note: '', resolvedAt: null }),
  };
  store.payments.savePayment(after);
  const order = before.orderId === null ? undefined : store.sales.order(before.orderId);
  if (after.reason !== null) tx.publish({ type: 'payment.needs_decision', order, payment: after });
  const { id, orderId, amount, currency, kind: method } = before;
  const detail = { order_id: orderId, payment_id: id, amount, currency, method, reason: 'refund_failed' };
  tx.audit(order?.userId == null ? null : `user:${order.userId}`, detail);
}

/** Records a completed refund and revokes what the order gave. Does nothing if the payment is refunded already. */
export function endRefund(tx: Transaction, { id }: Pick<PaymentRow, 'id'>): void {
  const { store, now } = tx;
  const before = store.payments.payment(id);
  if (!before || endRefundedAlready(tx, before)) return;
  const order = before.orderId === null ? undefined : store.sales.order(before.orderId);
  if (before.state === 'applied' && order?.state === 'paid') refundOrder(tx, order, before.note);
  const isOpen = before.reason !== null && before.resolvedAt === null;
  store.payments.savePayment({
    ...before,
    state: 'refunded',
    providerState: 'refunded',
    refunded: before.amount,
    refundedAt: now,
    refundId: null,
    nextRefundAt: null,
    ...(isOpen && { act: 'refund', resolvedAt: now }),
  });
  const { amount, currency, orderId, note } = before;
  const detail = { order_id: orderId, payment_id: id, amount, currency, note };
  tx.audit(order?.userId == null ? null : `user:${order.userId}`, detail);
}
