import { describe, expect, it } from 'vitest';
import { canUsePromo, discountPrices, normalizeCode, type PromoRule } from './promo.ts';

const rule: PromoRule = {
  effect: { kind: 'percent', percent: 20 },
  validFrom: 1000,
  validUntil: 2000,
  maxUses: 3,
  maxUsesPerUser: 1,
  tariffIds: [1],
  offerIds: [5, 6],
  isEnabled: true,
};
const target = { tariffId: 1, offerId: 5, isTerm: true };
const none = { all: 0, ofUser: 0 };

describe('a promo code', () => {
  it('is the same in upper and lower case, however its letters are written', () => {
    expect(normalizeCode(' ёлка-10 ')).toBe('ЁЛКА-10');
    expect(normalizeCode('е\u0308лка')).toBe('ЁЛКА');
  });

  it('can be used within its time, for its tariffs and offers, and so often', () => {
    expect(canUsePromo(rule, target, none, 1000)).toBe(true);
    expect(canUsePromo(rule, target, { all: 2, ofUser: 0 }, 1999)).toBe(true);
    const refused: readonly Parameters<typeof canUsePromo>[] = [
      [rule, target, none, 999],
      [rule, target, none, 2000],
      [{ ...rule, isEnabled: false }, target, none, 1500],
      [rule, { ...target, tariffId: 2 }, none, 1500],
      [rule, { ...target, tariffId: null }, none, 1500],
      [rule, { ...target, offerId: 7 }, none, 1500],
      [{ ...rule, tariffIds: [], offerIds: [] }, target, none, 1500],
      [rule, target, { all: 3, ofUser: 0 }, 1500],
      [rule, target, { all: 1, ofUser: 1 }, 1500],
      [{ ...rule, effect: { kind: 'days', days: 7 } }, { ...target, isTerm: false }, none, 1500],
    ];
    for (const given of refused) expect(canUsePromo(...given)).toBe(false);
    const open = { ...rule, validFrom: null, validUntil: null, maxUses: null, maxUsesPerUser: null };
    const anywhere = {
      ...open,
      tariffIds: null,
      offerIds: null,
      effect: { kind: 'traffic', bytes: 1, lifetime: 'used' },
    } as const;
    expect(canUsePromo(anywhere, { tariffId: null, offerId: null, isTerm: false }, { all: 9, ofUser: 9 }, 0)).toBe(
      true,
    );
  });

  it('lowers prices in whole units, rounded up', () => {
    const prices = [
      { amount: 499, currency: 'EUR' },
      { amount: 1, currency: 'XTR' },
      { amount: Number.MAX_SAFE_INTEGER, currency: 'VND' },
    ];
    expect(discountPrices({ kind: 'percent', percent: 33 }, prices)).toEqual([
      { amount: 335, currency: 'EUR' },
      { amount: 1, currency: 'XTR' },
      { amount: 6034823500676464, currency: 'VND' },
    ]);
    expect(discountPrices({ kind: 'days', days: 5 }, prices)).toBe(prices);
  });
});
