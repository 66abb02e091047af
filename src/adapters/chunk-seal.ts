// Seals a file in chunks, so that it can be read as a stream and any change, reordering, omission or truncation is detected.
import { createCipheriv, createDecipheriv, createHash, timingSafeEqual } from 'node:crypto';

/** Bytes that sealing adds to each chunk. */
export const TAG_BYTES = 16;
export const DATA_KEY_BYTES = 32;

export interface ChunkSeal {
  /** `index` counts from 0. `isLast` is authenticated too, so that a truncated file is detected. */
  seal(plain: Uint8Array, index: number, isLast: boolean): Buffer;
  /** null: these are not the bytes that were sealed as this chunk. */
  open(sealed: Buffer, index: number, isLast: boolean): Buffer | null;
}

/** The nonce of one chunk: its index and whether it is the last. A key seals one file only, so no nonce is used twice. */
function buildNonce(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt8(isLast ? 1 : 0, 0);
  nonce.writeBigUInt64BE(BigInt(index), 4);
  return nonce;
}

/** AES-256-GCM. `context`: the bytes before the chunks, authenticated with each of them. */
export function encrypting(key: Uint8Array, context: Uint8Array): ChunkSeal {
  const options = { authTagLength: TAG_BYTES };
  return {
    seal(plain, index, isLast) {
      const cipher = createCipheriv('aes-256-gcm', key, buildNonce(index, isLast), options).setAAD(context);
      return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed, index, isLast) {
      const decipher = createDecipheriv('aes-256-gcm', key, buildNonce(index, isLast), options).setAAD(context);
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
      } catch {
        return null;
      }
    },
  };
}

/** Without encryption: digests detect damage but not forgery. */
export function checking(context: Uint8Array): ChunkSeal {
  const computeTag = (plain: Uint8Array, index: number, isLast: boolean) =>
    createHash('sha256')
      .update(context)
      .update(buildNonce(index, isLast))
      .update(plain)
      .digest()
      .subarray(0, TAG_BYTES);
  return {
    seal: (plain, index, isLast) => Buffer.concat([plain, computeTag(plain, index, isLast)]),
    open(sealed, index, isLast) {
      const plain = sealed.subarray(0, -TAG_BYTES);
      return timingSafeEqual(computeTag(plain, index, isLast), sealed.subarray(-TAG_BYTES)) ? plain : null;
    },
  };
}
