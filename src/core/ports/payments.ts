// The store's port for invoices of orders, and for payments that providers report.
import type { ProviderKind } from '../../contract/sales/providers.ts';
import type { AttentionReason, PaymentAct } from '../../contract/sales/sales.ts';
import type { Money } from '../../domain/sales/money.ts';
import type { PaymentState } from './providers.ts';

export type InvoiceState = 'opening' | 'open' | 'paid' | 'expired' | 'failed';

/** One invoice of an order at a provider. */
export interface InvoiceRow extends Money {
  readonly id: number;
  readonly orderId: number;
  /** null: the provider was deleted after the invoice had ended. */
  readonly providerId: number | null;
  /** Our reference, which the provider returns with the payment. */
  readonly token: string;
  /** The idempotency key, stored before the provider is called and the same for every attempt. */
  readonly key: string;
  readonly state: InvoiceState;
  readonly externalId: string | null;
  readonly payUrl: string | null;
  readonly returnUrl: string | null;
  /** The buyer's address for the receipt, kept until the invoice is open; null: not needed. */
  readonly email: string | null;
  /** Attempts to open it. */
  readonly tries: number;
  readonly createdAt: number;
  readonly polledAt: number | null;
  /** Epoch ms; null: its state is final. */
  readonly nextPollAt: number | null;
}

/** A payment that a provider has reported. */
export interface PaymentRow extends Money {
  readonly id: number;
  readonly kind: ProviderKind;
  readonly providerId: number | null;
  /** The provider's id, unique together with `kind` and `isTest`. */
  readonly externalId: string;
  readonly isTest: boolean;
  readonly orderId: number | null;
  /** The refunded part, in minor units of the currency. */
  readonly refunded: number;
  /** When `refunded` last rose, epoch ms; null: never. */
  readonly refundedAt: number | null;
  readonly paidAt: number;
  readonly buyer: string | null;
  readonly raw: string;
  /** `applied`: its order was fulfilled; `refunded`: that was revoked since. */
  readonly state: 'applied' | 'unapplied' | 'refunded';
  /** The state that the provider has reported. */
  readonly providerState: Exclude<PaymentState, 'open' | 'expired' | 'failed'>;
  /** Why it needs a decision of the administrator; null: it needs none. */
  readonly reason: AttentionReason | null;
  /** The decision; null: none yet. */
  readonly act: PaymentAct | null;
  readonly note: string;
  readonly resolvedAt: number | null;
  /** The refund's idempotency key, stored before the call; null: no refund was requested. */
  readonly refundKey: string | null;
  /** The provider's id of a pending refund; null: there is none. */
  readonly refundId: string | null;
  /** When the refund is requested again or polled, epoch ms; null: its outcome is known. */
  readonly nextRefundAt: number | null;
  readonly createdAt: number;
}

export interface AttentionQuery {
  readonly before: number | undefined;
  readonly limit: number;
  /** Only payments without a decision. */
  readonly isOpen: boolean;
}

export interface PaymentStore {
  insertInvoice(invoice: Omit<InvoiceRow, 'id'>): number;
  saveInvoice(invoice: InvoiceRow): void;
  invoice(id: number): InvoiceRow | undefined;
  invoiceByToken(token: string): InvoiceRow | undefined;
  invoiceByExternalId(providerId: number, externalId: string): InvoiceRow | undefined;
  /** The newest first. */
  listInvoices(orderId: number): readonly InvoiceRow[];
  /** The invoice that is due for a poll first; undefined: none is due. */
  due(providerId: number, now: number): InvoiceRow | undefined;
  /** The provider's invoices that are not final. */
  openInvoices(providerId: number): readonly InvoiceRow[];
  /** Whether the provider has invoices or refunds that are not final. */
  hasOpen(providerId: number): boolean;
  insertPayment(payment: Omit<PaymentRow, 'id'>): number;
  savePayment(payment: PaymentRow): void;
  payment(id: number): PaymentRow | undefined;
  paymentByExternalId(kind: ProviderKind, isTest: boolean, externalId: string): PaymentRow | undefined;
  /** Payments at a provider that were paid in [from, to), epoch ms, the oldest first. */
  paidBetween(providerId: number, from: number, to: number): readonly PaymentRow[];
  /** The payment by which an order was fulfilled. */
  findAppliedPayment(orderId: number): PaymentRow | undefined;
  /** The payment whose refund is due for a request or poll; undefined: none is due. */
  refundDue(providerId: number, now: number): PaymentRow | undefined;
  /** Payments at a provider whose refund is pending. */
  openRefunds(providerId: number): readonly PaymentRow[];
  /** Whether an order has a payment that waits for a decision. */
  hasUndecided(orderId: number): boolean;
  /** The newest first. */
  attention(query: AttentionQuery): readonly PaymentRow[];
  countAttention(isOpen: boolean): number;
}
