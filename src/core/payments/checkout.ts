// Orders that are paid at a provider: made, opened there, and asked about. The panel's operations, the page of an order and the bot call these.

import { type ProviderKind, takesCurrency } from '../../contract/sales/providers.ts';
import { localDay } from '../../domain/calendar.ts';
import { DAY_MS, HOUR_MS } from '../../domain/limits.ts';
import { askEveryMs, nextAskAt } from '../../domain/sales/asking.ts';
import type { Money } from '../../domain/sales/money.ts';
import type { Call } from '../call.ts';
import { createTransaction, type Env, type Transaction } from '../context.ts';
import { bodyError, PanelError } from '../panel-error.ts';
import type { InvoiceRow, PaymentRow } from '../ports/payments.ts';
import type { BegunRefund, ProviderAccess, ProviderFailure, ProviderPayment, ProviderRow } from '../ports/providers.ts';
import type { OrderRow } from '../ports/sales.ts';
import type { UserRow } from '../ports/users.ts';
import { isStillSold } from '../sales/devices.ts';
import { give } from '../sales/give.ts';
import { isFor, isTerm, requireOfferFor } from '../sales/offers.ts';
import { newOrder, newToken, requireOrder } from '../sales/order.ts';
import { fullPricesOf, reservePromo, withLivePromo } from '../sales/promos.ts';
import { requireUser } from '../users/users.ts';
import { isCursor, isId, isUsable } from './plausible.ts';
import { accessTo, hookUrl, noteAnswer } from './providers.ts';
import { endRefund, failRefund, LATE_MS, recordPayment } from './record.ts';

/** Orders of one user in an hour. */
const MOST_ORDERS = 20;
/** Until the next try after one without a clear answer. */
const RETRY_MS = 60_000;
/** Between two questions about a refund that a provider works on. */
const REFUND_ASK_MS = 10 * 60_000;
/** So long after the first try, a provider may no longer know the key: its list is searched instead. */
const KEY_LIFE_MS = DAY_MS - HOUR_MS;
/** Invoices in one transaction. */
const MOST_NOTED = 500;
/** Of a provider's list that is read to the end at once. */
const MOST_PAGES = 100;

const CALL: Call = {
  actor: { kind: 'panel', id: null, name: 'panel', access: 'full' },
  requestId: 'payments',
  address: null,
};

/** A transaction of the panel itself. */
export async function write<T>(env: Env, work: (tx: Transaction) => T, action = 'takePayment'): Promise<T> {
  const { store, queue, clock } = env;
  const done = await queue.run(() => store.write(() => work(createTransaction(env, CALL, action, clock.now()))));
  env.announce();
  return done;
}

/** Refuses where nothing is sold: PanelError `selling_off`. */
function requireSelling({ settings }: Pick<Transaction, 'settings'>): void {
  if (!settings.selling) throw new PanelError('selling_off');
}

/**
 * Makes an order for a user, or finds the one of the same content that is not paid and not old. That of a trial is paid at once.
 * PanelError `selling_off`, `not_found`, `validation`, `term_unlimited`, `trial_taken`, `order_limit`.
 */
export function makeOrder(tx: Transaction, userId: number, offerId: number): OrderRow {
  const { store, now, crypto } = tx;
  requireSelling(tx);
  const user = requireUser(tx, userId);
  const offer = requireOfferFor(tx, user, offerId);
  if (isTerm(offer.sold) && user.expiresAt === null && user.hold === null) throw new PanelError('term_unlimited');
  const order = newOrder(tx, user, offer, crypto.uuid());
  if (offer.isTrial) return giveTrial(tx, user, order);
  const before = store.sales.unpaidOrder(userId, offerId);
  const isFresh = before !== undefined && now - before.createdAt < LATE_MS / 2;
  if (isFresh && isSameContent(before, order)) return withLivePromo(tx, before);
  if (store.sales.countMade(userId, now - HOUR_MS) >= MOST_ORDERS) throw new PanelError('order_limit');
  store.sales.insertOrder(order);
  return order;
}

