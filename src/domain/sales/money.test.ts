// Money is exact: text to minor units and back, for every number of digits that currencies have.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exponentOf, formatMoney, fromDecimal, toDecimal } from './money.ts';

const amount = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const currency = fc.constantFrom('XTR', 'JPY', 'USD', 'RUB', 'KWD', 'CLF', 'ZZZ');

describe('decimal text', () => {
  it.each([
    ['XTR', 0],
    ['JPY', 0],
    ['USD', 2],
    ['KWD', 3],
    ['eu', 2],
  ])('of %s has %i digits behind the point', (code, digits) => {
    expect(exponentOf(code)).toBe(digits);
  });

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
    expect(toDecimal({ amount: -5, currency: 'EUR' })).toBe('-0.05');
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
    // As providers may call it.
    [{ amount: 150, currency: 'USDT' }, 'en', '1.50 USDT'],
    [{ amount: 0, currency: '?' }, 'ru', '0.00 ?'],
  ])('%j in %s is %s', (money, language, text) => {
    expect(formatMoney(money, language)).toBe(text);
  });
});
