import { describe, expect, it } from 'vitest';
import { makeKeyPair, readSecretKey, signBytes } from '../../../scripts/minisign.ts';
import { hashBytes, isSigned, readPublicKey, readSignature, type TrustedKey } from './minisign.ts';

// Made by minisign 0.11.
const PUBLIC_KEY = 'RWRzo/cbIQ8JvHlND+/napLRyGsHw80HZe5bze4BYX4j91kXVXJkHp9N';
const FILE = Buffer.from('a file of a release\n');
const SIGNATURE = `untrusted comment: signature from minisign secret key
RURzo/cbIQ8JvO/7mNMNk/Y7oRtUR2cXOvFp2zNCD1bglwYddXB4LGauLpmggbLqnNSHW//qeGqXjDXmhFi/JgzYaqC15W+5GQw=
trusted comment: gatehouse file=file.txt version=1.2.3
f3m40DbSQ1snMEMblzDoETVssypfG7Mg590tD2yx4/7Ljp9MV5xSiAVubFcWm2MlBluzRIsTpQVuH4DAJekODQ==
`;
/** A signature in minisign's legacy form, which signs the file itself. */
const LEGACY = `untrusted comment: signature from minisign secret key
RWRzo/cbIQ8JvIB9TdSVpi8z0Zk0dZjEudUG/d9SUnOy6Q2rTSAcCjURttLI0680MMSWTT2rzSS99T4LoUliuJt0yj7UzsbnegQ=
trusted comment: gatehouse file=file.txt
HPeiHW/bLitq+PJJv22vQ9VBpNPiGRTM18op15P+Mn/ypgr5PytaI56Bp/+rnsFKzOJ6A7jnhmDdyNcXZD5ECw==
`;

function parseKey(text: string): TrustedKey {
  const key = readPublicKey(text);
  if (key === null) throw new Error('no key');
  return key;
}

function accepts(bytes: Buffer, text: string, keys: readonly TrustedKey[]): boolean {
  const signature = readSignature(text);
  return signature !== null && isSigned(hashBytes(bytes), signature, keys);
}

describe('a signature of minisign', () => {
  const keys = [parseKey(PUBLIC_KEY)];

  it('is verified with its comment', () => {
    expect(accepts(FILE, SIGNATURE, keys)).toBe(true);
    expect(readSignature(SIGNATURE)?.comment).toBe('gatehouse file=file.txt version=1.2.3');
    expect(accepts(FILE, SIGNATURE.replaceAll('\n', '\r\n'), keys)).toBe(true);
  });

  it.each([
    ['another file', Buffer.from('a file of a releasE\n'), SIGNATURE],
    ['another comment', FILE, SIGNATURE.replace('version=1.2.3', 'version=9.2.3')],
    ['another signature of the comment', FILE, SIGNATURE.replace('f3m40', 'f3m41')],
    ['a byte of the signature', FILE, SIGNATURE.replace('7mNMNk', '7mNMNl')],
    ['the older form', FILE, LEGACY],
    ['nothing', FILE, ''],
    ['a line more', FILE, `${SIGNATURE}more\n`],
  ])('is refused with %s', (_, bytes, text) => {
    expect(accepts(bytes, text, keys)).toBe(false);
  });

  it('is refused without its key, and by another key of the same id', () => {
    const other = parseKey(makeKeyPair().publicKey);
    const [own] = keys;
    expect(accepts(FILE, SIGNATURE, [])).toBe(false);
    expect(accepts(FILE, SIGNATURE, [other])).toBe(false);
    expect(accepts(FILE, SIGNATURE, [{ id: own?.id ?? '', key: other.key }])).toBe(false);
  });

  it('may be of any key of the list, so that keys can be replaced', () => {
    const [former, next] = [makeKeyPair(), makeKeyPair()];
    const list = [parseKey(former.publicKey), parseKey(next.publicKey)];
    for (const { secretKey } of [former, next]) {
      expect(accepts(FILE, signBytes(FILE, readSecretKey(secretKey), 'gatehouse file=a version=1.0.0'), list)).toBe(
        true,
      );
    }
    expect(accepts(FILE, signBytes(FILE, readSecretKey(makeKeyPair().secretKey), 'x'), list)).toBe(false);
  });

  it('needs a key that is one', () => {
    expect(readPublicKey(`${PUBLIC_KEY}A`)).toBeNull();
    expect(readPublicKey('RWQ')).toBeNull();
    expect(readPublicKey(SIGNATURE.split('\n')[1] ?? '')).toBeNull();
  });
});
