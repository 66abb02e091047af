// How much memory bodies that never end may use, and which of them is aborted.
import { expect, it } from 'vitest';
import { createHeldBodies } from './held-bodies.ts';

const CHUNK = 1000;
const COST = CHUNK + 256;

function open(most: number) {
  const bodies = createHeldBodies(most);
  const gone: number[] = [];
  const begin = (number: number) => bodies.open(() => void gone.push(number));
  return { bodies, gone, begin };
}

it('gives up those that began first, and never holds more', () => {
  const { bodies, gone, begin } = open(10 * COST);
  const attackers = Array.from({ length: 256 }, (_, number) => begin(number));
  for (const attacker of attackers) {
    attacker.add(CHUNK);
    expect(bodies.bytes()).toBeLessThanOrEqual(10 * COST);
  }
  expect(gone).toEqual(Array.from({ length: 246 }, (_, number) => number));
  const client = begin(256);
  client.add(CHUNK);
  expect(gone.at(-1)).toBe(246);
});

it('counts what small chunks cost, and nothing of what is released', () => {
  const { bodies, gone, begin } = open(5000);
  const body = begin(0);
  for (let chunk = 0; chunk < 100; chunk++) body.add(1);
  expect(gone).toEqual([0]);
  const [one, two] = [begin(1), begin(2)];
  one.add(CHUNK);
  two.add(CHUNK);
  one.release();
  one.release();
  one.add(CHUNK);
  expect(bodies.bytes()).toBe(COST);
  two.release();
  expect([bodies.bytes(), gone]).toEqual([0, [0]]);
});
