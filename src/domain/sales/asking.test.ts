import { expect, it } from 'vitest';
import type { ProviderKind } from '../../contract/sales/providers.ts';
import { nextAskAt } from './asking.ts';

/** The ages, in seconds, at which an invoice is asked for until `end`, where each question takes no time. */
function ages(end: number, kind: ProviderKind = 'stripe'): number[] {
  const asked: number[] = [];
  for (let at = nextAskAt(0, 0, kind); at <= end * 1000; at = nextAskAt(0, at, kind)) asked.push(at / 1000);
  return asked;
}

it('asks after 5, 15 and 30 seconds, then each minute, and ever more rarely', () => {
  expect(ages(100)).toEqual([5, 15, 30, 90]);
  expect(ages(100, 'heleket')).toEqual([30, 90]);
  const day = ages(86_400);
  expect(day.filter((age) => age <= 900)).toHaveLength(17);
  expect(day.length).toBe(160);
  expect(ages(8 * 86_400).length - day.length).toBe(145);
});

it('asks once after weeks of sleep, and a clock that was set back does not silence it', () => {
  expect(nextAskAt(0, 30 * 86_400_000, 'stripe')).toBe(31 * 86_400_000);
  expect(nextAskAt(1_000_000, 0, 'stripe')).toBe(5000);
});
