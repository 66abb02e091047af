// Opens invoices of orders: one open invoice per provider and price, stored with its idempotency key before the provider is called.

import { issuesReceipts } from '../../contract/sales/providers.ts';
import { DAY_MS, HOUR_MS } from '../../domain/limits.ts';
import { acceptsPrice, type Money } from '../../domain/sales/money.ts';
import { nextPollAt } from '../../domain/sales/poll-interval.ts';
import type { Env, Transaction } from '../kernel/context.ts';
import { bodyError, PanelError } from '../kernel/panel-error.ts';
import { isFor } from '../offers/offers.ts';
import type { InvoiceRow } from '../ports/payments.ts';
import type { ProviderFailure, ProviderRow } from '../ports/providers.ts';
import type { OrderRow } from '../ports/sales.ts';
import { newToken, requireOrder } from '../sales/order.ts';
import { reservePromo } from '../sales/promos.ts';
import {
  findProblem,
  isCurrencyRefusal,
  openingProblem,
  recordAnswer,
  recordOpening,
  recordRefusedCurrency,
} from './account-health.ts';
import { requireSelling } from './make-order.ts';
import {
  type Called,
  MALFORMED,
  NO_CLIENT,
  type PollFailure,
  type ProviderCallEnv,
  prepareCall,
  RECORD_PAYMENT,
  RETRY_MS,
} from './provider-call.ts';
import { getPollInterval, getPriceRules, hookUrl } from './providers.ts';
import { recordPayment } from './record.ts';
import { isId, isUsable } from './sanitize-payment.ts';

/** Age of an invoice at which its idempotency key may have expired at the provider, whose list is searched instead. */
const KEY_LIFE_MS = DAY_MS - HOUR_MS;

export interface OpenRequest {
  readonly orderId: number;
  readonly providerId: number;
  /** Default: the first currency of the order that the provider accepts. */
  readonly currency?: string | undefined;
  /** URL to which the buyer returns; null: none. */
  readonly returnUrl: string | null;
  /** E-mail address of the buyer: required if the provider issues receipts, else not used. */
  readonly email?: string | undefined;
}

/**
 * Opens an invoice for an order, or returns the one that is open at this provider for this price.
 * Throws PanelError `selling_off`, `not_found`, `order_ended`, `validation`, `promo_refused`, `provider_failed`.
 */
export async function openOrder(env: ProviderCallEnv, request: OpenRequest): Promise<InvoiceRow> {
  await env.vault.prepare();
  const started = await env.transact(RECORD_PAYMENT, (tx) => beginInvoice(tx, request));
  if (started.state === 'opening') await env.providerCalls.share(started.id, () => callOpen(env, started.id));
  const invoice = env.store.payments.invoice(started.id);
  if (invoice?.state !== 'open')
    throw bodyError('provider_failed', '#/provider_id', 'no_answer', 'opens no payment at the moment');
  return invoice;
}

/** Refuses an order whose offer is no longer for its user, such as a second order of an offer for new users. */
function requireStillFor(tx: Transaction, { userId, offerId }: OrderRow): void {
  const user = userId === null ? undefined : tx.store.users.get(userId);
  const offer = offerId === null ? undefined : tx.store.sales.offer(offerId);
  if (user && offer && !isFor(tx, offer, user)) throw new PanelError('order_ended');
}

/** Stores the invoice to open with its idempotency key, or returns the existing one. */
function beginInvoice(tx: Transaction, request: OpenRequest): InvoiceRow {
  const { orderId, providerId, currency, returnUrl } = request;
  const { store, now, crypto } = tx;
  requireSelling(tx);
  const order = requireOrder(tx, orderId);
  const provider = store.providers.get(providerId);
  if (!provider?.enabled) throw bodyError('validation', '#/provider_id', 'invalid', 'is no provider to pay at');
  if (order.given !== null || store.payments.hasUndecided(orderId)) throw new PanelError('order_ended');
  requireStillFor(tx, order);
  const rules = getPriceRules(tx.env, provider);
  const price = order.prices.find((one) => acceptsPrice(rules, one) && (currency ?? one.currency) === one.currency);
  if (!price) throw bodyError('validation', '#/currency', 'invalid', 'is no currency of the order at this provider');
  reservePromo(tx, order);
  const before = findPayable(tx, orderId, providerId, price);
  const pricedOrder = { ...order, amount: price.amount, currency: price.currency, method: provider.kind, providerId };
  if (before) {
    store.sales.saveOrder({ ...pricedOrder, state: before.state === 'open' ? 'open' : 'opening' });
    return before;
  }
  const email = issuesReceipts(provider) ? request.email : null;
  if (email === undefined) throw bodyError('validation', '#/email', 'required', 'is required for the receipt');
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
    email,
    tries: 0,
    createdAt: now,
    polledAt: null,
    nextPollAt: now + RETRY_MS,
  };
  const invoice = { ...unsaved, id: store.payments.insertInvoice(unsaved) };
  store.sales.saveOrder({ ...pricedOrder, state: 'opening' });
  return invoice;
}

