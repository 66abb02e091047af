// The weight of a node: a user's counter, limit and grants are charged the bytes times the weight.
//
// The charge is the difference of two weighted counter values, not the weighted difference: so rounding loses nothing from poll to poll, and the
// total of one start of an engine is exact, rounded down once.
import type { TrafficDelta } from '../users/traffic.ts';

/** Weights are hundredths: with this one, bytes count once. */
export const PLAIN_WEIGHT = 100;
export const MAX_WEIGHT = 1000;

/** Avoids the product, which may exceed 2^53-1. */
function applyWeight(bytes: number, weight: number): number {
  const rest = bytes % PLAIN_WEIGHT;
  const whole = ((bytes - rest) / PLAIN_WEIGHT) * weight;
  return Math.min(Number.MAX_SAFE_INTEGER, whole + Math.floor((rest * weight) / PLAIN_WEIGHT));
}

/** The weighted growth of a counter since its last value. Counters never decrease. */
export function applyWeightSince(value: TrafficDelta, last: TrafficDelta, weight: number): TrafficDelta {
  const grown = (now: number, before: number) => Math.max(0, applyWeight(now, weight) - applyWeight(before, weight));
  return { up: grown(value.up, last.up), down: grown(value.down, last.down) };
}
