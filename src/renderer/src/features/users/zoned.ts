// The panel's wall clock in the browser: calendar months and typed dates mean the panel's time zone, not this machine's.
import type { Term } from '../../components/form/term-input.tsx';

const DAY = 86_400_000;
/** Where terms end at the latest. */
const LAST = Date.parse('2100-01-01T00:00:00.000Z');

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const options = {
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  } as const;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { ...options, timeZone: zone });
  } catch {
    format = new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' });
  }
  formats.set(zone, format);
  return format;
}

/** What is added to an instant to get the zone's wall clock, in ms. */
function offsetAt(ms: number, zone: string): number {
  const whole = Math.floor(ms / 1000) * 1000;
  const parts = formatOf(zone).format(whole).match(/\d+/g) ?? [];
  const [month = 1, day = 1, year = 1970, hour = 0, minute = 0, second = 0] = parts.map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second) - whole;
}

/** The instant of a wall clock's reading. In a gap it goes forward by the gap's length; of two instants it is the earlier. */
function fromWall(wall: number, zone: string): number {
  const before = offsetAt(wall - DAY, zone);
  if (offsetAt(wall - before, zone) === before) return wall - before;
  const after = offsetAt(wall + DAY, zone);
  return offsetAt(wall - after, zone) === after ? wall - after : wall - before;
}

/** A term later than an instant (epoch ms): days of 24 hours, or calendar months clamped to the month's end. */
export function later(from: number, term: Term, zone: string): number {
  if ('days' in term) return from + term.days * DAY;
  const wall = new Date(from + offsetAt(from, zone));
  const [year, month] = [wall.getUTCFullYear(), wall.getUTCMonth() + term.months];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const time = wall.getTime() - Date.UTC(year, wall.getUTCMonth(), wall.getUTCDate());
  return fromWall(Date.UTC(year, month, Math.min(wall.getUTCDate(), last)) + time, zone);
}

/** Where a term ends once it is extended: from its end or from now, whichever is later. null: too late a date. */
export function endAfter(expiresAt: number, term: Term, now: number, zone: string): number | null {
  const end = later(Math.max(expiresAt, now), term, zone);
  return end > LAST ? null : end;
}

/** An instant as a date field has it, `2027-03-14T21:00`, by the panel's wall clock. */
export function toField(ms: number, zone: string): string {
  return new Date(ms + offsetAt(ms, zone)).toISOString().slice(0, 16);
}

/** What stands in a date field as an instant on the wire; null where it is no date. */
export function fromField(text: string, zone: string): string | null {
  const wall = Date.parse(`${text}Z`);
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) && !Number.isNaN(wall)
    ? new Date(fromWall(wall, zone)).toISOString()
    : null;
}