/** What the audit log says of an order that was made. */
export function detailOf({ id, offerName, method, promo }: OrderRow): Readonly<Record<string, unknown>> {
  return {
    order_id: id,
    offer: offerName,
    ...(method === 'trial' && { trial: true }),
    ...(promo && { promo: promo.code }),
  };
}

function giveTrial(tx: Transaction, user: UserRow, order: OrderRow): OrderRow {
  const { store, now, settings } = tx;
  const given = give(tx, user.id, [order.sold], order.id);
  const day = localDay(now, settings.timeZone);
  const taken: OrderRow = { ...order, method: 'trial', state: 'paid', given, paidAt: now, day };
  store.sales.insertOrder(taken);
  store.sales.insertTrial(taken.id, user.id, user.telegramId);
  return taken;
}

function isSameContent(a: OrderRow, b: OrderRow): boolean {
  const contentOf = ({ sold, prices, promo, referral, tariffId, offerName }: OrderRow) =>
    JSON.stringify([sold, fullPricesOf({ prices, promo }), referral, tariffId, offerName]);
  return contentOf(a) === contentOf(b);
}

export interface OpenRequest {
  readonly orderId: number;
  readonly providerId: number;
  /** Left out: the first of the order's that the provider has. */
  readonly currency?: string | undefined;
  /** Where the buyer comes back to. */
  readonly returnUrl: string | null;
}

/**
 * Opens an order at a provider; the invoice says where it is paid. The same order has one open invoice at a provider. PanelError
 * `selling_off`, `not_found`, `order_ended`, `validation`, `promo_refused`, `provider_failed`.
 */
export async function openOrder(env: Env, request: OpenRequest): Promise<InvoiceRow> {
  await env.vault.prepare();
  const begun = await write(env, (tx) => beginInvoice(tx, request));
  if (begun.state === 'opening') await once(env, begun.id, () => callOpen(env, begun.id));
  const invoice = env.store.payments.invoice(begun.id);
  if (invoice?.state !== 'open')
    throw bodyError('provider_failed', '#/provider_id', 'no_answer', 'opens no payment at the moment');
  return invoice;
}

/** Refuses an order of an offer that is no longer for its user, as a second one of an offer for new users, or whose price was that of another day. */
function requireStillFor(tx: Transaction, { userId, offerId, sold }: OrderRow): void {
  if (!isStillSold(tx, sold)) throw new PanelError('order_ended');
  const user = userId === null ? undefined : tx.store.users.get(userId);
  const offer = offerId === null ? undefined : tx.store.sales.offer(offerId);
  if (user && offer && !isFor(tx, offer, user)) throw new PanelError('order_ended');
}

/** The invoice to open, stored with its key before the provider hears of it. */
function beginInvoice(tx: Transaction, { orderId, providerId, currency, returnUrl }: OpenRequest): InvoiceRow {
  const { store, now, crypto } = tx;
  requireSelling(tx);
  const order = requireOrder(tx, orderId);
  const provider = store.providers.get(providerId);
  if (!provider?.enabled) throw bodyError('validation', '#/provider_id', 'invalid', 'is no provider to pay at');
  if (order.given !== null || store.payments.hasUndecided(orderId)) throw new PanelError('order_ended');
  requireStillFor(tx, order);
  const price = order.prices.find(
    (one) => takesCurrency(provider.kind, one.currency) && (currency ?? one.currency) === one.currency,
  );
  if (!price) throw bodyError('validation', '#/currency', 'invalid', 'is no currency of the order at this provider');
  reservePromo(tx, order);
  const before = store.payments
    .invoicesOf(orderId)
    .find((one) => one.providerId === providerId && isSameMoney(one, price) && isPayable(one));
  const asked = { ...order, amount: price.amount, currency: price.currency, method: provider.kind, providerId };
  if (before) {
    store.sales.saveOrder({ ...asked, state: before.state === 'open' ? 'open' : 'opening' });
    return before;
  }
  const unsaved: Omit<InvoiceRow, 'id'> = {
    orderId,
    providerId,
    token: newToken(tx),
    key: crypto.uuid(),
    state: 'opening',
    amount: price.amount,
    currency: price.currency,
    externalId: null,
    payUrl: null,
    returnUrl,
    tries: 0,
    createdAt: now,
    askedAt: null,
    nextAskAt: now + RETRY_MS,
  };
  const invoice = { ...unsaved, id: store.payments.insertInvoice(unsaved) };
  store.sales.saveOrder({ ...asked, state: 'opening' });
  return invoice;
}