/** Finds the invoice of an order at a provider that can be paid or is being opened. */
export function findPayable(
  { store }: Pick<Env, 'store'>,
  orderId: number,
  providerId: number,
  price: Money,
): InvoiceRow | undefined {
  return store.payments
    .listInvoices(orderId)
    .find((one) => one.providerId === providerId && isSameMoney(one, price) && isPayable(one));
}

function isSameMoney(a: Money, b: Money): boolean {
  return a.amount === b.amount && a.currency === b.currency;
}

function isPayable({ state, payUrl }: InvoiceRow): boolean {
  return state === 'opening' || (state === 'open' && payUrl !== null);
}

export async function callOpen(env: ProviderCallEnv, id: number): Promise<PollFailure> {
  const before = env.store.payments.invoice(id);
  if (before?.state !== 'opening') return null;
  const called = prepareCall(env, before.providerId);
  if ('error' in called || !env.paymentProviders) {
    const failure = 'error' in called ? called : NO_CLIENT;
    await env.transact(RECORD_PAYMENT, (tx) => endOpening(tx, id, failure, before.tries === 0));
    return failure;
  }
  const { provider, access } = called;
  if (before.tries > 0 && env.clock.now() - before.createdAt >= KEY_LIFE_MS) return findOpened(env, before, called);
  const { order } = await env.transact(RECORD_PAYMENT, (tx) => {
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
    email: before.email,
    isRetry: before.tries > 0,
  });
  const outcome = 'error' in answer || isUsable(answer, access) ? answer : MALFORMED;
  if ('error' in outcome) {
    if (outcome.error === 'stopped') return outcome;
    if (outcome.error === 'refused' && before.tries > 0) return findOpened(env, before, called);
    await env.transact(RECORD_PAYMENT, (tx) => {
      recordAnswer(tx, provider.id, openingProblem(outcome));
      if (isCurrencyRefusal(outcome)) recordRefusedCurrency(tx, provider.id, before.currency);
      endOpening(tx, id, outcome, before.tries === 0);
    });
    return outcome;
  }
  await env.transact(RECORD_PAYMENT, (tx) => {
    recordOpening(tx, provider.id);
    const { externalId, payUrl } = outcome;
    recordOpened(tx, provider, id, externalId, payUrl);
  });
  return null;
}

function recordOpened(
  tx: Transaction,
  { kind }: ProviderRow,
  id: number,
  externalId: string | null,
  payUrl: string | null,
): void {
  const { store, now } = tx;
  const invoice = store.payments.invoice(id);
  // The provider's list has already reported the invoice as paid.
  if (invoice?.state !== 'opening') return;
  const due = nextPollAt(invoice.createdAt, now, getPollInterval(tx.env, kind));
  store.payments.saveInvoice({ ...invoice, state: 'open', externalId, payUrl, polledAt: null, nextPollAt: due });
  const order = requireOrder(tx, invoice.orderId);
  if (order.given === null) store.sales.saveOrder({ ...order, state: 'open' });
}

/** Handles a failed attempt: ends the invoice if this attempt and all earlier ones (`isSure`) had no effect, else schedules another one. */
function endOpening(tx: Transaction, id: number, { isUnclear, retryAfterMs }: ProviderFailure, isSure: boolean): void {
  const { store, now } = tx;
  const invoice = store.payments.invoice(id);
  if (invoice?.state !== 'opening') return;
  if (isUnclear || !isSure) {
    store.payments.saveInvoice({ ...invoice, nextPollAt: now + Math.max(RETRY_MS, retryAfterMs) });
    return;
  }
  store.payments.saveInvoice({ ...invoice, state: 'failed', nextPollAt: null });
  const order = requireOrder(tx, invoice.orderId);
  if (order.given !== null) return;
  store.promos.removeUse(order.id);
  store.sales.saveOrder({ ...order, state: 'failed' });
}

/** Searches for an invoice with our token that an earlier attempt may have opened, and records the result. */
async function findOpened(
  env: Pick<Env, 'paymentProviders' | 'transact'>,
  before: InvoiceRow,
  { provider, access }: Called,
): Promise<PollFailure> {
  const found = await env.paymentProviders?.read(access, { externalId: null, token: before.token });
  if (found === undefined) return NO_CLIENT;
  if ('error' in found && found.error === 'stopped') return found;
  await env.transact(RECORD_PAYMENT, (tx) => {
    if ('error' in found) {
      recordAnswer(tx, provider.id, found.error === 'unsupported' ? null : found);
      endOpening(tx, before.id, found, found.error === 'unsupported');
      return;
    }
    recordAnswer(tx, provider.id, findProblem(found));
    const first = found.payments.find(({ externalId }) => isId(externalId));
    if (!first) endOpening(tx, before.id, { ...NO_CLIENT, isUnclear: false }, true);
    else {
      recordOpened(tx, provider, before.id, first.externalId, null);
      for (const payment of found.payments) recordPayment(tx, provider, payment);
    }
  });
  return 'error' in found ? found : null;
}
