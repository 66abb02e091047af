// What a link shows of the inbounds on offer.
import { expect, test } from 'vitest';
import { selectOffered } from './offered.ts';

const offer = (id: number, isDraining = false) => ({ inbound: { id }, isDraining });

test("shows the user's inbounds, or all", () => {
  const offered = [offer(1), offer(2), offer(3)];
  expect(selectOffered([3, 1], offered)).toEqual([offer(1), offer(3)]);
  expect(selectOffered(null, offered)).toEqual(offered);
});

test('leaves out those of drained nodes, unless nothing would be left', () => {
  expect(selectOffered(null, [offer(1, true), offer(2)])).toEqual([offer(2)]);
  expect(selectOffered([1], [offer(1, true), offer(2)])).toEqual([offer(1, true)]);
});