function isSameMoney(a: Money, b: Money): boolean {
  return a.amount === b.amount && a.currency === b.currency;
}

function isPayable({ state, payUrl }: InvoiceRow): boolean {
  return state === 'opening' || (state === 'open' && payUrl !== null);
}

/** One call at a time about one invoice; a second waits for the first. */
function once(env: Env, invoiceId: number, work: () => Promise<Asked>): Promise<Asked> {
  const running = env.providerCalls.get(invoiceId);
  if (running !== undefined) return running;
  const call = work().finally(() => env.providerCalls.delete(invoiceId));
  env.providerCalls.set(invoiceId, call);
  return call;
}

/** How a question to a provider went: null: it answered. */
export type Asked = ProviderFailure | null;

interface Called {
  readonly provider: ProviderRow;
  readonly access: ProviderAccess;
}

/** The provider with its keys; a failure where there are none. */
function calledFor({ store, vault }: Env, providerId: number | null): Called | ProviderFailure {
  const provider = providerId === null ? undefined : store.providers.get(providerId);
  const access = provider && accessTo({ store, vault }, provider);
  return provider && access ? { provider, access } : { error: 'no_keys', retryAfterMs: 0, isUnclear: false };
}

async function callOpen(env: Env, id: number): Promise<Asked> {
  const before = env.store.payments.invoice(id);
  if (before?.state !== 'opening') return null;
  const called = calledFor(env, before.providerId);
  if ('error' in called || !env.paymentProviders) {
    const failure = 'error' in called ? called : NO_CLIENT;
    await write(env, (tx) => endOpening(tx, id, failure, before.tries === 0));
    return failure;
  }
  const { provider, access } = called;
  if (before.tries > 0 && env.clock.now() - before.createdAt >= KEY_LIFE_MS) return findOpened(env, before, called);
  const { order } = await write(env, (tx) => {
    tx.store.payments.saveInvoice({ ...before, tries: before.tries + 1 });
    return { order: requireOrder(tx, before.orderId) };
  });
  const answer = await env.paymentProviders.open(access, {
    token: before.token,
    idempotencyKey: before.key,
    price: { amount: before.amount, currency: before.currency },
    title: `${order.tariffName} · ${order.offerName}`,
    returnUrl: before.returnUrl,
    hookUrl: provider.hookToken === null ? null : hookUrl(env, provider.hookToken),
    contact: { email: null, phone: null },
    isRetry: before.tries > 0,
  });
  const outcome = 'error' in answer || isUsable(answer, access) ? answer : MALFORMED;
  if ('error' in outcome) {
    if (outcome.error === 'stopped') return outcome;
    if (outcome.error === 'refused' && before.tries > 0) return findOpened(env, before, called);
    await write(env, (tx) => {
      noteAnswer(tx, provider.id, outcome.error);
      endOpening(tx, id, outcome, before.tries === 0);
    });
    return outcome;
  }
  await write(env, (tx) => {
    noteAnswer(tx, provider.id, null);
    const { externalId, payUrl } = outcome;
    noteOpened(tx, provider, id, externalId, payUrl);
  });
  return null;
}

