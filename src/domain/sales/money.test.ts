// Money is exact: text to minor units and back, for every number of digits that currencies have.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CURRENCIES, minorDigits } from '../../contract/currencies.ts';
import { formatMoney, fromDecimal, roundUpPart, toDecimal } from './money.ts';

const amount = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const currency = fc.constantFrom(...CURRENCIES);

describe('decimal text', () => {
  it('comes back as the same amount', () => {
    fc.assert(
      fc.property(amount, currency, (value, code) => {
        expect(fromDecimal(toDecimal({ amount: value, currency: code }), code)).toBe(value);
      }),
    );
  });

  it('is never rounded', () => {
    expect(fromDecimal('4.35', 'EUR')).toBe(435);
    expect(fromDecimal('90071992547409.91', 'EUR')).toBe(Number.MAX_SAFE_INTEGER);
    expect(fromDecimal('4.350', 'EUR')).toBe(435);
    expect(fromDecimal('4.', 'EUR')).toBe(400);
    for (const text of ['4.355', '-1', '', '.', '1e3', '1,5', ' 1', '90071992547409.92', '4.5.6', 'NaN']) {
      expect(fromDecimal(text, 'EUR'), text).toBeNull();
    }
    expect(fromDecimal('1.5', 'XTR')).toBeNull();
    // Its minor unit is unknown.
    expect(fromDecimal('1', 'USDT')).toBeNull();
    expect(toDecimal({ amount: -5, currency: 'EUR' })).toBe('-0.05');
  });
});

describe('a part of a price', () => {
  it('is rounded up to what a card can be charged', () => {
    expect(roundUpPart(999, 1, 2, 'EUR')).toBe(500);
    expect(roundUpPart(4990, 67, 100, 'KWD')).toBe(3350);
    expect(roundUpPart(350_000, 67, 99, 'MGA')).toBe(236_900);
  });
});

describe('as people read it', () => {
  it.each([
    [{ amount: 499, currency: 'EUR' }, 'en', '€4.99'],
    [{ amount: 500, currency: 'EUR' }, 'en', '€5'],
    [{ amount: 123_450, currency: 'RUB' }, 'ru', '1\u00a0234,50\u00a0₽'],
    [{ amount: 100, currency: 'JPY' }, 'en', '¥100'],
    // Not A$ or US$.
    [{ amount: 100, currency: 'USD' }, 'en-AU', '$1'],
    [{ amount: 12_345, currency: 'XTR' }, 'en', '⭐ 12,345'],
    [{ amount: 12_345, currency: 'XTR' }, 'ru', '⭐ 12\u00a0345'],
    // Intl has no digits for these, or had none.
    [{ amount: 120_050, currency: 'RSD' }, 'en', 'RSD\u00a01,200.50'],
    [{ amount: 120_000, currency: 'HUF' }, 'en', 'Ft\u00a01,200'],
    // More than a number can hold.
    [{ amount: 9_007_199_254_740_991, currency: 'EUR' }, 'en', '€90,071,992,547,409.91'],
    // As providers may call it.
    [{ amount: 0, currency: 'USDT' }, 'en', '0 USDT'],
    [{ amount: 0, currency: '?' }, 'ru', '0 ?'],
  ])('%j in %s is %s', (money, language, text) => {
    expect(formatMoney(money, language)).toBe(text);
  });

  it.each(CURRENCIES)('%s has its own digits, whatever Intl has', (code) => {
    const digits = minorDigits(code) ?? 0;
    const text = formatMoney({ amount: 1, currency: code }, 'en', 'written');
    expect(/[\d.]*\d/.exec(text)?.[0]).toBe(digits === 0 ? '1' : `0.${'1'.padStart(digits, '0')}`);
  });
});
