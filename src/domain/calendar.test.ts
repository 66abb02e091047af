// Holds the wall clock's rules against Temporal, in zones and moments where clocks change.
import { fc, test } from '@fast-check/vitest';
import { Temporal } from 'temporal-polyfill';
import { describe, expect } from 'vitest';
import { at, HOUR, instant, utc, zone, zoned } from '../../tests/support/domain-arbitraries.ts';
import {
  addDays,
  addMonths,
  fromLocal,
  hoursBack,
  lastLocalDays,
  localDay,
  nextLocalMidnight,
  startOfLocalDay,
  startOfLocalMonth,
  toLocal,
} from './calendar.ts';

const many = { numRuns: 500 };

describe('toLocal and fromLocal', () => {
  test.prop([zoned], many)('read the wall clock as Temporal does', ({ zone: name, ms }) => {
    const { year, month, day, hour, minute, second, millisecond } = at(ms, name);
    expect(toLocal(ms, name)).toEqual({ year, month, day, hour, minute, second, ms: millisecond });
  });

  test.prop([zoned], many)('resolve gaps and overlaps as Temporal does', ({ zone: name, ms }) => {
    // UTC's wall-clock time read as local time: any reading, also ones that the zone skips or repeats.
    const reading = at(ms, 'UTC').toPlainDateTime();
    expect(fromLocal(toLocal(ms, 'UTC'), name)).toBe(reading.toZonedDateTime(name).epochMilliseconds);
  });

  const noon = { minute: 30, second: 0, ms: 0 };

  test('a reading in a gap goes forward by the gap', () => {
    const skipped = { year: 2026, month: 3, day: 8, hour: 2, ...noon };
    expect(fromLocal(skipped, 'America/New_York')).toBe(utc('2026-03-08T03:30-04:00'));
  });

  test('of two instants with one reading the earlier is taken', () => {
    const twice = { year: 2026, month: 11, day: 1, hour: 1, ...noon };
    expect(fromLocal(twice, 'America/New_York')).toBe(utc('2026-11-01T01:30-04:00'));
  });
});

describe('addMonths', () => {
  test.prop([zoned, fc.integer({ min: 1, max: 120 })], { numRuns: 1000 })(
    'agrees with Temporal',
    ({ zone: name, ms }, months) => {
      expect(addMonths(ms, months, name)).toBe(at(ms, name).add({ months }).epochMilliseconds);
    },
  );

  test.prop([zoned, fc.integer({ min: 1, max: 120 })])('always leads forward', ({ zone: name, ms }, months) => {
    expect(addMonths(ms, months, name)).toBeGreaterThan(ms);
  });

  test.each([
    ['2026-01-31T12:00Z', 1, 'UTC', '2026-02-28T12:00Z'],
    ['2028-01-31T12:00Z', 1, 'UTC', '2028-02-29T12:00Z'],
    ['2028-02-29T12:00Z', 12, 'UTC', '2029-02-28T12:00Z'],
    ['2099-11-30T23:59:59.999Z', 1, 'UTC', '2099-12-30T23:59:59.999Z'],
    ['2026-12-31T00:00Z', 2, 'UTC', '2027-02-28T00:00Z'],
    ['2026-02-08T02:30-05:00', 1, 'America/New_York', '2026-03-08T03:30-04:00'],
    ['2026-10-01T01:30-04:00', 1, 'America/New_York', '2026-11-01T01:30-04:00'],
    ['2011-11-30T12:00-10:00', 1, 'Pacific/Apia', '2011-12-31T12:00+14:00'],
    ['2026-03-29T00:30+00:00', 0, 'UTC', '2026-03-29T00:30Z'],
  ])('%s + %i months in %s is %s', (from, months, name, expected) => {
    expect(addMonths(utc(from), months, name)).toBe(utc(expected));
  });

  test('no months leave the later of two equal readings where it is', () => {
    const later = utc('2026-11-01T01:30-05:00');
    expect(addMonths(later, 0, 'America/New_York')).toBe(later);
  });
});

