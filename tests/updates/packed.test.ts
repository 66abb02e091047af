// The archive of a release: the same bytes each time, what it has and has not, and that it runs by itself after unpacking.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { list } from 'tar';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeKeyPair } from '../../scripts/minisign.ts';
import { pack } from '../../scripts/release.ts';
import { root } from '../../scripts/run.ts';
import { readKeys, readManifest, verifyArchive } from '../../src/adapters/releases/release.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-packed-'));
let archive = '';
beforeAll(() => {
  archive = pack(join(folder, 'first'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hashFile = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

it('is the same, byte for byte, when it is packed again', () => {
  expect(hashFile(pack(join(folder, 'second')))).toBe(hashFile(archive));
});

it('has what runs and nothing else, owned by root', () => {
  const members: string[] = [];
  list({
    sync: true,
    file: archive,
    onReadEntry: ({ path, uid, gid, type }) => {
      members.push(path);
      expect([uid ?? 0, gid ?? 0, type]).toEqual([0, 0, path.endsWith('/') ? 'Directory' : 'File']);
    },
  });
  const has = (pattern: RegExp) => members.filter((path) => pattern.test(path));
  expect(has(/\.node$/).filter((path) => path.includes('better-sqlite3'))).toHaveLength(1);
  expect(has(/\.map$|\.test\.|\/src\/cli\/|\/tests\//)).toEqual([]);
  expect(has(/node_modules\/(?:react|@mantine|electron|vitest|typescript|vite)\//)).toEqual([]);
  expect(has(/node_modules\/better-sqlite3\/LICENSE/)).toHaveLength(1);
  expect(has(/^gatehouse\/(?:panel|current)$/)).toHaveLength(2);
});

it('is in a package for npm without sources, tests and what others build, within 12 MB', () => {
  const args = ['pack', '--dry-run', '--ignore-scripts', '--json'];
  const [packed] = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8' }));
  const files: string[] = packed.files.map(({ path }: { path: string }) => path);
  const has = (pattern: RegExp) => files.filter((path) => pattern.test(path)).length;
  expect(packed.size).toBeLessThan(12_000_000);
  expect(files).toEqual(expect.arrayContaining(['bin/panel.mjs', 'out/main/cli.js', 'out/renderer/index.html']));
  expect(files).toEqual(expect.arrayContaining(['release.json', 'resources/common-passwords.txt']));
  expect([has(/migrations\/.*\.sql$/) > 0, has(/\.map$|\.test\.|^(?:src|tests|packages|scripts)\//)]).toEqual([
    true,
    0,
  ]);
});

it('runs where nothing else is installed', () => {
  const unpacked = join(folder, 'unpacked');
  mkdirSync(unpacked);
  execFileSync('tar', ['xzf', archive, '-C', unpacked]);
  const env = { PATH: '/usr/bin:/bin', HOME: folder, GATEHOUSE_DATA: join(folder, 'data') };
  const panel = (...args: string[]) => execFileSync(join(unpacked, 'gatehouse/panel'), args, { env, encoding: 'utf8' });
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(panel('--version').trim()).toBe(version);
  expect(panel('setup')).toContain('Open this link');
  expect(existsSync(join(folder, 'data/panel.db'))).toBe(true);
});

it('is signed with its description by the script of the workflow', async () => {
  const dist = join(folder, 'dist');
  mkdirSync(dist);
  cpSync(archive, join(dist, basename(archive)));
  writeFileSync(join(dist, 'gatehouse-9.9.9-linux-x86_64.AppImage'), 'a package of the desktop');
  const { publicKey, secretKey } = makeKeyPair();
  execFileSync(process.execPath, [join(root, 'scripts/sign.ts'), dist], {
    env: { ...process.env, RELEASE_KEY: secretKey },
  });
  const keys = readKeys([publicKey]);
  const read = (name: string) => readFileSync(join(dist, name));
  for (const name of readdirSync(dist).filter((name) => /\.(?:gz|AppImage)$/.test(name))) {
    expect(await verifyArchive(join(dist, name), read(`${name}.minisig`).toString(), keys)).toMatchObject({
      file: name,
    });
  }
  const description = join(dist, 'gatehouse-stable.json');
  const found = () =>
    readManifest(read('gatehouse-stable.json'), read('gatehouse-stable.json.minisig').toString(), 'stable', keys);
  const before = found();
  expect(before).toMatchObject({ files: [{ name: basename(archive), sha256: hashFile(archive) }] });
  execFileSync(process.execPath, [join(root, 'scripts/sign.ts'), '--again', description], {
    env: { ...process.env, RELEASE_KEY: secretKey },
  });
  const after = found();
  if ('problem' in before || 'problem' in after) throw new Error('not signed');
  expect({ ...after, signed_at: '', expires_at: '' }).toEqual({ ...before, signed_at: '', expires_at: '' });
  expect(Date.parse(after.signed_at)).toBeGreaterThan(Date.parse(before.signed_at));
});
