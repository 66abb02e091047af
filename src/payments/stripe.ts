// Stripe Checkout: hosted payment pages by the session, caught up with by the events of 30 days. https://docs.stripe.com/api
import { createHmac } from 'node:crypto';
import type { ProviderFailure, ProviderPayment } from '../core/ports/providers.ts';
import { type Adapter, failure, isFailure, type Link, type LinkReply, refusalOf } from './adapter.ts';
import { isSameText } from './digests.ts';
import { listOf, memberOf, parsed, textOf, wholeOf } from './reading.ts';

const ROOT = 'https://api.stripe.com';
const VERSION = '2026-10-28.endive';
const PAGE = 100;
const MOST_PAGES = 20;
/** How old a webhook may be. */
const TOLERANCE_MS = 300_000;
const EVENT_TYPES = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'charge.refunded',
  'charge.dispute.created',
  'charge.dispute.closed',
];
/** With a session: what was given back of it, and whether the buyer disputes it. */
const EXPANDED = 'payment_intent.latest_charge.refunds';

/** What was given back of a charge. Its own sum counts also what is on its way back, and may fail. */
function refundedOf(charge: unknown): number {
  const refunds = memberOf(charge, 'refunds');
  if (refunds === undefined) return wholeOf(charge, 'amount_refunded') ?? 0;
  const done = listOf(refunds, 'data').filter((refund) => textOf(refund, 'status') === 'succeeded');
  return done.reduce<number>((sum, refund) => sum + (wholeOf(refund, 'amount') ?? 0), 0);
}

type Form = Readonly<Record<string, string>>;

async function get(link: Link, path: string, query: URLSearchParams = new URLSearchParams()) {
  const reply = await link.send({
    method: 'GET',
    root: ROOT,
    path: query.size > 0 ? `${path}?${query}` : path,
    headers: headersOf(link),
  });
  return bodyOf(reply, false);
}

async function post(link: Link, path: string, key: string, form: Form) {
  const headers = { ...headersOf(link), 'idempotency-key': key, 'content-type': 'application/x-www-form-urlencoded' };
  return bodyOf(
    await link.send({ method: 'POST', root: ROOT, path, headers, body: String(new URLSearchParams(form)) }),
    true,
  );
}

function headersOf(link: Link) {
  return { authorization: `Bearer ${link.field('secret_key')}`, 'stripe-version': VERSION };
}

/** The parsed reply where it is a success; `null` body where there is no such object. */
function bodyOf(reply: LinkReply | ProviderFailure, isEffect: boolean): { readonly body: unknown } | ProviderFailure {
  if (isFailure(reply)) return reply;
  if (reply.status === 404) return { body: null };
  // Another request with this key is still running.
  if (reply.status === 409) return failure('unavailable', isEffect, 1000);
  if (reply.status !== 200) return refusalOf(reply, isEffect);
  return typeof reply.body === 'object' && reply.body !== null ? { body: reply.body } : failure('malformed', isEffect);
}

function stateOf(session: unknown, refunded: number, total: number): ProviderPayment['state'] | null {
  const isPaid = ['paid', 'no_payment_required'].includes(textOf(session, 'payment_status') ?? '');
  const intent = memberOf(session, 'payment_intent');
  if (isPaid) {
    if (memberOf(memberOf(intent, 'latest_charge'), 'disputed') === true) return 'disputed';
    if (refunded === 0) return 'paid';
    return refunded >= total ? 'refunded' : 'partly_refunded';
  }
  switch (textOf(session, 'status')) {
    case 'open':
      return 'open';
    case 'expired':
      return 'expired';
    // Completed, and its money comes later or not at all.
    case 'complete':
      return ['canceled', 'requires_payment_method'].includes(textOf(intent, 'status') ?? '') ? 'failed' : 'open';
    default:
      return null;
  }
}

const STORED = [
  'id',
  'status',
  'payment_status',
  'amount_total',
  'currency',
  'created',
  'livemode',
  'client_reference_id',
];

/** Without what the provider says of the buyer. */
function withoutBuyer(session: unknown, refunded: number) {
  const stored: Record<string, unknown> = {};
  for (const name of STORED) stored[name] = memberOf(session, name);
  const intent = memberOf(session, 'payment_intent');
  return { ...stored, payment_intent: textOf(intent, 'id') ?? intent, amount_refunded: refunded };
}

