// Promo codes: for which orders one can be used, and what it makes of their prices.

import type { PromoEffect } from '../../contract/sales/promos.ts';
import { DAY_MS } from '../limits.ts';
import { type Money, roundUpPart } from './money.ts';

/** So long an order that is being paid keeps its use of a code from others. */
export const RESERVED_MS = DAY_MS;

/** When and for what a code can be used. */
export interface PromoRule {
  readonly effect: PromoEffect;
  readonly validFrom: number | null;
  readonly validUntil: number | null;
  readonly maxUses: number | null;
  readonly maxUsesPerUser: number | null;
  /** null: for all. */
  readonly tariffIds: readonly number[] | null;
  readonly offerIds: readonly number[] | null;
  readonly isEnabled: boolean;
}

export interface PromoTarget {
  readonly tariffId: number | null;
  readonly offerId: number | null;
  /** Whether time is sold. */
  readonly isTerm: boolean;
}

/** Uses by other orders. */
export interface PromoUses {
  readonly all: number;
  readonly ofUser: number;
}

/** Upper and lower case are the same, and so are the ways to write one letter. */
export function normalizeCode(text: string): string {
  return text.trim().normalize('NFC').toUpperCase();
}

/** Whether uses are left. */
export function hasUsesLeft({ maxUses, maxUsesPerUser }: PromoRule, { all, ofUser }: PromoUses): boolean {
  return (maxUses === null || all < maxUses) && (maxUsesPerUser === null || ofUser < maxUsesPerUser);
}

/** Whether a code can be used for an order now. More days are of no use to one who buys no time. */
export function canUsePromo(rule: PromoRule, target: PromoTarget, uses: PromoUses, now: number): boolean {
  const { effect, validFrom, validUntil, tariffIds, offerIds, isEnabled } = rule;
  if (!isEnabled || (validFrom !== null && now < validFrom) || (validUntil !== null && now >= validUntil)) return false;
  const isFor = (ids: readonly number[] | null, id: number | null) => ids === null || (id !== null && ids.includes(id));
  if (!isFor(tariffIds, target.tariffId) || !isFor(offerIds, target.offerId)) return false;
  return (effect.kind !== 'days' || target.isTerm) && hasUsesLeft(rule, uses);
}

/** Prices with a code: rounded up, so never nothing, and never higher than without it. */
export function pricesWith(effect: PromoEffect, prices: readonly Money[]): readonly Money[] {
  if (effect.kind !== 'percent') return prices;
  return prices.map(({ amount, currency }) => ({
    amount: Math.min(amount, roundUpPart(amount, 100 - effect.percent, 100, currency)),
    currency,
  }));
}
