// When an ACME certificate is ordered: time of renewal, and back-off after failures below the rate limits of certificate authorities.
import { HOUR_MS } from './limits.ts';

const MINUTE_MS = 60_000;
const FIRST_PAUSE_MS = 10 * MINUTE_MS;
const LONGEST_PAUSE_MS = 12 * HOUR_MS;
/** Upper bound of a `Retry-After` of a certificate authority. */
const LONGEST_ASKED_MS = 7 * 24 * HOUR_MS;
/** Let's Encrypt refuses a name after 5 failed validations in an hour. */
export const MAX_ORDERS_AN_HOUR = 4;

/** Epoch milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Back-off in ms after this many consecutive failures. `retryAfterMs`: what the authority asked for. */
export function pauseAfter(failures: number, retryAfterMs: number | null): number {
  const own = Math.min(FIRST_PAUSE_MS * 3 ** Math.max(0, failures - 1), LONGEST_PAUSE_MS);
  return Math.max(own, Math.min(retryAfterMs ?? 0, LONGEST_ASKED_MS));
}

/** When a pause ends, epoch ms. A pause longer than the maximum was stored while the clock was ahead, and has ended. */
export function pauseEnd(notBefore: number, now: number): number {
  return notBefore - now > LONGEST_ASKED_MS ? now : notBefore;
}

/** The earliest time from `now` on (epoch ms) at which another order stays within the hourly limit. */
export function nextFreeMoment(orders: readonly number[], now: number): number {
  const recent = recentOrders(orders, now);
  const oldest = recent.at(-MAX_ORDERS_AN_HOUR);
  return oldest === undefined ? now : oldest + HOUR_MS;
}

/** Orders of the last hour. Times in the future, from before a clock was set back, count as now. */
export function recentOrders(orders: readonly number[], now: number): readonly number[] {
  return orders.map((at) => Math.min(at, now)).filter((at) => now - at < HOUR_MS);
}

/** Time of renewal (epoch ms) without advice from the authority: after two thirds of the lifetime. */
export function computeRenewalTime({ from, to }: Span): number {
  return from + Math.floor(((to - from) * 2) / 3);
}

/** A time in the renewal window that the authority suggests (RFC 9773); `share` (0 to 1) is random, to spread the renewals of many clients. */
export function pickRenewalTime({ from, to }: Span, share: number): number {
  return Math.floor(from + Math.max(0, to - from) * share);
}

/** Whether a quarter of the lifetime or less is left, so that automatic renewal must have failed. */
export function isNearEnd({ from, to }: Span, now: number): boolean {
  return to - now <= (to - from) / 4;
}
