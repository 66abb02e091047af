// What the desktop remembers outlives a restart, and a spoilt file spoils nothing.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { leaveCrashNote, takeCrashNote } from './crash-note.ts';
import { DEFAULT_STATE, openStateFile } from './desktop-state.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-state-'));
  path = join(folder, 'made', 'desktop.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

it('keeps what was set', () => {
  openStateFile(path).set({ closeToTray: false, look: { theme: 'dark', locale: 'ru' } });
  expect(openStateFile(path).get()).toEqual({
    ...DEFAULT_STATE,
    closeToTray: false,
    look: { theme: 'dark', locale: 'ru' },
  });
});

it.each([
  ['no JSON', '{'],
  ['a list', '[]'],
  ['members of other kinds', '{"closeToTray":1,"window":{"bounds":{"x":"1"},"zoom":99},"look":{"theme":"pink"}}'],
])('counts %s as nothing said', (_what, text) => {
  const spoilt = join(folder, 'desktop.json');
  writeFileSync(spoilt, text);
  expect(openStateFile(spoilt).get()).toEqual(DEFAULT_STATE);
});

it('goes on where nothing can be written', () => {
  writeFileSync(join(folder, 'a file'), '');
  const state = openStateFile(join(folder, 'a file', 'desktop.json'));
  state.set({ closeToTray: false });
  expect(state.get().closeToTray).toBe(false);
});

it('tells of a crash once', () => {
  const note = join(folder, 'deep', 'crash.json');
  leaveCrashNote(note, new Error('first line\nsecond'), '2026-11-20T10:00:00.000Z');
  expect(takeCrashNote(note)).toEqual({ at: '2026-11-20T10:00:00.000Z', message: 'first line' });
  expect(takeCrashNote(note)).toBeNull();
});
