// The ports of payment providers: the panel's accounts there, and what they are asked.

import type { ProviderError, ProviderKind, ProviderPermission } from '../../contract/sales/providers.ts';
import type { PriceRules } from '../../domain/sales/money.ts';

export interface ProviderRow {
  readonly id: number;
  readonly kind: ProviderKind;
  readonly name: string;
  /** As the provider says of the keys. */
  readonly isTest: boolean;
  /** What the provider calls the account of the keys. */
  readonly account: string;
  /** The fields that are no secrets, by name. The secrets are sealed. */
  readonly fields: Readonly<Record<string, string>>;
  /** null: the provider's own. */
  readonly apiRoot: string | null;
  readonly allowPrivate: boolean;
  readonly enabled: boolean;
  /** By which the provider reports to the panel; unguessable. null: it does not. */
  readonly hookToken: string | null;
  readonly okAt: number | null;
  /** Since it last answered as it should. */
  readonly error: ProviderError | null;
  /** The permissions that the keys lack. */
  readonly missing: readonly ProviderPermission[];
  /** The provider's own identifiers of the reason. */
  readonly codes: readonly string[];
  /** Currencies that it refused to open a payment in, since the account was saved. */
  readonly refusedCurrencies: readonly string[];
  readonly errorAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface ProviderStore {
  insert(provider: Omit<ProviderRow, 'id'>): number;
  get(id: number): ProviderRow | undefined;
  byHookToken(token: string): ProviderRow | undefined;
  /** By id. */
  all(): readonly ProviderRow[];
  save(provider: ProviderRow): void;
  remove(id: number): void;
  /** How far the list of its payments has been read, and when it was last read to its end. */
  reading(id: number): { readonly cursor: string | null; readonly caughtUpAt: number | null } | undefined;
  saveReading(id: number, cursor: string | null, caughtUpAt: number | null): void;
}

/** An account at a provider with its keys in clear: in memory only. */
export interface ProviderAccess {
  /** Requests of one account wait for one another. */
  readonly id: number;
  readonly kind: ProviderKind;
  /** As the provider said of the keys; false where they were not tried yet. */
  readonly isTest: boolean;
  readonly apiRoot: string | null;
  readonly allowPrivate: boolean;
  /** By which its API is reached, with name and password; null: by none. */
  readonly proxy: string | null;
  /** All fields, the secret ones too. */
  readonly fields: Readonly<Record<string, string>>;
}

/** A request that a provider did not answer as it should. */
export interface ProviderFailure {
  readonly error: ProviderError;
  /** Not to be repeated before, in milliseconds; 0: the provider named no time. */
  readonly retryAfterMs: number;
  /** It may have had its effect: to be repeated with the same key. */
  readonly isUnclear: boolean;
  /** With `forbidden`: the permissions that the keys lack, where they are known. */
  readonly missing?: readonly ProviderPermission[];
  /** The provider's own identifiers of the reason, such as `amount_too_small`: no text, and nothing of what was sent. */
  readonly codes?: readonly string[];
}

export interface Probed {
  /** What the provider calls the account. */
  readonly account: string;
  /** null: the provider does not say, and the keys do not show it. */
  readonly isTest: boolean | null;
}

/** Amounts are whole minor units of their currency (kopecks, cents; a Star is whole). */
export interface Price {
  readonly amount: number;
  /** ISO 4217, or XTR. */
  readonly currency: string;
}

export interface InvoiceRequest {
  /** Unguessable, at most 64 of [A-Za-z0-9_-]: the provider gives it back with the payment. */
  readonly token: string;
  /** On disk before the first call, at most 64 characters, the same at every repetition. */
  readonly idempotencyKey: string;
  readonly price: Price;
  /** What is sold, from 1 character. */
  readonly title: string;
  /** Where the buyer returns to; null: nowhere. */
  readonly returnUrl: string | null;
  /** Where the provider may report to, where it takes that with the invoice; null: webhooks are off. */
  readonly hookUrl: string | null;
  /** Of the buyer, where the provider issues a receipt; else null. */
  readonly email: string | null;
  /** Whether it may have been asked before, without a clear answer. */
  readonly isRetry: boolean;
}

export interface Invoice {
  /** The provider's id; null: it has none until it is paid. */
  readonly externalId: string | null;
  /** Where the buyer pays. */
  readonly payUrl: string;
}

/** A payment as a provider is asked for it. */
export interface PaymentQuery {
  /** null: it is looked up by the token. */
  readonly externalId: string | null;
  readonly token: string;
}

/**
 * `open` is asked again, and so is `held`: money that came, which the provider keeps until it is satisfied about the buyer. The others are
 * the provider's final word, except that `paid` may become one of the last three.
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
  /** Ours, as the provider gives it back; null: it has none. */
  readonly token: string | null;
  readonly state: PaymentState;
  /** What was paid (of an open one: what is asked). The amount is 0 where less came than can be said in this currency. */
  readonly paid: Price;
  /** What of it was given back. */
  readonly refunded: number;
  readonly isTest: boolean;
  /** null while it is not paid, and where the provider does not say. */
  readonly paidAt: number | null;
  /** When the provider was asked, where `refunded` is all that it has given back; left out: it may have given back more. */
  readonly refundsReadAt?: number;
  /** Whom a refund goes to, where the provider asks for that. */
  readonly buyer: string | null;
  /** What the provider said: JSON, bounded, without secrets and without the buyer's card or address. */
  readonly raw: string;
}