test('a day is 86,400 seconds, also over a change of offset', () => {
  expect(addDays(utc('2026-03-07T12:00-05:00'), 1)).toBe(utc('2026-03-08T13:00-04:00'));
});

describe('local days', () => {
  test.prop([zoned], many)('begin where Temporal says', ({ zone: name, ms }) => {
    expect(startOfLocalDay(ms, name)).toBe(at(ms, name).startOfDay().epochMilliseconds);
    expect(startOfLocalMonth(ms, name)).toBe(at(ms, name).with({ day: 1 }).startOfDay().epochMilliseconds);
    expect(localDay(ms, name)).toBe(at(ms, name).toPlainDate().toString());
  });

  test.prop([zoned], many)(
    'the next midnight is later, begins its day, and no other day begins before it',
    ({ zone: name, ms }) => {
      const next = nextLocalMidnight(ms, name);
      expect(next).toBeGreaterThan(ms);
      expect(startOfLocalDay(next, name)).toBe(next);
      expect(startOfLocalDay(next - 1, name)).toBeLessThanOrEqual(ms);
    },
  );

  test.each([
    ['a midnight that does not exist', '2018-11-04T12:00-02:00', 'America/Sao_Paulo', '2018-11-04T01:00-02:00'],
    ['a gap from before midnight', '1919-03-31T12:00-04:00', 'America/Toronto', '1919-03-31T00:30-04:00'],
  ])('begin after %s', (_, ms, name, expected) => {
    expect(startOfLocalDay(utc(ms), name)).toBe(utc(expected));
  });

  test('a day that a zone skipped is followed by the next that exists', () => {
    const eve = utc('2011-12-29T20:00-10:00');
    expect(nextLocalMidnight(eve, 'Pacific/Apia')).toBe(utc('2011-12-31T00:00+14:00'));
    const days = lastLocalDays(utc('2012-01-01T12:00+14:00'), 4, 'Pacific/Apia').map(({ day }) => day);
    expect(days).toEqual(['2011-12-28', '2011-12-29', '2011-12-31', '2012-01-01']);
  });

  test.prop([zoned, fc.integer({ min: 1, max: 30 })])(
    'the last days touch and end with the current one',
    ({ zone: name, ms }, count) => {
      const days = lastLocalDays(ms, count, name);
      expect(days).toHaveLength(count);
      expect(days.at(-1)?.day).toBe(localDay(ms, name));
      for (const [index, { day, from, to }] of days.entries()) {
        expect(localDay(from, name)).toBe(day);
        expect(days[index + 1]?.from ?? nextLocalMidnight(from, name)).toBe(to);
      }
    },
  );

  test('a day with a change of offset has 23 or 25 hours', () => {
    const [day] = lastLocalDays(utc('2026-03-29T12:00+02:00'), 1, 'Europe/Berlin');
    expect(day).toEqual({ day: '2026-03-29', from: utc('2026-03-28T23:00Z'), to: utc('2026-03-29T22:00Z') });
  });
});

test.prop([instant, fc.integer({ min: 1, max: 168 })])(
  'hoursBack lists whole hours up to the current one',
  (now, count) => {
    const hours = hoursBack(now, count);
    expect(hours).toHaveLength(count);
    const last = hours.at(-1) ?? Number.NaN;
    expect(last).toBeLessThanOrEqual(now);
    expect(last + HOUR).toBeGreaterThan(now);
    expect(hours).toEqual(hours.map((_, index) => Math.floor(last / HOUR) * HOUR - (count - 1 - index) * HOUR));
  },
);

test.prop([zone])('a month is never counted twice in a year of months', (name) => {
  const from = Temporal.ZonedDateTime.from(`2026-01-15T12:00[${name}]`).epochMilliseconds;
  const months = Array.from({ length: 12 }, (_, index) => toLocal(addMonths(from, index, name), name).month);
  expect(new Set(months).size).toBe(12);
});
