// When a provider is asked about an invoice again: often while the buyer is likely to pay, then ever more rarely, until its final word.
import { DAY_MS, HOUR_MS } from '../limits.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** Up to each age, the time between two questions. */
const STEPS: readonly (readonly [age: number, every: number])[] = [
  [5 * SECOND, 5 * SECOND],
  [15 * SECOND, 10 * SECOND],
  [30 * SECOND, 15 * SECOND],
  [15 * MINUTE, MINUTE],
  [DAY_MS, 10 * MINUTE],
  [7 * DAY_MS, HOUR_MS],
];

/**
 * The next question about an invoice that was made at `createdAt`: 5, 15 and 30 s after that, then each minute, 10 minutes, hour and day, and
 * never sooner than the provider's own interval.
 */
export function nextPollAt(createdAt: number, now: number, pollIntervalMs: number): number {
  const age = Math.max(0, now - createdAt);
  const [, every] = STEPS.find(([until]) => age < until) ?? [0, DAY_MS];
  return now + Math.max(every, pollIntervalMs);
}
