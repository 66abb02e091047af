// Values of `datetime-local` fields: local time in the panel's time zone, not the browser's.
import { fromLocal, toLocal } from '../../../domain/calendar.ts';
import { zoneOffset } from '../../../domain/time-zone.ts';

/** An instant (epoch ms) as a field value: `2027-03-14T21:00`. */
export function toDateField(ms: number, zone: string): string {
  return new Date(ms + zoneOffset(ms, zone)).toISOString().slice(0, 16);
}

/** A field value as an instant of the contract; null: not a date. */
export function fromDateField(text: string, zone: string): string | null {
  const wall = Date.parse(`${text}Z`);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) || Number.isNaN(wall)) return null;
  return new Date(fromLocal(toLocal(wall, 'UTC'), zone)).toISOString();
}
