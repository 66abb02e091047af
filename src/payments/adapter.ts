// The interface of a payment provider's adapter, which translates the panel's calls into requests to the provider and parses its replies.
import type { ProviderError, ProviderKind } from '../contract/sales/providers.ts';
import type { OutboundClient, OutboundFailure } from '../core/ports/outbound.ts';
import type {
  Hint,
  Invoice,
  InvoiceRequest,
  PaymentPage,
  PaymentQuery,
  Probed,
  ProviderAccess,
  ProviderFacts,
  ProviderFailure,
  ReadPayments,
  RefundRequest,
  StartedRefund,
  Webhook,
} from '../core/ports/providers.ts';
import type { AmountFormat } from './amounts.ts';
import { parseJson } from './reading.ts';

/** Lifetime that the panel requests for an invoice; within the limits of each provider that accepts one. */
export const INVOICE_LIFETIME_MS = 3 * 3_600_000;
/** Each reading of a list starts this long before the last one, because lists are ordered by creation and invoices are paid later. */
export const LIST_OVERLAP_MS = 3 * 86_400_000;
/** Characters of a provider's reply that are stored with a payment. */
const MAX_RAW = 16_384;

export interface Adapter extends Pick<ProviderFacts, 'pollIntervalMs' | 'lookbackMs' | 'listReachMs'> {
  readonly kind: ProviderKind;
  readonly amounts: AmountFormat;
  /** The pause after each request of one account, within the provider's rate limit. */
  readonly paceMs: number;
  /** Calls each endpoint that selling needs, as far as that has no effect, to check the keys and their permissions. */
  probe(link: Link): Promise<Probed | ProviderFailure>;
  /** Opens an invoice. A repeated request returns the same invoice where the provider supports idempotency. */
  open(link: Link, request: WrittenInvoice): Promise<Invoice | ProviderFailure>;
  /** Reads one payment; an empty result means there is none. null: the provider only has a list. */
  readonly read: ((link: Link, query: PaymentQuery) => Promise<ReadPayments | ProviderFailure>) | null;
  /** Ends an invoice that can still be paid; `isEnded` false: it could no longer be paid. null: the provider has no such call. */
  readonly end: ((link: Link, externalId: string) => Promise<{ readonly isEnded: boolean } | ProviderFailure>) | null;
  since(link: Link, cursor: string | null): Promise<PaymentPage | ProviderFailure>;
  /** The cursor of a list that begins at `from` (epoch ms). null: the provider's list cannot begin at a time and is read whole. */
  readonly cursorFrom: ((from: number) => string) | null;
  /** null: the provider has no call for refunds. */
  readonly refund: ((link: Link, refund: WrittenRefund) => Promise<StartedRefund | ProviderFailure>) | null;
  /** null: refunds of this provider are complete when the request returns. */
  readonly readRefund: ((link: Link, refundId: string) => Promise<RefundState | ProviderFailure>) | null;
  /** The payment that a webhook names, which is then read from the provider. null: not signed by the provider, or names no payment. */
  readonly hint: ((hook: ReceivedWebhook) => Hint | null) | null;
}

/** A price in the provider's own format. */
interface WrittenPrice {
  readonly amount: string;
  readonly currency: string;
}

export type WrittenInvoice = Omit<InvoiceRequest, 'price'> & WrittenPrice;
export type WrittenRefund = Omit<RefundRequest, 'price'> & WrittenPrice;

/** The outcome of a refund. */
export interface RefundState {
  readonly state: 'pending' | 'done' | 'failed';
}

export interface ReceivedWebhook extends Webhook {
  readonly fields: Readonly<Record<string, string>>;
}

/** What an adapter works with: one account and a function that sends requests for it. */
export interface Link {
  readonly access: ProviderAccess;
  readonly now: number;
  /** A field of the account; an empty string if it is not set. */
  field(name: string): string;
  send(request: LinkRequest): Promise<LinkReply | ProviderFailure>;
  /** A reported amount in minor units. 0 if it is not valid in this currency: the payment then needs a decision of the administrator. */
  readAmount(text: string | null, currency: string): number;
  /** A reply as it is stored with the payment: JSON of bounded length, without the account's secrets. */
  raw(value: unknown): string;
}

