// Heleket: invoices in a currency, paid in coins. Facts from the official php-sdk (docs 04, 06, 08, 10).

import { createHash } from 'node:crypto';
import type { ProviderFailure, ProviderPayment } from '../core/ports/providers.ts';
import { DAY_MS, LATE_PAYMENT_MS } from '../domain/limits.ts';
import {
  type Adapter,
  failure,
  INVOICE_LIFETIME_MS,
  isFailure,
  LIST_OVERLAP_MS,
  type Link,
  toProviderFailure,
} from './adapter.ts';
import { decimalAmounts, MONEY_CURRENCIES } from './amounts.ts';
import { isSameText } from './digests.ts';
import { parseJson, readDecimal, readList, readMember, readMoment, readText } from './reading.ts';

const ROOT = 'https://api.heleket.com/v1';
/**
 * Coins can arrive long after an invoice has ended, and the list is ordered by creation. So once a day it is read from this far back, which
 * covers all orders that a late payment still completes without the administrator.
 */
const LATE_COINS_MS = LATE_PAYMENT_MS + DAY_MS;

/** Signature of a request, or of a webhook without its member `sign`. */
function computeSignature(json: string, key: string): string {
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
      sign: computeSignature(body, link.field('payment_key')),
    },
    body,
  });
  if (isFailure(reply)) return isEffect ? reply : { ...reply, isUnclear: false };
  // `errors` has the names of the refused fields as keys.
  const codes = Object.keys(Object(readMember(reply.body, 'errors')));
  if (reply.status !== 200) return toProviderFailure(reply, isEffect, codes);
  if (readMember(reply.body, 'state') === 0) return { result: readMember(reply.body, 'result') };
  const error = readMember(reply.body, 'state') === undefined ? 'malformed' : 'refused';
  return { ...failure(error, isEffect && reply.body === undefined), ...(codes.length > 0 && { codes }) };
}

/** All 14 statuses. https://doc.heleket.com/methods/payments/payment-statuses */
const STATES: Readonly<Record<string, ProviderPayment['state']>> = {
  paid: 'paid',
  paid_over: 'paid',
  // Paid too little, and the invoice has ended: computePaid has the amount.
  wrong_amount: 'paid',
  wrong_amount_waiting: 'open',
  check: 'open',
  confirm_check: 'open',
  process: 'open',
  // Frozen by Heleket until the buyer has passed its check of the coins.
  locked: 'held',
  fail: 'failed',
  system_fail: 'failed',
  cancel: 'expired',
  refund_process: 'paid',
  refund_fail: 'paid',
  refund_paid: 'refunded',
};

/** The arrived part of the invoiced amount, rounded down, by the ratio of both sums in the buyer's coin. 0 if these sums are missing. */
function computeArrived(invoice: unknown, invoiced: number): number {
  const arrived = readDecimal(invoice, 'payment_amount');
  const asked = readDecimal(invoice, 'payer_amount');
  if (arrived === null || asked === null || asked.units === 0n) return 0;
  const amount =
    (BigInt(invoiced) * arrived.units * 10n ** BigInt(asked.digits)) / (asked.units * 10n ** BigInt(arrived.digits));
  return amount > BigInt(Number.MAX_SAFE_INTEGER) ? 0 : Number(amount);
}

/** The amount to record. `paid` means within the accuracy of the invoice, so it counts as the whole amount. */
function computePaid(invoice: unknown, status: string, invoiced: number): number {
  if (status === 'paid_over') return Math.max(invoiced, computeArrived(invoice, invoiced));
  if (status === 'wrong_amount') return Math.max(0, Math.min(invoiced - 1, computeArrived(invoice, invoiced)));
  return status === 'locked' ? computeArrived(invoice, invoiced) : invoiced;
}

function parsePayment(link: Link, invoice: unknown): ProviderPayment | null {
  const externalId = readText(invoice, 'uuid');
  const currency = readText(invoice, 'currency');
  const status = readText(invoice, 'payment_status', 'status') ?? '';
  const state = STATES[status];
  if (externalId === null || currency === null || state === undefined) return null;
  const invoiced = link.readAmount(readText(invoice, 'amount'), currency);
  return {
    externalId,
    token: readText(invoice, 'order_id'),
    state,
    paid: { amount: computePaid(invoice, status, invoiced), currency },
    refunded: state === 'refunded' ? invoiced : 0,
    isTest: false,
    paidAt: state === 'paid' || state === 'held' ? readMoment(invoice, 'updated_at') : null,
    buyer: null,
    raw: link.raw(invoice),
  };
}

/** `2026-11-20 10:00:00`. Its time zone is not documented; the overlap of two readings is longer than any offset. */
function formatDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

