// Stripe Checkout: one session per invoice, and the events of the last 30 days as the list of payments. https://docs.stripe.com/api

import { createHmac } from 'node:crypto';
import type { ProviderPermission } from '../contract/sales/providers.ts';
import type { ProviderFailure, ProviderPayment, ReadPayments } from '../core/ports/providers.ts';
import { DAY_MS } from '../domain/limits.ts';
import { isOwnToken } from '../domain/sales/own-token.ts';
import { shorten } from '../domain/shorten.ts';
import {
  type Adapter,
  failure,
  isFailure,
  LIST_OVERLAP_MS,
  type Link,
  type LinkReply,
  toProviderFailure,
} from './adapter.ts';
import { isSameText } from './digests.ts';
import { parseJson, readInteger, readList, readMember, readText } from './reading.ts';
import { stripeAmounts } from './stripe-amounts.ts';

const ROOT = 'https://api.stripe.com';
const SESSIONS = '/v1/checkout/sessions';
const VERSION = '2026-10-28.endive';
const PAGE = 100;
/** Page size and pages of a look-up by our token. */
const LOOKUP_PAGE = 50;
const MAX_PAGES = 40;
/** Largest difference between the time of a webhook's signature and ours. */
const TOLERANCE_MS = 300_000;
const EVENT_TYPES = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'charge.refunded',
  // Sent too when a pending refund completes, or a completed refund fails.
  'charge.refund.updated',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.closed',
] as const;
/** Expanded in a session: its refunds, and whether the buyer disputes the charge. */
const EXPANDED = 'payment_intent.latest_charge.refunds';

/** Permissions that a restricted key needs for a request. https://docs.stripe.com/keys/restricted-api-keys */
type Needs = readonly ProviderPermission[];
const NEEDS_SESSIONS: Needs = ['checkout_sessions_write'];
/** Each expanded object needs its own permission. https://docs.stripe.com/stripe-apps/reference/permissions */
const NEEDS_EXPANDED: Needs = ['payment_intents_read', 'charges_read'];
/** Permissions by their names in Stripe's errors, which some errors prefix with `rak_`. */
const PERMISSIONS: ReadonlyMap<string, ProviderPermission> = new Map([
  ['checkout_session_read', 'checkout_sessions_write'],
  ['checkout_session_write', 'checkout_sessions_write'],
  ['payment_intent_read', 'payment_intents_read'],
  ['charge_read', 'charges_read'],
  ['charge_write', 'refunds_write'],
  ['refund_read', 'refunds_write'],
  ['refund_write', 'refunds_write'],
  ['event_read', 'events_read'],
]);
/** An id that no object has, so that a request with it has no effect. */
const NO_OBJECT = 'gatehouse_probe';

/** Whether the reply has all refunds of a charge. */
function hasRefunds(charge: unknown): boolean {
  const refunds = readMember(charge, 'refunds');
  return refunds !== undefined && readMember(refunds, 'has_more') !== true;
}

/** Sum of the completed refunds of a charge, in Stripe's units. Not `amount_refunded`, which includes pending refunds that may fail. */
function sumRefunds(charge: unknown): number {
  const refunds = readMember(charge, 'refunds');
  if (refunds === undefined) return readInteger(charge, 'amount_refunded') ?? 0;
  const done = readList(refunds, 'data').filter((refund) => readText(refund, 'status') === 'succeeded');
  return done.reduce<number>((sum, refund) => sum + (readInteger(refund, 'amount') ?? 0), 0);
}

type Form = Readonly<Record<string, string>>;

async function get(link: Link, path: string, needs: Needs, query: URLSearchParams = new URLSearchParams()) {
  const reply = await link.send({
    method: 'GET',
    root: ROOT,
    path: query.size > 0 ? `${path}?${query}` : path,
    headers: buildHeaders(link),
  });
  return parseBody(reply, needs, false);
}

/** `key`: the idempotency key; null: the request cannot have an effect. */
async function post(link: Link, path: string, needs: Needs, form: Form, key: string | null) {
  const headers = {
    ...buildHeaders(link),
    'content-type': 'application/x-www-form-urlencoded',
    ...(key !== null && { 'idempotency-key': key }),
  };
  const body = String(new URLSearchParams(form));
  return parseBody(await link.send({ method: 'POST', root: ROOT, path, headers, body }), needs, key !== null);
}

