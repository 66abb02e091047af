// Who may know Electron: the shell and its preload, and of them one file the main side of IPC.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const sources = globSync('{src,bin}/**/*.{ts,tsx,mjs}', { cwd: root })
  .filter((path) => !/\.test\.tsx?$/.test(path))
  .map((path) => [path, readFileSync(join(root, path), 'utf8')] as const);

/** Files that take a value, not only types, from Electron. */
const takers = sources.filter(([, text]) => /^import (?!type )[^;]*from 'electron'/m.test(text)).map(([path]) => path);

it('only the first file of the shell and the preload load Electron; the rest is given what it needs', () => {
  expect(takers.sort()).toEqual(['src/main/index.ts', 'src/preload/index.ts']);
});

it('only the shell knows its types', () => {
  const knowing = sources.filter(([, text]) => /from 'electron'/.test(text)).map(([path]) => path);
  expect(knowing.filter((path) => !/^src\/(?:main|preload)\//.test(path))).toEqual([]);
});

it('only one file handles messages of a window', () => {
  const handling = sources.filter(([, text]) => /ipcMain\.(?:handle|on|once)/.test(text)).map(([path]) => path);
  expect(handling).toEqual(['src/main/ipc.ts']);
});

it('the built command line runs without Electron', () => {
  const chunks = globSync('out/main/*.js', { cwd: root }).map((path) => [path, readFileSync(join(root, path), 'utf8')]);
  const needing = chunks.filter(([, text]) => /from "electron"|require\("electron"\)/.test(text ?? ''));
  expect(needing.map(([path]) => path)).toEqual(['out/main/index.js']);
});
