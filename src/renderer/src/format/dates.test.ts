// Moments in words: in the panel's time zone, whatever the browser's is, with days before months and a clock of 24 hours.
import { describe, expect, it } from 'vitest';
import { formatMoment } from './dates.ts';

const at = Date.parse('2027-03-13T23:30:05.000Z');
const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ');

describe('formatMoment', () => {
  it("is told in the panel's time zone", () => {
    expect(plain(formatMoment(at, 'dateTime', 'en', 'Europe/Berlin'))).toBe('14 Mar 2027, 00:30');
    expect(plain(formatMoment(at, 'dateTime', 'en', 'UTC'))).toBe('13 Mar 2027, 23:30');
    expect(plain(formatMoment(at, 'date', 'en', 'America/New_York'))).toBe('13 Mar 2027');
  });

  it('is exact to the second, with its offset', () => {
    expect(plain(formatMoment(at, 'exact', 'en', 'Europe/Berlin'))).toBe('14 March 2027 at 00:30:05 GMT+1');
  });

  it('speaks Russian without the sign of the year', () => {
    expect(plain(formatMoment(at, 'date', 'ru', 'Europe/Moscow'))).toBe('14 мар. 2027');
    expect(plain(formatMoment(at, 'dateTime', 'ru', 'Europe/Moscow'))).toBe('14 мар. 2027, 02:30');
    expect(plain(formatMoment(at, 'exact', 'ru', 'Europe/Moscow'))).toBe('14 марта 2027 в 02:30:05 GMT+3');
  });

  it('falls back to UTC for a zone that the browser does not know', () => {
    expect(plain(formatMoment(at, 'time', 'en', 'Nowhere/Land'))).toBe('23:30');
  });

  it('has midnight at 00:00', () => {
    expect(formatMoment(Date.parse('2027-03-13T23:00:00Z'), 'time', 'en', 'Europe/Berlin')).toBe('00:00');
  });
});