function paymentOf(link: Link, session: unknown): ProviderPayment | null {
  const externalId = textOf(session, 'id');
  const currency = textOf(session, 'currency')?.toUpperCase() ?? null;
  const total = wholeOf(session, 'amount_total') ?? 0;
  const charge = memberOf(memberOf(session, 'payment_intent'), 'latest_charge');
  const refunded = refundedOf(charge);
  const state = stateOf(session, refunded, total);
  if (externalId === null || currency === null || state === null) return null;
  const paidAt = wholeOf(charge, 'created');
  return {
    externalId,
    token: textOf(session, 'client_reference_id'),
    state,
    paid: { amount: total, currency },
    refunded,
    isTest: memberOf(session, 'livemode') !== true,
    paidAt: paidAt === null ? null : paidAt * 1000,
    buyer: null,
    raw: link.raw(withoutBuyer(session, refunded)),
  };
}

async function sessionOf(link: Link, id: string): Promise<unknown> {
  const found = await get(
    link,
    `/v1/checkout/sessions/${encodeURIComponent(id)}`,
    new URLSearchParams({ 'expand[]': EXPANDED }),
  );
  return isFailure(found) ? found : found.body;
}

function failed(found: unknown): found is ProviderFailure {
  return typeof found === 'object' && found !== null && 'isUnclear' in found;
}

async function readOne(link: Link, id: string): Promise<readonly ProviderPayment[] | ProviderFailure> {
  const session = await sessionOf(link, id);
  if (failed(session)) return session;
  if (session === null) return [];
  const payment = paymentOf(link, session);
  return payment === null ? failure('malformed') : [payment];
}

/** The sessions that an event is about. */
async function sessionsOf(link: Link, event: unknown): Promise<readonly string[] | ProviderFailure> {
  const object = memberOf(memberOf(event, 'data'), 'object');
  if (textOf(event, 'type')?.startsWith('checkout.session.')) return [textOf(object, 'id') ?? ''];
  const intent = textOf(object, 'payment_intent');
  if (intent === null) return [];
  const found = await get(link, '/v1/checkout/sessions', new URLSearchParams({ payment_intent: intent }));
  return isFailure(found) ? found : listOf(found.body, 'data').map((session) => textOf(session, 'id') ?? '');
}

