// What a provider's adapter is: one value that turns the panel's questions into the provider's requests, and its replies into answers.
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

/** How long an invoice can be paid, where the panel says so: within what each provider allows. */
export const INVOICE_LIFETIME_MS = 3 * 3_600_000;
/** Lists are read again from so long before the last reading: what was paid late is in them by its first moment. */
export const LIST_OVERLAP_MS = 3 * 86_400_000;
/** Of what a provider said, as much as is stored with a payment. */
const MAX_RAW = 16_384;

export interface Adapter extends Pick<ProviderFacts, 'pollIntervalMs' | 'lookbackMs' | 'listReachMs'> {
  readonly kind: ProviderKind;
  readonly amounts: AmountFormat;
  /** Between the beginnings of two requests of one account. */
  readonly paceMs: number;
  /** Tries each kind of call that selling needs and that can be made without an effect. */
  probe(link: Link): Promise<Probed | ProviderFailure>;
  /** Repeated with the same request it gives the same invoice, wherever the provider can. */
  open(link: Link, request: WrittenInvoice): Promise<Invoice | ProviderFailure>;
  /** Empty: there is none. null: the provider knows a payment only by its list. */
  readonly read: ((link: Link, query: PaymentQuery) => Promise<ReadPayments | ProviderFailure>) | null;
  /** Ends an invoice that can still be paid; `isEnded` false: it cannot. null: the provider has no way to. */
  readonly end: ((link: Link, externalId: string) => Promise<{ readonly isEnded: boolean } | ProviderFailure>) | null;
  since(link: Link, cursor: string | null): Promise<PaymentPage | ProviderFailure>;
  /** The cursor from which a list is read that begins at a moment; null: there is none, and it is read whole. */
  readonly cursorFrom: ((from: number) => string) | null;
  /** null: the provider has no way to give money back. */
  readonly refund: ((link: Link, refund: WrittenRefund) => Promise<StartedRefund | ProviderFailure>) | null;
  /** null: a refund of this provider is done when it has answered. */
  readonly readRefund: ((link: Link, refundId: string) => Promise<RefundState | ProviderFailure>) | null;
  /** What a webhook hints at, which is then asked for; null: it is not the provider's, or tells nothing. */
  readonly hint: ((hook: ReceivedWebhook) => Hint | null) | null;
}

/** A price as the provider writes it. */
interface WrittenPrice {
  readonly amount: string;
  readonly currency: string;
}

export type WrittenInvoice = Omit<InvoiceRequest, 'price'> & WrittenPrice;
export type WrittenRefund = Omit<RefundRequest, 'price'> & WrittenPrice;

/** What became of a refund. */
export interface RefundState {
  readonly state: 'pending' | 'done' | 'failed';
}

export interface ReceivedWebhook extends Webhook {
  readonly fields: Readonly<Record<string, string>>;
}

/** What an adapter works with: one account, and a way to send. */
export interface Link {
  readonly access: ProviderAccess;
  readonly now: number;
  /** A field of the account; empty where it was not given. */
  field(name: string): string;
  send(request: LinkRequest): Promise<LinkReply | ProviderFailure>;
  /** An amount that the provider reports, in minor units; 0, which a person looks at, where it is none that the currency has. */
  readAmount(text: string | null, currency: string): number;
  /** What the provider said, as it is stored: bounded, and without the account's secrets. */
  raw(value: unknown): string;
}

export interface LinkRequest {
  readonly method: 'GET' | 'POST';
  /** The root of the API where the account names no other. */
  readonly root: string;
  /** With its query; appended to the root. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface LinkReply {
  readonly status: number;
  readonly retryAfter: string | null;
  /** Parsed JSON; undefined where the reply was none. */
  readonly body: unknown;
}

export function isFailure<T extends object>(outcome: T | ProviderFailure): outcome is ProviderFailure {
  return 'error' in outcome;
}

export function failure(error: ProviderError, isUnclear = false, retryAfterMs = 0): ProviderFailure {
  return { error, retryAfterMs, isUnclear };
}

/** The failure behind a reply that is not a success. `isEffect`: the request was to have one; `codes`: how the provider names the reason. */
export function toProviderFailure(
  reply: LinkReply,
  isEffect: boolean,
  codes: readonly (string | null)[] = [],
): ProviderFailure {
  const named = codes.filter((code) => code !== null);
  return { ...classify(reply, isEffect), ...(named.length > 0 && { codes: named }) };
}

/** As many identifiers of a reason as are kept. */
const MAX_CODES = 4;

/** Without what is no identifier, or may be a part of a secret: a provider may repeat what it was sent. */
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

/** Of a Retry-After header, at most a day. */
function parseRetryAfter(header: string | null): number {
  return header !== null && /^\d{1,6}$/.test(header) ? Math.min(86_400_000, Number(header) * 1000) : 0;
}

/** Nothing was sent in these cases. */
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
