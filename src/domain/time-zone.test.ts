// Holds the remembered offsets against Temporal's, at and around every kind of change.
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { at, utc, zoned } from '../../tests/support/domain-arbitraries.ts';
import { isTimeZone, zoneOffset } from './time-zone.ts';

describe('zoneOffset', () => {
  test.prop([zoned], { numRuns: 1000 })(
    'agrees with Temporal at any moment, in any order of questions',
    ({ zone, ms }) => {
      expect(zoneOffset(ms, zone) * 1_000_000).toBe(at(ms, zone).offsetNanoseconds);
    },
  );

  test('changes at the very millisecond', () => {
    const change = utc('2026-03-08T07:00Z');
    expect(zoneOffset(change - 1, 'America/New_York')).toBe(-5 * 3_600_000);
    expect(zoneOffset(change, 'America/New_York')).toBe(-4 * 3_600_000);
  });

  test.prop([fc.integer({ min: 1, max: 250 })])('is right on both sides of its own buckets', (index) => {
    for (const ms of [index * 2 ** 35 - 1, index * 2 ** 35]) {
      expect(zoneOffset(ms, 'Europe/Berlin') * 1_000_000).toBe(at(ms, 'Europe/Berlin').offsetNanoseconds);
    }
  });

  test('throws for a name that is no zone', () => {
    expect(() => zoneOffset(0, 'Mars/Olympus')).toThrow(RangeError);
  });
});

describe('isTimeZone', () => {
  test.each(['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/Argentina/Buenos_Aires'])('%s is one', (name) => {
    expect(isTimeZone(name)).toBe(true);
  });

  test.each(['', '+03:00', 'Mars/Olympus', ' UTC', 'Europe/Berlin\n', '3'])('%j is none', (name) => {
    expect(isTimeZone(name)).toBe(false);
  });
});
