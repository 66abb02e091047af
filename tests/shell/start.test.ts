// `npm start` knows where it can show a window, and says in one sentence why it does not.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findDesktop, type Place } from '../../scripts/desktop.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gatehouse-start-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const place = (change: Partial<Place> = {}): Place => ({
  ...{ root, platform: 'linux' as const, env: { DISPLAY: ':0' }, uid: 1000 },
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
  expect(findDesktop(place())).toEqual({ missing: expect.stringContaining('npx install-electron') });
});

it('says that there is no display, or that root cannot have the sandbox', () => {
  install();
  expect(findDesktop(place({ env: {} }))).toEqual({ missing: 'there is no display.' });
  expect(findDesktop(place({ uid: 0 }))).toEqual({ missing: expect.stringContaining('root') });
});
