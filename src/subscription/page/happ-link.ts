// Links that Happ decrypts: `happ://crypt3/` and the base64 of the link, encrypted by RSA with Happ's published key. Happ then shows neither the link
// nor its connections. This is no protection, because the private key can be extracted from the app.
// https://www.happ.su/main/dev-docs/crypto-link

/** The modulus of 4096 bits, in hex. */
export const HAPP_MODULUS = BigInt(
  `0x${[
    '9417ad034c236da8fe87ba09fddfe1a4dad7bc072e84e74518415c7c2c525b22f35a4e12010d3982d684199c9eb536b1daea9a822f474fa95aa544947b64bc9c',
    'c2c97f92be2c4b3d4d8ae1841771fc1d0119a840fa53c96bb9d4c29ed67d4992178862afec646b90291e3ce40109fa71d1ba14ab523e0ab5ad844f7758d17f69',
    '9a107c223ff7bf8ea7572cf3f448506359332dfe3a140e013bbff206181d0b43b9863c09609b1c141d5a8fe1b26767fff9b0d2f158c8ed6073988da57e962c4d',
    '49f84533731d067763a649a049f9a00f9b984180cbdbd4c393a12efb17ad504aabcbcc923e351b3567435c28254163310c68daa985cc5a0c4103550a8d4056c1',
    'b82be7229327b993aa1958102f43e55fcb3a729dea94d2bda3319075f093c8415af50d580c7301fe4967b1151378edd23ebcdbefe19e62ff872994138e32306d',
    '6009c5af4a907705394aa0c9e5e32ad36a499d91b01278546437788c45ec1a21e9ef321cc98757eaef1c17f78a2d75de5e2c1daf4456afae784e70dd8924090a',
    '4e7c7d770430169184920fbc53ad77f937e6fdff36979e9f15ea0537df1d0f699414b159a1e279086f3565e5eb1fcde7888d23a17eebb6801920f5b3ab763565',
    'bfd9abe90ada1488869858d7bd94becf17d90a7669cf54a133ccef5b5446c03d22f3cdbd4c12228fda2a55f9284dc8544d2d8deeedc165cbe466f5b1f717473b',
  ].join('')}`,
);
const BLOCK = 512;
/** PKCS #1 v1.5 needs at least 8 bytes of padding and 3 fixed bytes. */
const MAX_BYTES = BLOCK - 11;

/** The encrypted link in base64; null: it is too long. Tests pass the modulus of another key. */
export function encryptForHapp(link: string, modulus: bigint = HAPP_MODULUS): string | null {
  const message = new TextEncoder().encode(link);
  if (message.length > MAX_BYTES) return null;
  const padding = makePadding(message, BLOCK - 3 - message.length);
  const block = toNumber([0, 2, ...padding, 0, ...message]);
  const bytes = toHex(raise(block, modulus), BLOCK).match(/../g) ?? [];
  return btoa(bytes.map((byte) => String.fromCharCode(Number.parseInt(byte, 16))).join(''));
}

/** `base` to the power of 65537, the exponent of the key. */
function raise(base: bigint, modulus: bigint): bigint {
  let power = base;
  for (let square = 0; square < 16; square += 1) power = (power * power) % modulus;
  return (power * base) % modulus;
}

/** Bytes from 1 to 255, derived from the message so that the panel and a node return the same page. Random ones would not add protection. */
function makePadding(message: Uint8Array, length: number): readonly number[] {
  let state = message.reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193), 0x811c9dc5);
  return Array.from({ length }, (_, index) => {
    state = Math.imul(state ^ (state >>> 15) ^ index, 0x85ebca6b);
    return 1 + ((state >>> 16) % 255);
  });
}

function toNumber(bytes: readonly number[]): bigint {
  return BigInt(`0x${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`);
}

function toHex(value: bigint, bytes: number): string {
  return value.toString(16).padStart(2 * bytes, '0');
}
