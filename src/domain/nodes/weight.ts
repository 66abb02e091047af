// What traffic over a node counts for: a user's counter, limit and grants are used up by the bytes times the weight of the node.
//
// What counts is the difference between two values of a counter that were both multiplied, not a difference that was: so nothing is lost
// by rounding from poll to poll, and what one start of an engine has counted for counts exactly, rounded down once.
import type { TrafficDelta } from '../users/traffic.ts';

/** Weights are hundredths: with this one a byte counts once. */
export const PLAIN_WEIGHT = 100;
export const MAX_WEIGHT = 1000;

/** Without the product, which may be larger than what numbers hold exactly. */
function applyWeight(bytes: number, weight: number): number {
  const rest = bytes % PLAIN_WEIGHT;
  const whole = ((bytes - rest) / PLAIN_WEIGHT) * weight;
  return Math.min(Number.MAX_SAFE_INTEGER, whole + Math.floor((rest * weight) / PLAIN_WEIGHT));
}

/** What counts of that which a counter has grown by. Counters never go down. */
export function applyWeightSince(value: TrafficDelta, last: TrafficDelta, weight: number): TrafficDelta {
  const grown = (now: number, before: number) => Math.max(0, applyWeight(now, weight) - applyWeight(before, weight));
  return { up: grown(value.up, last.up), down: grown(value.down, last.down) };
}