function buildHeaders(link: Link) {
  return { authorization: `Bearer ${link.field('secret_key')}`, 'stripe-version': VERSION };
}

interface Found {
  /** The object; null: there is none. */
  readonly body: unknown;
}

/** Returns the parsed object of a successful reply, or a failure. */
function parseBody(reply: LinkReply | ProviderFailure, needs: Needs, isEffect: boolean): Found | ProviderFailure {
  if (isFailure(reply)) return reply;
  if (reply.status === 404) return { body: null };
  if (reply.status === 403) {
    const missing = missingPermissions(reply.body, needs);
    // Missing permissions are more precise than the error code.
    return { ...toProviderFailure(reply, isEffect, missing.length > 0 ? [] : readCodes(reply.body)), missing };
  }
  // Another request with this key is still running.
  if (reply.status === 409) return failure('unavailable', isEffect, 1000);
  if (reply.status !== 200) return toProviderFailure(reply, isEffect, readCodes(reply.body));
  return typeof reply.body === 'object' && reply.body !== null ? { body: reply.body } : failure('malformed', isEffect);
}

/** Codes of an error, https://docs.stripe.com/error-codes. Some errors only have a type. */
function readCodes(body: unknown) {
  const error = readMember(body, 'error');
  return [readText(error, 'code', 'type'), readText(error, 'param')];
}

/** Which of the needed permissions the key lacks; empty: the request is forbidden for another reason. */
function missingPermissions(body: unknown, needs: Needs): Needs {
  const error = readMember(body, 'error');
  const message = readText(error, 'message') ?? '';
  // The message may also name alternative permissions.
  const named = [...message.matchAll(/'(?:rak_)?([a-z_]{1,60})'/g)].map(([, name = '']) => PERMISSIONS.get(name));
  const missing = needs.filter((one) => named.includes(one));
  if (missing.length > 0) return missing;
  return readText(error, 'code') === 'more_permissions_required' || /permission/i.test(message) ? needs : [];
}

interface FoundSessions extends Found {
  readonly missing: Needs;
}

/** Reads sessions with their refunds, or without if the key may not read refunds: payments must still be recorded then. */
async function getExpanded(
  link: Link,
  path: string,
  query: URLSearchParams,
  expand: string,
): Promise<FoundSessions | ProviderFailure> {
  const full = new URLSearchParams(query);
  full.append('expand[]', expand);
  const expanded = await get(link, path, NEEDS_EXPANDED, full);
  if (!isFailure(expanded)) return { ...expanded, missing: [] };
  if (expanded.error !== 'forbidden') return expanded;
  const plain = await get(link, path, NEEDS_SESSIONS, query);
  if (isFailure(plain)) return plain;
  return { ...plain, missing: expanded.missing?.length ? expanded.missing : NEEDS_EXPANDED };
}

