import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from 'tar';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { unpack } from './unpack.ts';

const PREFIX = 'gatehouse/versions/1.0.0/';
let folder = '';
let target = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-unpack-'));
  target = join(folder, 'target');
  mkdirSync(target);
  mkdirSync(join(folder, PREFIX, 'bin'), { recursive: true });
  writeFileSync(join(folder, PREFIX, 'bin/panel.mjs'), 'text');
  writeFileSync(join(folder, 'gatehouse/panel'), 'launcher');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function pack(members: readonly string[] = ['gatehouse']): string {
  const file = join(folder, 'a.tar.gz');
  create({ sync: true, gzip: true, file, cwd: folder, preservePaths: true }, [...members]);
  return file;
}

it('takes the files of one version, and no others', async () => {
  await unpack(pack(), PREFIX, target);
  expect(readdirSync(target)).toEqual(['bin']);
  expect(readFileSync(join(target, 'bin/panel.mjs'), 'utf8')).toBe('text');
});

it.each(['symbolic link', 'path out of the folder', 'half archive', 'archive of another version'])(
  'refuses a %s',
  async (what) => {
    if (what.startsWith('symbolic')) symlinkSync('/etc/passwd', join(folder, PREFIX, 'link'));
    writeFileSync(join(folder, 'outside'), 'text');
    const file = what.startsWith('path') ? pack([`${PREFIX}../../../outside`]) : pack();
    if (what.startsWith('half')) writeFileSync(file, readFileSync(file).subarray(0, 100));
    const prefix = what.endsWith('version') ? 'gatehouse/versions/2.0.0/' : PREFIX;
    await expect(unpack(file, prefix, target)).rejects.toThrow();
    expect(existsSync(join(target, 'link'))).toBe(false);
    expect(existsSync(join(target, 'outside'))).toBe(false);
  },
);