const MALFORMED: ProviderFailure = { error: 'malformed', retryAfterMs: 0, isUnclear: true };
const NO_CLIENT: ProviderFailure = { error: 'unavailable', retryAfterMs: 0, isUnclear: false };

function noteOpened(
  tx: Transaction,
  { kind }: ProviderRow,
  id: number,
  externalId: string | null,
  payUrl: string | null,
): void {
  const { store, now } = tx;
  const invoice = store.payments.invoice(id);
  // Paid meanwhile, as its list said.
  if (invoice?.state !== 'opening') return;
  const due = nextAskAt(invoice.createdAt, now, kind);
  store.payments.saveInvoice({ ...invoice, state: 'open', externalId, payUrl, askedAt: null, nextAskAt: due });
  const order = requireOrder(tx, invoice.orderId);
  if (order.given === null) store.sales.saveOrder({ ...order, state: 'open' });
}

/** What a failed try leaves: an end where it had no effect and `isSure`: no earlier one had, else another try. */
function endOpening(tx: Transaction, id: number, { isUnclear, retryAfterMs }: ProviderFailure, isSure: boolean): void {
  const { store, now } = tx;
  const invoice = store.payments.invoice(id);
  if (invoice?.state !== 'opening') return;
  if (isUnclear || !isSure) {
    store.payments.saveInvoice({ ...invoice, nextAskAt: now + Math.max(RETRY_MS, retryAfterMs) });
    return;
  }
  store.payments.saveInvoice({ ...invoice, state: 'failed', nextAskAt: null });
  const order = requireOrder(tx, invoice.orderId);
  if (order.given !== null) return;
  store.promos.removeUse(order.id);
  store.sales.saveOrder({ ...order, state: 'failed' });
}

/** Whether an earlier try opened the invoice after all, by its token. */
async function findOpened(env: Env, before: InvoiceRow, { provider, access }: Called): Promise<Asked> {
  const found = await env.paymentProviders?.read(access, { externalId: null, token: before.token });
  if (found === undefined) return NO_CLIENT;
  if ('error' in found && found.error === 'stopped') return found;
  await write(env, (tx) => {
    if ('error' in found) {
      noteAnswer(tx, provider.id, found.error === 'unsupported' ? null : found.error);
      endOpening(tx, before.id, found, found.error === 'unsupported');
      return;
    }
    noteAnswer(tx, provider.id, null);
    const first = found.payments.find(({ externalId }) => isId(externalId));
    if (!first) endOpening(tx, before.id, { ...NO_CLIENT, isUnclear: false }, true);
    else {
      noteOpened(tx, provider, before.id, first.externalId, null);
      for (const payment of found.payments) recordPayment(tx, provider, payment);
    }
  });
  return 'error' in found ? found : null;
}

/** Asks about one invoice, whatever its state; what the provider says is recorded. */
export function askInvoice(env: Env, id: number): Promise<Asked> {
  return once(env, id, async () => {
    const { store } = env;
    const before = store.payments.invoice(id);
    if (before === undefined || before.nextAskAt === null) return null;
    if (before.state === 'opening') return callOpen(env, id);
    const called = calledFor(env, before.providerId);
    const answer =
      'error' in called ? called : ((await env.paymentProviders?.read(called.access, before)) ?? NO_CLIENT);
    if ('error' in answer && answer.error === 'stopped') return answer;
    const isByList = 'error' in answer && answer.error === 'unsupported' && !('error' in called);
    const listed = isByList ? await readList(env, called.provider) : null;
    if (listed?.error === 'stopped') return listed;
    await write(env, (tx) => {
      noteAsked(tx, id, called, isByList ? (listed ?? { payments: [] }) : answer);
      if (isByList && listed === null) noteListed(tx, called);
    });
    return isByList ? listed : 'error' in answer ? answer : null;
  });
}

