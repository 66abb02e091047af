// XXH3 with 128 bits of texts of 32 bytes, as keys of Marzneshin are (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md).

const MASK = (1n << 64n) - 1n;
const PRIME_1 = 0x9e3779b185ebca87n;
const PRIME_2 = 0xc2b2ae3d27d4eb4fn;
const PRIME_4 = 0x85ebca77c2b2ae63n;
const PRIME_MX = 0x165667919e3779f9n;
/** The first 32 bytes of the secret of the specification, in numbers of 64 bits. */
const SECRET = [0xbe4ba423396cfeb8n, 0x1cad21f72c81017cn, 0xdb979083e96dd4den, 0x1f67b3b7a4a44072n] as const;
const LENGTH = 32;

/** Hexadecimal, the high half first; null: the text has another length. */
export function hashXxh128(text: string): string | null {
  const bytes = Buffer.from(text);
  if (bytes.length !== LENGTH) return null;
  const [a = 0n, b = 0n, c = 0n, d = 0n] = [0, 8, 16, 24].map((at) => bytes.readBigUInt64LE(at));
  const low = ((BigInt(LENGTH) * PRIME_1 + fold(a ^ SECRET[0], b ^ SECRET[1])) & MASK) ^ ((c + d) & MASK);
  const high = fold(c ^ SECRET[2], d ^ SECRET[3]) ^ ((a + b) & MASK);
  const mixed = low * PRIME_1 + high * PRIME_4 + BigInt(LENGTH) * PRIME_2;
  return toHex(-avalanche(mixed & MASK)) + toHex(avalanche((low + high) & MASK));
}

/** The product with both halves combined. */
function fold(a: bigint, b: bigint): bigint {
  const product = a * b;
  return (product & MASK) ^ (product >> 64n);
}

function avalanche(value: bigint): bigint {
  const mixed = ((value ^ (value >> 37n)) * PRIME_MX) & MASK;
  return mixed ^ (mixed >> 32n);
}

function toHex(value: bigint): string {
  return (value & MASK).toString(16).padStart(16, '0');
}
