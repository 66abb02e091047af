// Holds the moments of resets against a walk over Temporal's local dates.
import { fc, test } from '@fast-check/vitest';
import type { Temporal } from 'temporal-polyfill';
import { describe, expect } from 'vitest';
import { at, DAY, utc, zoned } from '../../../tests/support/domain-arbitraries.ts';
import { nextReset, startOfLocalDay } from '../calendar.ts';

/** The oracle: local dates are walked one by one; the first that the strategy picks and that begins later than `after` is it. */
function walk(after: number, zone: string, isPicked: (date: Temporal.PlainDate) => boolean): number {
  for (let date = at(after, zone).toPlainDate(); ; date = date.add({ days: 1 })) {
    const begins = date.toZonedDateTime(zone).epochMilliseconds;
    if (isPicked(date) && begins > after) return begins;
  }
}

const sinceTerm = fc.integer({ min: 0, max: 4000 * DAY });

describe('nextReset', () => {
  test.prop([zoned], { numRuns: 300 })('day, week and month agree with Temporal', ({ zone, ms }) => {
    expect(nextReset('day', ms, null, zone)).toBe(walk(ms, zone, () => true));
    expect(nextReset('week', ms, null, zone)).toBe(walk(ms, zone, (date) => date.dayOfWeek === 1));
    expect(nextReset('month', ms, null, zone)).toBe(walk(ms, zone, (date) => date.day === 1));
  });

  test.prop([zoned, sinceTerm], { numRuns: 300 })('period agrees with Temporal', ({ zone, ms }, since) => {
    const anchor = at(ms - since, zone).day;
    const expected = walk(ms, zone, (date) => date.day === Math.min(anchor, date.daysInMonth));
    expect(nextReset('period', ms, ms - since, zone)).toBe(expected);
  });

  const strategies = fc.constantFrom('day', 'week', 'month', 'period' as const);

  test.prop([zoned, strategies, sinceTerm], { numRuns: 300 })(
    'is later, begins a local day, and none lies between',
    ({ zone, ms }, strategy, since) => {
      const next = nextReset(strategy, ms, ms - since, zone) ?? Number.NaN;
      expect(next).toBeGreaterThan(ms);
      expect(startOfLocalDay(next, zone)).toBe(next);
      expect(nextReset(strategy, next - 1, ms - since, zone)).toBe(next);
    },
  );

  test.each([
    ['day', '2026-03-08T00:00-05:00', null, 'America/New_York', '2026-03-09T00:00-04:00'],
    ['week', '2026-03-09T00:00Z', null, 'UTC', '2026-03-16T00:00Z'],
    ['week', '2026-03-08T23:59:59.999Z', null, 'UTC', '2026-03-09T00:00Z'],
    ['month', '2026-12-31T12:00Z', null, 'UTC', '2027-01-01T00:00Z'],
    ['period', '2026-01-31T12:00Z', '2026-01-31T12:00Z', 'UTC', '2026-02-28T00:00Z'],
    ['period', '2026-02-28T00:00Z', '2026-01-31T12:00Z', 'UTC', '2026-03-31T00:00Z'],
    ['period', '2028-02-01T00:00Z', '2026-01-31T12:00Z', 'UTC', '2028-02-29T00:00Z'],
    ['period', '2026-03-15T00:00Z', '2026-03-14T23:30Z', 'Europe/Berlin', '2026-04-15T00:00+02:00'],
    ['day', '2018-11-03T12:00-03:00', null, 'America/Sao_Paulo', '2018-11-04T01:00-02:00'],
    ['period', '2011-12-01T00:00-10:00', '2011-11-30T12:00-10:00', 'Pacific/Apia', '2011-12-31T00:00+14:00'],
    ['month', '2099-12-15T00:00Z', null, 'UTC', '2100-01-01T00:00Z'],
  ] as const)('%s after %s (term from %s, %s) is %s', (strategy, after, began, zone, expected) => {
    expect(nextReset(strategy, utc(after), began === null ? null : utc(began), zone)).toBe(utc(expected));
  });

  test('there is none without a strategy, and none for a period whose term has not begun', () => {
    expect(nextReset('none', 0, 0, 'UTC')).toBeNull();
    expect(nextReset('period', 0, null, 'UTC')).toBeNull();
  });
});
