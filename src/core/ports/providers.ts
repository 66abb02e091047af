// The ports of payment providers: the store of the panel's accounts, and the client of the providers' APIs.

import type { ProviderError, ProviderKind, ProviderPermission } from '../../contract/sales/providers.ts';
import type { PriceRules } from '../../domain/sales/money.ts';

export interface ProviderRow {
  readonly id: number;
  readonly kind: ProviderKind;
  readonly name: string;
  /** Whether the keys are those of the provider's test mode. */
  readonly isTest: boolean;
  /** The account's name or id at the provider. */
  readonly account: string;
  /** Fields that are not secret, by name. Secrets are sealed and stored apart. */
  readonly fields: Readonly<Record<string, string>>;
  /** Root of the API; null: the provider's own. */
  readonly apiRoot: string | null;
  readonly allowPrivate: boolean;
  readonly enabled: boolean;
  /** The random token in the address of its webhooks; null: webhooks are off. */
  readonly hookToken: string | null;
  readonly okAt: number | null;
  /** The problem of the account; null: the last answers were good. */
  readonly error: ProviderError | null;
  /** Permissions that the keys lack. */
  readonly missing: readonly ProviderPermission[];
  /** The provider's error codes. */
  readonly codes: readonly string[];
  /** Currencies that the provider has refused since the account was saved. */
  readonly refusedCurrencies: readonly string[];
  readonly errorAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface ProviderStore {
  insert(provider: Omit<ProviderRow, 'id'>): number;
  get(id: number): ProviderRow | undefined;
  byHookToken(token: string): ProviderRow | undefined;
  /** Ordered by id. */
  all(): readonly ProviderRow[];
  save(provider: ProviderRow): void;
  remove(id: number): void;
  /** The cursor of the list of its payments, and when that was last read to its end (epoch ms). */
  reading(id: number): { readonly cursor: string | null; readonly caughtUpAt: number | null } | undefined;
  saveReading(id: number, cursor: string | null, caughtUpAt: number | null): void;
}

/** An account at a provider with its decrypted keys; in memory only. */
export interface ProviderAccess {
  /** Requests with the same id are queued. */
  readonly id: number;
  readonly kind: ProviderKind;
  /** Whether the keys are those of the provider's test mode; false before they are tested. */
  readonly isTest: boolean;
  readonly apiRoot: string | null;
  readonly allowPrivate: boolean;
  /** URL of the proxy to its API, with credentials; null: none. */
  readonly proxy: string | null;
  /** All fields, including the secrets. */
  readonly fields: Readonly<Record<string, string>>;
}

/** The failure of a request to a provider. */
export interface ProviderFailure {
  readonly error: ProviderError;
  /** The wait that the provider asked for, in ms; 0: none. */
  readonly retryAfterMs: number;
  /** The request may have had its effect: repeat it with the same idempotency key only. */
  readonly isUnclear: boolean;
  /** With `forbidden`: permissions that the keys lack, if known. */
  readonly missing?: readonly ProviderPermission[];
  /** The provider's error codes, such as `amount_too_small`. No messages, and nothing from the request. */
  readonly codes?: readonly string[];
}

export interface Probed {
  /** The account's name or id at the provider. */
  readonly account: string;
  /** null: neither the provider nor the keys show it. */
  readonly isTest: boolean | null;
}

/** Amounts are whole minor units of their currency (kopecks, cents; a Star is whole). */
export interface Price {
  readonly amount: number;
  /** ISO 4217, or XTR. */
  readonly currency: string;
}

export interface InvoiceRequest {
  /** Our random reference, 1 to 64 of [A-Za-z0-9_-], which the provider returns with the payment. */
  readonly token: string;
  /** At most 64 characters; stored before the first call, and the same for every attempt. */
  readonly idempotencyKey: string;
  readonly price: Price;
  /** Name of what is sold; not empty. */
  readonly title: string;
  /** URL to which the buyer returns; null: none. */
  readonly returnUrl: string | null;
  /** URL of webhooks, for providers that accept it with the invoice; null: webhooks are off. */
  readonly hookUrl: string | null;
  /** The buyer's address, if the provider issues a receipt; else null. */
  readonly email: string | null;
  /** Whether an earlier attempt had no clear answer. */
  readonly isRetry: boolean;
}

export interface Invoice {
  /** The provider's id; null: assigned when it is paid. */
  readonly externalId: string | null;
  /** URL of the page where the buyer pays. */
  readonly payUrl: string;
}

/** The payment to read. */
export interface PaymentQuery {
  /** The provider's id; null: search by the token. */
  readonly externalId: string | null;
  readonly token: string;
}

/**
 * `open` and `held` are polled. `held`: paid, but the provider keeps the money while it checks the buyer. The other states are final, except
 * that refunds and disputes can follow a payment.
 */
export type PaymentState =
  | 'open'
  | 'held'
  | 'paid'
  | 'expired'
  | 'failed'
  | 'refunded'
  | 'partly_refunded'
  | 'disputed'
  | 'dispute_won';

export interface ProviderPayment {
  readonly externalId: string;
  /** Our reference; null: the payment has none. */
  readonly token: string | null;
  readonly state: PaymentState;
  /** The paid amount; while open, the requested one. 0: not known in this currency. */
  readonly paid: Price;
  /** The refunded part, in minor units. */
  readonly refunded: number;
  readonly isTest: boolean;
  /** Epoch ms; null: not paid, or not reported. */
  readonly paidAt: number | null;
  /** When the provider was read (epoch ms), if `refunded` includes all refunds; left out: there may be more. */
  readonly refundsReadAt?: number;
  /** The provider's id of the buyer, if a refund needs it; else null. */
  readonly buyer: string | null;
  /** The reply as JSON: bounded, without secrets and without the buyer's card or address. */
  readonly raw: string;
}

/** Payments that were read. `missing`: permissions without which details, such as refunds, are left out. */
export interface ReadPayments {
  readonly payments: readonly ProviderPayment[];
  readonly missing?: readonly ProviderPermission[];
}

export interface PaymentPage extends ReadPayments {
  /** The place of the next page, or of the next reading. */
  readonly cursor: string;
  readonly hasMore: boolean;
  /** The list repeated a page, so the rest was not read. */
  readonly isRepeated?: boolean;
}

export interface RefundRequest {
  readonly externalId: string;
  readonly buyer: string | null;
  readonly price: Price;
  /** Of this refund only; the same for every attempt. */
  readonly idempotencyKey: string;
}

/** A refund that a provider has begun. */
export interface StartedRefund {
  readonly isDone: boolean;
  /** The id by which a pending refund is polled; null: repeat the request instead. */
  readonly refundId: string | null;
}

/** A received webhook. */
export interface Webhook {
  /** The unchanged body. */
  readonly raw: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Time of arrival, epoch ms. */
  readonly now: number;
}

/** The payment that a webhook is about: the provider's id, our token, or both. */
export interface Hint {
  readonly externalId: string | null;
  readonly token: string | null;
}

/** Limits of a provider, declared by its adapter. */
export interface ProviderFacts extends PriceRules {
  /** The shortest time between two requests about one invoice, in ms. */
  readonly pollIntervalMs: number;
  /** The longest time between the creation of an invoice and its payment, in ms: lists are ordered by creation. */
  readonly lookbackMs: number;
  /** How far back the list reaches, in ms; null: to the first payment. */
  readonly listReachMs: number | null;
  /** Whether the API can refund payments; otherwise the administrator refunds them by hand. */
  readonly canRefund: boolean;
}

/** The client of all providers. Its promises never reject; a failure is a ProviderFailure. */
export interface PaymentProviders {
  facts(kind: ProviderKind): ProviderFacts;
  /** Whether the URL has an IP address that must not be connected to. Host names are checked on connecting. */
  isRefused(url: string, allowPrivate: boolean): boolean;
  /** Reads the account of the keys, and checks that they have the permissions that selling needs. */
  probe(access: ProviderAccess): Promise<Probed | ProviderFailure>;
  /** Opens an invoice. */
  open(access: ProviderAccess, request: InvoiceRequest): Promise<Invoice | ProviderFailure>;
  /** Reads one invoice; several payments if it was paid repeatedly, none if it is unknown. `unsupported`: only `since` can read it. */
  read(access: ProviderAccess, query: PaymentQuery): Promise<ReadPayments | ProviderFailure>;
  /** Ends an invoice, so that it cannot be paid any more; `isEnded` false: it had ended already, was paid, or is unknown. */
  end(access: ProviderAccess, query: PaymentQuery): Promise<{ readonly isEnded: boolean } | ProviderFailure>;
  /** Lists payments from a cursor, from a time (`from`, epoch ms; may include earlier ones), or from the first one (null). */
  since(
    access: ProviderAccess,
    cursor: string | null | { readonly from: number },
  ): Promise<PaymentPage | ProviderFailure>;
  /** Requests a refund; `isDone` false: it is pending and may fail. */
  refund(access: ProviderAccess, refund: RefundRequest): Promise<StartedRefund | ProviderFailure>;
  /** Polls a pending refund. */
  readRefund(
    access: ProviderAccess,
    refundId: string,
  ): Promise<{ readonly state: 'pending' | 'done' | 'failed' } | ProviderFailure>;
  /** Verifies a webhook; null: not signed by the provider, or names no payment. */
  hint(access: ProviderAccess, webhook: Webhook): Promise<Hint | null | ProviderFailure>;
  /** Aborts running requests, which then fail as `stopped`. */
  close(): void;
}
