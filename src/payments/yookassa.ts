// YooKassa, API v3: cards and SBP in roubles, with fiscal receipts where a shop must give them. https://yookassa.ru/developers

import type { InvoiceRequest, ProviderFailure, ProviderPayment } from '../core/ports/providers.ts';
import { toDecimal } from '../domain/sales/money.ts';
import {
  type Adapter,
  failure,
  isFailure,
  jsonBody,
  LIST_OVERLAP_MS,
  type Link,
  type LinkReply,
  refusalOf,
} from './adapter.ts';
import { listOf, memberOf, minorOf, momentOf, parsed, textOf } from './reading.ts';

const ROOT = 'https://api.yookassa.ru/v3';
const PAGE = 100;
const MOST_PAGES = 20;
/** The name under which a payment carries our token. */
const TOKEN = 'order';

/** How a list goes on: since when, on which page, and of which list. */
interface Cursor {
  readonly from: string;
  readonly next: string | null;
  readonly list: 'payments' | 'refunds';
  /** When this reading began. */
  readonly begun: string;
}

async function request(link: Link, path: string, effect: { readonly key: string; readonly body: unknown } | null) {
  const credentials = Buffer.from(`${link.field('shop_id')}:${link.field('secret_key')}`).toString('base64');
  const headers = { authorization: `Basic ${credentials}` };
  if (effect === null) return link.send({ method: 'GET', root: ROOT, path, headers });
  const { body, headers: json } = jsonBody(effect.body);
  return link.send({
    method: 'POST',
    root: ROOT,
    path,
    headers: { ...headers, ...json, 'idempotence-key': effect.key },
    ...(body !== undefined && { body }),
  });
}

/** The parsed reply where it is a success. */
function bodyOf(reply: LinkReply | ProviderFailure, isEffect = false): { readonly body: unknown } | ProviderFailure {
  if (isFailure(reply)) return reply;
  if (reply.status !== 200) return refusalOf(reply, isEffect);
  return typeof reply.body === 'object' && reply.body !== null ? { body: reply.body } : failure('malformed', isEffect);
}

function stateOf(payment: unknown, asked: number, refunded: number): ProviderPayment['state'] | null {
  switch (textOf(payment, 'status')) {
    case 'pending':
    case 'waiting_for_capture':
      return 'open';
    case 'succeeded':
      if (refunded === 0) return 'paid';
      return refunded >= asked ? 'refunded' : 'partly_refunded';
    case 'canceled':
      return textOf(memberOf(payment, 'cancellation_details'), 'reason') === 'expired_on_confirmation'
        ? 'expired'
        : 'failed';
    default:
      return null;
  }
}

/** Without what the provider says of the buyer's card. */
function withoutBuyer(payment: unknown): unknown {
  if (typeof payment !== 'object' || payment === null) return null;
  const { payment_method: _method, receipt: _receipt, ...rest } = payment as Readonly<Record<string, unknown>>;
  return rest;
}

function paymentOf(link: Link, payment: unknown): ProviderPayment | null {
  const externalId = textOf(payment, 'id');
  const amount = memberOf(payment, 'amount');
  const currency = textOf(amount, 'currency') ?? 'RUB';
  const paid = minorOf(amount, currency, 'value') ?? 0;
  const refunded = minorOf(memberOf(payment, 'refunded_amount'), currency, 'value') ?? 0;
  const state = stateOf(payment, paid, refunded);
  if (externalId === null || state === null) return null;
  return {
    externalId,
    token: textOf(memberOf(payment, 'metadata'), TOKEN),
    state,
    paid: { amount: paid, currency },
    refunded,
    isTest: memberOf(payment, 'test') === true,
    paidAt: momentOf(payment, 'captured_at'),
    buyer: null,
    raw: link.raw(withoutBuyer(payment)),
  };
}

/** A receipt for the tax office (54-FZ), where the account has a VAT code. */
function receiptOf(link: Link, { price, title, contact }: InvoiceRequest) {
  const vatCode = link.field('vat_code');
  if (vatCode === '') return {};
  const own = link.field('receipt_contact');
  const email = contact.email ?? (contact.phone === null && own.includes('@') ? own : null);
  const phone = contact.phone ?? (contact.email === null && own.startsWith('+') ? own : null);
  const customer = { ...(email !== null && { email }), ...(phone !== null && { phone: phone.replace(/\D/g, '') }) };
  const item = {
    description: title.slice(0, 128),
    quantity: '1.00',
    amount: { value: toDecimal(price), currency: price.currency },
    vat_code: Number(vatCode),
    payment_subject: 'service',
    payment_mode: 'full_payment',
  };
  return { receipt: { customer, items: [item] } };
}

function listPath(list: Cursor['list'], from: string, next: string | null): string {
  const query = new URLSearchParams({ 'created_at.gte': from, limit: String(PAGE) });
  if (next !== null) query.set('cursor', next);
  return `/${list}?${query}`;
}

function cursorOf(text: string | null, now: number): Cursor {
  const stored = parsed(text ?? '');
  const instant = (ms: number) => new Date(ms).toISOString();
  return {
    from: textOf(stored, 'from') ?? instant(0),
    next: textOf(stored, 'next'),
    list: textOf(stored, 'list') === 'refunds' ? 'refunds' : 'payments',
    begun: textOf(stored, 'begun') ?? instant(now),
  };
}

