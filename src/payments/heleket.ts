// Heleket: invoices in money, paid in coins. Facts by the official php-sdk (docs 04, 06, 08, 10).
import { createHash } from 'node:crypto';
import type { ProviderFailure, ProviderPayment } from '../core/ports/providers.ts';
import { DAY_MS } from '../domain/limits.ts';
import { toDecimal } from '../domain/sales/money.ts';
import {
  type Adapter,
  failure,
  INVOICE_LIFETIME_MS,
  isFailure,
  LIST_OVERLAP_MS,
  type Link,
  refusalOf,
} from './adapter.ts';
import { isSameText } from './digests.ts';
import { listOf, memberOf, minorOf, momentOf, parsed, textOf } from './reading.ts';

const ROOT = 'https://api.heleket.com/v1';
/**
 * Coins can reach the address of an invoice long after it has ended, which is the last word about it until then, and the list is by when an
 * invoice was made. Once a day it is read from so far back: all orders that a payment still applies to by itself.
 */
const LATE_COINS_MS = 31 * DAY_MS;

/** The signature of a request and of a webhook without its `sign`. */
function signatureOf(json: string, key: string): string {
  return createHash('md5')
    .update(`${Buffer.from(json).toString('base64')}${key}`)
    .digest('hex');
}

async function call(
  link: Link,
  path: string,
  parameters: object,
  isEffect = false,
): Promise<{ readonly result: unknown } | ProviderFailure> {
  const body = JSON.stringify(parameters);
  const reply = await link.send({
    method: 'POST',
    root: ROOT,
    path,
    headers: {
      'content-type': 'application/json',
      merchant: link.field('merchant'),
      sign: signatureOf(body, link.field('payment_key')),
    },
    body,
  });
  if (isFailure(reply)) return isEffect ? reply : { ...reply, isUnclear: false };
  if (reply.status !== 200) return refusalOf(reply, isEffect);
  if (memberOf(reply.body, 'state') === 0) return { result: memberOf(reply.body, 'result') };
  return failure(
    memberOf(reply.body, 'state') === undefined ? 'malformed' : 'refused',
    isEffect && reply.body === undefined,
  );
}

const STATES: Readonly<Record<string, ProviderPayment['state']>> = {
  paid: 'paid',
  paid_over: 'paid',
  // Too little, and the invoice has ended.
  wrong_amount: 'paid',
  wrong_amount_waiting: 'open',
  check: 'open',
  confirm_check: 'open',
  process: 'open',
  locked: 'open',
  fail: 'failed',
  system_fail: 'failed',
  cancel: 'expired',
  refund_process: 'paid',
  refund_fail: 'paid',
  refund_paid: 'refunded',
};

function paymentOf(link: Link, invoice: unknown): ProviderPayment | null {
  const externalId = textOf(invoice, 'uuid');
  const currency = textOf(invoice, 'currency');
  const status = textOf(invoice, 'payment_status', 'status') ?? '';
  const state = STATES[status];
  if (externalId === null || currency === null || state === undefined) return null;
  const asked = minorOf(invoice, currency, 'amount') ?? 0;
  return {
    externalId,
    token: textOf(invoice, 'order_id'),
    state,
    paid: { amount: status === 'wrong_amount' ? 0 : asked, currency },
    refunded: state === 'refunded' ? asked : 0,
    isTest: false,
    paidAt: state === 'paid' ? momentOf(invoice, 'updated_at') : null,
    buyer: null,
    raw: link.raw(invoice),
  };
}

/** `2026-11-20 10:00:00`: the zone is not documented, and the overlap of two readings is longer than a day. */
function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

export const heleket: Adapter = {
  kind: 'heleket',
  paceMs: 300,
  async probe(link) {
    const found = await call(link, '/payment/list', { date_from: dateOf(link.now), date_to: dateOf(link.now) });
    return isFailure(found) ? found : { account: link.field('merchant'), isTest: null };
  },
  // The same order_id gives the existing invoice.
  async open(link, { token, price, returnUrl, hookUrl }) {
    const made = await call(
      link,
      '/payment',
      {
        amount: toDecimal(price),
        currency: price.currency,
        order_id: token,
        lifetime: INVOICE_LIFETIME_MS / 1000,
        ...(hookUrl !== null && { url_callback: hookUrl }),
        ...(returnUrl !== null && { url_return: returnUrl, url_success: returnUrl }),
      },
      true,
    );
    if (isFailure(made)) return made;
    const externalId = textOf(made.result, 'uuid');
    const payUrl = textOf(made.result, 'url');
    return externalId === null || payUrl === null ? failure('malformed', true) : { externalId, payUrl };
  },
  async read(link, { externalId, token }) {
    const found = await call(link, '/payment/info', externalId === null ? { order_id: token } : { uuid: externalId });
    // What it does not know, it refuses.
    if (isFailure(found)) return found.error === 'refused' ? [] : found;
    const payment = paymentOf(link, found.result);
    return payment === null ? failure('malformed') : [payment];
  },
  async since(link, text) {
    const stored = parsed(text ?? '');
    const next = textOf(stored, 'next');
    const begun = Number(textOf(stored, 'begun') ?? link.now);
    // When it was last read from far back; left out: this reading is by its own beginning alone.
    const far = textOf(stored, 'far');
    const isFar = next === null && far !== null && Math.abs(link.now - Number(far)) >= DAY_MS;
    const asked = Number(textOf(stored, 'from') ?? 0);
    const from = isFar ? Math.min(asked, Math.max(0, link.now - LATE_COINS_MS)) : asked;
    const farAt = isFar ? link.now : Number(far ?? begun);
    const range = { date_from: dateOf(from), date_to: dateOf(link.now + LIST_OVERLAP_MS) };
    const found = await call(link, '/payment/list', next === null ? range : { ...range, cursor: next });
    if (isFailure(found)) return found;
    const payments = listOf(found.result, 'items').flatMap((item) => paymentOf(link, item) ?? []);
    const following = textOf(memberOf(found.result, 'paginate'), 'nextCursor');
    const place =
      following === null
        ? { from: Math.max(0, begun - LIST_OVERLAP_MS), far: farAt }
        : { from, next: following, begun, far: farAt };
    return { payments, cursor: JSON.stringify(place), hasMore: following !== null };
  },
  // Refunds pay coins to an address that the buyer must give, with another key.
  refund: null,
  readRefund: null,
  cursorFrom: (from) => JSON.stringify({ from }),
  hint({ fields, raw }) {
    const body = parsed(raw);
    const sign = textOf(body, 'sign');
    if (sign === null) return null;
    // The signature is over the text without its own member, as it was written: PHP and JavaScript write JSON differently.
    const member = `"sign":"${sign}"`;
    const rest = raw.includes(`,${member}`) ? raw.replace(`,${member}`, '') : raw.replace(`${member},`, '');
    if (!isSameText(sign, signatureOf(rest, fields.payment_key ?? ''))) return null;
    const externalId = textOf(body, 'uuid');
    const token = textOf(body, 'order_id');
    return externalId === null && token === null ? null : { externalId, token };
  },
};
