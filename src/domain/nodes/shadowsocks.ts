// Keys of Shadowsocks 2022 (SIP022): the server and each user have one, of the length that the cipher needs. The panel stores 32 bytes.

/** Bytes of the stored key of each user and server. */
export const STORED_KEY_BYTES = 32;

/** Key length in bytes by cipher; older ciphers use a password. */
const KEY_BYTES: Readonly<Record<string, number>> = {
  '2022-blake3-aes-128-gcm': 16,
  '2022-blake3-aes-256-gcm': STORED_KEY_BYTES,
};

/** Whether a cipher uses base64 keys instead of a password. */
export function hasKeys(method: string | null): boolean {
  return method !== null && Object.hasOwn(KEY_BYTES, method);
}

/** The leading bytes of a stored key (32 bytes in base64) that the cipher uses, in base64. */
export function keyFor(method: string, key: string): string {
  const bytes = KEY_BYTES[method] ?? STORED_KEY_BYTES;
  return btoa(atob(key).slice(0, bytes));
}

/** A key of a cipher's own length (base64) in the stored length; null: it has another length. */
export function toStoredKey(method: string, key: string): string | null {
  let bytes: string;
  try {
    bytes = atob(key);
  } catch {
    return null;
  }
  if (bytes.length !== KEY_BYTES[method]) return null;
  return btoa(bytes.padEnd(STORED_KEY_BYTES, '\0'));
}
