// Seals texts with a key in a file that only its owner may read: a copy of a database alone has no secret.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readIfThere, writePrivateFile } from './private-file.ts';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const OPTIONS = { authTagLength: TAG_BYTES };

export interface SealedTexts {
  seal(text: string): Uint8Array;
  /** Throws for what was not sealed with this key. */
  open(sealed: Uint8Array): string;
}

/** AES-256-GCM, by the key in `file`, which is made (0600) where there is none. Throws where it cannot be read or is no key. */
export function openTextSeal(file: string): SealedTexts {
  let text = readIfThere(file);
  if (text === null) {
    text = randomBytes(KEY_BYTES).toString('hex');
    writePrivateFile(file, text);
  }
  const key = Buffer.from(text.trim(), 'hex');
  if (key.length !== KEY_BYTES) throw new Error(`${file} is no key`);
  return {
    seal(plain) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce, OPTIONS);
      return Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed) {
      const bytes = Buffer.from(sealed);
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), OPTIONS);
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const plain = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([plain, decipher.final()]).toString('utf8');
    },
  };
}
