// Upper bound of the traffic that a node can have moved since its counters were last read, from the bandwidth of its line. The reports of a node's
// machine are not trusted.
import type { TrafficDelta } from '../users/traffic.ts';

/** Tolerance for readings that are early or late, and for a clock that was set. */
export const SPARE_MS = 60_000;

/** 1 Gbit/s is this many bytes per millisecond. */
const BYTES_PER_MS = 125_000;

/** Bytes that may still be counted, in each direction. Counters of users and of inbounds count the same bytes, so each has its own allowance. */
export interface LineAllowance {
  /** Until when bytes were added, epoch ms. */
  readonly at: number;
  /** The last reading was incomplete, so the allowance must not shrink. */
  readonly isBehind: boolean;
  readonly users: TrafficDelta;
  readonly inbounds: TrafficDelta;
}

function carriedIn(ms: number, gbps: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, ms) * gbps * BYTES_PER_MS);
}

function add({ up, down }: TrafficDelta, bytes: number): TrafficDelta {
  const grown = (value: number) => Math.min(Number.MAX_SAFE_INTEGER, value + bytes);
  return { up: grown(up), down: grown(down) };
}

function limit({ up, down }: TrafficDelta, bytes: number): TrafficDelta {
  return { up: Math.min(up, bytes), down: Math.min(down, bytes) };
}

/** The allowance of a node whose counters cannot be older than `at`. */
export function beginAllowance(at: number, gbps: number): LineAllowance {
  const spare = carriedIn(SPARE_MS, gbps);
  const both = { up: spare, down: spare };
  return { at, isBehind: false, users: both, inbounds: both };
}

/** Adds what the line could carry since the last refill. `seenAt`: when all counters were last read, whether they had grown or not; null: never. */
export function refillAllowance(
  { at, isBehind, users, inbounds }: LineAllowance,
  now: number,
  seenAt: number | null,
  gbps: number,
): LineAllowance {
  const since = isBehind || seenAt === null ? at : Math.max(at, seenAt - SPARE_MS);
  const carried = carriedIn(now - since, gbps);
  return { at: now, isBehind, users: add(users, carried), inbounds: add(inbounds, carried) };
}

/** After a reading. `isComplete`: all counters were read, so unused allowance beyond the tolerance is dropped. */
export function endReading(allowance: LineAllowance, isComplete: boolean, gbps: number): LineAllowance {
  if (!isComplete) return { ...allowance, isBehind: true };
  const spare = carriedIn(SPARE_MS, gbps);
  const { users, inbounds } = allowance;
  return { ...allowance, isBehind: false, users: limit(users, spare), inbounds: limit(inbounds, spare) };
}

/** Splits the growth of a counter into the part that the allowance covers, and returns the remaining allowance. */
export function spendAllowance(
  left: TrafficDelta,
  step: TrafficDelta,
): { readonly counted: TrafficDelta; readonly left: TrafficDelta } {
  const counted = { up: Math.min(step.up, left.up), down: Math.min(step.down, left.down) };
  return { counted, left: { up: left.up - counted.up, down: left.down - counted.down } };
}
