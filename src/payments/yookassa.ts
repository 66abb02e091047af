// YooKassa, API v3: cards and SBP in roubles, with fiscal receipts for shops that need them. https://yookassa.ru/developers

import type { ProviderFailure, ProviderPayment, ReadPayments } from '../core/ports/providers.ts';
import { shorten } from '../domain/shorten.ts';
import {
  type Adapter,
  failure,
  isFailure,
  jsonBody,
  LIST_OVERLAP_MS,
  type Link,
  type LinkReply,
  toProviderFailure,
  type WrittenInvoice,
} from './adapter.ts';
import { decimalAmounts } from './amounts.ts';
import { parseJson, readList, readMember, readMoment, readText } from './reading.ts';

const ROOT = 'https://api.yookassa.ru/v3';
const PAGE = 100;
const MAX_PAGES = 20;
/** A well-formed id that no object has. */
const NO_ID = '00000000-0000-0000-0000-000000000000';
/** Member of a payment's metadata that has our token. */
const TOKEN = 'order';

/** The place in the lists: start time, page, and which of the two lists. */
interface Cursor {
  readonly from: string;
  readonly next: string | null;
  readonly list: 'payments' | 'refunds';
  /** When this reading began, RFC 3339. */
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

/** Returns the parsed object of a successful reply, or a failure. */
function parseBody(reply: LinkReply | ProviderFailure, isEffect = false): { readonly body: unknown } | ProviderFailure {
  if (isFailure(reply)) return reply;
  // Members of an error: https://yookassa.ru/developers/using-api/response-handling/response-format
  const codes = [readText(reply.body, 'code'), readText(reply.body, 'parameter')];
  if (reply.status !== 200) return toProviderFailure(reply, isEffect, codes);
  return typeof reply.body === 'object' && reply.body !== null ? { body: reply.body } : failure('malformed', isEffect);
}

function parseState(payment: unknown, invoiced: number, refunded: number): ProviderPayment['state'] | null {
  switch (readText(payment, 'status')) {
    case 'pending':
    case 'waiting_for_capture':
      return 'open';
    case 'succeeded':
      if (refunded === 0) return 'paid';
      return refunded >= invoiced ? 'refunded' : 'partly_refunded';
    case 'canceled':
      return readText(readMember(payment, 'cancellation_details'), 'reason') === 'expired_on_confirmation'
        ? 'expired'
        : 'failed';
    default:
      return null;
  }
}

/** A payment to store, without the buyer's card and receipt. */
function withoutBuyer(payment: unknown): unknown {
  if (typeof payment !== 'object' || payment === null) return null;
  const { payment_method: _method, receipt: _receipt, ...rest } = payment as Readonly<Record<string, unknown>>;
  return rest;
}

function parsePayment(link: Link, payment: unknown): ProviderPayment | null {
  const externalId = readText(payment, 'id');
  const amount = readMember(payment, 'amount');
  const currency = readText(amount, 'currency') ?? 'RUB';
  const paid = link.readAmount(readText(amount, 'value'), currency);
  const refunded = link.readAmount(readText(readMember(payment, 'refunded_amount'), 'value'), currency);
  const state = parseState(payment, paid, refunded);
  if (externalId === null || state === null) return null;
  return {
    externalId,
    token: readText(readMember(payment, 'metadata'), TOKEN),
    state,
    paid: { amount: paid, currency },
    refunded,
    refundsReadAt: link.now,
    isTest: readMember(payment, 'test') === true,
    paidAt: readMoment(payment, 'captured_at'),
    buyer: null,
    raw: link.raw(withoutBuyer(payment)),
  };
}

/** The fiscal receipt (54-FZ), if the account has a VAT code. Its recipient must be the buyer. */
function buildReceipt(link: Link, { amount: value, currency, title, email }: WrittenInvoice) {
  const vatCode = link.field('vat_code');
  if (vatCode === '') return {};
  const item = {
    description: shorten(title, 128),
    // Receipts of the self-employed need a whole number. FFD 1.2 and YooKassa's own receipts need `measure`.
    quantity: 1,
    measure: 'piece',
    amount: { value, currency },
    vat_code: Number(vatCode),
    payment_subject: 'service',
    payment_mode: 'full_payment',
  };
  return { receipt: { customer: { email }, items: [item] } };
}

function listPath(list: Cursor['list'], from: string, next: string | null): string {
  const query = new URLSearchParams({ 'created_at.gte': from, limit: String(PAGE) });
  if (next !== null) query.set('cursor', next);
  return `/${list}?${query}`;
}

function parseCursor(text: string | null, now: number): Cursor {
  const stored = parseJson(text ?? '');
  const instant = (ms: number) => new Date(ms).toISOString();
  return {
    from: readText(stored, 'from') ?? instant(0),
    next: readText(stored, 'next'),
    list: readText(stored, 'list') === 'refunds' ? 'refunds' : 'payments',
    begun: readText(stored, 'begun') ?? instant(now),
  };
}

async function readOne(link: Link, externalId: string): Promise<ReadPayments | ProviderFailure> {
  const reply = await request(link, `/payments/${encodeURIComponent(externalId)}`, null);
  if (!isFailure(reply) && reply.status === 404) return { payments: [] };
  const found = parseBody(reply);
  if (isFailure(found)) return found;
  const payment = parsePayment(link, found.body);
  return payment === null ? failure('malformed') : { payments: [payment] };
}

/** Why a shop with valid keys cannot sell; null: it can. https://yookassa.ru/developers/api#me_object */
function findShopProblem(shop: unknown, vatCode: string): string | null {
  if (readText(shop, 'status') === 'disabled') return 'shop.disabled';
  const hasReceipts =
    readMember(readMember(shop, 'fiscalization'), 'enabled') === true ||
    readMember(shop, 'fiscalization_enabled') === true;
  return hasReceipts && vatCode === '' ? 'vat_code' : null;
}

export const yookassa: Adapter = {
  kind: 'yookassa',
  // The minimum is one rouble: https://yookassa.ru/docs/support/payments/limits
  amounts: decimalAmounts(['RUB'], { RUB: 100 }),
  paceMs: 200,
  pollIntervalMs: 5000,
  lookbackMs: LIST_OVERLAP_MS,
  listReachMs: null,
  async probe(link) {
    const found = parseBody(await request(link, '/me', null));
    if (isFailure(found)) return found;
    const problem = findShopProblem(found.body, link.field('vat_code'));
    if (problem !== null) return { ...failure('refused'), codes: [problem] };
    for (const list of ['payments', 'refunds'] as const) {
      const listed = parseBody(await request(link, `/${list}?limit=1`, null));
      if (isFailure(listed)) return listed;
      // There is no such object: a refusal shows that the key is allowed to ask.
      const one = parseBody(await request(link, `/${list}/${NO_ID}`, null));
      if (isFailure(one) && one.error !== 'refused') return one;
    }
    return {
      account: readText(found.body, 'account_id') ?? link.field('shop_id'),
      isTest: readMember(found.body, 'test') === true,
    };
  },
  async open(link, order) {
    const { token, idempotencyKey, amount: value, currency, title, returnUrl, email } = order;
    if (link.field('vat_code') !== '' && email === null)
      return { ...failure('refused'), codes: ['receipt.customer.email'] };
    const body = {
      amount: { value, currency },
      capture: true,
      confirmation: { type: 'redirect', return_url: returnUrl ?? 'https://yookassa.ru/' },
      description: shorten(title, 128),
      metadata: { [TOKEN]: token },
      ...buildReceipt(link, order),
    };
    const opened = parseBody(await request(link, '/payments', { key: idempotencyKey, body }), true);
    if (isFailure(opened)) return opened;
    const externalId = readText(opened.body, 'id');
    const payUrl = readText(readMember(opened.body, 'confirmation'), 'confirmation_url');
    return externalId === null || payUrl === null ? failure('malformed', true) : { externalId, payUrl };
  },
  async read(link, { externalId, token }) {
    if (externalId !== null) return readOne(link, externalId);
    const from = new Date(link.now - LIST_OVERLAP_MS).toISOString();
    let next: string | null = null;
    for (let page = 0; page < MAX_PAGES; page++) {
      const found = parseBody(await request(link, listPath('payments', from, next), null));
      if (isFailure(found)) return found;
      const payments = readList(found.body, 'items').flatMap((item) => parsePayment(link, item) ?? []);
      const matching = payments.filter((payment) => payment.token === token);
      next = readText(found.body, 'next_cursor');
      if (matching.length > 0 || next === null) return { payments: matching };
    }
    return { payments: [] };
  },
  // Only payments that wait for capture can be cancelled, and these are captured immediately.
  end: null,
  // Payments, then refunds: a refund made in YooKassa's own pages may belong to an old payment.
  async since(link, text) {
    const { from, next, list, begun } = parseCursor(text, link.now);
    const found = parseBody(await request(link, listPath(list, from, next), null));
    if (isFailure(found)) return found;
    const items = readList(found.body, 'items');
    const following = readText(found.body, 'next_cursor');
    const payments: ProviderPayment[] = [];
    if (list === 'payments') payments.push(...items.flatMap((item) => parsePayment(link, item) ?? []));
    else {
      for (const id of new Set(items.map((item) => readText(item, 'payment_id')))) {
        const one = id === null ? { payments: [] } : await readOne(link, id);
        if (isFailure(one)) return one;
        payments.push(...one.payments);
      }
    }
    const page = (cursor: Omit<Cursor, 'begun'>, startedAt: string) => JSON.stringify({ ...cursor, begun: startedAt });
    if (following !== null) return { payments, cursor: page({ from, next: following, list }, begun), hasMore: true };
    if (list === 'payments')
      return { payments, cursor: page({ from, next: null, list: 'refunds' }, begun), hasMore: true };
    const again = new Date(Math.max(0, Date.parse(begun) - LIST_OVERLAP_MS)).toISOString();
    return { payments, cursor: JSON.stringify({ from: again, list: 'payments' }), hasMore: false };
  },
  async refund(link, { externalId, amount: value, currency, idempotencyKey }) {
    const body = { payment_id: externalId, amount: { value, currency } };
    const made = parseBody(await request(link, '/refunds', { key: idempotencyKey, body }), true);
    if (isFailure(made)) return made;
    const status = readText(made.body, 'status');
    if (status === 'canceled') return failure('refused');
    return { isDone: status === 'succeeded', refundId: readText(made.body, 'id') };
  },
  async readRefund(link, refundId) {
    const found = parseBody(await request(link, `/refunds/${encodeURIComponent(refundId)}`, null));
    if (isFailure(found)) return found;
    const status = readText(found.body, 'status');
    return { state: status === 'succeeded' ? 'done' : status === 'canceled' ? 'failed' : 'pending' };
  },
  cursorFrom: (from) => JSON.stringify({ from: new Date(from).toISOString(), list: 'payments' }),
  // Notifications are not signed, so the payment is read from the API.
  hint({ raw }) {
    const notification = parseJson(raw);
    if (readText(notification, 'type') !== 'notification') return null;
    const object = readMember(notification, 'object');
    const externalId = readText(object, 'payment_id') ?? readText(object, 'id');
    return externalId === null ? null : { externalId, token: readText(readMember(object, 'metadata'), TOKEN) };
  },
};
