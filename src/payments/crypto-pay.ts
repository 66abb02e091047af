// Crypto Pay (@CryptoBot, @send), API 1.5: invoices in a currency, paid in coins. https://help.send.tg/en/articles/10279948-crypto-pay-api

import { createHash, createHmac } from 'node:crypto';
import type { ProviderFailure, ProviderPayment } from '../core/ports/providers.ts';
import { shorten } from '../domain/shorten.ts';
import {
  type Adapter,
  failure,
  INVOICE_LIFETIME_MS,
  isFailure,
  jsonBody,
  LIST_OVERLAP_MS,
  type Link,
  toProviderFailure,
} from './adapter.ts';
import { decimalAmounts } from './amounts.ts';
import { isSameText } from './digests.ts';
import { parseJson, readList, readMember, readMoment, readText } from './reading.ts';

const LIVE = 'https://pay.crypt.bot';
const TEST = 'https://testnet-pay.crypt.bot';
/** Invoices a page; such a page stays below the size limit of replies. */
const PAGE = 500;
/** Pages that a look-up reads at most. */
const MAX_PAGES = 20;

/** https://help.send.tg/en/articles/10279948-crypto-pay-api, `fiat` of createInvoice */
const FIAT = 'USD EUR RUB BYN UAH GBP CNY KZT UZS GEL TRY AMD THB INR BRL IDR AZN AED PLN ILS KGS TJS'.split(' ');

type Parameters = Readonly<Record<string, string | number | boolean>>;

async function call(link: Link, name: string, parameters: Parameters, isEffect = false): Promise<unknown> {
  return callAt(link, link.access.isTest ? TEST : LIVE, name, parameters, isEffect);
}

/** Returns the member `result` of a successful reply, or a failure. */
async function callAt(link: Link, root: string, name: string, parameters: Parameters, isEffect: boolean) {
  const { body, headers } = jsonBody(parameters);
  const reply = await link.send({
    method: 'POST',
    root,
    path: `/api/${name}`,
    headers: { ...headers, 'crypto-pay-api-token': link.field('api_token') },
    ...(body !== undefined && { body }),
  });
  if (isFailure(reply)) return isEffect ? reply : { ...reply, isUnclear: false };
  if (readMember(reply.body, 'ok') === true) return readMember(reply.body, 'result') ?? failure('malformed', isEffect);
  const error = readText(readMember(reply.body, 'error'), 'name');
  if (error !== null && /UNAUTHORIZED|TOKEN/.test(error)) return failure('unauthorized');
  return toProviderFailure(reply, isEffect, [error]);
}

function isFailed(result: unknown): result is ProviderFailure {
  return typeof result === 'object' && result !== null && 'isUnclear' in result && 'error' in result;
}

const STATES: Readonly<Record<string, ProviderPayment['state']>> = { active: 'open', paid: 'paid', expired: 'expired' };

function parsePayment(link: Link, invoice: unknown): ProviderPayment | null {
  const externalId = readText(invoice, 'invoice_id');
  const isFiat = readText(invoice, 'currency_type') !== 'crypto';
  const currency = readText(invoice, isFiat ? 'fiat' : 'asset');
  const state = STATES[readText(invoice, 'status') ?? ''];
  if (externalId === null || currency === null || state === undefined) return null;
  return {
    externalId,
    token: readText(invoice, 'payload'),
    state,
    // An amount in coins has no minor units. 0 makes the payment need a decision of the administrator.
    paid: { amount: isFiat ? link.readAmount(readText(invoice, 'amount'), currency) : 0, currency },
    refunded: 0,
    isTest: link.access.isTest,
    paidAt: readMoment(invoice, 'paid_at'),
    buyer: null,
    raw: link.raw(invoice),
  };
}

function parsePayments(link: Link, invoices: readonly unknown[]): ProviderPayment[] {
  return invoices.flatMap((invoice) => parsePayment(link, invoice) ?? []);
}

