// Prices that Stripe accepts: a discounted price must be accepted if the full price is.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CURRENCIES } from '../contract/currencies.ts';
import { acceptsPrice, roundUpPart } from '../domain/sales/money.ts';
import { stripeAmounts } from './stripe-amounts.ts';

it('accepts a part of a price where it accepts the whole', () => {
  const part = fc.integer({ min: 1, max: 100 });
  const currency = fc.constantFrom(...CURRENCIES);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 40 }), currency, part, (value, code, numerator) => {
      const amount = roundUpPart(value, numerator, 100, code);
      const whole = { amount: value * 100, currency: code };
      const accepts = (price: typeof whole) => acceptsPrice({ ...stripeAmounts, minimums: {} }, price);
      expect(accepts({ amount, currency: code })).toBe(accepts(whole));
      expect(amount * 100).toBeGreaterThanOrEqual(value * numerator);
    }),
  );
});
