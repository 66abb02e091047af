// A date field shows the panel's local time and reads it back, also around changes to and from summer time.
import { describe, expect, it } from 'vitest';
import { fromDateField, toDateField } from './date-field.ts';

const at = (text: string) => Date.parse(text);

describe('a date field', () => {
  it('shows the panel’s wall clock and reads it back', () => {
    expect(toDateField(at('2026-11-20T21:00:00Z'), 'Europe/Moscow')).toBe('2026-11-21T00:00');
    expect(fromDateField('2026-11-21T00:00', 'Europe/Moscow')).toBe('2026-11-20T21:00:00.000Z');
  });

  it('takes the earlier of two instants, and goes forward over a gap', () => {
    expect(fromDateField('2026-10-25T02:30', 'Europe/Berlin')).toBe('2026-10-25T00:30:00.000Z');
    expect(fromDateField('2026-03-29T02:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z');
  });

  it('refuses what is no date', () => {
    expect(fromDateField('', 'UTC')).toBeNull();
    expect(fromDateField('2026-13-45T99:99', 'UTC')).toBeNull();
  });
});
