// Prices have their currency's digits, in the usual notation.
import { describe, expect, it } from 'vitest';
import { formatPrice, isPrice, parsePrice, toTypedPrice } from './price.ts';

describe('a typed price', () => {
  it.each([
    ['EUR', 499, '4.99'],
    ['JPY', 499, '499'],
    ['KWD', 4990, '4.990'],
    ['XTR', 499, '499'],
    // More than a number can hold.
    ['EUR', Number.MAX_SAFE_INTEGER, '90071992547409.91'],
  ])('of %s comes back: %i is %s', (currency, amount, typed) => {
    expect(toTypedPrice({ amount, currency }, 'RUB')).toEqual({ amount: typed, currency });
    expect(parsePrice({ amount: ` ${typed} `, currency })).toEqual({ amount, currency });
  });

  it('is none where nothing is typed, and wrong where its currency has no such amount', () => {
    expect(toTypedPrice(null, 'RUB')).toEqual({ amount: '', currency: 'RUB' });
    expect(parsePrice({ amount: ' ', currency: 'RUB' })).toBeNull();
    expect(isPrice({ amount: ' ', currency: 'RUB' })).toBe(true);
    for (const [amount, currency] of [
      ['1.5', 'JPY'],
      ['1', 'eu'],
      ['4.999', 'EUR'],
      ['x', 'EUR'],
    ] as const)
      expect(isPrice({ amount, currency }), `${amount} ${currency}`).toBe(false);
  });
});

describe('formatPrice', () => {
  it('leaves out an empty fraction', () => {
    expect(formatPrice({ amount: 499, currency: 'EUR' }, 'en')).toBe('€4.99');
    expect(formatPrice({ amount: 500, currency: 'EUR' }, 'en')).toBe('€5.00');
  });

  it('writes Telegram Stars, which Intl does not know', () => {
    expect(formatPrice({ amount: 1200, currency: 'XTR' }, 'en')).toBe('⭐ 1,200');
  });

  it('uses the format of Russian', () => {
    expect(formatPrice({ amount: 29900, currency: 'RUB' }, 'ru').replaceAll(/\s/g, ' ')).toBe('299,00 ₽');
  });
});
