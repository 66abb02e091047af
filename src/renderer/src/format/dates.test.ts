// Dates in the panel's time zone, whatever the browser's is, with the day before the month and a 24-hour clock.
import { describe, expect, it } from 'vitest';
import { createMomentFormat } from './dates.ts';

const at = Date.parse('2027-03-13T23:30:05.000Z');
const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ');

describe('createMomentFormat', () => {
  it("uses the panel's time zone", () => {
    expect(plain(createMomentFormat('en', 'Europe/Berlin')(at, 'dateTime'))).toBe('14 Mar 2027, 00:30');
    expect(plain(createMomentFormat('en', 'UTC')(at, 'dateTime'))).toBe('13 Mar 2027, 23:30');
    expect(plain(createMomentFormat('en', 'America/New_York')(at, 'date'))).toBe('13 Mar 2027');
  });

  it('is exact to the second, with its offset', () => {
    expect(plain(createMomentFormat('en', 'Europe/Berlin')(at, 'exact'))).toBe('14 March 2027 at 00:30:05 GMT+1');
  });

  it('leaves out the year sign of Russian', () => {
    expect(plain(createMomentFormat('ru', 'Europe/Moscow')(at, 'date'))).toBe('14 мар. 2027');
    expect(plain(createMomentFormat('ru', 'Europe/Moscow')(at, 'dateTime'))).toBe('14 мар. 2027, 02:30');
    expect(plain(createMomentFormat('ru', 'Europe/Moscow')(at, 'exact'))).toBe('14 марта 2027 в 02:30:05 GMT+3');
  });

  it('has midnight at 00:00', () => {
    expect(createMomentFormat('en', 'Europe/Berlin')(Date.parse('2027-03-13T23:00:00Z'), 'time')).toBe('00:00');
  });
});
