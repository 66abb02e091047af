// What a node may report: all that an honest one can have moved, and no more than its line carries.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  beginAllowance,
  endReading,
  type LineAllowance,
  refillAllowance,
  SPARE_MS,
  spendAllowance,
} from './line-allowance.ts';

const START = Date.UTC(2026, 10, 20, 12);
const GBPS = 1;
const BYTES_PER_MS = 125_000;

interface Reading {
  /** Since the one before. */
  readonly ms: number;
  /** Read a little later than the panel asked. */
  readonly lateMs: number;
  readonly isComplete: boolean;
  /** Of what the line carries. */
  readonly load: number;
}

const reading: fc.Arbitrary<Reading> = fc.record({
  ms: fc.oneof(fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: 1, max: 30 * 86_400_000 })),
  lateMs: fc.nat(5000),
  isComplete: fc.boolean(),
  load: fc.double({ min: 0, max: 1, noNaN: true }),
});

function spendUsers(allowance: LineAllowance, bytes: number) {
  const { counted, left } = spendAllowance(allowance.users, { up: bytes, down: bytes });
  return { counted, allowance: { ...allowance, users: left } };
}

it('has room for all that an honest node has moved, however long it was away and in however many parts it comes', () => {
  fc.assert(
    fc.property(fc.array(reading, { maxLength: 30 }), (readings) => {
      let allowance = beginAllowance(START, GBPS);
      let [now, readUntil, seenAt, waiting] = [START, START, null as number | null, 0];
      for (const { ms, lateMs, isComplete, load } of readings) {
        now += ms;
        const until = Math.max(readUntil, now + lateMs);
        waiting += Math.floor((until - readUntil) * BYTES_PER_MS * load);
        readUntil = until;
        allowance = refillAllowance(allowance, now, seenAt, GBPS);
        const offered = isComplete ? waiting : Math.floor(waiting / 2);
        const spent = spendUsers(allowance, offered);
        expect(spent.counted).toEqual({ up: offered, down: offered });
        waiting -= offered;
        allowance = endReading(spent.allowance, isComplete, GBPS);
        if (isComplete) seenAt = now;
      }
    }),
  );
});

it('has room for no more than the line carries, whatever is reported', () => {
  fc.assert(
    fc.property(fc.array(reading, { maxLength: 30 }), (readings) => {
      let allowance = beginAllowance(START, GBPS);
      let [now, total] = [START, 0];
      for (const { ms, isComplete } of readings) {
        now += ms;
        const seenAt = now - ms;
        allowance = refillAllowance(allowance, now, seenAt, GBPS);
        const spent = spendUsers(allowance, Number.MAX_SAFE_INTEGER);
        total += spent.counted.up;
        allowance = endReading(spent.allowance, isComplete, GBPS);
      }
      expect(total).toBeLessThanOrEqual((now - START + SPARE_MS) * BYTES_PER_MS);
    }),
  );
});

it('does not grow while a node has nothing to report, nor with a clock that is set back', () => {
  const spare = SPARE_MS * BYTES_PER_MS;
  const month = START + 30 * 86_400_000;
  const idle = refillAllowance(endReading(beginAllowance(START, GBPS), true, GBPS), month, month - 10_000, GBPS);
  expect(idle.users.up).toBeLessThanOrEqual(2 * spare + 10_000 * BYTES_PER_MS);
  const back = refillAllowance(idle, START, month, GBPS);
  expect(back.users).toEqual(idle.users);
  expect(refillAllowance(back, START + 1000, START, GBPS).users.up).toBe(idle.users.up + 1000 * BYTES_PER_MS);
  // 100 Gbit/s for a century are more than numbers hold exactly.
  expect(refillAllowance(beginAllowance(0, 100), 100 * 31_536_000_000, null, 100).users.up).toBe(
    Number.MAX_SAFE_INTEGER,
  );
});
