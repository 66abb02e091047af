// The format of a backup file: it can be read with the key only.
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readBackupHeader, unpackBackupFile, writeBackupFile } from './backup-file.ts';
import { checking } from './chunk-seal.ts';

let folder: string;
let database: string;
let path: string;
let target: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-file-'));
  [database, path, target] = ['database', 'file', 'target'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const header = { version: '0.1.0', of: 'the test' };
const manifest = { secrets: { 'a:place': 'a secret' } };

function write(bytes: Uint8Array, key: Uint8Array | null): void {
  writeFileSync(database, bytes);
  writeBackupFile({ path, header, manifest, database, key });
}

// Contents of one piece, of exactly one, just over one and several; compressible and random.
const contents = [Buffer.from('x'), Buffer.alloc(1_048_576, 'text '), randomBytes(1_048_577), randomBytes(3_000_000)];

describe.each([
  ['in clear', null],
  ['with a key', randomBytes(32)],
] as const)('%s', (_name, key) => {
  test('what was written comes back', () => {
    for (const bytes of contents) {
      write(bytes, key);
      expect(readBackupHeader(path)).toEqual({ header: { form: 1, ...header } });
      const read = unpackBackupFile(path, target, key, bytes.length);
      expect(read).toEqual({ header: { form: 1, ...header }, manifest });
      expect(readFileSync(target).equals(bytes)).toBe(true);
      rmSync(path);
      rmSync(target);
    }
  });

  test('more than there should be is damage, whatever the file says', () => {
    write(Buffer.alloc(2_000_000), key);
    expect(statSync(path).size).toBeLessThan(20_000);
    expect(unpackBackupFile(path, target, key, 1_999_999)).toEqual({ problem: 'damaged' });
  });

  test('it belongs to its owner alone and never takes the place of another file', () => {
    write(Buffer.from('x'), key);
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(() => write(Buffer.from('y'), key)).toThrow('EEXIST');
    expect(() => unpackBackupFile(path, database, key, 10)).toThrow('EEXIST');
  });

  test('cut after any piece it is known to be cut', () => {
    write(randomBytes(2_500_000), key);
    for (const bytes of [500_000, 1_048_576, 800_000]) {
      truncateSync(path, statSync(path).size - bytes);
      expect(unpackBackupFile(path, target, key, 2_500_000)).toEqual({ problem: 'truncated' });
      rmSync(target, { force: true });
    }
  });
});

test('another key opens nothing, and no key neither', () => {
  write(Buffer.from('a database'), randomBytes(32));
  expect(readFileSync(path).includes('a secret')).toBe(false);
  expect(unpackBackupFile(path, target, randomBytes(32), 100)).toEqual({ problem: 'damaged' });
  rmSync(target, { force: true });
  expect(unpackBackupFile(path, target, null, 100)).toEqual({ problem: 'damaged' });
});

test('a form of later days is called newer, one without sense damaged', () => {
  for (const [form, problem] of [
    [2, 'newer'],
    [0, 'damaged'],
    ['1', 'damaged'],
  ] as const) {
    writeFileSync(database, 'x');
    writeBackupFile({ path, header: { ...header, form }, manifest, database, key: null });
    expect(readBackupHeader(path)).toEqual({ problem });
    rmSync(path);
  }
});

test('what is no file of backups is left alone', () => {
  writeFileSync(path, 'something else');
  expect(readBackupHeader(path)).toEqual({ problem: 'not_a_backup' });
  expect(readBackupHeader(folder)).toEqual({ problem: 'not_a_backup' });
  expect(unpackBackupFile(path, target, null, 100)).toEqual({ problem: 'not_a_backup' });
  expect(existsSync(target)).toBe(false);
});

describe('a file in clear that somebody made by hand', () => {
  const MIB = 1_048_576;
  const HEADER = JSON.stringify({ form: 1 });
  const MANIFEST = Buffer.from('{}');

  /**
   * A backup file with right digests throughout. `length` replaces a chunk's own length; `isLast` says which chunk is marked as the last.
   */
  function make(
    text: string,
    chunks: readonly Buffer[],
    {
      length,
      isLast = (index: number) => index === chunks.length - 1,
    }: { length?: number; isLast?: (index: number) => boolean } = {},
  ): void {
    const sized = (value: number) => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32LE(value);
      return bytes;
    };
    const beginning = Buffer.concat([
      Buffer.from('GATEHOUSE BACKUP'),
      sized(Buffer.byteLength(text)),
      Buffer.from(text),
    ]);
    const digest = createHash('sha256').update(beginning).digest();
    const seal = checking(digest);
    const sealed = chunks.flatMap((chunk, index) => [
      sized((length ?? chunk.length) + (isLast(index) ? 0x8000_0000 : 0)),
      seal.seal(chunk, index, isLast(index)),
    ]);
    writeFileSync(path, Buffer.concat([beginning, digest, ...sealed]));
  }
  const unpack = (most = 10 * MIB) => {
    rmSync(target, { force: true });
    return unpackBackupFile(path, target, null, most);
  };
  const piece = (bytes: Buffer) => deflateRawSync(bytes);

  test('is read where it is whole', () => {
    make(HEADER, [MANIFEST, piece(Buffer.from('ab')), piece(Buffer.alloc(MIB, 'c'))]);
    expect(unpack(MIB + 2)).toEqual({ header: { form: 1 }, manifest: {} });
    expect(readFileSync(target).equals(Buffer.concat([Buffer.from('ab'), Buffer.alloc(MIB, 'c')]))).toBe(true);
    expect(unpack(MIB + 1)).toEqual({ problem: 'damaged' });
    // A header of the greatest length.
    const long = JSON.stringify({ form: 1, note: 'x'.repeat(65_536 - 20) });
    expect(long).toHaveLength(65_536);
    make(long, [MANIFEST, piece(Buffer.from('a'))]);
    expect(unpack()).toMatchObject({ manifest: {} });
    // A manifest of the greatest length.
    make(HEADER, [Buffer.from(JSON.stringify('x'.repeat(16_777_216 - 2))), piece(Buffer.from('a'))]);
    expect(unpack()).toMatchObject({ header: { form: 1 } });
  });

  test.each<[string, () => void]>([
    ['a header that is too long', () => make(JSON.stringify({ form: 1, note: 'x'.repeat(65_517) }), [MANIFEST])],
    ['a header that is no JSON', () => make('{"form":1', [MANIFEST, piece(Buffer.from('a'))])],
    ['a header that is null', () => make('null', [MANIFEST, piece(Buffer.from('a'))])],
    ['a header that is a number', () => make('1', [MANIFEST, piece(Buffer.from('a'))])],
    ['a header without a form', () => make('{"from":1}', [MANIFEST, piece(Buffer.from('a'))])],
    ['no database', () => make(HEADER, [MANIFEST])],
    ['a manifest that is no JSON', () => make(HEADER, [Buffer.from('{'), piece(Buffer.from('a'))])],
    ['a manifest that is too long', () => make(HEADER, [Buffer.alloc(16_777_217, ' '), piece(Buffer.from('a'))])],
    ['a piece that is not deflated', () => make(HEADER, [MANIFEST, Buffer.from('plain text')])],
    ['a piece that unpacks to more than one', () => make(HEADER, [MANIFEST, piece(Buffer.alloc(MIB + 1))])],
    [
      'a chunk that says that it is too long',
      () => make(HEADER, [MANIFEST, piece(Buffer.from('a'))], { length: 2 ** 25 }),
    ],
    [
      'something behind the last piece',
      () =>
        make(HEADER, [MANIFEST, piece(Buffer.from('a')), piece(Buffer.from('b'))], { isLast: (index) => index > 0 }),
    ],
    [
      'a changed byte in a header',
      () => {
        make(HEADER, [MANIFEST, piece(Buffer.from('a'))]);
        const bytes = readFileSync(path);
        bytes[22] = (bytes[22] ?? 0) ^ 1;
        writeFileSync(path, bytes);
      },
    ],
    [
      'a changed byte in a piece',
      () => {
        make(HEADER, [MANIFEST, piece(Buffer.from('a'))]);
        const bytes = readFileSync(path);
        const last = bytes.length - 17;
        bytes[last] = (bytes[last] ?? 0) ^ 1;
        writeFileSync(path, bytes);
      },
    ],
  ])('is damaged with %s', (_name, prepare) => {
    prepare();
    expect(unpack()).toEqual({ problem: 'damaged' });
  });

  test('is cut where there is no last piece', () => {
    make(HEADER, [MANIFEST, piece(Buffer.from('a'))], { isLast: () => false });
    expect(unpack()).toEqual({ problem: 'truncated' });
    writeFileSync(path, 'GATEHOUSE BACKUP');
    expect(unpack()).toEqual({ problem: 'truncated' });
    writeFileSync(path, '');
    expect(unpack()).toEqual({ problem: 'not_a_backup' });
  });
});
