// The store's ports for what providers are asked about orders, and for the money that they report.
import type { ProviderKind } from '../../contract/sales/providers.ts';
import type { AttentionReason, PaymentAct } from '../../contract/sales/sales.ts';
import type { Money } from '../../domain/sales/money.ts';
import type { PaymentState } from './providers.ts';

export type InvoiceState = 'opening' | 'open' | 'paid' | 'expired' | 'failed';

/** One try to have an order paid at a provider. */
export interface InvoiceRow extends Money {
  readonly id: number;
  readonly orderId: number;
  /** null: the provider was deleted after its last word. */
  readonly providerId: number | null;
  /** What the provider gives back with the payment. */
  readonly token: string;
  /** Stored before the provider is called, the same on every repetition. */
  readonly key: string;
  readonly state: InvoiceState;
  readonly externalId: string | null;
  readonly payUrl: string | null;
  readonly returnUrl: string | null;
  /** Of the buyer, for the receipt, until the provider has been told; null: none is needed any more. */
  readonly email: string | null;
  /** How often the provider was called to open it. */
  readonly tries: number;
  readonly createdAt: number;
  readonly polledAt: number | null;
  /** null: its state is final. */
  readonly nextPollAt: number | null;
}

/** Money that a provider says has come. */
export interface PaymentRow extends Money {
  readonly id: number;
  readonly kind: ProviderKind;
  readonly providerId: number | null;
  /** Unique for its kind, and play money or not. */
  readonly externalId: string;
  readonly isTest: boolean;
  readonly orderId: number | null;
  /** What of it the provider gave back. */
  readonly refunded: number;
  /** When that was last seen to rise; null: never. */
  readonly refundedAt: number | null;
  readonly paidAt: number;
  readonly buyer: string | null;
  readonly raw: string;
  /** Whether an order was applied for it, and taken back since. */
  readonly state: 'applied' | 'unapplied' | 'refunded';
  /** What the provider says of it. */
  readonly providerState: Exclude<PaymentState, 'open' | 'expired' | 'failed'>;
  /** Why a person must look at it; null: there is no reason. */
  readonly reason: AttentionReason | null;
  /** What was decided; null: nothing yet. */
  readonly act: PaymentAct | null;
  readonly note: string;
  readonly resolvedAt: number | null;
  /** Of the refund that the provider was asked for; stored before the call. null: none was. */
  readonly refundKey: string | null;
  /** The provider's own number of a refund that it still works on; null: there is none. */
  readonly refundId: string | null;
  /** When the refund is asked for, or about, again; null: its outcome is known. */
  readonly nextRefundAt: number | null;
  readonly createdAt: number;
}

export interface AttentionQuery {
  readonly before: number | undefined;
  readonly limit: number;
  /** Only those about which nothing was decided. */
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
  /** What a provider is to be asked about first, now. */
  due(providerId: number, now: number): InvoiceRow | undefined;
  /** Those without the last word of a provider. */
  openInvoices(providerId: number): readonly InvoiceRow[];
  /** Whether the provider has invoices or refunds without its last word. */
  hasOpen(providerId: number): boolean;
  insertPayment(payment: Omit<PaymentRow, 'id'>): number;
  savePayment(payment: PaymentRow): void;
  payment(id: number): PaymentRow | undefined;
  paymentByExternalId(kind: ProviderKind, isTest: boolean, externalId: string): PaymentRow | undefined;
  /** Those at one provider that came in [from, to), the oldest first. */
  paidBetween(providerId: number, from: number, to: number): readonly PaymentRow[];
  /** The payment for which an order was applied. */
  findAppliedPayment(orderId: number): PaymentRow | undefined;
  /** The refund that a provider is to be asked for again, now. */
  refundDue(providerId: number, now: number): PaymentRow | undefined;
  /** Those at a provider whose outcome is not known. */
  openRefunds(providerId: number): readonly PaymentRow[];
  /** Whether money came for an order about which a person has yet to decide. */
  hasUndecided(orderId: number): boolean;
  /** The newest first. */
  attention(query: AttentionQuery): readonly PaymentRow[];
  countAttention(isOpen: boolean): number;
}
