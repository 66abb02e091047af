// Time spans in the units that people use.
import { describe, expect, it } from 'vitest';
import { selectSpan, splitSeconds } from './spans.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('selectSpan', () => {
  it.each([
    [0, null],
    [44_000, null],
    [46_000, { unit: 'minutes', count: 1 }],
    [5 * MINUTE, { unit: 'minutes', count: 5 }],
    [HOUR, { unit: 'hours', count: 1 }],
    [47 * HOUR + 59 * MINUTE, { unit: 'hours', count: 47 }],
    [2 * DAY, { unit: 'days', count: 2 }],
    [3 * DAY - 1, { unit: 'days', count: 3 }],
    [2.4 * DAY, { unit: 'days', count: 2 }],
    [30 * DAY - 60_000, { unit: 'days', count: 30 }],
    [59 * DAY, { unit: 'days', count: 59 }],
    [99 * DAY, { unit: 'days', count: 99 }],
    [101 * DAY, { unit: 'months', count: 3 }],
    [800 * DAY, { unit: 'years', count: 2 }],
  ])('counts %i ms', (ms, span) => {
    expect(selectSpan(ms)).toEqual(span);
    expect(selectSpan(-ms)).toEqual(span);
  });

  it('never says more than is left, but half a day where it counts days', () => {
    const size = { minutes: MINUTE, hours: HOUR, days: DAY, months: 30.44 * DAY, years: 365.25 * DAY };
    for (let ms = HOUR; ms < 1000 * DAY; ms = Math.round(ms * 1.07)) {
      const span = selectSpan(ms);
      const tolerance = span?.unit === 'days' ? DAY / 2 : 0;
      expect(span && span.count * size[span.unit]).toBeLessThanOrEqual(ms + tolerance);
    }
  });
});

describe('splitSeconds', () => {
  it('splits seconds', () => {
    expect(splitSeconds(12 * 86_400 + 4 * 3600 + 5 * 60 + 59)).toEqual({ days: 12, hours: 4, minutes: 5 });
  });
});
