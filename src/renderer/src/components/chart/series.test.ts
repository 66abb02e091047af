// Sums and scales of charts.
import { describe, expect, it } from 'vitest';
import { formatAmounts, NOTHING, niceSteps, stack, stepsTo, sumValues } from './series.ts';

const series = (id: string, values: number[]) => ({ id, label: id, color: 1 as const, values });

describe('stack', () => {
  it('sums from the bottom up, and counts missing values as zero', () => {
    expect(stack([series('a', [1, 2, 3]), series('b', [10, 20])], 3)).toEqual([
      [1, 2, 3],
      [11, 22, 3],
    ]);
    expect(stack([], 2)).toEqual([]);
  });

  it('leaves what it is given as it was', () => {
    const one = series('a', [1, 2]);
    stack([one, one], 2);
    expect(sumValues(one)).toBe(3);
  });
});

describe('niceSteps', () => {
  it('are round in the units that are shown, and grow', () => {
    for (const units of ['decimal', 'binary'] as const) {
      const steps = niceSteps(units);
      expect(steps).toEqual([...steps].sort((a, b) => a - b));
    }
    expect(niceSteps('decimal')).toContain(5e9);
    expect(niceSteps('binary')).toContain(4 * 1024 ** 3);
  });
});

describe('an axis', () => {
  const format = {
    units: 'decimal',
    bytes: (amount: number, power = 0) => `${amount / 1000 ** power} of ${power}`,
  } as const;

  it('has its amounts in one unit', () => {
    expect(formatAmounts([0, 500_000_000, 1_000_000_000, 1_500_000_000], format)).toEqual([
      '0',
      '0.5 of 3',
      '1 of 3',
      '1.5 of 3',
    ]);
    expect(formatAmounts([0, 200], format)).toEqual(['0', '200 of 0']);
  });

  it('has no amounts where nothing has moved', () => {
    expect(stepsTo(NOTHING, 1)).toEqual([0]);
    expect(stepsTo(0, 0)).toEqual([0]);
    expect(stepsTo(1080, 500)).toEqual([0, 500, 1000]);
  });
});
