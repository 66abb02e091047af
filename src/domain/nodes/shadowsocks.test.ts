// Keys of the length that each cipher requires.
import { expect, it } from 'vitest';
import { hasKeys, keyFor } from './shadowsocks.ts';

const KEY = btoa(String.fromCharCode(...Array.from({ length: 32 }, (_, byte) => byte + 200 - 180)));

it('cuts a key to the bytes of its cipher', () => {
  expect(atob(keyFor('2022-blake3-aes-128-gcm', KEY))).toBe(atob(KEY).slice(0, 16));
  expect(keyFor('2022-blake3-aes-256-gcm', KEY)).toBe(KEY);
});

it('knows which ciphers have keys', () => {
  expect(['aes-256-gcm', '2022-blake3-aes-128-gcm', '2022-blake3-aes-256-gcm', null].map(hasKeys)).toEqual([
    false,
    true,
    true,
    false,
  ]);
});