export interface LinkRequest {
  readonly method: 'GET' | 'POST';
  /** The default root of the API; an account may override it. */
  readonly root: string;
  /** Path and query, appended to the root. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface LinkReply {
  readonly status: number;
  readonly retryAfter: string | null;
  /** Parsed JSON; undefined if the reply was not JSON. */
  readonly body: unknown;
}

export function isFailure<T extends object>(outcome: T | ProviderFailure): outcome is ProviderFailure {
  return 'error' in outcome;
}

export function failure(error: ProviderError, isUnclear = false, retryAfterMs = 0): ProviderFailure {
  return { error, retryAfterMs, isUnclear };
}

/** Converts an unsuccessful reply to a failure. `isEffect`: the request would have changed something; `codes`: the provider's error codes. */
export function toProviderFailure(
  reply: LinkReply,
  isEffect: boolean,
  codes: readonly (string | null)[] = [],
): ProviderFailure {
  const named = codes.filter((code) => code !== null);
  return { ...classify(reply, isEffect), ...(named.length > 0 && { codes: named }) };
}

/** Error codes that are kept with a failure. */
const MAX_CODES = 4;

/** Drops codes that are not identifiers or may contain a secret: a provider may repeat parts of the request. */
export function sanitizeCodes(codes: readonly string[], secrets: readonly string[]): readonly string[] {
  const isCode = (code: string) =>
    /^[\w.[\]-]{1,60}$/.test(code) && !secrets.some((secret) => secret.includes(code) || code.includes(secret));
  return [...new Set(codes)].filter(isCode).slice(0, MAX_CODES);
}

function classify({ status, retryAfter }: LinkReply, isEffect: boolean): ProviderFailure {
  if (status === 401) return failure('unauthorized');
  if (status === 403) return failure('forbidden');
  if (status === 429) return failure('rate_limited', false, parseRetryAfter(retryAfter));
  if (status >= 500) return failure('unavailable', isEffect, parseRetryAfter(retryAfter));
  if (status >= 400) return failure('refused');
  return failure('malformed', isEffect);
}

/** Milliseconds of a Retry-After header in seconds, at most a day; 0 if it is missing or a date. */
function parseRetryAfter(header: string | null): number {
  return header !== null && /^\d{1,6}$/.test(header) ? Math.min(86_400_000, Number(header) * 1000) : 0;
}

/** Failures before anything was sent, so that the request certainly had no effect. */
const UNSENT: ReadonlySet<OutboundFailure> = new Set(['host_unknown', 'address_refused', 'certificate']);

export function createLink(
  client: OutboundClient,
  amounts: AmountFormat,
  access: ProviderAccess,
  secrets: readonly string[],
  now: number,
): Link {
  return {
    access,
    now,
    field: (name) => access.fields[name] ?? '',
    async send({ method, root, path, headers, body }) {
      const url = `${(access.apiRoot ?? root).replace(/\/+$/, '')}${path}`;
      const { allowPrivate, proxy } = access;
      const length = body === undefined ? undefined : String(new TextEncoder().encode(body).length);
      const outcome = await client.send({
        method,
        url,
        allowPrivate,
        ...(proxy !== null && { proxy }),
        headers: {
          accept: 'application/json',
          'user-agent': 'gatehouse',
          ...(length !== undefined && { 'content-length': length }),
          ...headers,
        },
        body: body ?? null,
      });
      if (!('error' in outcome)) {
        const { status, retryAfter, text } = outcome;
        return { status, retryAfter, body: parseJson(text) };
      }
      const isUnclear = method === 'POST' && !UNSENT.has(outcome.error);
      return failure(outcome.error === 'too_long' ? 'malformed' : outcome.error, isUnclear);
    },
    readAmount: (text, currency) => (text === null ? null : amounts.read(text, currency)) ?? 0,
    raw(value) {
      let text = JSON.stringify(value) ?? 'null';
      for (const secret of secrets) text = text.replaceAll(secret, '…');
      return text.length <= MAX_RAW ? text : JSON.stringify(text.slice(0, MAX_RAW / 2));
    },
  };
}

export function jsonBody(value: unknown): Pick<LinkRequest, 'body'> & { readonly headers: Record<string, string> } {
  return { body: JSON.stringify(value), headers: { 'content-type': 'application/json' } };
}
