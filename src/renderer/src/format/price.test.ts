// Prices have their currency's digits, in the usual notation.
import { describe, expect, it } from 'vitest';
import { formatPrice, toMajor, toMinor, typedDigits } from './price.ts';

describe('minor units', () => {
  it.each([
    ['EUR', 2, 499, 4.99],
    ['JPY', 0, 499, 499],
    ['KWD', 3, 4990, 4.99],
    ['XTR', 0, 499, 499],
  ])('of %s have %i digits', (currency, digits, minor, major) => {
    expect(typedDigits(currency)).toBe(digits);
    expect(toMajor({ amount: minor, currency })).toBe(major);
    expect(toMinor(major, currency)).toBe(minor);
  });

  it('stay whole where the fraction is not exact in binary', () => {
    expect(toMinor(1.1, 'EUR')).toBe(110);
    expect(toMinor(4.35, 'EUR')).toBe(435);
  });

  it('count two digits for what is no currency yet', () => {
    expect(typedDigits('eu')).toBe(2);
    expect(typedDigits('')).toBe(2);
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