function noteAsked(
  tx: Transaction,
  id: number,
  called: Called | ProviderFailure,
  answer: { readonly payments: readonly ProviderPayment[] } | ProviderFailure,
): void {
  const { store, now } = tx;
  const isFailed = 'error' in answer;
  if (!('error' in called)) {
    noteAnswer(tx, called.provider.id, isFailed ? answer.error : null);
    if (!isFailed) for (const payment of answer.payments) recordPayment(tx, called.provider, payment);
  }
  const invoice = store.payments.invoice(id);
  if (!invoice || invoice.nextAskAt === null) return;
  const kind = 'error' in called ? 'stripe' : called.provider.kind;
  const due = nextAskAt(invoice.createdAt, now, kind);
  const wait = isFailed ? answer.retryAfterMs : 0;
  store.payments.saveInvoice({ ...invoice, askedAt: now, nextAskAt: Math.max(due, now + wait) });
}

/** A list that was read to its end has answered about all that are open. */
function noteListed(tx: Transaction, called: Called): void {
  const { store, now } = tx;
  for (let count = 0; count < MOST_NOTED; count++) {
    const due = store.payments.due(called.provider.id, now);
    if (due?.state !== 'open') return;
    noteAsked(tx, due.id, called, { payments: [] });
  }
}

/** Providers that give money back when they are asked to; with the others a person does. */
const REFUNDING: ReadonlySet<ProviderKind> = new Set(['stars', 'yookassa', 'stripe']);

/** Whether the provider of a payment can be asked to give it back. */
export function canRefund({ kind, providerId, state, providerState }: PaymentRow): boolean {
  return REFUNDING.has(kind) && providerId !== null && state !== 'refunded' && providerState === 'paid';
}

/**
 * Has a payment given back by its provider, then takes back what was given for it. The key is stored before the provider is called, and
 * a refund without a clear answer is asked for again by the same key. PanelError `provider_failed`, `order_refunded`.
 */
export async function refundPayment(env: Env, id: number, note: string): Promise<void> {
  await env.vault.prepare();
  await write(env, (tx) => {
    const payment = tx.store.payments.payment(id);
    if (!payment || !canRefund(payment)) throw new PanelError('order_refunded');
    const refundKey = payment.refundKey ?? tx.crypto.uuid();
    tx.store.payments.savePayment({ ...payment, refundKey, note, nextRefundAt: tx.now + RETRY_MS });
  });
  const failed = await askRefund(env, id, true);
  if (failed) throw bodyError('provider_failed', '#/id', 'no_answer', 'was not given back');
}

/**
 * Asks for a refund whose key is stored, or about one that the provider works on. `isAwaited`: who asked for it learns how it went; else a
 * person is told where it was refused.
 */
export function askRefund(env: Env, id: number, isAwaited = false): Promise<Asked> {
  // Payments and invoices have numbers of their own.
  return once(env, -id, async () => {
    const before = env.store.payments.payment(id);
    if (!before || before.refundKey === null || before.nextRefundAt === null) return null;
    const called = calledFor(env, before.providerId);
    const { externalId, buyer, amount, currency, refundKey: idempotencyKey, refundId } = before;
    if (refundId !== null) return askBegunRefund(env, id, refundId, called);
    const request = { externalId, buyer, price: { amount, currency }, idempotencyKey };
    const outcome =
      'error' in called ? called : ((await env.paymentProviders?.refund(called.access, request)) ?? NO_CLIENT);
    if ('error' in outcome && outcome.error === 'stopped') return outcome;
    await write(env, (tx) => noteRefund(tx, id, outcome, isAwaited), 'refundOrder');
    return 'error' in outcome ? outcome : null;
  });
}

