// When a certificate by ACME is ordered: renewal, and pauses after failures that stay below the limits of certificate authorities.
import { HOUR_MS } from './limits.ts';

const MINUTE_MS = 60_000;
const FIRST_PAUSE_MS = 10 * MINUTE_MS;
const LONGEST_PAUSE_MS = 12 * HOUR_MS;
/** Longer is not believed of a certificate authority. */
const LONGEST_ASKED_MS = 7 * 24 * HOUR_MS;
/** Let's Encrypt refuses a name after 5 failed validations in an hour. */
export const MAX_ORDERS_AN_HOUR = 4;

/** Epoch milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** How long to wait after so many failures in a row; `asked`: what the authority asks for. */
export function pauseAfter(failures: number, retryAfterMs: number | null): number {
  const own = Math.min(FIRST_PAUSE_MS * 3 ** Math.max(0, failures - 1), LONGEST_PAUSE_MS);
  return Math.max(own, Math.min(retryAfterMs ?? 0, LONGEST_ASKED_MS));
}

/** When a pause ends. One that is longer than any was made while the clock was ahead, and is over. */
export function pauseEnd(notBefore: number, now: number): number {
  return notBefore - now > LONGEST_ASKED_MS ? now : notBefore;
}

/** The first moment from `now` on at which another order stays within the limit of an hour. */
export function nextFreeMoment(orders: readonly number[], now: number): number {
  const recent = recentOrders(orders, now);
  const oldest = recent.at(-MAX_ORDERS_AN_HOUR);
  return oldest === undefined ? now : oldest + HOUR_MS;
}

/** Those of the last hour. Moments in the future are of a clock that was set back, and count as now. */
export function recentOrders(orders: readonly number[], now: number): readonly number[] {
  return orders.map((at) => Math.min(at, now)).filter((at) => now - at < HOUR_MS);
}

/** Without advice from the authority: after two thirds of the lifetime. */
export function computeRenewalTime({ from, to }: Span): number {
  return from + Math.floor(((to - from) * 2) / 3);
}

/** A moment in the window that the authority advises; `share` (0 to 1) is random, so that not all come at once. */
export function momentIn({ from, to }: Span, share: number): number {
  return Math.floor(from + Math.max(0, to - from) * share);
}

/** Whether a certificate that is renewed by itself should have been renewed long ago: a quarter of its lifetime is left. */
export function isNearEnd({ from, to }: Span, now: number): boolean {
  return to - now <= (to - from) / 4;
}