/** Payments that were read; `missing`: without what these permissions would show of them, as refunds. */
export interface ReadPayments {
  readonly payments: readonly ProviderPayment[];
  readonly missing?: readonly ProviderPermission[];
}

export interface PaymentPage extends ReadPayments {
  /** Where the next page begins, or the next reading. */
  readonly cursor: string;
  readonly hasMore: boolean;
  /** The list repeats what it had, and is read no further. */
  readonly isRepeated?: boolean;
}

export interface RefundRequest {
  readonly externalId: string;
  readonly buyer: string | null;
  readonly price: Price;
  /** Of this refund alone, the same at every repetition. */
  readonly idempotencyKey: string;
}

/** A refund that a provider has begun. */
export interface StartedRefund {
  readonly isDone: boolean;
  /** By which it is asked about while it is not done; null: the request is repeated instead. */
  readonly refundId: string | null;
}

/** What came to the address at which a provider reports. */
export interface Webhook {
  /** As it came, byte for byte. */
  readonly raw: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** When it came. */
  readonly now: number;
}

/** Which payment a webhook is about: by the provider's id, by ours, or both. */
export interface Hint {
  readonly externalId: string | null;
  readonly token: string | null;
}

/** What the panel plans its requests to a provider by. The adapter declares it. */
export interface ProviderFacts extends PriceRules {
  /** The shortest time between two requests about one invoice. */
  readonly pollIntervalMs: number;
  /** The provider lists payments by when their invoice was made: how long before its payment that can be. */
  readonly lookbackMs: number;
  /** How far back the list reaches; null: to the first payment. */
  readonly listReachMs: number | null;
  /** Whether the provider pays back when requested; with the others a person does. */
  readonly canRefund: boolean;
}

/** Never rejects. */
export interface PaymentProviders {
  facts(kind: ProviderKind): ProviderFacts;
  /** Whether the URL names an address, rather than a host, that may not be connected to. */
  isRefused(url: string, allowPrivate: boolean): boolean;
  /** Asks who the keys belong to, and whether they are allowed what selling needs. */
  probe(access: ProviderAccess): Promise<Probed | ProviderFailure>;
  /** Asks for an invoice. */
  open(access: ProviderAccess, request: InvoiceRequest): Promise<Invoice | ProviderFailure>;
  /** Asks for one payment; several where it was paid more than once, none where the provider knows none. `unsupported`: see `since`. */
  read(access: ProviderAccess, query: PaymentQuery): Promise<ReadPayments | ProviderFailure>;
  /** Ends an invoice, so that it cannot be paid any more; `isEnded` false: it has ended by itself, was paid, or is unknown. */
  end(access: ProviderAccess, query: PaymentQuery): Promise<{ readonly isEnded: boolean } | ProviderFailure>;
  /** Payments that changed since the cursor; `from`: since a moment, or longer; null: as far back as the provider goes. */
  since(
    access: ProviderAccess,
    cursor: string | null | { readonly from: number },
  ): Promise<PaymentPage | ProviderFailure>;
  /** Gives money back; `isDone` false: the provider still works on it, and may fail. */
  refund(access: ProviderAccess, refund: RefundRequest): Promise<StartedRefund | ProviderFailure>;
  /** Asks what became of a refund that was not done. */
  readRefund(
    access: ProviderAccess,
    refundId: string,
  ): Promise<{ readonly state: 'pending' | 'done' | 'failed' } | ProviderFailure>;
  /** What a webhook hints at; null: it is not the provider's, or tells nothing. */
  hint(access: ProviderAccess, webhook: Webhook): Promise<Hint | null | ProviderFailure>;
  /** Ends running requests, whose outcome is `stopped`. */
  close(): void;
}
