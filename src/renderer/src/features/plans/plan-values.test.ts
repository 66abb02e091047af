// The plan's form returns the values it was given, and obeys the contract.
import { describe, expect, it } from 'vitest';
import { tariffCreate, tariffExample } from '../../../../contract/tariffs.ts';
import { blankValues, buildInput, buildPatch, computeDays, pickPlanInput, toFormValues } from './plan-values.ts';

describe('a plan in its form', () => {
  it('is unchanged by a round trip', () => {
    expect(buildInput(toFormValues(tariffExample, 'RUB'))).toEqual(pickPlanInput(tariffExample));
  });

  it('keeps an absent price absent', () => {
    const values = toFormValues({ ...tariffExample, price: null }, 'RUB');
    expect(values.price).toEqual({ amount: '', currency: 'RUB' });
    expect(buildInput(values).price).toBeNull();
  });

  it('can be sent as soon as it has a name', () => {
    const input = buildInput({ ...blankValues('EUR'), name: 'Monthly' });
    expect(tariffCreate.safeParse(input).success).toBe(true);
    expect(tariffCreate.safeParse(buildInput(blankValues('EUR'))).success).toBe(false);
  });

  it('takes the other unit away where the length changes its unit', () => {
    const values = { ...blankValues('EUR'), duration: { days: 30 } };
    expect(buildPatch(buildInput(values)).duration).toEqual({ days: 30, months: null });
    expect(buildPatch(buildInput({ ...values, duration: null })).duration).toBeNull();
  });

  it('distinguishes a price of zero from no price', () => {
    const values = { ...blankValues('EUR'), price: { amount: '0', currency: 'EUR' } };
    expect(buildInput(values).price).toEqual({ amount: 0, currency: 'EUR' });
  });
});

describe('computeDays', () => {
  it('puts terms in order', () => {
    const terms = [null, { months: 1 }, { days: 30 }, { days: 31 }] as const;
    expect(terms.toSorted((a, b) => computeDays(a) - computeDays(b))).toEqual([
      { days: 30 },
      { months: 1 },
      { days: 31 },
      null,
    ]);
  });
});
