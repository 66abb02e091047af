// Holds encrypted links for Happ to the key that Happ publishes, and to another program's RSA.
import { constants, createHash, createPublicKey, generateKeyPairSync, privateDecrypt } from 'node:crypto';
import { fc, test } from '@fast-check/vitest';
import { expect, it } from 'vitest';
import { encryptForHapp, HAPP_MODULUS } from './happ-link.ts';

it('has the key that is in the documentation of Happ', () => {
  const n = Buffer.from(HAPP_MODULUS.toString(16), 'hex').toString('base64url');
  const key = createPublicKey({ key: { kty: 'RSA', n, e: 'AQAB' }, format: 'jwk' });
  const hash = createHash('sha256').update(key.export({ type: 'spki', format: 'der' }));
  expect(hash.digest('hex')).toBe('3b38c792483f55692e993878f05b0c1a60cf9ed96c206570c70a38425b781ac5');
});

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 4096 });
const { n = '' } = publicKey.export({ format: 'jwk' });
const modulus = BigInt(`0x${Buffer.from(n, 'base64url').toString('hex')}`);

test.prop([fc.string({ unit: 'grapheme', maxLength: 60 })], { numRuns: 20 })('is decrypted by OpenSSL', (link) => {
  const encrypted = Buffer.from(encryptForHapp(link, modulus) ?? '', 'base64');
  const decrypted = privateDecrypt({ key: privateKey, padding: constants.RSA_PKCS1_PADDING }, encrypted);
  expect(decrypted.toString()).toBe(link.toWellFormed());
});

it('is the same each time, and takes 501 bytes', () => {
  const link = `https://panel.example/sub/${'a'.repeat(475)}`;
  expect(encryptForHapp(link)).toMatch(/^[A-Za-z0-9+/]{683}=$/);
  expect(encryptForHapp(link)).toBe(encryptForHapp(link));
  expect(encryptForHapp(`${link}a`)).toBeNull();
});
