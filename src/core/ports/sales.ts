// The store's ports for what is sold and what was paid for it.

import type { PromoEffect } from '../../contract/sales/promos.ts';
import type { ProviderKind } from '../../contract/sales/providers.ts';
import type { OfferAudience, OrderState, PaymentMethod, Sold } from '../../contract/sales/sales.ts';
import type { Money } from '../../domain/sales/money.ts';
import type { FulfilledTerm } from '../../domain/sales/sale.ts';

export interface OfferRow {
  readonly id: number;
  readonly tariffId: number;
  readonly name: string;
  readonly sold: Sold;
  /** The first is what the tariff costs; no currency twice. */
  readonly prices: readonly Money[];
  readonly isOnSale: boolean;
  readonly audience: OfferAudience;
  /** Free, once for each account. */
  readonly isTrial: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A part of what an order gave: the term as it was and became, the grant, or the term of the user who had invited the buyer. */
export type FulfilledItem =
  | { readonly kind: 'term'; readonly term: FulfilledTerm }
  | { readonly kind: 'traffic'; readonly grantId: number }
  | { readonly kind: 'referrer'; readonly userId: number; readonly term: FulfilledTerm };

/** Who had invited the buyer, and what both get once it is paid, as it was when the order was made. */
export interface OrderReferral {
  readonly referrerId: number;
  readonly referrerDays: number;
  readonly friendDays: number;
}

/** The code that is used for an order, as it was when it was used. */
export interface OrderPromo {
  readonly id: number;
  readonly code: string;
  readonly effect: PromoEffect;
  /** What the order costs without it. */
  readonly prices: readonly Money[];
}

/** One sale; the payment's amount where it is paid, else what is asked. */
export interface OrderRow extends Money {
  readonly id: number;
  /** By which a repetition is recognized. */
  readonly key: string;
  /** By which a buyer names it; unguessable. */
  readonly token: string;
  /** null: the user was deleted since. */
  readonly userId: number | null;
  /** As it was when the order was made, as is everything of the offer. */
  readonly userName: string;
  readonly offerId: number | null;
  readonly offerName: string;
  readonly tariffId: number | null;
  readonly tariffName: string;
  readonly sold: Sold;
  /** What it costs, or what was paid by hand. */
  readonly prices: readonly Money[];
  /** How it was paid, or the kind of the provider asked last; null: none was. */
  readonly method: PaymentMethod | ProviderKind | 'trial' | null;
  /** The provider asked last. */
  readonly providerId: number | null;
  /** The number of a transfer or a receipt by hand; unique for its method. null: it has none. */
  readonly reference: string | null;
  readonly note: string;
  readonly state: OrderState;
  /** Whether the user had bought a term before. */
  readonly isRenewal: boolean;
  /** null: it is not paid, as are `paidAt` and `day`. */
  readonly given: readonly FulfilledItem[] | null;
  /** When the money came; `day` is that day in the panel's time zone. */
  readonly paidAt: number | null;
  readonly day: string | null;
  readonly createdAt: number;
  readonly refundedAt: number | null;
  readonly refundNote: string | null;
  readonly promo: OrderPromo | null;
  readonly referral: OrderReferral | null;
}

/** Conditions, all of which hold. */
export interface OrderQuery {
  readonly before: number | undefined;
  readonly limit: number;
  readonly userId: number | undefined;
  readonly state: OrderState | undefined;
}

/** Orders of one day, currency and method. */
export interface SalesRow extends Money {
  readonly day: string;
  readonly method: PaymentMethod | ProviderKind;
  readonly state: OrderState;
  readonly orders: number;
  readonly renewals: number;
}

/** What was paid by one method in one currency. */
export interface MethodRow extends Money {
  readonly method: PaymentMethod | ProviderKind;
  readonly orders: number;
}

export interface SalesStore {
  insertOffer(offer: Omit<OfferRow, 'id'>): number;
  offer(id: number): OfferRow | undefined;
  /** By id; of one tariff or of all. */
  offers(tariffId: number | undefined): readonly OfferRow[];
  saveOffer(offer: OfferRow): void;
  /** Orders keep what they say of it. */
  removeOffer(id: number): void;
  /** The number that the next order gets; numbers are never used again. */
  nextOrderId(): number;
  insertOrder(order: OrderRow): void;
  /** Writes what of an order changes: prices, promo code, amount, method, provider, state and what was given for it. */
  saveOrder(order: OrderRow): void;
  orderByToken(token: string): OrderRow | undefined;
  /** The newest order of this user and offer that is not paid. */
  unpaidOrder(userId: number, offerId: number): OrderRow | undefined;
  /** How many orders of a user were made since, which are not paid by hand. */
  countMade(userId: number, since: number): number;
  order(id: number): OrderRow | undefined;
  orderByKey(key: string): OrderRow | undefined;
  /** By the token of its page, its reference, or a provider's id of its invoice or payment; of several the newest. */
  orderByText(text: string): OrderRow | undefined;
  orderByReference(method: PaymentMethod, reference: string): OrderRow | undefined;
  /** The newest first. */
  orders(query: OrderQuery): readonly OrderRow[];
  countOrders(query: Pick<OrderQuery, 'userId' | 'state'>): number;
  /** Whether the user has paid for a term that was not refunded. */
  hasBoughtTerm(userId: number): boolean;
  /** Whether this user, or one with this Telegram account who may be deleted since, has had a trial. */
  hasHadTrial(userId: number, telegramId: number | null): boolean;
  insertTrial(orderId: number, userId: number, telegramId: number | null): void;
  /** False where the order was refunded already. */
  markRefunded(id: number, at: number, note: string): boolean;
  /** Sums from a day on, by method and currency, without what was refunded. */
  methodsSince(day: string): readonly MethodRow[];
  /** Trials from a day on, and how many of their users have bought a term since. */
  trialsSince(day: string): { readonly taken: number; readonly bought: number };
  /** Of the users who have bought a term: whose term ended from a moment until now, and who renewed from that day on. */
  churnSince(day: string, from: number, now: number): { readonly lost: number; readonly kept: number };
  /** Sums from a day on, by day, currency, method and state. */
  sumsSince(day: string): readonly SalesRow[];
}
