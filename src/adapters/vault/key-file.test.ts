// A key file is created complete and private, read as it is, and refused if another user could read or replace it.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lchownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keyFileLocation } from './key-file.ts';
import { formatMasterKey, newMasterKey } from './master-key.ts';

const key = newMasterKey();
const LINE = `${formatMasterKey(key)}\n`;
/** Only root can change a file's owner; without it those tests are skipped. */
const canChangeOwner = process.geteuid?.() === 0;
let folder = '';
let file = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-key-'));
  file = join(folder, 'key');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const find = (path = file, apartFrom: string | null = null) => keyFileLocation(path, apartFrom).find();
const writeKeyFile = (path = file, mode = 0o600) => {
  writeFileSync(path, LINE);
  chmodSync(path, mode);
};

test('is a place without prompts, which takes nothing back that was removed', () => {
  const place = keyFileLocation(file, null);
  expect(place).toMatchObject({
    backend: 'key-file',
    opened: 'headless',
    missing: 'key_file_missing',
    other: 'key_file_changed',
    restoresKey: false,
  });
  expect(place.abort()).toBe(false);
});

describe('making', () => {
  test('leaves one line of 0600 and nothing beside it', async () => {
    expect(await find()).toEqual({ kind: 'empty' });
    const made = await keyFileLocation(file, null).make(key);
    expect(made.kind === 'key' && made.key.id).toBe(key.id);
    expect(readFileSync(file, 'utf8')).toBe(LINE);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['key']);
  });

  test('never replaces a file: the key that is there is the one', async () => {
    writeKeyFile();
    const made = await keyFileLocation(file, null).make(newMasterKey());
    expect(made.kind === 'key' && made.key.id).toBe(key.id);
    expect(readFileSync(file, 'utf8')).toBe(LINE);
    expect(readdirSync(folder)).toEqual(['key']);
  });

  test('of several at once one key remains, and all have it', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => keyFileLocation(file, null).make(newMasterKey())));
    const ids = new Set(made.map((found) => (found.kind === 'key' ? found.key.id : found.kind)));
    expect(ids.size).toBe(1);
  });

  test('is not stopped by what a killed one left half written', async () => {
    writeFileSync(`${file}.new`, 'half');
    expect((await keyFileLocation(file, null).make(key)).kind).toBe('key');
    expect(readdirSync(folder)).toEqual(['key']);
  });

  test('in a folder that is not there is refused, and makes none', async () => {
    const place = keyFileLocation(join(folder, 'none', 'key'), null);
    expect(await place.find()).toMatchObject({ reason: 'key_file_unusable', detail: 'ENOENT' });
    expect(await place.make(key)).toMatchObject({ reason: 'key_file_unusable', detail: 'ENOENT' });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('reading', () => {
  test.each([0o600, 0o400])('takes mode %o', async (mode) => {
    writeKeyFile(file, mode);
    expect((await find()).kind).toBe('key');
  });

  test.each([0o604, 0o602, 0o660, 0o666, 0o644])('refuses mode %o and leaves the file', async (mode) => {
    writeKeyFile(file, mode);
    expect(await find()).toMatchObject({
      state: 'locked',
      reason: 'key_file_unsafe',
      detail: `its mode is 0${mode.toString(8)}`,
    });
    expect(readFileSync(file, 'utf8')).toBe(LINE);
    expect(statSync(file).mode & 0o777).toBe(mode);
  });

  test('takes what root handed over by an access list, but no group of people', async () => {
    if (!canChangeOwner) return;
    writeKeyFile(file, 0o440);
    expect((await find()).kind).toBe('key');
    chownSync(file, 0, 1000);
    expect(await find()).toMatchObject({ reason: 'key_file_unsafe' });
  });

  test('refuses the file of another user', async () => {
    if (!canChangeOwner) return;
    writeKeyFile();
    chownSync(file, 1000, 1000);
    expect(await find()).toMatchObject({ reason: 'key_file_unsafe', detail: 'it belongs to another user' });
  });

  test.each(['', 'short', 'x'.repeat(44), 'x'.repeat(10_000)])('refuses what is no key', async (content) => {
    writeFileSync(file, content, { mode: 0o600 });
    const found = await find();
    expect(found).toMatchObject({
      state: 'locked',
      reason: 'key_file_malformed',
      detail: `${content.length} bytes`,
    });
    expect(JSON.stringify(found)).not.toContain('short');
    expect(readFileSync(file, 'utf8')).toBe(content);
  });

  test('takes at most 256 bytes, white space around the key among them', async () => {
    writeFileSync(file, LINE.padEnd(256), { mode: 0o600 });
    expect((await find()).kind).toBe('key');
    writeFileSync(file, LINE.padEnd(257));
    expect(await find()).toMatchObject({ reason: 'key_file_malformed', detail: '257 bytes' });
  });

  test('refuses a folder in which others may write', async () => {
    writeKeyFile();
    chmodSync(folder, 0o777);
    expect(await find()).toMatchObject({ reason: 'key_file_unsafe', detail: 'others may write in its folder' });
    chmodSync(folder, 0o1777);
    expect((await find()).kind).toBe('key');
  });

  test('refuses folders, devices and pipes without waiting for them', async () => {
    mkdirSync(file);
    expect(await find()).toMatchObject({ reason: 'key_file_unsafe' });
    expect(await find('/dev/zero')).toMatchObject({ kind: 'unusable' });
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', ['-m', '600', pipe]);
    expect(await find(pipe)).toMatchObject({ reason: 'key_file_unsafe', detail: 'it is not a file' });
  });

  test('refuses a file in the data folder, by whatever way it is named', async () => {
    const data = join(folder, 'data');
    mkdirSync(join(data, 'deep'), { recursive: true });
    writeKeyFile(join(data, 'deep', 'key'));
    symlinkSync(join(data, 'deep'), join(folder, 'shortcut'));
    symlinkSync(join(data, 'deep', 'key'), join(folder, 'link'));
    for (const path of [
      join(data, 'key'),
      join(data, 'deep', 'key'),
      join(folder, 'shortcut', 'key'),
      join(folder, 'link'),
    ]) {
      const place = keyFileLocation(path, data);
      expect(await place.find(), path).toMatchObject({ reason: 'key_file_unsafe' });
      expect(await place.make(key), path).toMatchObject({ reason: 'key_file_unsafe' });
    }
    expect(readdirSync(data)).toEqual(['deep']);
    const beside = join(folder, 'data-key');
    expect((await keyFileLocation(beside, data).make(key)).kind).toBe('key');
  });
});

describe('a link', () => {
  test('is followed to a file that is safe itself', async () => {
    writeKeyFile();
    symlinkSync('key', join(folder, 'link'));
    expect((await find(join(folder, 'link'))).kind).toBe('key');
  });

  test('is refused when its target is not safe, is no file, or lies where others may write', async () => {
    const open = join(folder, 'open');
    mkdirSync(open);
    chmodSync(open, 0o777);
    writeKeyFile(join(open, 'key'));
    writeKeyFile(join(folder, 'readable'), 0o644);
    for (const target of [join(open, 'key'), join(folder, 'readable'), '/dev/null', folder, '/proc/self/environ']) {
      rmSync(join(folder, 'link'), { force: true });
      symlinkSync(target, join(folder, 'link'));
      expect(await find(join(folder, 'link')), target).toMatchObject({ state: 'locked' });
    }
  });

  test('to nothing is refused, and nothing is made behind it', async () => {
    symlinkSync(join(folder, 'gone'), file);
    expect(await find()).toMatchObject({ reason: 'key_file_unusable' });
    expect(await keyFileLocation(file, null).make(key)).toMatchObject({ reason: 'key_file_unusable' });
    expect(readdirSync(folder)).toEqual(['key']);
  });

  test('of another user is refused, wherever it leads', async () => {
    if (!canChangeOwner) return;
    writeKeyFile();
    symlinkSync('key', join(folder, 'link'));
    lchownSync(join(folder, 'link'), 1000, 1000);
    expect(await find(join(folder, 'link'))).toMatchObject({
      reason: 'key_file_unsafe',
      detail: 'it is a link of another user',
    });
  });

  test('of the hard kind is a file like any other', async () => {
    writeKeyFile();
    linkSync(file, join(folder, 'second'));
    expect((await find(join(folder, 'second'))).kind).toBe('key');
  });
});
