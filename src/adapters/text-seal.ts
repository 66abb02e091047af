// Seals texts with a key in a file that only its owner may read: a copy of the database alone reveals no secret.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Clock, Log } from '../core/ports/ports.ts';
import { readIfThere, setAside, writePrivateFile } from './private-file.ts';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const OPTIONS = { authTagLength: TAG_BYTES };

/** The text was not sealed with this key, or was changed since. */
export class UnsealableError extends Error {}

export interface SealedTexts {
  seal(text: string): Uint8Array;
  /** Throws UnsealableError. */
  open(sealed: Uint8Array): string;
}

interface Parts {
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * AES-256-GCM, by the key in `file`, which is created (0600) if it is missing or damaged. Throws the file system's error if it cannot be
 * read.
 */
export function openTextSeal(file: string, parts: Parts): SealedTexts {
  const key = readKey(file, parts) ?? makeKey(file);
  return {
    seal(plain) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce, OPTIONS);
      return Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed) {
      const bytes = Buffer.from(sealed);
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), OPTIONS);
        decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
        const plain = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
        return Buffer.concat([plain, decipher.final()]).toString('utf8');
      } catch (cause) {
        throw new UnsealableError('it was not sealed with this key', { cause });
      }
    },
  };
}

/** null: there is no key; a damaged one is set aside. */
function readKey(file: string, { clock, log }: Parts): Buffer | null {
  const text = readIfThere(file);
  if (text === null) return null;
  const key = Buffer.from(text.trim(), 'hex');
  if (key.length === KEY_BYTES) return key;
  log.error('key is damaged', { file, aside: setAside(file, clock.now()) });
  return null;
}

function makeKey(file: string): Buffer {
  const key = randomBytes(KEY_BYTES);
  writePrivateFile(file, key.toString('hex'));
  return key;
}
