// Sealed secrets keep their bytes, share one master key, and can be removed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Store } from '../core/ports/ports.ts';
import type { SealedRow } from '../core/ports/sealed.ts';
import { openStore } from './index.ts';

const row = (place: string, keyId = 'a'.repeat(16)): SealedRow => ({
  place,
  keyId,
  nonce: Uint8Array.from({ length: 12 }, (_, at) => at),
  ciphertext: Uint8Array.from({ length: 40 }, (_, at) => 255 - at),
});

let folder = '';
let store: Store;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-sealed-'));
  store = openStore(join(folder, 'panel.db'));
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

const plain = (found: SealedRow | undefined) =>
  found && { ...found, nonce: Uint8Array.from(found.nonce), ciphertext: Uint8Array.from(found.ciphertext) };

test('a row comes back byte for byte, and again after it was replaced', () => {
  const { sealed } = store;
  expect(sealed.get('totp')).toBeUndefined();
  sealed.save(row('totp'));
  expect(plain(sealed.get('totp'))).toEqual(row('totp'));
  const replaced = { ...row('totp'), ciphertext: Uint8Array.from({ length: 16 }) };
  sealed.save(replaced);
  expect(plain(sealed.get('totp'))).toEqual(replaced);
  sealed.save(row('node:1'));
  expect(sealed.all().map(({ place }) => place)).toEqual(['node:1', 'totp']);
  sealed.remove('totp');
  sealed.remove('totp');
  expect(sealed.all().map(({ place }) => place)).toEqual(['node:1']);
});

test('the key id is that of the rows, and none without any', () => {
  const { sealed } = store;
  expect(sealed.keyId()).toBeNull();
  sealed.save(row('totp'));
  expect(sealed.keyId()).toBe('a'.repeat(16));
  sealed.remove('totp');
  expect(sealed.keyId()).toBeNull();
  sealed.save(row('totp', 'b'.repeat(16)));
  expect(sealed.keyId()).toBe('b'.repeat(16));
});

test('a row of another key is refused beside others, and takes the place of the only one', () => {
  const { sealed } = store;
  sealed.save(row('totp'));
  sealed.save(row('totp', 'b'.repeat(16)));
  sealed.save(row('node:1', 'b'.repeat(16)));
  expect(() => sealed.save(row('totp', 'c'.repeat(16)))).toThrow('another key');
  expect(() => sealed.save(row('node:2', 'c'.repeat(16)))).toThrow('another key');
  expect(sealed.all().map(({ keyId }) => keyId)).toEqual(['b'.repeat(16), 'b'.repeat(16)]);
});

test.each([
  ['no place', { place: '' }],
  ['a place too long', { place: 'x'.repeat(201) }],
  ['no key id', { keyId: '' }],
  ['a short nonce', { nonce: new Uint8Array(11) }],
  ['less than a tag', { ciphertext: new Uint8Array(15) }],
])('a row with %s is refused', (_what, part) => {
  expect(() => store.sealed.save({ ...row('totp'), ...part })).toThrow('CHECK');
  expect(store.sealed.all()).toEqual([]);
});
