// What the master key seals opens unchanged at its own place, and neither at another one nor after any change.
import { createCipheriv, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { times } from '../../../tests/support/long.ts';
import { formatMasterKey, newMasterKey, openWith, parseMasterKey, sealWith } from './master-key.ts';

const key = newMasterKey();
const INSTANCE = '0123456789ab';
const text = fc.string({ unit: 'grapheme', maxLength: 200 });

describe('a sealed secret', () => {
  property.prop([fc.string({ minLength: 1, maxLength: 100 }), text], { numRuns: times(2000, 10_000) })(
    'opens unchanged at its place',
    (place, secret) => {
      const row = sealWith(key, INSTANCE, place, secret);
      expect(row.nonce).toHaveLength(12);
      expect(row.ciphertext).toHaveLength(Buffer.byteLength(secret) + 16);
      expect(openWith(key, INSTANCE, row)).toBe(secret);
    },
  );

  property.prop([text, fc.string({ maxLength: 20 }), fc.string({ maxLength: 20 })])(
    'does not open at another place, for another panel or by another key',
    (secret, here, there) => {
      fc.pre(here !== there);
      const row = sealWith(key, INSTANCE, here, secret);
      expect(openWith(key, INSTANCE, { ...row, place: there })).toBeNull();
      expect(openWith(key, `${INSTANCE}0`, row)).toBeNull();
      const other = newMasterKey();
      expect(openWith(other, INSTANCE, row)).toBeNull();
      expect(openWith(other, INSTANCE, { ...row, keyId: other.id })).toBeNull();
    },
  );

  test('does not open with any one bit flipped, or cut anywhere', () => {
    const row = sealWith(key, INSTANCE, 'administrator:totp', 'JBSWY3DPEHPK3PXP');
    for (const part of ['nonce', 'ciphertext'] as const) {
      for (let bit = 0; bit < row[part].length * 8; bit += 1) {
        const changed = Uint8Array.from(row[part]);
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(openWith(key, INSTANCE, { ...row, [part]: changed })).toBeNull();
      }
      for (let length = 0; length < row[part].length; length += 1) {
        expect(openWith(key, INSTANCE, { ...row, [part]: row[part].subarray(0, length) })).toBeNull();
      }
    }
  });

  test('opens as every version before sealed it', () => {
    const former = parseMasterKey('AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8');
    expect(former?.id).toBe('a31a3bf1cd76a829');
    const row = {
      place: 'administrator:totp',
      keyId: 'a31a3bf1cd76a829',
      nonce: Buffer.from('0b875da3b85b72b5d172b494', 'hex'),
      ciphertext: Buffer.from('458a3ccc2f90232c3991bfc37e98f44a74d84779b2ea70cdeeb21bf94ee851b3cf6774', 'hex'),
    };
    expect(former && openWith(former, INSTANCE, row)).toBe('JBSWY3DPEHPK3PXP é');
  });

  test('does not open with a nonce of another length, even one that the key sealed with', () => {
    for (const length of [8, 11, 13, 16]) {
      const nonce = randomBytes(length);
      const cipher = createCipheriv('aes-256-gcm', key.secret, nonce, { authTagLength: 16 });
      cipher.setAAD(Buffer.from(`gatehouse|${INSTANCE}|a|${key.id}`));
      const ciphertext = Buffer.concat([cipher.update('secret'), cipher.final(), cipher.getAuthTag()]);
      expect(openWith(key, INSTANCE, { place: 'a', keyId: key.id, nonce, ciphertext })).toBeNull();
    }
  });

  test('is never the same twice, and holds nothing of the secret', () => {
    const secret = 'canary-secret-of-the-vault';
    const rows = Array.from({ length: 1000 }, () => sealWith(key, INSTANCE, 'a', secret));
    expect(new Set(rows.map(({ nonce }) => Buffer.from(nonce).toString('hex'))).size).toBe(1000);
    for (const { ciphertext } of rows) expect(Buffer.from(ciphertext).includes('canary')).toBe(false);
  });
});

describe('the text of a key', () => {
  test('gives the same key again, in base64 too and with white space around it', () => {
    const written = formatMasterKey(key);
    expect(written).toMatch(/^[\w-]{43}$/);
    const asBase64 = Buffer.from(written, 'base64url').toString('base64');
    for (const form of [written, `${written}\n`, `  ${asBase64}\r\n`]) {
      const read = parseMasterKey(form);
      expect(read?.id).toBe(key.id);
      expect(read && formatMasterKey(read)).toBe(written);
    }
  });

  test.each([
    '',
    'password',
    'x'.repeat(42),
    'x'.repeat(44),
    `${'x'.repeat(43)}==`,
    'ж'.repeat(43),
    'a'.repeat(64),
    `${'x'.repeat(20)}\n${'x'.repeat(23)}`,
  ])('is not %j', (form) => {
    expect(parseMasterKey(form)).toBeNull();
  });

  test('shows neither in what a log prints of the key nor in its id', () => {
    const written = formatMasterKey(key);
    const shown = `${inspect(key, { depth: 9, showHidden: true })} ${JSON.stringify(key)} ${String(key.secret)}`;
    expect(shown).not.toContain(written);
    expect(shown).not.toContain(Buffer.from(written, 'base64url').toString('hex').slice(0, 16));
    expect(key.id).toMatch(/^[0-9a-f]{16}$/);
    expect(newMasterKey().id).not.toBe(key.id);
  });
});
