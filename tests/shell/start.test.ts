// `npm start` knows where it can show a window, and says in one sentence why it does not.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { ensureDesktop, findDesktop, type Place } from '../../scripts/desktop.ts';
import { root as checkout } from '../../scripts/run.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gatehouse-start-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const place = (change: Partial<Place> = {}): Place => ({
  root,
  platform: 'linux' as const,
  env: { DISPLAY: ':0' },
  uid: 1000,
  canMakeNamespaces: () => true,
  ...change,
});
function install(): string {
  const folder = join(root, 'node_modules/electron');
  mkdirSync(join(folder, 'dist'), { recursive: true });
  writeFileSync(join(folder, 'path.txt'), 'electron');
  const binary = join(folder, 'dist/electron');
  writeFileSync(binary, '');
  return binary;
}

it('starts the desktop where its binary and a display are', () => {
  const binary = install();
  expect(findDesktop(place())).toEqual({ binary });
  expect(findDesktop(place({ env: { WAYLAND_DISPLAY: 'wayland-0' } }))).toEqual({ binary });
  expect(findDesktop(place({ platform: 'win32', env: {}, uid: undefined }))).toEqual({ binary });
});

it('says what is missing, and downloads nothing where no person waits for a window', () => {
  const missing = expect.stringContaining('`npm start` downloads it');
  expect(findDesktop(place())).toEqual({ missing, lacksBinary: true, canDownload: true });
  expect(ensureDesktop(place(), false)).toEqual({ missing, lacksBinary: true, canDownload: true });
  const env = { DISPLAY: ':0', CI: 'true' };
  expect(ensureDesktop(place({ env }), true)).toEqual({ missing, lacksBinary: true, canDownload: true });
  expect(existsSync(join(root, 'node_modules/electron/dist'))).toBe(false);
});

it('starts the binary that ELECTRON_OVERRIDE_DIST_PATH names, and downloads none in its place', () => {
  const env = { DISPLAY: ':0', ELECTRON_OVERRIDE_DIST_PATH: root };
  expect(findDesktop(place({ env }))).toMatchObject({ missing: expect.stringContaining(root), canDownload: false });
  writeFileSync(join(root, 'electron'), '');
  expect(findDesktop(place({ env }))).toEqual({ binary: join(root, 'electron') });
});

it('says that there is no display, or that root cannot have the sandbox', () => {
  install();
  const found = { lacksBinary: false, canDownload: false };
  expect(findDesktop(place({ env: {} }))).toEqual({ missing: 'needs a display.', ...found });
  expect(findDesktop(place({ uid: 0 }))).toEqual({ missing: expect.stringContaining('root'), ...found });
});

/** Electron's package as npm installs it, without its binary. */
function installPackage(): void {
  const folder = join(root, 'node_modules');
  cpSync(join(checkout, 'node_modules/electron'), join(folder, 'electron'), {
    recursive: true,
    filter: (path) => !/electron[\\/](?:dist|path\.txt)$/.test(path),
  });
  for (const name of ['@electron', '@electron-internal'])
    symlinkSync(join(checkout, 'node_modules', name), join(folder, name));
}

/** Runs `ensureDesktop` in a process of its own, since its download blocks. */
async function startFrom(mirror: string) {
  const script = `import { ensureDesktop } from ${JSON.stringify(join(checkout, 'scripts/desktop.ts'))};
    const env = { ...process.env, DISPLAY: ':0' };
    console.log(JSON.stringify(ensureDesktop(
      { root: ${JSON.stringify(root)}, platform: process.platform, env, uid: 1000, canMakeNamespaces: () => true }, true)));`;
  const { CI: _ci, ...env } = process.env;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    env: {
      ...env,
      ELECTRON_MIRROR: mirror,
      electron_use_remote_checksums: '1',
      electron_config_cache: join(root, 'cache'),
    },
  });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { lines: output.trim().split('\n'), errors };
}

it('downloads the binary by the installer of Electron, and says in one line why it could not', async () => {
  installPackage();
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/electron/package.json'), 'utf8'));
  const archive = new ZipFile();
  archive.addBuffer(Buffer.from('binary'), 'electron', { mode: 0o755 });
  archive.addBuffer(Buffer.from(version), 'version');
  archive.end();
  const bytes = await buffer(archive.outputStream);
  const name = `electron-v${version}-${process.platform}-${process.arch}.zip`;
  const files: Record<string, Buffer | string> = {
    [`/v${version}/${name}`]: bytes,
    [`/v${version}/SHASUMS256.txt`]: `${createHash('sha256').update(bytes).digest('hex')} *${name}\n`,
  };
  const server = createServer((request, response) => {
    const file = files[request.url ?? ''];
    response.writeHead(file === undefined ? 404 : 200).end(file);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const mirror = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  const [, refused] = (await startFrom(`${mirror}other/`)).lines;
  expect(refused).toContain('could not be downloaded: Response code 404');
  const { lines, errors } = await startFrom(mirror);
  const binary = join(root, 'node_modules/electron/dist/electron');
  expect([lines[0], errors]).toEqual([expect.stringMatching(/^Downloading Electron/), '']);
  expect(JSON.parse(lines[1] ?? '')).toEqual({ binary });
  expect(readFileSync(binary, 'utf8')).toBe('binary');

  server.close();
  rmSync(join(root, 'node_modules/electron/dist'), { recursive: true });
  rmSync(join(root, 'cache'), { recursive: true });
  const offline = await startFrom(mirror);
  expect(offline.lines).toHaveLength(2);
  expect(offline.errors).toBe('');
  expect(JSON.parse(offline.lines[1] ?? '')).toMatchObject({
    missing: expect.stringMatching(/^needs the Electron binary, which could not be downloaded: connect ECONNREFUSED /),
  });
});

it('says that namespaces are limited, unless Electron has its other sandbox', () => {
  const binary = install();
  const canMakeNamespaces = () => false;
  expect(findDesktop(place({ canMakeNamespaces }))).toMatchObject({
    missing: expect.stringContaining('user namespaces'),
  });
  expect(findDesktop(place({ canMakeNamespaces, platform: 'darwin' }))).toEqual({ binary });
  if (process.getuid?.() !== 0) return;
  writeFileSync(join(binary, '../chrome-sandbox'), '');
  chmodSync(join(binary, '../chrome-sandbox'), 0o4755);
  expect(findDesktop(place({ canMakeNamespaces }))).toEqual({ binary });
});

it('`npm run test:desktop` says what it lacks, and counts its tests as skipped', () => {
  const { DISPLAY: _display, WAYLAND_DISPLAY: _wayland, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(checkout, 'scripts/test-desktop.ts')], {
    cwd: checkout,
    env: { ...env, CI: '', NO_COLOR: '1' },
    encoding: 'utf8',
  });
  expect(stderr).toMatch(/^! THE DESKTOP WAS NOT TESTED: needs (the Electron binary|a display)/m);
  expect(stdout).toMatch(/^ +Tests +\d+ skipped/m);
  expect(status).toBe(0);
});