export const stripe: Adapter = {
  kind: 'stripe',
  // 25 requests a second in test mode.
  paceMs: 50,
  async probe(link) {
    // What a restricted key needs; whose it is, it may not be allowed to ask.
    const found = await get(link, '/v1/checkout/sessions', new URLSearchParams({ limit: '1' }));
    if (isFailure(found)) return found;
    const account = await get(link, '/v1/account');
    const id = isFailure(account) ? null : textOf(account.body, 'id');
    return { account: id ?? '', isTest: /^[sr]k_test_/.test(link.field('secret_key')) };
  },
  async open(link, { token, idempotencyKey, price, title, returnUrl, contact }) {
    const back = returnUrl ?? 'https://stripe.com/';
    const made = await post(link, '/v1/checkout/sessions', idempotencyKey, {
      mode: 'payment',
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': price.currency.toLowerCase(),
      'line_items[0][price_data][unit_amount]': String(price.amount),
      'line_items[0][price_data][product_data][name]': title.slice(0, 250),
      client_reference_id: token,
      'metadata[order]': token,
      'payment_intent_data[metadata][order]': token,
      success_url: back,
      cancel_url: back,
      ...(contact.email !== null && { customer_email: contact.email }),
    });
    if (isFailure(made)) return made;
    const externalId = textOf(made.body, 'id');
    const payUrl = textOf(made.body, 'url');
    return externalId === null || payUrl === null ? failure('malformed', true) : { externalId, payUrl };
  },
  async read(link, { externalId, token }) {
    if (externalId !== null) return readOne(link, externalId);
    const query = new URLSearchParams({ limit: String(PAGE), 'expand[]': `data.${EXPANDED}` });
    for (let page = 0; page < MOST_PAGES; page++) {
      const found = await get(link, '/v1/checkout/sessions', query);
      if (isFailure(found)) return found;
      const sessions = listOf(found.body, 'data');
      const ours = sessions.filter((session) => textOf(session, 'client_reference_id') === token);
      if (ours.length > 0) return ours.flatMap((session) => paymentOf(link, session) ?? []);
      const last = textOf(sessions.at(-1), 'id');
      if (memberOf(found.body, 'has_more') !== true || last === null) break;
      query.set('starting_after', last);
    }
    return [];
  },
  // Newest first: the pages go back to where the last reading began, whose moment is read again.
  async since(link, text) {
    const stored = parsed(text ?? '');
    const from = wholeOf(stored, 'from');
    const after = textOf(stored, 'after');
    const query = new URLSearchParams({ limit: String(PAGE) });
    for (const type of EVENT_TYPES) query.append('types[]', type);
    if (from !== null) query.set('created[gte]', String(from));
    if (after !== null) query.set('starting_after', after);
    const found = await get(link, '/v1/events', query);
    if (isFailure(found)) return found;
    const events = listOf(found.body, 'data');
    const ids = new Set<string>();
    for (const event of events) {
      const sessions = await sessionsOf(link, event);
      if ('error' in sessions) return sessions;
      for (const id of sessions) ids.add(id);
    }
    const payments: ProviderPayment[] = [];
    // Read, because an event shows its object as it was.
    for (const id of ids) {
      const one = id === '' ? [] : await readOne(link, id);
      if ('error' in one) return one;
      payments.push(...one);
    }
    const newest = wholeOf(stored, 'newest') ?? wholeOf(events[0], 'created') ?? from;
    const last = textOf(events.at(-1), 'id');
    const hasMore = memberOf(found.body, 'has_more') === true && last !== null;
    return { payments, cursor: JSON.stringify(hasMore ? { from, newest, after: last } : { from: newest }), hasMore };
  },
  async refund(link, { externalId, price, idempotencyKey }) {
    const session = await sessionOf(link, externalId);
    if (failed(session)) return session;
    const intent = memberOf(session, 'payment_intent');
    const id = typeof intent === 'string' ? intent : textOf(intent, 'id');
    if (id === null) return failure('refused');
    const made = await post(link, '/v1/refunds', idempotencyKey, { payment_intent: id, amount: String(price.amount) });
    if (isFailure(made)) return made;
    const status = textOf(made.body, 'status');
    return status === 'failed' || status === 'canceled' || status === null
      ? failure('refused')
      : { isDone: status === 'succeeded', refundId: textOf(made.body, 'id') };
  },
  async readRefund(link, refundId) {
    const found = await get(link, `/v1/refunds/${encodeURIComponent(refundId)}`);
    if (isFailure(found)) return found;
    const status = textOf(found.body, 'status');
    if (status === null) return failure('malformed');
    return { state: status === 'succeeded' ? 'done' : ['failed', 'canceled'].includes(status) ? 'failed' : 'pending' };
  },
  cursorFrom: (from) => JSON.stringify({ from: Math.floor(from / 1000) }),
  hint({ fields, raw, headers, now }) {
    const parts = (headers['stripe-signature'] ?? '').split(',').map((part) => part.trim().split('='));
    const time = parts.find(([name]) => name === 't')?.[1] ?? '';
    const secret = fields.webhook_secret ?? '';
    if (secret === '' || !/^\d{1,12}$/.test(time) || Math.abs(now - Number(time) * 1000) > TOLERANCE_MS) return null;
    const expected = createHmac('sha256', secret).update(`${time}.${raw}`).digest('hex');
    const signatures = parts.filter(([name]) => name === 'v1');
    if (!signatures.some(([, value]) => isSameText(value ?? '', expected))) return null;
    const object = memberOf(memberOf(parsed(raw), 'data'), 'object');
    const externalId = textOf(object, 'object') === 'checkout.session' ? textOf(object, 'id') : null;
    const token = textOf(object, 'client_reference_id') ?? textOf(memberOf(object, 'metadata'), 'order');
    // What names neither, as a dispute, is in the list of events.
    return { externalId, token };
  },
};
