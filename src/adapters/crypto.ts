// Random values, digests, keys and comparison behind the core's port, by node:crypto. ML-KEM and ML-DSA are of a package: not every Electron has them.
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  randomBytes,
  randomUUID,
  timingSafeEqual,
} from 'node:crypto';
import { ml_dsa65 } from '@noble/post-quantum/ml-dsa.js';
import { ml_kem768 } from '@noble/post-quantum/ml-kem.js';
import type { Crypto } from '../core/ports/ports.ts';

const encodeKey = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');

export const nodeCrypto: Crypto = {
  randomBytes: (length) => randomBytes(length),
  uuid: () => randomUUID(),
  // The one-shot form: it runs for every request with a key, and costs a third of a Hash object.
  sha256: (text) => hash('sha256', text, 'hex'),
  hmacSha256: (key, text) => createHmac('sha256', key).update(text).digest('base64'),
  newX25519() {
    const { d = '', x = '' } = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
    return { privateKey: d, publicKey: x };
  },
  x25519PublicKey(privateKey) {
    // RFC 8410: the PKCS #8 header before the 32 bytes of an X25519 key.
    const der = Buffer.concat([
      Buffer.from('302e020100300506032b656e04220420', 'hex'),
      Buffer.from(privateKey, 'base64url'),
    ]);
    const key = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
    return key.export({ format: 'jwk' }).x ?? '';
  },
  mlkem768PublicKey: (seed) => encodeKey(ml_kem768.keygen(Buffer.from(seed, 'base64url')).publicKey),
  mldsa65PublicKey: (seed) => encodeKey(ml_dsa65.keygen(Buffer.from(seed, 'base64url')).publicKey),
  isEqual,
};

/** Compares digests, so that the time taken reveals neither length nor position of a difference. */
function isEqual(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
}
