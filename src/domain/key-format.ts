// Format of API keys. The checksum lets a mistyped key be refused without a look-up, and secret scanners recognise a leaked key.

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'pnl_';
const BODY_LENGTH = 36;
const CHECK_LENGTH = 6;
const BODY_END = PREFIX.length + BODY_LENGTH;
const KEY_LENGTH = BODY_END + CHECK_LENGTH;

/** The format of a key. Does not verify the checksum. */
export const KEY_PATTERN = /^pnl_[0-9A-Za-z]{42}$/;

/** Formats a key from 36 random base62 characters: prefix, body, checksum. */
export function formatKey(body: string): string {
  return PREFIX + body + toBase62(crc32(body, 0, body.length));
}

/** Whether a text has the format of a key and a correct checksum. Does not check whether the key exists. */
export function isKeyWellFormed(text: string): boolean {
  if (text.length !== KEY_LENGTH || !text.startsWith(PREFIX)) return false;
  for (let index = PREFIX.length; index < BODY_END; index++) {
    if (!isBase62(text.charCodeAt(index))) return false;
  }
  let rest = crc32(text, PREFIX.length, BODY_END);
  for (let index = KEY_LENGTH - 1; index >= BODY_END; index--) {
    if (text.charCodeAt(index) !== ALPHABET.charCodeAt(rest % 62)) return false;
    rest = Math.floor(rest / 62);
  }
  return true;
}

/**
 * Random base62 characters, uniformly distributed: bytes of 248 and above are rejected, since 256 is not a multiple of 62. `random` returns that many
 * bytes from a CSPRNG.
 */
export function base62FromBytes(random: (count: number) => Uint8Array, length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of random(length - text.length)) {
      if (byte < 248) text += ALPHABET.charAt(byte % 62);
    }
  }
  return text.slice(0, length);
}

/** CRC-32/ISO-HDLC of the ASCII characters from `start` to `end` (exclusive), as an unsigned number. */
export function crc32(text: string, start: number, end: number): number {
  let crc = 0xffffffff;
  for (let index = start; index < end; index++) {
    crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ text.charCodeAt(index)) & 0xff] ?? 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function toBase62(value: number): string {
  let text = '';
  for (let rest = value; text.length < CHECK_LENGTH; rest = Math.floor(rest / 62)) {
    text = ALPHABET.charAt(rest % 62) + text;
  }
  return text;
}

function isBase62(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}
