// Telegram Stars by the Bot API over HTTP: links to invoices, the ledger of the bot's Stars, refunds. https://core.telegram.org/bots/payments-stars
import type { ProviderFailure, ProviderPayment } from '../core/ports/providers.ts';
import { type Adapter, failure, isFailure, jsonBody, type Link, refusalOf } from './adapter.ts';
import { listOf, memberOf, textOf, wholeOf } from './reading.ts';

const ROOT = 'https://api.telegram.org';
const PAGE = 100;
const STARS = 'XTR';

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
  if (memberOf(reply.body, 'ok') === true) return { result: memberOf(reply.body, 'result') };
  const code = wholeOf(reply.body, 'error_code');
  // A token that the Bot API does not know is a path that it does not have.
  if (code === 401 || code === 404) return failure('unauthorized');
  const seconds = wholeOf(memberOf(reply.body, 'parameters'), 'retry_after');
  if (code === 429) return failure('rate_limited', false, Math.min(86_400, seconds ?? 1) * 1000);
  const description = textOf(reply.body, 'description');
  return { ...refusalOf(reply, isEffect), ...(description !== null && { description }) };
}

/** A payment to the bot, or what it gave back of one: both have the id of the payment. */
function paymentOf(link: Link, transaction: unknown): ProviderPayment | null {
  const externalId = textOf(transaction, 'id');
  const amount = wholeOf(transaction, 'amount');
  const source = memberOf(transaction, 'source');
  const receiver = memberOf(transaction, 'receiver');
  const user = source ?? receiver;
  if (externalId === null || amount === null || textOf(user, 'type') !== 'user') return null;
  const type = textOf(user, 'transaction_type');
  if (type !== null && type !== 'invoice_payment') return null;
  const isIncoming = source !== undefined;
  const date = wholeOf(transaction, 'date');
  const buyer = textOf(memberOf(user, 'user'), 'id');
  return {
    externalId,
    token: textOf(user, 'invoice_payload'),
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
      invoice_payload: textOf(user, 'invoice_payload'),
      incoming: isIncoming,
    }),
  };
}

export const stars: Adapter = {
  kind: 'stars',
  paceMs: 50,
  async probe(link) {
    const me = await call(link, 'getMe', {});
    if (isFailure(me)) return failure(me.error, false, me.retryAfterMs);
    return { account: `@${textOf(me.result, 'username') ?? ''}`, isTest: null };
  },
  // A second call makes a second link: which of two payments counts, the order says.
  async open(link, { token, price, title }) {
    if (price.currency !== STARS) return failure('unsupported');
    const made = await call(
      link,
      'createInvoiceLink',
      {
        title: title.slice(0, 32),
        description: title.slice(0, 255),
        payload: token,
        provider_token: '',
        currency: STARS,
        prices: [{ label: title.slice(0, 32), amount: price.amount }],
      },
      true,
    );
    if (isFailure(made)) return failure(made.error, made.isUnclear, made.retryAfterMs);
    const { result: payUrl } = made;
    return typeof payUrl === 'string' ? { externalId: null, payUrl } : failure('malformed', true);
  },
  read: null,
  // The oldest first, and only ever appended to: the cursor is how many have been read.
  async since(link, cursor) {
    const offset = cursor === null ? 0 : Number(cursor);
    const found = await call(link, 'getStarTransactions', { offset, limit: PAGE });
    if (isFailure(found)) return failure(found.error, false, found.retryAfterMs);
    const transactions = listOf(found.result, 'transactions');
    const payments = transactions.flatMap((transaction) => paymentOf(link, transaction) ?? []);
    return { payments, cursor: String(offset + transactions.length), hasMore: transactions.length >= PAGE };
  },
  async refund(link, { externalId, buyer }) {
    if (buyer === null) return failure('refused');
    const ids = { user_id: Number(buyer), telegram_payment_charge_id: externalId };
    const done = await call(link, 'refundStarPayment', ids, true);
    if (!isFailure(done)) return { isDone: true, refundId: null };
    if (done.description?.includes('CHARGE_ALREADY_REFUNDED')) return { isDone: true, refundId: null };
    return failure(done.error, done.isUnclear, done.retryAfterMs);
  },
  readRefund: null,
  cursorFrom: null,
  hint: null,
};
