// Time spans and durations as whole units that people use.
import { DAY_MS, HOUR_MS } from '../../../domain/limits.ts';

type SpanUnit = 'minutes' | 'hours' | 'days' | 'months' | 'years';

export interface Span {
  readonly unit: SpanUnit;
  readonly count: number;
}

const MINUTE_MS = 60_000;

/** A shorter distance, in ms, counts as now. */
const NOW_MS = 45_000;

/**
 * A distance in ms as one unit: hours up to two days, rounded down; days up to 100, rounded to the nearest, so that 30 days are not 29 a
 * second later; months of 30.44 days up to two years, rounded down; then years. null: now.
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

/** Splits seconds into days, hours and minutes. */
export function splitSeconds(seconds: number): Parts {
  const minutes = Math.floor(seconds / 60);
  return { days: Math.floor(minutes / 1440), hours: Math.floor((minutes % 1440) / 60), minutes: minutes % 60 };
}