function parseState(session: unknown, refunded: number, total: number): ProviderPayment['state'] | null {
  const isPaid = ['paid', 'no_payment_required'].includes(readText(session, 'payment_status') ?? '');
  const intent = readMember(session, 'payment_intent');
  if (isPaid) {
    if (readMember(readMember(intent, 'latest_charge'), 'disputed') === true) return 'disputed';
    if (refunded === 0) return 'paid';
    return refunded >= total ? 'refunded' : 'partly_refunded';
  }
  switch (readText(session, 'status')) {
    case 'open':
      return 'open';
    case 'expired':
      return 'expired';
    // The buyer has completed the page; a delayed payment method pays later or fails.
    case 'complete':
      return ['canceled', 'requires_payment_method'].includes(readText(intent, 'status') ?? '') ? 'failed' : 'open';
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

/** The members of a session to store, without personal data of the buyer. */
function withoutBuyer(session: unknown, refunded: number) {
  const stored: Record<string, unknown> = {};
  for (const name of STORED) stored[name] = readMember(session, name);
  const intent = readMember(session, 'payment_intent');
  return { ...stored, payment_intent: readText(intent, 'id') ?? intent, amount_refunded: refunded };
}

function parsePayment(link: Link, session: unknown): ProviderPayment | null {
  const externalId = readText(session, 'id');
  const currency = readText(session, 'currency')?.toUpperCase() ?? null;
  // `total` and `refunded` are in Stripe's units.
  const total = readInteger(session, 'amount_total') ?? 0;
  const charge = readMember(readMember(session, 'payment_intent'), 'latest_charge');
  const refunded = sumRefunds(charge);
  const state = parseState(session, refunded, total);
  if (externalId === null || currency === null || state === null) return null;
  const paidAt = readInteger(charge, 'created');
  return {
    externalId,
    token: readText(session, 'client_reference_id'),
    state,
    paid: { amount: link.readAmount(String(total), currency), currency },
    refunded: link.readAmount(String(refunded), currency),
    ...(hasRefunds(charge) && { refundsReadAt: link.now }),
    isTest: readMember(session, 'livemode') !== true,
    paidAt: paidAt === null ? null : paidAt * 1000,
    buyer: null,
    raw: link.raw(withoutBuyer(session, refunded)),
  };
}

function readSession(link: Link, id: string): Promise<FoundSessions | ProviderFailure> {
  return getExpanded(link, `${SESSIONS}/${encodeURIComponent(id)}`, new URLSearchParams(), EXPANDED);
}

async function readOne(link: Link, id: string): Promise<ReadPayments | ProviderFailure> {
  const found = await readSession(link, id);
  if (isFailure(found)) return found;
  const { body, missing } = found;
  if (body === null) return { payments: [] };
  const payment = parsePayment(link, body);
  return payment === null ? failure('malformed') : { payments: [payment], missing };
}

/** PaymentIntents whose dispute the account has won. The charge itself stays marked as disputed. */
function listWonIntents(events: readonly unknown[]): ReadonlySet<string> {
  const won = new Set<string>();
  for (const event of events) {
    const object = readMember(readMember(event, 'data'), 'object');
    const intent = readText(object, 'payment_intent');
    const isWon = readText(event, 'type') === 'charge.dispute.closed' && readText(object, 'status') === 'won';
    if (isWon && intent !== null) won.add(intent);
  }
  return won;
}

function withDisputeEnd(payment: ProviderPayment, won: ReadonlySet<string>): ProviderPayment {
  if (payment.state !== 'disputed') return payment;
  return won.has(readText(parseJson(payment.raw), 'payment_intent') ?? '')
    ? { ...payment, state: 'dispute_won' }
    : payment;
}

/** Ids from events: sessions, and PaymentIntents whose session must be looked up. */
interface Subjects {
  readonly sessions: ReadonlySet<string>;
  readonly intents: ReadonlySet<string>;
}

/** `isAll`: include objects of other programs; else skip those known by their event. Events of refunds and disputes do not have our token. */
function listSubjects(events: readonly unknown[], isAll: boolean): Subjects {
  const sessions = new Set<string>();
  const intents = new Set<string>();
  for (const event of events) {
    const object = readMember(readMember(event, 'data'), 'object');
    const isSession = readText(event, 'type')?.startsWith('checkout.session.') === true;
    const isCharge = readText(object, 'object') === 'charge';
    const token = isSession
      ? readText(object, 'client_reference_id')
      : readText(readMember(object, 'metadata'), 'order');
    if (!isAll && (isSession || isCharge) && !isOwnToken(token)) continue;
    const id = isSession ? readText(object, 'id') : readText(object, 'payment_intent');
    if (id !== null) (isSession ? sessions : intents).add(id);
  }
  return { sessions, intents };
}

/** Ids of the sessions that events are about. */
async function listSessionIds(
  link: Link,
  events: readonly unknown[],
  isAll: boolean,
): Promise<ReadonlySet<string> | ProviderFailure> {
  const { sessions, intents } = listSubjects(events, isAll);
  const ids = new Set(sessions);
  for (const intent of intents) {
    const found = await get(link, SESSIONS, NEEDS_SESSIONS, new URLSearchParams({ payment_intent: intent }));
    if (isFailure(found)) return found;
    for (const session of readList(found.body, 'data')) {
      const id = readText(session, 'id');
      if (id !== null && (isAll || isOwnToken(readText(session, 'client_reference_id')))) ids.add(id);
    }
  }
  return ids;
}

type ProbeCall = (link: Link) => Promise<Found | ProviderFailure>;

/** A probe that reads one item of a list. */
function listProbe(path: string, needs: Needs, query: Readonly<Record<string, string>> = {}): ProbeCall {
  return (link) => get(link, path, needs, new URLSearchParams({ limit: '1', ...query }));
}

/** The list of sessions as the panel reads it. */
const READ_PROBE = listProbe(SESSIONS, [...NEEDS_SESSIONS, ...NEEDS_EXPANDED], { 'expand[]': `data.${EXPANDED}` });
/**
 * One call for each permission. Stripe checks permissions before it looks up the object, so a request about a missing object has no effect.
 * Expanded objects have calls of their own, because an account without sessions expands nothing.
 */
const PERMISSION_PROBES: readonly ProbeCall[] = [
  (link) => post(link, `${SESSIONS}/cs_${NO_OBJECT}/expire`, NEEDS_SESSIONS, {}, null),
  listProbe('/v1/payment_intents', ['payment_intents_read']),
  listProbe('/v1/charges', ['charges_read']),
  (link) => post(link, '/v1/refunds', ['refunds_write'], { payment_intent: `pi_${NO_OBJECT}` }, null),
  listProbe('/v1/events', ['events_read'], { 'types[]': EVENT_TYPES[0] }),
];

export const stripe: Adapter = {
  kind: 'stripe',
  amounts: stripeAmounts,
  // Stripe's limit is 25 requests a second in test mode.
  paceMs: 50,
  pollIntervalMs: 5000,
  lookbackMs: LIST_OVERLAP_MS,
  // Stripe keeps events for 30 days.
  listReachMs: 30 * DAY_MS,
  async probe(link) {
    const key = link.field('secret_key');
    const missing = new Set<ProviderPermission>();
    // A secret key (`sk_`) has all permissions.
    for (const call of [...(key.startsWith('rk_') ? PERMISSION_PROBES : []), READ_PROBE]) {
      const answer = await call(link);
      if (!isFailure(answer) || answer.error === 'refused') continue;
      if (!answer.missing?.length) return answer;
      for (const permission of answer.missing) missing.add(permission);
    }
    if (missing.size > 0) return { ...failure('forbidden'), missing: [...missing] };
    // A restricted key may not be allowed to read the account.
    const account = await get(link, '/v1/account', []);
    const id = isFailure(account) ? null : readText(account.body, 'id');
    return { account: id ?? '', isTest: /^[sr]k_test_/.test(key) };
  },
  async open(link, { token, idempotencyKey, amount, currency, title, returnUrl }) {
    const back = returnUrl ?? 'https://stripe.com/';
    const form = {
      mode: 'payment',
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': currency.toLowerCase(),
      'line_items[0][price_data][unit_amount]': amount,
      'line_items[0][price_data][product_data][name]': shorten(title, 250),
      client_reference_id: token,
      'metadata[order]': token,
      'payment_intent_data[metadata][order]': token,
      success_url: back,
      cancel_url: back,
    };
    const made = await post(link, SESSIONS, NEEDS_SESSIONS, form, idempotencyKey);
    if (isFailure(made)) return made;
    const externalId = readText(made.body, 'id');
    const payUrl = readText(made.body, 'url');
    return externalId === null || payUrl === null ? failure('malformed', true) : { externalId, payUrl };
  },
  async read(link, { externalId, token }) {
    if (externalId !== null) return readOne(link, externalId);
    // Not expanded, which makes a session three times as long: a page must stay below the size limit of replies.
    const query = new URLSearchParams({ limit: String(LOOKUP_PAGE) });
    for (let page = 0; page < MAX_PAGES; page++) {
      const found = await get(link, SESSIONS, NEEDS_SESSIONS, query);
      if (isFailure(found)) return found;
      const sessions = readList(found.body, 'data');
      const matching = sessions.find((session) => readText(session, 'client_reference_id') === token);
      const id = readText(matching, 'id');
      if (id !== null) return readOne(link, id);
      const last = readText(sessions.at(-1), 'id');
      if (readMember(found.body, 'has_more') !== true || last === null) break;
      query.set('starting_after', last);
    }
    return { payments: [] };
  },
  async end(link, externalId) {
    // Stripe refuses a session that is not open. An unknown session is a success without a body.
    const path = `${SESSIONS}/${encodeURIComponent(externalId)}/expire`;
    const done = await post(link, path, NEEDS_SESSIONS, {}, null);
    if (isFailure(done)) return done.error === 'refused' ? { isEnded: false } : done;
    return { isEnded: readText(done.body, 'status') === 'expired' };
  },
  // Newest first: the pages go back to the time at which the last reading began, that second included.
  async since(link, text) {
    const stored = parseJson(text ?? '');
    const from = readInteger(stored, 'from');
    const after = readText(stored, 'after');
    const query = new URLSearchParams({ limit: String(PAGE) });
    for (const type of EVENT_TYPES) query.append('types[]', type);
    if (from !== null) query.set('created[gte]', String(from));
    if (after !== null) query.set('starting_after', after);
    const found = await get(link, '/v1/events', ['events_read'], query);
    if (isFailure(found)) return found;
    const events = readList(found.body, 'data');
    const isAll = readText(stored, 'of') === 'all';
    const ids = await listSessionIds(link, events, isAll);
    if (isFailure(ids)) return ids;
    const payments: ProviderPayment[] = [];
    const missing = new Set<ProviderPermission>();
    const won = listWonIntents(events);
    // Read each session: an event contains its object as it was at that time.
    for (const id of ids) {
      const one = await readOne(link, id);
      if (isFailure(one)) return one;
      payments.push(...one.payments.map((payment) => withDisputeEnd(payment, won)));
      for (const permission of one.missing ?? []) missing.add(permission);
    }
    const newest = readInteger(stored, 'newest') ?? readInteger(events[0], 'created') ?? from;
    const last = readText(events.at(-1), 'id');
    const hasMore = readMember(found.body, 'has_more') === true && last !== null;
    const of = isAll ? { of: 'all' } : {};
    const cursor = JSON.stringify(hasMore ? { from, newest, after: last, ...of } : { from: newest, ...of });
    return { payments, missing: [...missing], cursor, hasMore };
  },
  async refund(link, { externalId, amount, idempotencyKey }) {
    const found = await readSession(link, externalId);
    if (isFailure(found)) return found;
    const intent = readMember(found.body, 'payment_intent');
    const id = typeof intent === 'string' ? intent : readText(intent, 'id');
    if (id === null) return failure('refused');
    const made = await post(link, '/v1/refunds', ['refunds_write'], { payment_intent: id, amount }, idempotencyKey);
    if (isFailure(made)) return made;
    const status = readText(made.body, 'status');
    return status === 'failed' || status === 'canceled' || status === null
      ? failure('refused')
      : { isDone: status === 'succeeded', refundId: readText(made.body, 'id') };
  },
  async readRefund(link, refundId) {
    const found = await get(link, `/v1/refunds/${encodeURIComponent(refundId)}`, ['refunds_write']);
    if (isFailure(found)) return found;
    const status = readText(found.body, 'status');
    if (status === null) return failure('malformed');
    return { state: status === 'succeeded' ? 'done' : ['failed', 'canceled'].includes(status) ? 'failed' : 'pending' };
  },
  // A reconciliation also includes payments of other programs.
  cursorFrom: (from) => JSON.stringify({ from: Math.floor(from / 1000), of: 'all' }),
  hint({ fields, raw, headers, now }) {
    const parts = (headers['stripe-signature'] ?? '').split(',').map((part) => part.trim().split('='));
    const time = parts.find(([name]) => name === 't')?.[1] ?? '';
    const secret = fields.webhook_secret ?? '';
    if (secret === '' || !/^\d{1,12}$/.test(time) || Math.abs(now - Number(time) * 1000) > TOLERANCE_MS) return null;
    const expected = createHmac('sha256', secret).update(`${time}.${raw}`).digest('hex');
    const signatures = parts.filter(([name]) => name === 'v1');
    if (!signatures.some(([, value]) => isSameText(value ?? '', expected))) return null;
    const object = readMember(readMember(parseJson(raw), 'data'), 'object');
    const externalId = readText(object, 'object') === 'checkout.session' ? readText(object, 'id') : null;
    const token = readText(object, 'client_reference_id') ?? readText(readMember(object, 'metadata'), 'order');
    // Objects with neither, such as a dispute, are found in the list of events.
    return { externalId, token };
  },
};