async function readOne(link: Link, externalId: string): Promise<readonly ProviderPayment[] | ProviderFailure> {
  const reply = await request(link, `/payments/${encodeURIComponent(externalId)}`, null);
  if (!isFailure(reply) && reply.status === 404) return [];
  const found = bodyOf(reply);
  if (isFailure(found)) return found;
  const payment = paymentOf(link, found.body);
  return payment === null ? failure('malformed') : [payment];
}

export const yookassa: Adapter = {
  kind: 'yookassa',
  paceMs: 200,
  async probe(link) {
    const found = bodyOf(await request(link, '/me', null));
    if (isFailure(found)) return found;
    return {
      account: textOf(found.body, 'account_id') ?? link.field('shop_id'),
      isTest: memberOf(found.body, 'test') === true,
    };
  },
  async open(link, order) {
    const { token, idempotencyKey, price, title, returnUrl } = order;
    const body = {
      amount: { value: toDecimal(price), currency: price.currency },
      capture: true,
      confirmation: { type: 'redirect', return_url: returnUrl ?? 'https://yookassa.ru/' },
      description: title.slice(0, 128),
      metadata: { [TOKEN]: token },
      ...receiptOf(link, order),
    };
    const opened = bodyOf(await request(link, '/payments', { key: idempotencyKey, body }), true);
    if (isFailure(opened)) return opened;
    const externalId = textOf(opened.body, 'id');
    const payUrl = textOf(memberOf(opened.body, 'confirmation'), 'confirmation_url');
    return externalId === null || payUrl === null ? failure('malformed', true) : { externalId, payUrl };
  },
  async read(link, { externalId, token }) {
    if (externalId !== null) return readOne(link, externalId);
    const from = new Date(link.now - LIST_OVERLAP_MS).toISOString();
    let next: string | null = null;
    for (let page = 0; page < MOST_PAGES; page++) {
      const found = bodyOf(await request(link, listPath('payments', from, next), null));
      if (isFailure(found)) return found;
      const payments = listOf(found.body, 'items').flatMap((item) => paymentOf(link, item) ?? []);
      const ours = payments.filter((payment) => payment.token === token);
      next = textOf(found.body, 'next_cursor');
      if (ours.length > 0 || next === null) return ours;
    }
    return [];
  },
  // First the payments, then the refunds: one made in the provider's own pages may be of an old payment.
  async since(link, text) {
    const { from, next, list, begun } = cursorOf(text, link.now);
    const found = bodyOf(await request(link, listPath(list, from, next), null));
    if (isFailure(found)) return found;
    const items = listOf(found.body, 'items');
    const following = textOf(found.body, 'next_cursor');
    const payments: ProviderPayment[] = [];
    if (list === 'payments') payments.push(...items.flatMap((item) => paymentOf(link, item) ?? []));
    else {
      for (const id of new Set(items.map((item) => textOf(item, 'payment_id')))) {
        const one = id === null ? [] : await readOne(link, id);
        if ('error' in one) return one;
        payments.push(...one);
      }
    }
    const page = (cursor: Omit<Cursor, 'begun'>, began: string) => JSON.stringify({ ...cursor, begun: began });
    if (following !== null) return { payments, cursor: page({ from, next: following, list }, begun), hasMore: true };
    if (list === 'payments')
      return { payments, cursor: page({ from, next: null, list: 'refunds' }, begun), hasMore: true };
    const again = new Date(Math.max(0, Date.parse(begun) - LIST_OVERLAP_MS)).toISOString();
    return { payments, cursor: JSON.stringify({ from: again, list: 'payments' }), hasMore: false };
  },
  async refund(link, { externalId, price, idempotencyKey }) {
    const amount = { value: toDecimal(price), currency: price.currency };
    const body = { payment_id: externalId, amount };
    const made = bodyOf(await request(link, '/refunds', { key: idempotencyKey, body }), true);
    if (isFailure(made)) return made;
    const status = textOf(made.body, 'status');
    if (status === 'canceled') return failure('refused');
    return { isDone: status === 'succeeded', refundId: textOf(made.body, 'id') };
  },
  async readRefund(link, refundId) {
    const found = bodyOf(await request(link, `/refunds/${encodeURIComponent(refundId)}`, null));
    if (isFailure(found)) return found;
    const status = textOf(found.body, 'status');
    return { state: status === 'succeeded' ? 'done' : status === 'canceled' ? 'failed' : 'pending' };
  },
  cursorFrom: (from) => JSON.stringify({ from: new Date(from).toISOString(), list: 'payments' }),
  // Not signed: what it names is only asked for.
  hint({ raw }) {
    const notification = parsed(raw);
    if (textOf(notification, 'type') !== 'notification') return null;
    const object = memberOf(notification, 'object');
    const externalId = textOf(object, 'payment_id') ?? textOf(object, 'id');
    return externalId === null ? null : { externalId, token: textOf(memberOf(object, 'metadata'), TOKEN) };
  },
};
