// The choices of a schedule always include the present one.
import { describe, expect, it } from 'vitest';
import { listChoices, periodOf } from './schedule-card.tsx';

describe('listChoices', () => {
  it('offers the usual ones', () => {
    expect(listChoices(24)).toEqual([null, 1, 6, 12, 24, 72, 168]);
    expect(listChoices(null)).toEqual([null, 1, 6, 12, 24, 72, 168]);
  });

  it('includes an unusual present one in order', () => {
    expect(listChoices(8)).toEqual([null, 1, 6, 8, 12, 24, 72, 168]);
  });
});

describe('periodOf', () => {
  it('counts days where it can', () => {
    expect([24, 168, 6, 36].map(periodOf)).toEqual([
      { unit: 'days', count: 1 },
      { unit: 'days', count: 7 },
      { unit: 'hours', count: 6 },
      { unit: 'hours', count: 36 },
    ]);
  });
});
