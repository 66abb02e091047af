// How much traffic a node can have moved since its counters were last read: no more than its line carries in that time. A machine may say anything.
import type { TrafficDelta } from '../users/traffic.ts';

/** Counters are read a little earlier or later than the panel asks, and its clock may be set. */
export const SPARE_MS = 60_000;

/** Gbit in one second are so many bytes in a millisecond. */
const BYTES_PER_MS = 125_000;

/** Bytes that may still be counted, each way. The same bytes are in counters of users and of inbounds. */
export interface LineAllowance {
  /** Up to which moment bytes were added. */
  readonly at: number;
  /** More was offered than was read at once: nothing of what the line carried is lost meanwhile. */
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

/** Of a node whose counters cannot be older than `at`. */
export function beginAllowance(at: number, gbps: number): LineAllowance {
  const spare = carriedIn(SPARE_MS, gbps);
  const both = { up: spare, down: spare };
  return { at, isBehind: false, users: both, inbounds: both };
}

/** `seenAt`: when all counters were last read, whether they had grown or not; null: never. */
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

/** After a reading. `isComplete`: of all that there was; what the line could have carried besides did not move. */
export function endReading(allowance: LineAllowance, isComplete: boolean, gbps: number): LineAllowance {
  if (!isComplete) return { ...allowance, isBehind: true };
  const spare = carriedIn(SPARE_MS, gbps);
  const { users, inbounds } = allowance;
  return { ...allowance, isBehind: false, users: limit(users, spare), inbounds: limit(inbounds, spare) };
}

/** What of a step of a counter the allowance has room for, and what is left of it then. */
export function spendAllowance(
  left: TrafficDelta,
  step: TrafficDelta,
): { readonly counted: TrafficDelta; readonly left: TrafficDelta } {
  const counted = { up: Math.min(step.up, left.up), down: Math.min(step.down, left.down) };
  return { counted, left: { up: left.up - counted.up, down: left.down - counted.down } };
}
