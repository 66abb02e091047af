// Extra devices are sold for what is left of a term: pro rata to its days, and for some days at least.
import { DEVICE_PRICE_DAYS } from '../../contract/sales/sales.ts';
import { DAY_MS } from '../limits.ts';
import type { Money } from './money.ts';

/** Days until the end of a term; one that has begun counts. */
export function daysUntil(end: number, now: number): number {
  return Math.max(0, Math.ceil((end - now) / DAY_MS));
}

/** What devices cost for so many days, rounded up to the smallest unit. */
export function devicePrice({ amount, currency }: Money, days: number, leastDays: number): Money {
  const paid = BigInt(Math.max(days, leastDays));
  const whole = BigInt(DEVICE_PRICE_DAYS);
  return { amount: Number((BigInt(amount) * paid + whole - 1n) / whole), currency };
}
