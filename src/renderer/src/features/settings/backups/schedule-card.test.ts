// The choices of a schedule: the usual ones, never without the one that is set.
import { describe, expect, it } from 'vitest';
import { choicesOf, periodOf } from './schedule-card.tsx';

describe('choicesOf', () => {
  it('offers the usual ones', () => {
    expect(choicesOf(24)).toEqual([null, 1, 6, 12, 24, 72, 168]);
    expect(choicesOf(null)).toEqual([null, 1, 6, 12, 24, 72, 168]);
  });

  it('includes an unusual present one in order', () => {
    expect(choicesOf(8)).toEqual([null, 1, 6, 8, 12, 24, 72, 168]);
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
