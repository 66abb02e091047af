// Known digests and the comparison of unequal lengths.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { nodeCrypto } from './crypto.ts';

test('sha256 of text and of its bytes, as FIPS 180-4 gives it', () => {
  const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  expect(nodeCrypto.sha256('abc')).toBe(abc);
  expect(nodeCrypto.sha256(new TextEncoder().encode('abc'))).toBe(abc);
});

test('isEqual holds for equal texts only, of whatever length', () => {
  expect(nodeCrypto.isEqual('secret', 'secret')).toBe(true);
  expect(nodeCrypto.isEqual('secret', 'Secret')).toBe(false);
  expect(nodeCrypto.isEqual('secret', 'secret ')).toBe(false);
  expect(nodeCrypto.isEqual('', 'x')).toBe(false);
});

test('random values differ and have the length asked for', () => {
  expect(nodeCrypto.randomBytes(24)).toHaveLength(24);
  expect(nodeCrypto.randomBytes(16)).not.toEqual(nodeCrypto.randomBytes(16));
  expect(nodeCrypto.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

/** Node's own keys, which its OpenSSL makes: Electron has none of them. */
describe.each([
  ['ml-kem-768', nodeCrypto.mlkem768PublicKey, 64],
  ['ml-dsa-65', nodeCrypto.mldsa65PublicKey, 32],
] as const)('%s', (type, derive, seedBytes) => {
  test('gives the public key that Node computes of the same seed', () => {
    // @types/node does not know the types of these keys yet.
    const { privateKey } = (generateKeyPairSync as (type: string) => { privateKey: KeyObject })(type);
    const { priv = '', pub } = privateKey.export({ format: 'jwk' }) as { priv?: string; pub?: string };
    expect(Buffer.from(priv, 'base64url')).toHaveLength(seedBytes);
    expect(derive(priv)).toBe(pub);
  });
});

describe('X25519', () => {
  test('gives the public key of RFC 7748 section 6.1 (Bob)', () => {
    const secret = Buffer.from('5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb', 'hex');
    const shared = Buffer.from('de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f', 'hex');
    expect(nodeCrypto.x25519PublicKey(secret.toString('base64url'))).toBe(shared.toString('base64url'));
  });

  test('makes pairs that belong together and differ', () => {
    const first = nodeCrypto.newX25519();
    expect(first.privateKey).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(nodeCrypto.x25519PublicKey(first.privateKey)).toBe(first.publicKey);
    expect(nodeCrypto.newX25519().privateKey).not.toBe(first.privateKey);
  });
});
