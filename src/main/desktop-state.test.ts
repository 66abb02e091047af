// The desktop's state survives a restart, and an invalid file means the defaults.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DEFAULT_STATE, openStateFile } from './desktop-state.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-state-'));
  path = join(folder, 'new', 'desktop.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

it('stores what was set', () => {
  openStateFile(path).set({ closeToTray: false, appearance: { theme: 'dark', locale: 'ru' } });
  expect(openStateFile(path).get()).toEqual({
    ...DEFAULT_STATE,
    closeToTray: false,
    appearance: { theme: 'dark', locale: 'ru' },
  });
});

it.each([
  ['no JSON', '{'],
  ['a list', '[]'],
  ['members of other types', '{"closeToTray":1,"windows":[1],"appearance":{"theme":"pink"}}'],
])('takes the defaults for %s', (_what, text) => {
  const invalid = join(folder, 'desktop.json');
  writeFileSync(invalid, text);
  expect(openStateFile(invalid).get()).toEqual(DEFAULT_STATE);
});

it('takes the members of a window that have the right type', () => {
  const path = join(folder, 'desktop.json');
  const stored = { ok: { bounds: { x: 1, y: 2, width: 3, height: 4 }, isMaximized: true, zoom: 1 }, none: 1 };
  writeFileSync(path, JSON.stringify({ windows: { ...stored, odd: { bounds: { x: '1' }, zoom: 99 } } }));
  expect(openStateFile(path).get().windows).toEqual({
    ok: stored.ok,
    odd: { bounds: null, isMaximized: false, zoom: 0 },
  });
});

it('works where nothing can be written', () => {
  writeFileSync(join(folder, 'a file'), '');
  const state = openStateFile(join(folder, 'a file', 'desktop.json'));
  state.set({ closeToTray: false });
  expect(state.get().closeToTray).toBe(false);
});
