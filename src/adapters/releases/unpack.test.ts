import {
  createWriteStream,
  existsSync,
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
import { pipeline } from 'node:stream/promises';
import { create } from 'tar';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { unpack, unpackZip } from './unpack.ts';

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

/** A ZIP archive with these files. */
async function createZip(files: Readonly<Record<string, string>>): Promise<string> {
  const zip = new ZipFile();
  for (const [name, text] of Object.entries(files)) zip.addBuffer(Buffer.from(text), name);
  zip.end();
  const file = join(folder, 'a.zip');
  await pipeline(zip.outputStream, createWriteStream(file));
  return file;
}

it('takes the files of a ZIP archive that lie beside each other; programs alone may be executed', async () => {
  const archive = await createZip({ xray: 'program', 'geoip.dat': 'list', 'systemd/xray.service': 'unit' });
  await unpackZip(archive, target, new Set(['xray']));
  expect(readdirSync(target).sort()).toEqual(['geoip.dat', 'xray']);
  expect(readFileSync(join(target, 'xray'), 'utf8')).toBe('program');
  const isExecutable = (name: string) => (statSync(join(target, name)).mode & 0o111) !== 0;
  expect([isExecutable('xray'), isExecutable('geoip.dat')]).toEqual([process.platform !== 'win32', false]);
});

it('refuses a ZIP archive that is damaged, none at all, too much, or names another place', async () => {
  const unpackIt = (file: string) => unpackZip(file, target, new Set());
  const whole = readFileSync(await createZip({ xray: 'p'.repeat(5000) }));
  const damaged = join(folder, 'b.zip');
  writeFileSync(damaged, whole.fill(7, 40, 50));
  await expect(unpackIt(damaged)).rejects.toThrow();
  await expect(unpackIt(join(folder, PREFIX, 'bin/panel.mjs'))).rejects.toThrow();
  await expect(unpackIt(await createZip({ '.hidden': 'x' }))).rejects.toThrow('not allowed');
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`f${index}`, 'x']));
  await expect(unpackIt(await createZip(many))).rejects.toThrow('too much');
  const outside = readFileSync(await createZip({ 'aa-xray': 'x' }));
  const moved = join(folder, 'c.zip');
  writeFileSync(moved, Buffer.from(outside.toString('latin1').replaceAll('aa-xray', '../xray'), 'latin1'));
  await expect(unpackIt(moved)).rejects.toThrow('invalid relative path');
  expect(readdirSync(folder)).not.toContain('xray');
});
