// How many connections a network may hold, and the one around it.
import { expect, it } from 'vitest';
import { createNetworkShares } from './network-shares.ts';

/** Takes until there is no more, or far too many; how many there were. */
function acquireAll(acquireShare: () => (() => void) | null): number {
  let count = 0;
  while (count < 2000 && acquireShare() !== null) count += 1;
  return count;
}

it.each(['192.0.2.1', '2001:db8::1', 'no address'])('are 256 for %s, each given back once', (address) => {
  const shares = createNetworkShares();
  const releaseShare = shares.acquireShare(address);
  expect(acquireAll(() => shares.acquireShare(address))).toBe(255);
  releaseShare?.();
  expect(acquireAll(() => shares.acquireShare(address))).toBe(1);
  const all = createNetworkShares();
  const held = Array.from({ length: 256 }, () => all.acquireShare(address));
  for (const end of held) end?.();
  expect(acquireAll(() => all.acquireShare(address))).toBe(256);
});

it.each([
  ['a /48', (index: number) => `2001:db8:1:${index}::1`, '2001:db8:2::1'],
  ['a /24', (index: number) => `192.0.2.${index}`, '192.0.3.1'],
])('are 1,024 for all of %s', (_, address, other) => {
  const shares = createNetworkShares();
  const first = shares.acquireShare(address(0));
  let index = 0;
  const acquireNext = () => {
    index = (index + 1) % 200;
    return shares.acquireShare(address(index));
  };
  expect(acquireAll(acquireNext)).toBe(1023);
  expect(acquireAll(() => shares.acquireShare(other))).toBe(256);
  first?.();
  expect(acquireAll(() => shares.acquireShare(address(0)))).toBe(1);
});