/** Searches the list for invoices with our token as payload. */
async function findByPayload(
  link: Link,
  token: string,
  filter: Parameters,
): Promise<readonly unknown[] | ProviderFailure> {
  const found: unknown[] = [];
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await call(link, 'getInvoices', { ...filter, offset: page * PAGE, count: PAGE });
    if (isFailed(result)) return result;
    const invoices = readList(result, 'items');
    found.push(...invoices.filter((invoice) => readText(invoice, 'payload') === token));
    if (invoices.length < PAGE) break;
  }
  return found;
}

export const cryptoPay: Adapter = {
  kind: 'crypto_pay',
  amounts: decimalAmounts(FIAT),
  paceMs: 200,
  pollIntervalMs: 5000,
  lookbackMs: LIST_OVERLAP_MS,
  listReachMs: null,
  async probe(link) {
    let failedWith = failure('unauthorized');
    for (const root of [LIVE, TEST]) {
      const app = await callAt(link, root, 'getMe', {}, false);
      if (!isFailed(app)) {
        const invoices = await callAt(link, root, 'getInvoices', { count: 1 }, false);
        if (isFailed(invoices)) return invoices;
        return {
          account: readText(app, 'name') ?? readText(app, 'app_id') ?? '',
          isTest: root === TEST || /testnet/.test(link.access.apiRoot ?? ''),
        };
      }
      failedWith = app;
      // A token belongs to one network and is unknown to the other.
      if (app.error !== 'unauthorized' || link.access.apiRoot !== null) break;
    }
    return failedWith;
  },
  async open(link, { token, amount, currency, title, returnUrl, isRetry }) {
    // The API has no idempotency key: search for the invoice of an earlier attempt instead.
    const existing = isRetry ? await findByPayload(link, token, { status: 'active' }) : [];
    if ('error' in existing) return existing;
    const invoice =
      existing[0] ??
      (await call(
        link,
        'createInvoice',
        {
          currency_type: 'fiat',
          fiat: currency,
          amount,
          description: shorten(title, 1024),
          payload: token,
          expires_in: INVOICE_LIFETIME_MS / 1000,
          allow_comments: false,
          ...(returnUrl !== null && { paid_btn_name: 'callback', paid_btn_url: returnUrl }),
        },
        true,
      ));
    if (isFailed(invoice)) return invoice;
    const externalId = readText(invoice, 'invoice_id');
    const payUrl = readText(invoice, 'bot_invoice_url', 'pay_url', 'web_app_invoice_url');
    return externalId === null || payUrl === null ? failure('malformed', true) : { externalId, payUrl };
  },
  async read(link, { externalId, token }) {
    if (externalId === null) {
      const found = await findByPayload(link, token, {});
      return 'error' in found ? found : { payments: parsePayments(link, found) };
    }
    const result = await call(link, 'getInvoices', { invoice_ids: externalId });
    return isFailed(result) ? result : { payments: parsePayments(link, readList(result, 'items')) };
  },
  async end(link, externalId) {
    // A paid or already deleted invoice is refused.
    const done = await call(link, 'deleteInvoice', { invoice_id: Number(externalId) });
    if (isFailed(done)) return done.error === 'refused' ? { isEnded: false } : done;
    return { isEnded: done === true };
  },
  // The order of the list is not documented, and an old invoice may be paid last: read the whole list, and start over at its end.
  async since(link, cursor) {
    const offset = cursor === null ? 0 : Number(cursor);
    const result = await call(link, 'getInvoices', { status: 'paid', offset, count: PAGE });
    if (isFailed(result)) return result;
    const items = readList(result, 'items');
    const hasMore = items.length >= PAGE;
    return { payments: parsePayments(link, items), cursor: hasMore ? String(offset + items.length) : '0', hasMore };
  },
  refund: null,
  readRefund: null,
  cursorFrom: null,
  hint({ fields, raw, headers }) {
    const key = createHash('sha256')
      .update(fields.api_token ?? '')
      .digest();
    const expected = createHmac('sha256', key).update(raw).digest('hex');
    if (!isSameText(headers['crypto-pay-api-signature'] ?? '', expected)) return null;
    const invoice = readMember(parseJson(raw), 'payload');
    const externalId = readText(invoice, 'invoice_id');
    return externalId === null ? null : { externalId, token: readText(invoice, 'payload') };
  },
};
