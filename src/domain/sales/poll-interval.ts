// When an invoice is polled again: often while the buyer is likely to pay, then less and less often until its final status.
import { DAY_MS, HOUR_MS } from '../limits.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** Interval between two polls, up to each age of the invoice. */
const STEPS: readonly (readonly [age: number, every: number])[] = [
  [5 * SECOND, 5 * SECOND],
  [15 * SECOND, 10 * SECOND],
  [30 * SECOND, 15 * SECOND],
  [15 * MINUTE, MINUTE],
  [DAY_MS, 10 * MINUTE],
  [7 * DAY_MS, HOUR_MS],
];

/**
 * When an invoice created at `createdAt` is polled next: 5, 15 and 30 s after its creation, then every minute, 10 minutes, hour and day, and never
 * more often than the provider's own interval.
 */
export function nextPollAt(createdAt: number, now: number, pollIntervalMs: number): number {
  const age = Math.max(0, now - createdAt);
  const [, every] = STEPS.find(([until]) => age < until) ?? [0, DAY_MS];
  return now + Math.max(every, pollIntervalMs);
}
