// Extra devices are sold for what is left of a term: pro rata to its days, and for some days at least.
import { DAY_MS } from '../limits.ts';
import type { Money } from './money.ts';

/** How many days the price of extra devices is for. */
const PRICE_DAYS = 30;

/** Days until the end of a term; one that has begun counts. */
export function daysUntil(end: number, now: number): number {
  return Math.max(0, Math.ceil((end - now) / DAY_MS));
}

/** What devices cost for so many days, rounded up to the smallest unit. */
export function devicePrice({ amount, currency }: Money, days: number, leastDays: number): Money {
  const paid = BigInt(Math.max(days, leastDays));
  const whole = BigInt(PRICE_DAYS);
  return { amount: Number((BigInt(amount) * paid + whole - 1n) / whole), currency };
}
