// Promo codes: for which orders they can be used, and the discounted prices.

import type { PromoEffect } from '../../contract/sales/promos.ts';
import { DAY_MS } from '../limits.ts';
import { type Money, roundUpPart } from './money.ts';

/** How long an order that is being paid reserves its use of a code. */
export const RESERVED_MS = DAY_MS;

/** When and for what a code can be used. */
export interface PromoRule {
  readonly effect: PromoEffect;
  readonly validFrom: number | null;
  readonly validUntil: number | null;
  readonly maxUses: number | null;
  readonly maxUsesPerUser: number | null;
  /** null: all tariffs. */
  readonly tariffIds: readonly number[] | null;
  readonly offerIds: readonly number[] | null;
  readonly isEnabled: boolean;
}

export interface PromoTarget {
  readonly tariffId: number | null;
  readonly offerId: number | null;
  /** Whether the order includes time. */
  readonly isTerm: boolean;
}

/** Uses by other orders. */
export interface PromoUses {
  readonly all: number;
  readonly ofUser: number;
}

/** Codes are case-insensitive, and Unicode variants of a letter are equal. */
export function normalizeCode(text: string): string {
  return text.trim().normalize('NFC').toUpperCase();
}

/** Whether uses are left. */
export function hasUsesLeft({ maxUses, maxUsesPerUser }: PromoRule, { all, ofUser }: PromoUses): boolean {
  return (maxUses === null || all < maxUses) && (maxUsesPerUser === null || ofUser < maxUsesPerUser);
}

/** Whether a code can be used for an order now. A code for extra days needs an order that includes time. */
export function canUsePromo(rule: PromoRule, target: PromoTarget, uses: PromoUses, now: number): boolean {
  const { effect, validFrom, validUntil, tariffIds, offerIds, isEnabled } = rule;
  if (!isEnabled || (validFrom !== null && now < validFrom) || (validUntil !== null && now >= validUntil)) return false;
  const isFor = (ids: readonly number[] | null, id: number | null) => ids === null || (id !== null && ids.includes(id));
  if (!isFor(tariffIds, target.tariffId) || !isFor(offerIds, target.offerId)) return false;
  return (effect.kind !== 'days' || target.isTerm) && hasUsesLeft(rule, uses);
}

/** Discounted prices: rounded up, so never zero, and never above the original price. */
export function discountPrices(effect: PromoEffect, prices: readonly Money[]): readonly Money[] {
  if (effect.kind !== 'percent') return prices;
  return prices.map(({ amount, currency }) => ({
    amount: Math.min(amount, roundUpPart(amount, 100 - effect.percent, 100, currency)),
    currency,
  }));
}
