// Holds the plan's form to giving back what it was given, and to the contract.
import { describe, expect, it } from 'vitest';
import { tariffCreate, tariffExample } from '../../../../contract/tariffs.ts';
import { blankValues, formerOf, inputOf, lengthOf, patchOf, valuesOf } from './plan-values.ts';

describe('a plan in its form', () => {
  it('is unchanged by a round trip', () => {
    expect(inputOf(valuesOf(tariffExample, 'RUB'))).toEqual(formerOf(tariffExample));
  });

  it('keeps an absent price absent', () => {
    const values = valuesOf({ ...tariffExample, price: null }, 'RUB');
    expect(values.price).toEqual({ amount: null, currency: 'RUB' });
    expect(inputOf(values).price).toBeNull();
  });

  it('can be sent as soon as it has a name', () => {
    const input = inputOf({ ...blankValues('EUR'), name: 'Monthly' });
    expect(tariffCreate.safeParse(input).success).toBe(true);
    expect(tariffCreate.safeParse(inputOf(blankValues('EUR'))).success).toBe(false);
  });

  it('takes the other unit away where the length changes its unit', () => {
    const values = { ...blankValues('EUR'), duration: { days: 30 } };
    expect(patchOf(inputOf(values)).duration).toEqual({ days: 30, months: null });
    expect(patchOf(inputOf({ ...values, duration: null })).duration).toBeNull();
  });

  it('distinguishes a price of zero from no price', () => {
    const values = { ...blankValues('EUR'), price: { amount: 0, currency: 'EUR' } };
    expect(inputOf(values).price).toEqual({ amount: 0, currency: 'EUR' });
  });
});

describe('lengthOf', () => {
  it('puts terms in order', () => {
    const terms = [null, { months: 1 }, { days: 30 }, { days: 31 }] as const;
    expect(terms.toSorted((a, b) => lengthOf(a) - lengthOf(b))).toEqual([
      { days: 30 },
      { months: 1 },
      { days: 31 },
      null,
    ]);
  });
});
