// `npm start` knows where it can show a window, and says in one sentence why it does not.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findDesktop, type Place } from '../../scripts/desktop.ts';
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

it('offers the download where the binary is missing, and does not begin it', () => {
  expect(findDesktop(place())).toEqual({ missing: 'needs the Electron binary (`npx install-electron` downloads it).' });
});

it('says that there is no display, or that root cannot have the sandbox', () => {
  install();
  expect(findDesktop(place({ env: {} }))).toEqual({ missing: 'needs a display.' });
  expect(findDesktop(place({ uid: 0 }))).toEqual({ missing: expect.stringContaining('root') });
});

it('says that namespaces are limited, unless Electron has its other sandbox', () => {
  const binary = install();
  const canMakeNamespaces = () => false;
  expect(findDesktop(place({ canMakeNamespaces }))).toEqual({ missing: expect.stringContaining('user namespaces') });
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
  expect(stderr).toMatch(
    /^! THE DESKTOP WAS NOT TESTED: needs (the Electron binary .*npx install-electron|a display)/m,
  );
  expect(stdout).toMatch(/^ +Tests +\d+ skipped/m);
  expect(status).toBe(0);
});
