// Sums and scales of charts.
import { describe, expect, it } from 'vitest';
import { niceSteps, stack, totalOf } from './series.ts';

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
    expect(totalOf(one)).toBe(3);
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
