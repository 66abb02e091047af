// Telegram Stars by the Bot API over HTTP: invoice links, the list of Star transactions, refunds. https://core.telegram.org/bots/payments-stars

import { STARS } from '../contract/currencies.ts';
import type { ProviderFailure, ProviderPayment } from '../core/ports/providers.ts';
import { shorten } from '../domain/shorten.ts';
import {
  type Adapter,
  failure,
  isFailure,
  jsonBody,
  LIST_OVERLAP_MS,
  type Link,
  toProviderFailure,
} from './adapter.ts';
import { decimalAmounts } from './amounts.ts';
import { readInteger, readList, readMember, readText } from './reading.ts';

const ROOT = 'https://api.telegram.org';
const PAGE = 100;

async function call(
  link: Link,
  method: string,
  parameters: object,
  isEffect = false,
): Promise<{ readonly result: unknown } | (ProviderFailure & { readonly description?: string })> {
  const { body, headers } = jsonBody(parameters);
  const path = `/bot${link.field('bot_token')}/${method}`;
  const reply = await link.send({ method: 'POST', root: ROOT, path, headers, ...(body !== undefined && { body }) });
  if (isFailure(reply)) return isEffect ? reply : { ...reply, isUnclear: false };
  if (readMember(reply.body, 'ok') === true) return { result: readMember(reply.body, 'result') };
  const code = readInteger(reply.body, 'error_code');
  // The token is a part of the path, so an unknown token can be a 404.
  if (code === 401 || code === 404) return failure('unauthorized');
  const seconds = readInteger(readMember(reply.body, 'parameters'), 'retry_after');
  if (code === 429) return failure('rate_limited', false, Math.min(86_400, seconds ?? 1) * 1000);
  const description = readText(reply.body, 'description');
  // A token may call every method, so a 403 is about the request, such as a deactivated buyer.
  const named = /\b[A-Z\d]+(?:_[A-Z\d]+)+\b/.exec(description ?? '')?.[0] ?? null;
  if (code === 403)
    return {
      ...failure('refused'),
      ...(named !== null && { codes: [named] }),
      ...(description !== null && { description }),
    };
  return { ...toProviderFailure(reply, isEffect, [named]), ...(description !== null && { description }) };
}

/** Drops Telegram's text from a failure. */
function withoutText({ description: _text, ...failed }: ProviderFailure & { readonly description?: string }) {
  return failed;
}

/** Parses a payment to the bot or its refund. Both transactions have the id of the payment. */
function parsePayment(link: Link, transaction: unknown): ProviderPayment | null {
  const externalId = readText(transaction, 'id');
  const amount = link.readAmount(readText(transaction, 'amount'), STARS);
  const source = readMember(transaction, 'source');
  const receiver = readMember(transaction, 'receiver');
  const user = source ?? receiver;
  if (externalId === null || readText(user, 'type') !== 'user') return null;
  const type = readText(user, 'transaction_type');
  if (type !== null && type !== 'invoice_payment') return null;
  const isIncoming = source !== undefined;
  const date = readInteger(transaction, 'date');
  const buyer = readText(readMember(user, 'user'), 'id');
  return {
    externalId,
    token: readText(user, 'invoice_payload'),
    state: isIncoming ? 'paid' : 'refunded',
    paid: { amount, currency: STARS },
    refunded: isIncoming ? 0 : amount,
    isTest: link.access.isTest,
    paidAt: isIncoming && date !== null ? date * 1000 : null,
    buyer,
    raw: link.raw({
      id: externalId,
      amount,
      date,
      invoice_payload: readText(user, 'invoice_payload'),
      incoming: isIncoming,
    }),
  };
}

export const stars: Adapter = {
  kind: 'stars',
  amounts: decimalAmounts([STARS], { XTR: 1 }),
  paceMs: 50,
  pollIntervalMs: 5000,
  lookbackMs: LIST_OVERLAP_MS,
  listReachMs: null,
  async probe(link) {
    const me = await call(link, 'getMe', {});
    if (isFailure(me)) return withoutText(me);
    const ledger = await call(link, 'getStarTransactions', { offset: 0, limit: 1 });
    if (isFailure(ledger)) return withoutText(ledger);
    return { account: `@${readText(me.result, 'username') ?? ''}`, isTest: null };
  },
  // A repeated call makes a second link. The order decides which of two payments counts.
  async open(link, { token, amount, currency, title }) {
    const made = await call(
      link,
      'createInvoiceLink',
      {
        title: shorten(title, 32),
        description: shorten(title, 255),
        payload: token,
        provider_token: '',
        currency,
        prices: [{ label: shorten(title, 32), amount: Number(amount) }],
      },
      true,
    );
    if (isFailure(made)) return withoutText(made);
    const { result: payUrl } = made;
    return typeof payUrl === 'string' ? { externalId: null, payUrl } : failure('malformed', true);
  },
  read: null,
  // A link never ends. Before each payment the bot refuses an order that is already paid.
  end: null,
  // The list is ordered by age and only grows at its end, so the cursor is the number of transactions read.
  async since(link, cursor) {
    const offset = cursor === null ? 0 : Number(cursor);
    const found = await call(link, 'getStarTransactions', { offset, limit: PAGE });
    if (isFailure(found)) return withoutText(found);
    const transactions = readList(found.result, 'transactions');
    const payments = transactions.flatMap((transaction) => parsePayment(link, transaction) ?? []);
    return { payments, cursor: String(offset + transactions.length), hasMore: transactions.length >= PAGE };
  },
  async refund(link, { externalId, buyer }) {
    if (buyer === null) return failure('refused');
    const ids = { user_id: Number(buyer), telegram_payment_charge_id: externalId };
    const done = await call(link, 'refundStarPayment', ids, true);
    if (!isFailure(done)) return { isDone: true, refundId: null };
    if (done.description?.includes('CHARGE_ALREADY_REFUNDED')) return { isDone: true, refundId: null };
    return withoutText(done);
  },
  readRefund: null,
  cursorFrom: null,
  hint: null,
};
