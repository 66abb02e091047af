// The port that a new connection begins with.
import { expect, it } from 'vitest';
import { nextPort } from './usual-ports.ts';

it('is the first usual one that is free, and some other where none is', () => {
  expect(nextPort(new Set())).toBe(443);
  expect(nextPort(new Set([443, 2053]))).toBe(8443);
  expect(nextPort(new Set([443, 8443, 2053, 2083, 2087, 2096, 10_000]))).toBe(10_001);
});
