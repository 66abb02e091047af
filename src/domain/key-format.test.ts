// Holds the form of keys: known checksums, and every mistyped key refused.
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { base62FromBytes, crc32, formatKey, isKeyWellFormed, KEY_PATTERN } from './key-format.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const character = fc.constantFrom(...ALPHABET);
const body = fc.string({ unit: character, minLength: 36, maxLength: 36 });

test.each([
  ['123456789', 0xcbf43926],
  ['', 0],
  ['The quick brown fox jumps over the lazy dog', 0x414fa339],
])('crc32 of %j', (text, expected) => {
  expect(crc32(text, 0, text.length)).toBe(expected);
});

describe('keys', () => {
  test.prop([body])('what is formatted is well formed', (text) => {
    const key = formatKey(text);
    expect(key).toMatch(KEY_PATTERN);
    expect(key.slice(0, 40)).toBe(`pnl_${text}`);
    expect(isKeyWellFormed(key)).toBe(true);
  });

  test.prop([body])('the checksum is the CRC-32 in base62, most significant first, padded with 0', (text) => {
    let value = 0;
    for (const digit of formatKey(text).slice(40)) value = value * 62 + ALPHABET.indexOf(digit);
    expect(value).toBe(crc32(text, 0, 36));
  });

  test('a small checksum keeps its length', () => {
    expect(formatKey('0'.repeat(36))).toHaveLength(46);
  });

  test.prop([body, fc.nat({ max: 45 }), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })], { numRuns: 500 })(
    'one wrong character is always found',
    (text, index, wrong) => {
      const key = formatKey(text);
      const mistyped = key.slice(0, index) + wrong + key.slice(index + 1);
      expect(isKeyWellFormed(mistyped)).toBe(mistyped === key);
    },
  );

  test.prop([body, fc.integer({ min: 4, max: 44 })])('two neighbours that changed places are found', (text, index) => {
    const key = formatKey(text);
    const swapped = key.slice(0, index) + key.charAt(index + 1) + key.charAt(index) + key.slice(index + 2);
    expect(isKeyWellFormed(swapped)).toBe(swapped === key);
  });

  test.prop([fc.string({ unit: 'binary', maxLength: 60 })])('any other text is refused', (text) => {
    expect(isKeyWellFormed(text)).toBe(false);
  });

  test.each(['/', ':', '@', '[', '`', '{', '-', 'é'])('a character beside the alphabet is refused: %s', (other) => {
    for (const index of [0, 17, 35]) {
      const key = formatKey('0'.repeat(index) + other + '0'.repeat(35 - index));
      expect(isKeyWellFormed(key)).toBe(false);
    }
  });

  test('the first and last characters of the alphabet are taken everywhere', () => {
    for (const one of '09AZaz') expect(isKeyWellFormed(formatKey(one.repeat(36)))).toBe(true);
  });

  test.prop([body, character])('a longer or shorter one is refused', (text, more) => {
    const key = formatKey(text);
    expect(isKeyWellFormed(key + more)).toBe(false);
    expect(isKeyWellFormed(key.slice(0, -1))).toBe(false);
    expect(isKeyWellFormed(`${key}\n`)).toBe(false);
  });
});

describe('base62FromBytes', () => {
  test('takes each of the first 248 byte values as often as any other, and none above', () => {
    let next = 0;
    const everyByte = (count: number) => Uint8Array.from({ length: count }, () => next++ % 256);
    const text = base62FromBytes(everyByte, 248);
    for (const one of ALPHABET) expect(text.split(one)).toHaveLength(5);
    expect(next).toBe(248);
    expect(base62FromBytes(everyByte, 1)).toBe('0');
    expect(next).toBe(257);
  });

  test.prop([fc.nat({ max: 200 }), fc.infiniteStream(fc.nat({ max: 255 }))])(
    'has the length asked for',
    (length, bytes) => {
      const random = (count: number) => Uint8Array.from(bytes.take(count));
      expect(base62FromBytes(random, length)).toMatch(new RegExp(`^[0-9A-Za-z]{${length}}$`));
    },
  );
});
