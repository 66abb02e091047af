// The weight of a node: nothing is lost by rounding, however the traffic comes in.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { applyWeightSince, MAX_WEIGHT, PLAIN_WEIGHT } from './weight.ts';

const NOTHING = { up: 0, down: 0 };

it('multiplies in hundredths, rounded down', () => {
  const moved = { up: 999, down: 101 };
  expect(applyWeightSince(moved, NOTHING, PLAIN_WEIGHT)).toEqual(moved);
  expect(applyWeightSince(moved, NOTHING, 0)).toEqual(NOTHING);
  expect(applyWeightSince(moved, NOTHING, 150)).toEqual({ up: 1498, down: 151 });
  expect(applyWeightSince(moved, NOTHING, MAX_WEIGHT)).toEqual({ up: 9990, down: 1010 });
  expect(applyWeightSince(NOTHING, moved, 150)).toEqual(NOTHING);
});

it('counts the same in one poll and in many', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 2 ** 40 }), { minLength: 1 }), fc.nat({ max: MAX_WEIGHT }), (polls, weight) => {
      let [counter, counted] = [0, 0];
      for (const moved of polls) {
        counted += applyWeightSince({ up: counter + moved, down: 0 }, { up: counter, down: 0 }, weight).up;
        counter += moved;
      }
      expect(BigInt(counted)).toBe((BigInt(counter) * BigInt(weight)) / 100n);
    }),
  );
});

it('stops at what numbers hold exactly', () => {
  const most = { up: Number.MAX_SAFE_INTEGER, down: 0 };
  expect(applyWeightSince(most, NOTHING, MAX_WEIGHT).up).toBe(Number.MAX_SAFE_INTEGER);
  expect(applyWeightSince(most, { ...most, up: most.up - 100 }, PLAIN_WEIGHT).up).toBe(100);
});
