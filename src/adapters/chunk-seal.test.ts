// A sealed chunk opens only at its own index and with its own context.
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type ChunkSeal, checking, encrypting, TAG_BYTES } from './chunk-seal.ts';

const key = randomBytes(32);
const context = randomBytes(32);
const plain = Buffer.from('a piece of a database');

const seals: readonly (readonly [string, ChunkSeal, ChunkSeal])[] = [
  ['in clear', checking(context), checking(randomBytes(32))],
  ['encrypted', encrypting(key, context), encrypting(key, randomBytes(32))],
];

describe.each(seals)('%s', (_name, seal, elsewhere) => {
  test('comes back as it was, with a tag more', () => {
    for (const bytes of [plain, Buffer.alloc(0), randomBytes(100_000)]) {
      const sealed = seal.seal(bytes, 3, false);
      expect(sealed.length).toBe(bytes.length + TAG_BYTES);
      expect(seal.open(sealed, 3, false)).toEqual(bytes);
    }
  });

  test('opens at no other place, not as the last one, and behind no other beginning', () => {
    const sealed = seal.seal(plain, 3, false);
    expect(seal.open(sealed, 4, false)).toBeNull();
    expect(seal.open(sealed, 3, true)).toBeNull();
    expect(elsewhere.open(sealed, 3, false)).toBeNull();
  });

  test('no bit of it can be changed', () => {
    const sealed = seal.seal(plain, 0, true);
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect([bit, seal.open(changed, 0, true)]).toEqual([bit, null]);
    }
  });
});

test('encrypted it opens with no other key and shows nothing', () => {
  const sealed = encrypting(key, context).seal(plain, 0, true);
  expect(sealed.includes('piece')).toBe(false);
  expect(encrypting(randomBytes(32), context).open(sealed, 0, true)).toBeNull();
});
