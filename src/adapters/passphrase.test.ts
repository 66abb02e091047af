// Secrets under a passphrase: the right one opens them, and a wrong passphrase is distinguished from changed bytes.
import { createHash } from 'node:crypto';
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { openWithPassphrase, sealWithPassphrase } from './passphrase.ts';

const SECRETS = { 'administrator:totp': 'JBSWY3DPEHPK3PXP', 'node:1:key': '-----BEGIN PRIVATE KEY-----\ncanary\n' };
const PASSPHRASE = 'correct horse battery';
/** Cheap scrypt parameters; the first test covers the default ones. */
const seal = (secrets: Record<string, string> = SECRETS, passphrase = PASSPHRASE) =>
  sealWithPassphrase(secrets, passphrase, 4);

test('costs N = 2^17, r = 8, p = 1 unless told otherwise', async () => {
  const bytes = await sealWithPassphrase(SECRETS, PASSPHRASE);
  expect(Buffer.from(bytes.subarray(0, 12)).toString('latin1')).toBe('GATESEAL\x01\x11\x08\x01');
  expect(await openWithPassphrase(bytes, PASSPHRASE)).toEqual({ ok: true, secrets: SECRETS });
  expect(await openWithPassphrase(bytes, `${PASSPHRASE} `)).toEqual({ ok: false, problem: 'wrong_passphrase' });
});

property.prop([fc.dictionary(fc.string(), fc.string({ unit: 'grapheme' })), fc.string({ unit: 'grapheme' })])(
  'any secrets come back by any passphrase',
  async (secrets, passphrase) => {
    const opened = await openWithPassphrase(await seal(secrets, passphrase), passphrase);
    expect(opened.ok && Object.entries(opened.secrets)).toEqual(Object.entries(secrets));
  },
);

test('the same passphrase in another Unicode form opens', async () => {
  const bytes = await seal(SECRETS, 'café-пароль'.normalize('NFD'));
  expect(await openWithPassphrase(bytes, 'café-пароль'.normalize('NFC'))).toMatchObject({ ok: true });
});

test('two backups of the same secrets have nothing in common, and neither shows a secret', async () => {
  const [first, second] = (await Promise.all([seal(), seal()])).map((bytes) => Buffer.from(bytes));
  expect(first?.subarray(12).equals(second?.subarray(12) ?? Buffer.of())).toBe(false);
  for (const word of ['canary', 'JBSWY3DP', 'totp', 'correct']) expect(first?.includes(word)).toBe(false);
});

describe('changed bytes', () => {
  test('are damage, whichever bit it is and wherever they are cut', async () => {
    const bytes = await seal();
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Uint8Array.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(await openWithPassphrase(changed, PASSPHRASE), `bit ${bit}`).toEqual({ ok: false, problem: 'damaged' });
    }
    for (let length = 0; length < bytes.length; length += 1) {
      expect(await openWithPassphrase(bytes.subarray(0, length), PASSPHRASE)).toEqual({
        ok: false,
        problem: 'damaged',
      });
    }
  });

  test('do not open even with the digest made to fit', async () => {
    const bytes = await seal();
    for (let at = 8; at < bytes.length - 32; at += 1) {
      const changed = Uint8Array.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      changed.set(createHash('sha256').update(changed.subarray(0, -32)).digest(), bytes.length - 32);
      expect(await openWithPassphrase(changed, PASSPHRASE), `byte ${at}`).toMatchObject({ ok: false });
    }
  });

  test.each([
    ['more memory than is bearable', 9, 31],
    ['no work at all', 9, 0],
    ['no rounds', 11, 0],
    ['one round more than is bearable', 11, 5],
    ['another block size', 10, 255],
    ['too many rounds', 11, 200],
  ])('that ask for %s are refused before any work', async (_what, at, value) => {
    expect(await openWithPassphrase(await rewritten(at, value), PASSPHRASE)).toEqual({ ok: false, problem: 'damaged' });
  });

  test.each([
    ['little work', 9, 1],
    ['four rounds', 11, 4],
  ])('that ask for %s are tried', async (_what, at, value) => {
    const opened = await openWithPassphrase(await rewritten(at, value), PASSPHRASE);
    expect(opened).toEqual({ ok: false, problem: 'wrong_passphrase' });
  });

  test('of a later version are told to be newer, of none to be damaged', async () => {
    expect(await openWithPassphrase(await rewritten(8, 2), PASSPHRASE)).toEqual({ ok: false, problem: 'newer' });
    expect(await openWithPassphrase(await rewritten(8, 0), PASSPHRASE)).toEqual({ ok: false, problem: 'damaged' });
  });

  test.each(['', '\x01\x04\x08\x01', `\x01\x04\x08\x01${'x'.repeat(43)}`, `\x01\x04\x08\x01${'x'.repeat(59)}`])(
    'that end too early are damage, whatever their digest says',
    async (rest) => {
      const head = Buffer.from(`GATESEAL${rest}`, 'latin1');
      const bytes = Buffer.concat([head, createHash('sha256').update(head).digest()]);
      expect(await openWithPassphrase(bytes, PASSPHRASE)).toEqual({ ok: false, problem: 'damaged' });
    },
  );

  test.each([[[]], [['secret']], [null], [7], ['secret'], [{ 'administrator:totp': 7 }], [{ a: 'x', b: null }]])(
    'that hold %j are damage: no secrets by their places',
    async (content) => {
      const opened = await openWithPassphrase(await seal(content as never), PASSPHRASE);
      expect(opened).toEqual({ ok: false, problem: 'damaged' });
    },
  );

  async function rewritten(at: number, value: number): Promise<Uint8Array> {
    const bytes = Uint8Array.from(await seal());
    bytes[at] = value;
    bytes.set(createHash('sha256').update(bytes.subarray(0, -32)).digest(), bytes.length - 32);
    return bytes;
  }
});

property.prop([fc.uint8Array({ maxLength: 400 }), fc.boolean()])(
  'foreign bytes are damage',
  async (noise, hasMagic) => {
    const bytes = hasMagic ? Buffer.concat([Buffer.from('GATESEAL\x01\x11\x08\x01', 'latin1'), noise]) : noise;
    expect(await openWithPassphrase(bytes, PASSPHRASE)).toEqual({ ok: false, problem: 'damaged' });
  },
);
