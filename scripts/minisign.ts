// Signs in minisign's format with a secret key that has no password, as `minisign -G -W` and `npx node scripts/release-key.ts` make it.
import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const KEY = 'Ed';
const SIGNATURE = 'ED';
/** `Ed`, no key derivation, BLAKE2b checksums; then salt and limits, which are not used. */
const HEAD_BYTES = 6 + 32 + 8 + 8;
const ID_BYTES = 8;
const SEED_BYTES = 32;
/** What DER puts before the 32 bytes of an Ed25519 private key (RFC 8410). */
const DER_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

interface SecretKey {
  readonly id: Buffer;
  readonly seed: Buffer;
}

/** The text of a secret key file, or its second line alone. Throws where it has a password or is none. */
export function readSecretKey(text: string): SecretKey {
  const line = text.trim().split(/\r?\n/).at(-1) ?? '';
  const bytes = Buffer.from(line, 'base64');
  const id = bytes.subarray(HEAD_BYTES, HEAD_BYTES + ID_BYTES);
  const seed = bytes.subarray(HEAD_BYTES + ID_BYTES, HEAD_BYTES + ID_BYTES + SEED_BYTES);
  if (bytes.toString('latin1', 0, 2) !== KEY || seed.length !== SEED_BYTES) throw new Error('This is no secret key.');
  if (bytes.readUInt16LE(2) !== 0) throw new Error('The secret key has a password: make one by `minisign -G -W`.');
  return { id, seed };
}

/** The content of a `.minisig` file. */
export function signBytes(bytes: Buffer, { id, seed }: SecretKey, comment: string): string {
  const key = createPrivateKey({ key: Buffer.concat([DER_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const signature = sign(null, createHash('blake2b512').update(bytes).digest(), key);
  const commentSignature = sign(null, Buffer.concat([signature, Buffer.from(comment)]), key);
  const first = Buffer.concat([Buffer.from(SIGNATURE), id, signature]).toString('base64');
  return `untrusted comment: signature of a Gatehouse release\n${first}\ntrusted comment: ${comment}\n${commentSignature.toString('base64')}\n`;
}

/** A new pair as minisign's files have it. */
export function makeKeyPair(): { readonly publicKey: string; readonly secretKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(DER_PREFIX.length);
  const point = publicKey.export({ format: 'der', type: 'spki' }).subarray(-SEED_BYTES);
  const id = randomBytes(ID_BYTES);
  const head = Buffer.alloc(HEAD_BYTES);
  head.write(`${KEY}\0\0B2`, 'latin1');
  const checksum = Buffer.alloc(SEED_BYTES);
  const secret = Buffer.concat([head, id, seed, point, checksum]).toString('base64');
  return {
    publicKey: Buffer.concat([Buffer.from(KEY), id, point]).toString('base64'),
    secretKey: `untrusted comment: secret key of Gatehouse releases\n${secret}\n`,
  };
}
