// Signatures in minisign's format (https://jedisct1.github.io/minisign/): Ed25519 over BLAKE2b-512 of the file, with a signed comment.
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** Prefixes of the first line and of the third. */
const UNTRUSTED = 'untrusted comment: ';
const TRUSTED = 'trusted comment: ';
const KEY_ALGORITHM = 'Ed';
/** The prehashed form; minisign's legacy form is refused. */
const SIGNATURE_ALGORITHM = 'ED';
const ID_BYTES = 8;
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** The DER header before the 32 bytes of an Ed25519 public key (RFC 8410). */
const DER_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

export interface TrustedKey {
  /** Hex. */
  readonly id: string;
  readonly key: KeyObject;
}

export interface Signature {
  readonly keyId: string;
  readonly signature: Buffer;
  /** Covered by the signature, but not yet verified. */
  readonly comment: string;
  readonly commentSignature: Buffer;
}

/** Parses a public key, the second line of minisign's key file; null: it is not one. */
export function readPublicKey(text: string): TrustedKey | null {
  const bytes = decode(text, 2 + ID_BYTES + KEY_BYTES);
  if (bytes === null || bytes.toString('latin1', 0, 2) !== KEY_ALGORITHM) return null;
  const der = Buffer.concat([DER_PREFIX, bytes.subarray(2 + ID_BYTES)]);
  return {
    id: bytes.toString('hex', 2, 2 + ID_BYTES),
    key: createPublicKey({ key: der, format: 'der', type: 'spki' }),
  };
}

/** Parses a `.minisig` file; null: it is not one of the prehashed form. */
export function readSignature(text: string): Signature | null {
  const [first = '', second = '', third = '', fourth = '', ...rest] = text.replace(/\r?\n$/, '').split(/\r?\n/);
  if (!first.startsWith(UNTRUSTED) || !third.startsWith(TRUSTED) || rest.length > 0) return null;
  const bytes = decode(second, 2 + ID_BYTES + SIGNATURE_BYTES);
  const commentSignature = decode(fourth, SIGNATURE_BYTES);
  if (bytes === null || commentSignature === null) return null;
  if (bytes.toString('latin1', 0, 2) !== SIGNATURE_ALGORITHM) return null;
  return {
    keyId: bytes.toString('hex', 2, 2 + ID_BYTES),
    signature: bytes.subarray(2 + ID_BYTES),
    comment: third.slice(TRUSTED.length),
    commentSignature,
  };
}

/** Whether one of the keys has signed this hash and the comment. */
export function isSigned(
  hash: Buffer,
  { keyId, signature, ...signed }: Signature,
  keys: readonly TrustedKey[],
): boolean {
  const comment = Buffer.concat([signature, Buffer.from(signed.comment)]);
  return keys.some(
    ({ id, key }) =>
      id === keyId && verify(null, hash, key, signature) && verify(null, comment, key, signed.commentSignature),
  );
}

export function hashBytes(bytes: Buffer): Buffer {
  return createHash('blake2b512').update(bytes).digest();
}

export async function hashOfFile(path: string): Promise<Buffer> {
  const hash = createHash('blake2b512');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest();
}

/** Decodes base64; null unless it is exactly `length` bytes. */
function decode(text: string, length: number): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === length && bytes.toString('base64') === text ? bytes : null;
}
