// A package that was really made, of a folder in the place of Electron's binary: what is in it, and how large it is.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { extractAll, listPackage } from '@electron/asar';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { listPacked } from '../../scripts/packed-list.ts';
import { root, run } from '../../scripts/run.ts';
import { openPages } from '../../src/http/pages.ts';
import { ensureBuilt } from '../support/built.ts';

const LIMIT_MS = 10 * 60_000;
const MAX_ARCHIVE_BYTES = 13_500_000;
const LICENCES = '<pre>Copyright of many</pre>'.repeat(100);

let folder: string;
let files: string[];
const archive = (of = 'packed') => join(folder, of, 'linux-unpacked/resources/app.asar');

beforeAll(async () => {
  await ensureBuilt();
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-packed-'));
  const electron = join(folder, 'electron');
  mkdirSync(join(electron, 'resources'), { recursive: true });
  mkdirSync(join(electron, 'locales'));
  for (const path of ['electron', 'locales/en-US.pak']) writeFileSync(join(electron, path), '');
  writeFileSync(join(electron, 'LICENSES.chromium.html'), LICENCES);
  writeFileSync(join(electron, 'libvk_swiftshader.so'), '');
  // The binary's fuses alone cannot be set here.
  const settings = parse(readFileSync(join(root, 'electron-builder.yml'), 'utf8'));
  const pack = async (name: string) => {
    const config = join(folder, `${name}.json`);
    const directories = { ...settings.directories, output: join(folder, name) };
    writeFileSync(config, JSON.stringify({ ...settings, directories, electronDist: electron, electronFuses: null }));
    const { ok, output } = await run(
      ['electron-builder', '--linux', '--x64', '--dir', '--publish', 'never', '--config', config],
      LIMIT_MS,
    );
    if (!ok) throw new Error(output);
  };
  await Promise.all(['packed', 'again'].map(pack));
  extractAll(archive(), join(folder, 'extracted'));
  files = listPackage(archive(), { isPack: false }).map((path) => path.replaceAll('\\', '/'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('has nothing but the built application and the packages it loads', () => {
  expect([...new Set(files.map((path) => path.split('/')[1]))].sort()).toEqual([
    'node_modules',
    'out',
    'package.json',
    'resources',
  ]);
  expect(files.filter((path) => path.startsWith('/resources/'))).toEqual(['/resources/common-passwords.txt']);
  expect(files.filter((path) => /\.(?:map|ts|mts|cts)$|\/tests?\/.*\.test\./.test(path))).toEqual([]);
  expect(files).toEqual(
    expect.arrayContaining([
      '/out/main/index.js',
      '/out/main/cli.js',
      '/out/preload/index.cjs',
      '/out/renderer/index.html',
    ]),
  );
  expect([...new Set(files.flatMap((path) => /^\/out\/([^/]+)/.exec(path)?.[1] ?? []))].sort()).toEqual([
    'main',
    'preload',
    'renderer',
  ]);
  const { size } = statSync(archive());
  console.log(`archive: ${size} bytes`);
  expect(size).toBeLessThan(MAX_ARCHIVE_BYTES);
});

it('has beside it the licences of Chromium, compressed, and no graphics card in software', () => {
  const packed = join(folder, 'packed/linux-unpacked');
  expect(gunzipSync(readFileSync(join(packed, 'LICENSES.chromium.html.gz'))).toString()).toBe(LICENCES);
  const beside = readdirSync(packed).filter((name) => /LICENSES|swiftshader/.test(name));
  expect(beside).toEqual(['LICENSES.chromium.html.gz']);
});

it('is the same files where it is made twice, those beside the archive too', () => {
  const listed = listPacked(archive());
  expect(listed).toEqual(listPacked(archive('again')));
  expect(listed.map((line) => line.replace(/^[\da-f]{64} {2}/, ''))).toEqual(
    expect.arrayContaining(['out/main/index.js', 'node_modules/better-sqlite3/prebuilds/linux-x64.node']),
  );
  expect(listed.length).toBeGreaterThan(1000);
});

it('has what each of its packages needs to be loaded, by the application and by one another', async () => {
  const extracted = join(folder, 'extracted');
  const { dependencies } = JSON.parse(readFileSync(join(extracted, 'package.json'), 'utf8'));
  // The updater loads Electron itself, and Electron has a Node of its own.
  const loaded = Object.keys(dependencies).filter((name) => !['electron-updater', 'node'].includes(name));
  // Of grammY the other build is not packed.
  const names = loaded.map((name) => (name === 'grammy' ? 'grammy/web' : name));
  expect(names.length).toBeGreaterThan(10);
  writeFileSync(
    join(extracted, 'load.mjs'),
    `import 'reflect-metadata';
import { createRequire } from 'node:module';
for (const name of ${JSON.stringify(names)}) await import(name);
createRequire(new URL('node_modules/electron-updater/package.json', import.meta.url))('js-yaml');
console.log('loaded');`,
  );
  const { output } = await run([process.execPath, join(extracted, 'load.mjs')], LIMIT_MS);
  expect(output).toMatch(/^loaded$/m);
  const command = await run([process.execPath, join(extracted, 'out/main/cli.js'), '--help'], LIMIT_MS);
  expect([command.ok, command.output]).toEqual([true, expect.stringContaining('reset-password')]);
});

it('has every file of the pages once, compressed, and serves it as it was built', () => {
  const pages = openPages(join(folder, 'extracted/out/renderer'));
  const built = join(root, 'out/renderer/assets');
  const names = readdirSync(built).filter((name) => /\.(?:js|css|svg)$/.test(name));
  expect(names.length).toBeGreaterThan(50);
  for (const name of names) {
    expect(pages?.read(`/assets/${name}`)?.body.equals(readFileSync(join(built, name))), name).toBe(true);
  }
  expect(files.filter((path) => /^\/out\/renderer\/assets\/.*\.(?:js|css|svg|gz)$/.test(path))).toEqual([]);
});

it('has of the pages what they were built into, not the packages that they were built of', () => {
  const packages = new Set(files.map((path) => /^\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]));
  expect(packages).toContain('express');
  for (const name of ['react', 'react-dom', '@mantine/core', 'uplot', 'swagger-ui-dist']) {
    expect(packages, name).not.toContain(name);
  }
});

it('has the database of its own system and processor only', () => {
  expect(files.filter((path) => path.startsWith('/node_modules/better-sqlite3/prebuilds/'))).toEqual([
    '/node_modules/better-sqlite3/prebuilds/linux-x64.node',
  ]);
});