export const heleket: Adapter = {
  kind: 'heleket',
  amounts: decimalAmounts(MONEY_CURRENCIES),
  paceMs: 300,
  // Heleket's documentation asks not to poll more often.
  pollIntervalMs: 30_000,
  lookbackMs: LATE_PAYMENT_MS + LIST_OVERLAP_MS,
  listReachMs: null,
  async probe(link) {
    const found = await call(link, '/payment/list', { date_from: formatDate(link.now), date_to: formatDate(link.now) });
    if (isFailure(found)) return found;
    // There is no such order: a refusal shows that the key is allowed to ask.
    const one = await call(link, '/payment/info', { order_id: 'gatehouse_probe' });
    if (isFailure(one) && one.error !== 'refused') return one;
    return { account: link.field('merchant'), isTest: null };
  },
  // A repeated order_id returns the existing invoice.
  async open(link, { token, amount, currency, returnUrl, hookUrl }) {
    const accuracy = link.field('accuracy_payment_percent');
    const made = await call(
      link,
      '/payment',
      {
        amount,
        currency,
        order_id: token,
        lifetime: INVOICE_LIFETIME_MS / 1000,
        ...(accuracy !== '' && { accuracy_payment_percent: accuracy }),
        ...(hookUrl !== null && { url_callback: hookUrl }),
        ...(returnUrl !== null && { url_return: returnUrl, url_success: returnUrl }),
      },
      true,
    );
    if (isFailure(made)) return made;
    const externalId = readText(made.result, 'uuid');
    const payUrl = readText(made.result, 'url');
    return externalId === null || payUrl === null ? failure('malformed', true) : { externalId, payUrl };
  },
  async read(link, { externalId, token }) {
    const found = await call(link, '/payment/info', externalId === null ? { order_id: token } : { uuid: externalId });
    // An unknown invoice is refused.
    if (isFailure(found)) return found.error === 'refused' ? { payments: [] } : found;
    const payment = parsePayment(link, found.result);
    return payment === null ? failure('malformed') : { payments: [payment] };
  },
  // There is no such call: an invoice ends by its lifetime.
  end: null,
  async since(link, text) {
    const stored = parseJson(text ?? '');
    const next = readText(stored, 'next');
    const startedAt = Number(readText(stored, 'begun') ?? link.now);
    // When the list was last read from far back; null in the first reading, and in a reconciliation, which begins at its own date.
    const far = readText(stored, 'far');
    const isFar = next === null && far !== null && Math.abs(link.now - Number(far)) >= DAY_MS;
    const storedFrom = Number(readText(stored, 'from') ?? 0);
    const from = isFar ? Math.min(storedFrom, Math.max(0, link.now - LATE_COINS_MS)) : storedFrom;
    const farAt = isFar ? link.now : Number(far ?? startedAt);
    const range = { date_from: formatDate(from), date_to: formatDate(link.now + LIST_OVERLAP_MS) };
    const path = next === null ? '/payment/list' : `/payment/list?${new URLSearchParams({ cursor: next })}`;
    const found = await call(link, path, range);
    if (isFailure(found)) return found;
    const items = readList(found.result, 'items');
    const payments = items.flatMap((item) => parsePayment(link, item) ?? []);
    const following = readText(readMember(found.result, 'paginate'), 'nextCursor');
    const first = readText(items[0], 'uuid');
    // A list that repeats a page would never end.
    const isRepeated = next !== null && (following === next || (first !== null && first === readText(stored, 'first')));
    const hasMore = following !== null && !isRepeated;
    const place = hasMore
      ? { from, next: following, first, begun: startedAt, far: farAt }
      : { from: Math.max(0, startedAt - LIST_OVERLAP_MS), far: farAt };
    return { payments, cursor: JSON.stringify(place), hasMore, isRepeated };
  },
  // Refunds need another key, and a coin address from the buyer.
  refund: null,
  readRefund: null,
  cursorFrom: (from) => JSON.stringify({ from }),
  hint({ fields, raw }) {
    const body = parseJson(raw);
    const sign = readText(body, 'sign');
    if (sign === null) return null;
    // The signature covers the original text without the member `sign`. Do not parse and serialize it: PHP writes JSON differently.
    const member = `"sign":"${sign}"`;
    const rest = raw.includes(`,${member}`) ? raw.replace(`,${member}`, '') : raw.replace(`${member},`, '');
    if (!isSameText(sign, computeSignature(rest, fields.payment_key ?? ''))) return null;
    const externalId = readText(body, 'uuid');
    const token = readText(body, 'order_id');
    return externalId === null && token === null ? null : { externalId, token };
  },
};
