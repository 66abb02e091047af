// Dates typed into a `datetime-local` field: its text is a reading of the panel's wall clock, not of this machine's.
import { fromLocal, toLocal } from '../../../domain/calendar.ts';
import { zoneOffset } from '../../../domain/time-zone.ts';

/** An instant (epoch ms) as the field shows it: `2027-03-14T21:00`. */
export function toDateField(ms: number, zone: string): string {
  return new Date(ms + zoneOffset(ms, zone)).toISOString().slice(0, 16);
}

/** The field's text as an instant of the contract; null where it is no date. */
export function fromDateField(text: string, zone: string): string | null {
  const wall = Date.parse(`${text}Z`);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) || Number.isNaN(wall)) return null;
  return new Date(fromLocal(toLocal(wall, 'UTC'), zone)).toISOString();
}