async function askBegunRefund(
  env: Env,
  id: number,
  refundId: string,
  called: Called | ProviderFailure,
): Promise<Asked> {
  const answer =
    'error' in called ? called : ((await env.paymentProviders?.readRefund(called.access, refundId)) ?? NO_CLIENT);
  if ('error' in answer && answer.error === 'stopped') return answer;
  await write(
    env,
    (tx) => {
      const payment = tx.store.payments.payment(id);
      if (payment?.refundId !== refundId) return;
      if (!('error' in called)) noteAnswer(tx, called.provider.id, 'error' in answer ? answer.error : null);
      if ('state' in answer && answer.state === 'done') endRefund(tx, payment);
      else if ('state' in answer && answer.state === 'failed') failRefund(tx, payment);
      else {
        const wait = 'error' in answer ? answer.retryAfterMs : 0;
        tx.store.payments.savePayment({ ...payment, nextRefundAt: tx.now + Math.max(REFUND_ASK_MS, wait) });
      }
    },
    'refundOrder',
  );
  return 'error' in answer ? answer : null;
}

function noteRefund(tx: Transaction, id: number, outcome: BegunRefund | ProviderFailure, isAwaited: boolean): void {
  const payment = tx.store.payments.payment(id);
  // Its provider's list has said that it is done.
  if (!payment || payment.nextRefundAt === null) return;
  if (!('error' in outcome)) {
    const { isDone, refundId } = outcome;
    const known = refundId !== null && isId(refundId) ? refundId : null;
    if (isDone) endRefund(tx, payment);
    else
      tx.store.payments.savePayment({
        ...payment,
        refundId: known,
        nextRefundAt: tx.now + (known === null ? RETRY_MS : REFUND_ASK_MS),
      });
  } else if (outcome.error !== 'refused' && outcome.error !== 'unsupported')
    tx.store.payments.savePayment({ ...payment, nextRefundAt: tx.now + Math.max(RETRY_MS, outcome.retryAfterMs) });
  // A repetition by the same key is refused only where the first try was.
  else if (isAwaited) tx.store.payments.savePayment({ ...payment, refundKey: null, nextRefundAt: null });
  else failRefund(tx, payment);
}

/** Reads a page of a provider's list behind what was read. What it holds and the new place are one transaction. */
export async function readPage(env: Env, provider: ProviderRow): Promise<Asked | 'more'> {
  const called = calledFor(env, provider.id);
  if ('error' in called) return called;
  const { cursor = null } = env.store.providers.reading(provider.id) ?? {};
  const answer = (await env.paymentProviders?.since(called.access, cursor)) ?? NO_CLIENT;
  const page = 'error' in answer || isCursor(answer.cursor) ? answer : { ...MALFORMED, isUnclear: false };
  if ('error' in page && page.error === 'stopped') return page;
  await write(env, (tx) => {
    const { store, now } = tx;
    noteAnswer(tx, provider.id, 'error' in page ? page.error : null);
    const reading = store.providers.reading(provider.id);
    // Deleted meanwhile, or another account has its place.
    if ('error' in page || reading === undefined || reading.cursor !== cursor) return;
    for (const payment of page.payments) recordPayment(tx, called.provider, payment);
    store.providers.saveReading(provider.id, page.cursor, page.hasMore ? reading.caughtUpAt : now);
  });
  if ('error' in page) return page;
  return page.hasMore ? 'more' : null;
}

/** Reads a provider's list to its end; how that ended. */
export async function readList(env: Env, provider: ProviderRow): Promise<Asked> {
  for (let page = 0; page < MOST_PAGES; page++) {
    const outcome = await readPage(env, provider);
    if (outcome !== 'more') return outcome;
  }
  return null;
}

/** Asks at once about what of an order is open, where its provider was not asked a moment ago. Never rejects for what a provider does. */
export async function askOrder(env: Env, orderId: number): Promise<void> {
  const now = env.clock.now();
  const asked = env.store.payments.invoicesOf(orderId).filter(({ nextAskAt: due, askedAt, providerId }) => {
    const kind = providerId === null ? undefined : env.store.providers.get(providerId)?.kind;
    if (due === null || kind === undefined) return false;
    return askedAt === null || Math.abs(now - askedAt) >= askEveryMs(kind);
  });
  await Promise.all(asked.map(({ id }) => askInvoice(env, id)));
}
