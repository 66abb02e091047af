// The store's port for offers, orders and sums of sales.

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
  /** One price for each currency. The tariff's price is a copy of the first price of its first offer of a term. */
  readonly prices: readonly Money[];
  readonly isOnSale: boolean;
  readonly audience: OfferAudience;
  /** A free trial, once for each user and Telegram account. */
  readonly isTrial: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A part of an order's fulfilment: the term before and after, the grant, or the changed term of the user who had invited the buyer. */
export type FulfilledItem =
  | { readonly kind: 'term'; readonly term: FulfilledTerm }
  | { readonly kind: 'traffic'; readonly grantId: number }
  | { readonly kind: 'referrer'; readonly userId: number; readonly term: FulfilledTerm };

/** The user who had invited the buyer, and the days that both get on payment. Copied when the order is created. */
export interface OrderReferral {
  readonly referrerId: number;
  readonly referrerDays: number;
  readonly friendDays: number;
}

/** The promo code of an order, copied when it is entered. */
export interface OrderPromo {
  readonly id: number;
  readonly code: string;
  readonly effect: PromoEffect;
  /** Prices without the code. */
  readonly prices: readonly Money[];
}

/** An order. `amount` and `currency` are those of the payment, before that those to be paid. */
export interface OrderRow extends Money {
  readonly id: number;
  /** The idempotency key. */
  readonly key: string;
  /** The random token in the link of its page. */
  readonly token: string;
  /** null: the user was deleted since. */
  readonly userId: number | null;
  /** Names, content and prices are copied when the order is created. */
  readonly userName: string;
  readonly offerId: number | null;
  readonly offerName: string;
  readonly tariffId: number | null;
  readonly tariffName: string;
  readonly sold: Sold;
  /** Prices, or the amount of a payment recorded by hand. */
  readonly prices: readonly Money[];
  /** The method of payment; until it is paid, the kind of the provider chosen last. null: none was chosen. */
  readonly method: PaymentMethod | ProviderKind | 'trial' | null;
  /** The provider chosen last. */
  readonly providerId: number | null;
  /** The number of a transfer or receipt recorded by hand, unique for its method; null: none. */
  readonly reference: string | null;
  readonly note: string;
  readonly state: OrderState;
  /** Whether the user had bought a term before. */
  readonly isRenewal: boolean;
  /** The fulfilment. null until it is paid, as are `paidAt` and `day`. */
  readonly given: readonly FulfilledItem[] | null;
  /** Time of the payment, epoch ms; `day` is its date in the panel's time zone. */
  readonly paidAt: number | null;
  readonly day: string | null;
  readonly createdAt: number;
  readonly refundedAt: number | null;
  readonly refundNote: string | null;
  readonly promo: OrderPromo | null;
  readonly referral: OrderReferral | null;
}

/** Conditions are combined by AND; undefined is no condition. `before`: an order id. */
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

/** Sum of the payments by one method in one currency. */
export interface MethodRow extends Money {
  readonly method: PaymentMethod | ProviderKind;
  readonly orders: number;
}

export interface SalesStore {
  insertOffer(offer: Omit<OfferRow, 'id'>): number;
  offer(id: number): OfferRow | undefined;
  /** Offers of one tariff or (undefined) of all, ordered by id. */
  offers(tariffId: number | undefined): readonly OfferRow[];
  saveOffer(offer: OfferRow): void;
  /** Orders keep their copies of its name, content and prices. */
  removeOffer(id: number): void;
  /** The id of the next order. Ids are never reused. */
  nextOrderId(): number;
  insertOrder(order: OrderRow): void;
  /** Writes the members that can change: prices, promo code, amount, method, provider, state and fulfilment. */
  saveOrder(order: OrderRow): void;
  orderByToken(token: string): OrderRow | undefined;
  /** The newest unpaid order of this user and offer. */
  unpaidOrder(userId: number, offerId: number): OrderRow | undefined;
  /** Orders of a user created since then, without payments recorded by hand. */
  countMade(userId: number, since: number): number;
  order(id: number): OrderRow | undefined;
  orderByKey(key: string): OrderRow | undefined;
  /** The newest order with this token, reference, or provider's id of its invoice or payment. */
  orderByText(text: string): OrderRow | undefined;
  orderByReference(method: PaymentMethod, reference: string): OrderRow | undefined;
  /** The newest first. */
  orders(query: OrderQuery): readonly OrderRow[];
  countOrders(query: Pick<OrderQuery, 'userId' | 'state'>): number;
  /** Whether the user has a paid order of a term that was not refunded. */
  hasBoughtTerm(userId: number): boolean;
  /** Whether this user had a trial, or a user with this Telegram account, deleted ones included. */
  hasHadTrial(userId: number, telegramId: number | null): boolean;
  insertTrial(orderId: number, userId: number, telegramId: number | null): void;
  /** false: the order was refunded already. */
  markRefunded(id: number, at: number, note: string): boolean;
  /** Sums since a day by method and currency, without refunded orders. */
  methodsSince(day: string): readonly MethodRow[];
  /** Trials since a day, and how many of their users have bought a term. */
  trialsSince(day: string): { readonly taken: number; readonly bought: number };
  /** Users who have bought a term: those whose term ended in [from, now], and those who renewed since the day. */
  churnSince(day: string, from: number, now: number): { readonly lost: number; readonly kept: number };
  /** Sums since a day by day, currency, method and state. */
  sumsSince(day: string): readonly SalesRow[];
}
