import { expect, it } from 'vitest';
import { nextPollAt } from './poll-interval.ts';

/** The ages, in seconds, at which an invoice is polled until `end`, if polls take no time. */
function ages(end: number, interval = 5000): number[] {
  const asked: number[] = [];
  for (let at = nextPollAt(0, 0, interval); at <= end * 1000; at = nextPollAt(0, at, interval)) asked.push(at / 1000);
  return asked;
}

it('asks after 5, 15 and 30 seconds, then each minute, and ever more rarely', () => {
  expect(ages(100)).toEqual([5, 15, 30, 90]);
  expect(ages(100, 30_000)).toEqual([30, 90]);
  const day = ages(86_400);
  expect(day.filter((age) => age <= 900)).toHaveLength(17);
  expect(day.length).toBe(160);
  expect(ages(8 * 86_400).length - day.length).toBe(145);
});

it('asks once after weeks of sleep, and a clock that was set back does not silence it', () => {
  expect(nextPollAt(0, 30 * 86_400_000, 5000)).toBe(31 * 86_400_000);
  expect(nextPollAt(1_000_000, 0, 5000)).toBe(5000);
});
