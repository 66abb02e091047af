// Polls providers about invoices, one by one or by the list of an account. A page of a list and its new cursor are stored in one transaction.

import { nextPollAt } from '../../domain/sales/poll-interval.ts';
import type { Transaction } from '../kernel/context.ts';
import type { InvoiceRow } from '../ports/payments.ts';
import type { ProviderFailure, ProviderRow, ReadPayments } from '../ports/providers.ts';
import { findProblem, recordAnswer, recordListEnd } from './account-health.ts';
import { callOpen } from './open-invoice.ts';
import {
  type Called,
  MALFORMED,
  NO_CLIENT,
  type PollFailure,
  type ProviderCallEnv,
  prepareCall,
  RECORD_PAYMENT,
} from './provider-call.ts';
import { getPollInterval } from './providers.ts';
import { endInvoice, recordPayment } from './record.ts';
import { isCursor } from './sanitize-payment.ts';

/** Invoices that are updated in one transaction. */
const MAX_NOTED = 500;

/** Pages of a provider's list that readList reads. */
const MAX_PAGES = 100;

/** Polls the open invoices of an order, at most once per poll interval. Never rejects because of a provider. */
export async function pollOrder(env: ProviderCallEnv, orderId: number): Promise<void> {
  const now = env.clock.now();
  const dueInvoices = env.store.payments.listInvoices(orderId).filter(({ nextPollAt: due, polledAt, providerId }) => {
    const kind = providerId === null ? undefined : env.store.providers.get(providerId)?.kind;
    if (due === null || kind === undefined) return false;
    return polledAt === null || Math.abs(now - polledAt) >= getPollInterval(env, kind);
  });
  await Promise.all(dueInvoices.map(({ id }) => pollInvoice(env, id)));
}

/** Polls one invoice that is not final, or opens it, and records the answer. */
export function pollInvoice(env: ProviderCallEnv, id: number): Promise<PollFailure> {
  return env.providerCalls.share(id, async () => {
    const { store } = env;
    const before = store.payments.invoice(id);
    if (before === undefined || before.nextPollAt === null) return null;
    if (before.state === 'opening') return callOpen(env, id);
    const called = prepareCall(env, before.providerId);
    const isSettled = store.sales.order(before.orderId)?.given != null;
    if (isSettled && !('error' in called)) {
      const ended = await endUnpaid(env, before, called);
      if (ended !== 'read') return ended;
    }
    const answer =
      'error' in called ? called : ((await env.paymentProviders?.read(called.access, before)) ?? NO_CLIENT);
    if ('error' in answer && answer.error === 'stopped') return answer;
    const isByList = 'error' in answer && answer.error === 'unsupported' && !('error' in called);
    const listed = isByList ? await readList(env, called.provider) : null;
    if (listed?.error === 'stopped') return listed;
    await env.transact(RECORD_PAYMENT, (tx) => {
      recordPoll(tx, id, called, isByList ? (listed ?? { payments: [] }) : answer);
      // The provider has deleted the invoice, and its order is paid otherwise.
      const isGone = !('error' in answer) && answer.payments.length === 0 && before.externalId !== null;
      if (isSettled && isGone) endInvoice(tx, before, 'expired');
      if (isByList && listed === null) recordListPoll(tx, called);
    });
    return isByList ? listed : 'error' in answer ? answer : null;
  });
}

/**
 * Ends an invoice whose order was paid otherwise, so that a buyer with two open pages does not pay twice. `read`: it cannot be ended or is no
 * longer open, so its state must be read.
 */
async function endUnpaid(env: ProviderCallEnv, invoice: InvoiceRow, called: Called): Promise<PollFailure | 'read'> {
  const ended = (await env.paymentProviders?.end(called.access, invoice)) ?? NO_CLIENT;
  if (!('error' in ended)) {
    if (!ended.isEnded) return 'read';
    await env.transact(RECORD_PAYMENT, (tx) => {
      recordAnswer(tx, called.provider.id, null);
      const present = tx.store.payments.invoice(invoice.id);
      if (present) endInvoice(tx, present, 'expired');
    });
    return null;
  }
  if (ended.error === 'stopped') return ended;
  if (ended.error === 'unsupported') return 'read';
  await env.transact(RECORD_PAYMENT, (tx) => {
    recordAnswer(tx, called.provider.id, ended);
    if (ended.error !== 'forbidden') recordPoll(tx, invoice.id, called, ended);
  });
  return ended.error === 'forbidden' ? 'read' : ended;
}

function recordPoll(
  tx: Transaction,
  id: number,
  called: Called | ProviderFailure,
  answer: ReadPayments | ProviderFailure,
): void {
  const { store, now } = tx;
  const isFailed = 'error' in answer;
  if (!('error' in called)) {
    recordAnswer(tx, called.provider.id, findProblem(answer));
    if (!isFailed) for (const payment of answer.payments) recordPayment(tx, called.provider, payment);
  }
  const invoice = store.payments.invoice(id);
  if (!invoice || invoice.nextPollAt === null) return;
  const interval = 'error' in called ? 0 : getPollInterval(tx.env, called.provider.kind);
  const due = nextPollAt(invoice.createdAt, now, interval);
  const wait = isFailed ? answer.retryAfterMs : 0;
  store.payments.saveInvoice({ ...invoice, polledAt: now, nextPollAt: Math.max(due, now + wait) });
}

/** Marks all open invoices of a provider as polled, after its list was read to the end. */
function recordListPoll(tx: Transaction, called: Called): void {
  const { store, now } = tx;
  for (let count = 0; count < MAX_NOTED; count++) {
    const due = store.payments.due(called.provider.id, now);
    if (due?.state !== 'open') return;
    recordPoll(tx, due.id, called, { payments: [] });
  }
}

/** Reads the next page of a provider's list, and stores its payments and the new cursor in one transaction. */
export async function readPage(env: ProviderCallEnv, provider: ProviderRow): Promise<PollFailure | 'more'> {
  const called = prepareCall(env, provider.id);
  if ('error' in called) return called;
  const { cursor = null } = env.store.providers.reading(provider.id) ?? {};
  const answer = (await env.paymentProviders?.since(called.access, cursor)) ?? NO_CLIENT;
  const page = 'error' in answer || isCursor(answer.cursor) ? answer : { ...MALFORMED, isUnclear: false };
  if ('error' in page && page.error === 'stopped') return page;
  await env.transact(RECORD_PAYMENT, (tx) => {
    const { store, now } = tx;
    recordAnswer(tx, provider.id, findProblem(page));
    if (!('error' in page) && !page.hasMore) recordListEnd(tx, provider.id, page.isRepeated === true);
    const reading = store.providers.reading(provider.id);
    // The account was deleted, or its keys now belong to another account.
    if ('error' in page || reading === undefined || reading.cursor !== cursor) return;
    for (const payment of page.payments) recordPayment(tx, called.provider, payment);
    store.providers.saveReading(provider.id, page.cursor, page.hasMore ? reading.caughtUpAt : now);
  });
  if ('error' in page) return page;
  return page.hasMore ? 'more' : null;
}

/** Reads a provider's list to its end; null: success. */
export async function readList(env: ProviderCallEnv, provider: ProviderRow): Promise<PollFailure> {
  for (let page = 0; page < MAX_PAGES; page++) {
    const outcome = await readPage(env, provider);
    if (outcome !== 'more') return outcome;
  }
  return null;
}
