// The keys of Shadowsocks 2022 (SIP022): the server and each user have one, as long as the cipher wants it. Panels store 32 bytes.

/** Bytes of the key that is stored for each user and server. */
export const STORED_KEY_BYTES = 32;

/** Bytes of a key by cipher; the older ciphers take a password. */
const KEY_BYTES: Readonly<Record<string, number>> = {
  '2022-blake3-aes-128-gcm': 16,
  '2022-blake3-aes-256-gcm': STORED_KEY_BYTES,
};

/** Whether a cipher takes keys in base64 instead of a password. */
export function hasKeys(method: string | null): boolean {
  return method !== null && Object.hasOwn(KEY_BYTES, method);
}

/** The first bytes of a key (32 bytes in base64), as many as the cipher takes, in base64. */
export function keyFor(method: string, key: string): string {
  const bytes = KEY_BYTES[method] ?? STORED_KEY_BYTES;
  return btoa(atob(key).slice(0, bytes));
}
