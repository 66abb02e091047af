// How far away a moment is and how long something takes, as whole units that a person counts in.
import { DAY_MS, HOUR_MS } from '../../../domain/limits.ts';

type SpanUnit = 'minutes' | 'hours' | 'days' | 'months' | 'years';

export interface Span {
  readonly unit: SpanUnit;
  readonly count: number;
}

const MINUTE_MS = 60_000;

/** What is nearer than this, in ms, is now. */
const NOW_MS = 45_000;

/**
 * A distance in ms as one unit. Hours up to two days, rounded down as a person counts what is left; days up to 100, rounded to the
 * nearest, so that 30 days are 30 and not 29 a second later; months of 30.44 days up to two years, rounded down. null: now.
 */
export function selectSpan(distance: number): Span | null {
  const ms = Math.abs(distance);
  if (ms < NOW_MS) return null;
  if (ms < HOUR_MS) return { unit: 'minutes', count: Math.max(1, Math.round(ms / MINUTE_MS)) };
  if (ms < 2 * DAY_MS) return { unit: 'hours', count: Math.floor(ms / HOUR_MS) };
  if (ms < 100 * DAY_MS) return { unit: 'days', count: Math.round(ms / DAY_MS) };
  if (ms < 730 * DAY_MS) return { unit: 'months', count: Math.floor(ms / (30.44 * DAY_MS)) };
  return { unit: 'years', count: Math.floor(ms / (365.25 * DAY_MS)) };
}

export interface Parts {
  readonly days: number;
  readonly hours: number;
  readonly minutes: number;
}

/** Seconds as days, hours and minutes. */
export function splitSeconds(seconds: number): Parts {
  const minutes = Math.floor(seconds / 60);
  return { days: Math.floor(minutes / 1440), hours: Math.floor((minutes % 1440) / 60), minutes: minutes % 60 };
}
