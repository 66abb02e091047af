// How failed attempts slow each other: a few are free, then the wait doubles up to a quarter of an hour.
import { expect, it } from 'vitest';
import { waitAfter } from './proof.ts';

it('waits longer after each failure, and never longer than 15 minutes', () => {
  expect([0, 1, 2, 3, 4, 5, 12].map(waitAfter)).toEqual([0, 0, 0, 1000, 2000, 4000, 512_000]);
  expect([13, 14, 50, 5000].map(waitAfter)).toEqual([900_000, 900_000, 900_000, 900_000]);
});

it('lets at most 50 guesses an hour be looked at', () => {
  let at = 0;
  let looked = 0;
  while (at < 3_600_000) {
    looked += 1;
    at += waitAfter(looked);
  }
  expect(looked).toBeLessThan(50);
});
