// The proof of a join, whatever a stranger sends instead.
import { expect, it } from 'vitest';
import { isProof } from './wire.ts';

const EXPECTED = 'ab'.repeat(32);

it('is accepted as it is expected, and nothing else is, also what has as many characters but more bytes', () => {
  expect(isProof(EXPECTED, EXPECTED)).toBe(true);
  for (const given of ['', 'ab', 'ba'.repeat(32), 'é'.repeat(64), '😀'.repeat(32), EXPECTED.toUpperCase()])
    expect(isProof(given, EXPECTED)).toBe(false);
});
