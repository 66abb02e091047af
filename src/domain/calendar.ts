// Calendar rules in the panel's time zone: months, local days and traffic resets. Instants are epoch ms, zones IANA names.

import type { ResetStrategy } from '../contract/users/users.ts';
import { DAY_MS, HOUR_MS } from './limits.ts';
import { zoneOffset } from './time-zone.ts';

/** A wall clock's reading. month is 1..12. */
export interface LocalTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly ms: number;
}

/** A local day: its name `YYYY-MM-DD`, and its start (inclusive) and end (exclusive) as instants. Not always 24 hours long. */
export interface LocalDay {
  readonly day: string;
  readonly from: number;
  readonly to: number;
}

/** The local date and time in a zone at an instant. */
export function toLocal(ms: number, zone: string): LocalTime {
  const wall = new Date(ms + zoneOffset(ms, zone));
  return {
    year: wall.getUTCFullYear(),
    month: wall.getUTCMonth() + 1,
    day: wall.getUTCDate(),
    hour: wall.getUTCHours(),
    minute: wall.getUTCMinutes(),
    second: wall.getUTCSeconds(),
    ms: wall.getUTCMilliseconds(),
  };
}

/** The instant of a local time. A time in a gap moves forward by the gap's length; an ambiguous time is the earlier instant. */
export function fromLocal(local: LocalTime, zone: string): number {
  const { year, month, day, hour, minute, second, ms } = local;
  return fromWall(Date.UTC(year, month - 1, day, hour, minute, second, ms), zone);
}

/** Adds calendar months in local time; the day is clamped to the month's end (31 January + 1 month = 28 or 29 February). */
export function addMonths(ms: number, months: number, zone: string): number {
  if (months === 0) return ms;
  const local = toLocal(ms, zone);
  const monthIndex = local.year * 12 + (local.month - 1) + months;
  const year = Math.floor(monthIndex / 12);
  const month = monthIndex - year * 12 + 1;
  return fromLocal({ ...local, year, month, day: Math.min(local.day, daysInMonth(year, month)) }, zone);
}

/** Adds days of exactly 86,400 seconds. */
export function addDays(ms: number, days: number): number {
  return ms + days * DAY_MS;
}

/** The start of the local day that contains an instant: 00:00, or the first instant after it where a change of offset skips midnight. */
export function startOfLocalDay(ms: number, zone: string): number {
  const { year, month, day } = toLocal(ms, zone);
  return dayStart(year, month, day, zone);
}

/** The start of the local month that contains an instant. */
export function startOfLocalMonth(ms: number, zone: string): number {
  const { year, month } = toLocal(ms, zone);
  return dayStart(year, month, 1, zone);
}

/** The start of the next local day, always later than `ms`. */
export function nextLocalMidnight(ms: number, zone: string): number {
  const { year, month, day } = toLocal(ms, zone);
  return firstAfter(ms, (step) => dayStart(year, month, day + step, zone));
}

/** The local day that contains an instant, as `YYYY-MM-DD`. */
export function localDay(ms: number, zone: string): string {
  return new Date(ms + zoneOffset(ms, zone)).toISOString().slice(0, 10);
}

/** The last `count` local days, oldest first, the current one last. They are contiguous; a day that a zone skipped is left out. */
export function lastLocalDays(now: number, count: number, zone: string): LocalDay[] {
  const days: LocalDay[] = [];
  let from = startOfLocalDay(now, zone);
  let to = nextLocalMidnight(from, zone);
  while (days.length < count) {
    days.push({ day: localDay(from, zone), from, to });
    to = from;
    from = startOfLocalDay(from - 1, zone);
  }
  return days.reverse();
}

/** The local days from the one that contains `from` to the last one that starts before `to`. */
export function localDaysBetween(from: number, to: number, zone: string): LocalDay[] {
  const days: LocalDay[] = [];
  for (let start = startOfLocalDay(from, zone); start < to; ) {
    const next = nextLocalMidnight(start, zone);
    days.push({ day: localDay(start, zone), from: start, to: next });
    start = next;
  }
  return days;
}

/** The starts (epoch ms) of the last `count` UTC hours, oldest first, the current one last. */
export function hoursBack(now: number, count: number): number[] {
  const current = Math.floor(now / HOUR_MS) * HOUR_MS;
  return Array.from({ length: count }, (_, index) => current - (count - 1 - index) * HOUR_MS);
}

/**
 * The first reset later than `after`, always at the start of a local day: `week` on Monday, `month` on the 1st, `period` monthly on the day of the
 * month on which the term began, clamped to the month's end. Null for `none`, and for `period` while no term has begun.
 */
export function nextReset(
  strategy: ResetStrategy,
  after: number,
  termBeganAt: number | null,
  zone: string,
): number | null {
  if (strategy === 'none') return null;
  if (strategy === 'day') return nextLocalMidnight(after, zone);
  if (strategy === 'period') {
    if (termBeganAt === null) return null;
    return nextMonthly(toLocal(termBeganAt, zone).day, after, zone);
  }
  if (strategy === 'month') return nextMonthly(1, after, zone);
  const { year, month, day } = toLocal(after, zone);
  const sinceMonday = (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7;
  return firstAfter(after, (step) => dayStart(year, month, day - sinceMonday + 7 * step, zone));
}

function nextMonthly(anchor: number, after: number, zone: string): number {
  const { year, month } = toLocal(after, zone);
  return firstAfter(after, (step) =>
    dayStart(year, month + step, Math.min(anchor, daysInMonth(year, month + step)), zone),
  );
}

function firstAfter(ms: number, candidate: (step: number) => number): number {
  for (let step = 0; ; step++) {
    const at = candidate(step);
    if (at > ms) return at;
  }
}

// month may be above 12: Date.UTC carries it into the years.
function daysInMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

// wall is the local time encoded as if it were UTC. No offset exceeds a day, so the offsets one day before and after are those on either side of any
// change that affects this local time.
function fromWall(wall: number, zone: string): number {
  const offsetBefore = zoneOffset(wall - DAY_MS, zone);
  const early = wall - offsetBefore;
  if (zoneOffset(early, zone) === offsetBefore) return early;
  const offsetAfter = zoneOffset(wall + DAY_MS, zone);
  const late = wall - offsetAfter;
  return zoneOffset(late, zone) === offsetAfter ? late : early;
}

// month and day may be out of range: Date.UTC carries them over.
function dayStart(year: number, month: number, day: number, zone: string): number {
  const wall = Date.UTC(year, month - 1, day);
  const at = fromWall(wall, zone);
  const offset = zoneOffset(at, zone);
  const skipped = at + offset - wall;
  if (skipped === 0) return at;
  // Midnight does not exist: the day begins with the change of offset that skipped it.
  let before = at - skipped;
  let after = at;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (zoneOffset(middle, zone) === offset) after = middle;
    else before = middle;
  }
  return after;
}
