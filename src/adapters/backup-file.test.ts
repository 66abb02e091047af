// The form of a backup file: what is written is read back with the key, and not without it.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readBackupHeader, unpackBackupFile, writeBackupFile } from './backup-file.ts';

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

// One piece, exactly one, just over one, several; text that shrinks and noise that does not.
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
