// Dates in the panel's time zone: the new end that is shown is the one that the panel comes to.
import { describe, expect, it } from 'vitest';
import { endAfter, fromField, later, toField } from './zoned.ts';

const at = (text: string) => Date.parse(text);
const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

describe('a term later', () => {
  it('counts calendar months by the wall clock, clamped to the end of the month', () => {
    expect(iso(later(at('2026-01-31T12:00:00Z'), { months: 1 }, 'UTC'))).toBe('2026-02-28T12:00:00.000Z');
    expect(iso(later(at('2027-12-31T12:00:00.5Z'), { months: 2 }, 'UTC'))).toBe('2028-02-29T12:00:00.500Z');
    expect(iso(later(at('2026-11-30T22:30:00Z'), { months: 12 }, 'Europe/Moscow'))).toBe('2027-11-30T22:30:00.000Z');
  });

  it('keeps the hour over a change of the clock', () => {
    expect(iso(later(at('2026-10-10T10:00:00Z'), { months: 1 }, 'Europe/Berlin'))).toBe('2026-11-10T11:00:00.000Z');
    // 2:30 does not exist on 29 March 2026 in Berlin: it goes forward to 3:30.
    expect(iso(later(at('2026-02-28T01:30:00Z'), { months: 1 }, 'Europe/Berlin'))).toBe('2026-03-28T01:30:00.000Z');
    expect(iso(later(at('2026-01-29T01:30:00Z'), { months: 2 }, 'Europe/Berlin'))).toBe('2026-03-29T01:30:00.000Z');
  });

  it('counts days of 24 hours', () => {
    expect(iso(later(at('2026-10-24T10:00:00Z'), { days: 2 }, 'Europe/Berlin'))).toBe('2026-10-26T10:00:00.000Z');
  });
});

describe('the end after an extension', () => {
  const now = at('2026-11-20T10:00:00Z');

  it('goes from the later of the end and now', () => {
    expect(iso(endAfter(at('2026-12-01T00:00:00Z'), { months: 1 }, now, 'UTC'))).toBe('2027-01-01T00:00:00.000Z');
    expect(iso(endAfter(at('2026-10-01T00:00:00Z'), { days: 3 }, now, 'UTC'))).toBe('2026-11-23T10:00:00.000Z');
  });

  it('is refused behind the last moment', () => {
    expect(endAfter(at('2099-12-20T00:00:00Z'), { months: 1 }, now, 'UTC')).toBeNull();
  });
});

describe('a date field', () => {
  it('shows the panel’s wall clock and reads it back', () => {
    expect(toField(at('2026-11-20T21:00:00Z'), 'Europe/Moscow')).toBe('2026-11-21T00:00');
    expect(fromField('2026-11-21T00:00', 'Europe/Moscow')).toBe('2026-11-20T21:00:00.000Z');
    expect(fromField('2026-10-25T02:30', 'Europe/Berlin')).toBe('2026-10-25T00:30:00.000Z');
  });

  it('refuses what is no date', () => {
    expect(fromField('', 'UTC')).toBeNull();
    expect(fromField('2026-13-45T99:99', 'UTC')).toBeNull();
  });

  it('takes a zone that the browser does not know for UTC', () => {
    expect(toField(at('2026-11-20T21:00:00Z'), 'Mars/Olympus')).toBe('2026-11-20T21:00');
  });
});
