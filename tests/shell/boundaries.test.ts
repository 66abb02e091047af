// Which files may use Electron: the main process and the preload, and only one of them handles IPC.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const sources = globSync('{src,bin}/**/*.{ts,tsx,mjs}', { cwd: root })
  .filter((path) => !/\.test\.tsx?$/.test(path))
  .map((path) => [path, readFileSync(join(root, path), 'utf8')] as const);

/** Files that import a value, not only types, from Electron. */
const importers = sources
  .filter(([, text]) => /^import (?!type )[^;]*from 'electron'/m.test(text))
  .map(([path]) => path);

it('only the entries of main and preload load Electron; other files get its objects as arguments', () => {
  expect(importers.sort()).toEqual(['src/main/index.ts', 'src/preload/index.ts']);
});

it('only main and preload import its types', () => {
  const importing = sources.filter(([, text]) => /from 'electron'/.test(text)).map(([path]) => path);
  expect(importing.filter((path) => !/^src\/(?:main|preload)\//.test(path))).toEqual([]);
});

it('only one file handles IPC messages', () => {
  const handling = sources.filter(([, text]) => /ipcMain\.(?:handle|on|once)/.test(text)).map(([path]) => path);
  expect(handling).toEqual(['src/main/ipc.ts']);
});

it('the built command line runs without Electron', () => {
  const chunks = globSync('out/main/*.js', { cwd: root }).map((path) => [path, readFileSync(join(root, path), 'utf8')]);
  const needing = chunks.filter(([, text]) => /from "electron"|require\("electron"\)/.test(text ?? ''));
  expect(needing.map(([path]) => path)).toEqual(['out/main/index.js']);
});
