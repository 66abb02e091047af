// After packing: lists the files of every application in dist/ that come from this project, with their hashes, to compare two builds.
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { extractFile, listPackage, statFile } from '@electron/asar';
import { root } from './run.ts';

/** The files of an archive, also those beside it, as `sha256sum` prints them, by their names. */
export function listPacked(archive: string): readonly string[] {
  return listPackage(archive, { isPack: false })
    .map((path) => path.slice(1))
    .filter((path) => !('files' in statFile(archive, path)))
    .map((path) => [path.replaceAll('\\', '/'), createHash('sha256').update(extractFile(archive, path)).digest('hex')])
    .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1))
    .map(([path, hash]) => `${hash}  ${path}`);
}

if (import.meta.main) {
  const archives = globSync(join(root, 'dist/**/app.asar')).toSorted();
  if (archives.length === 0) throw new Error('Nothing is packed in dist/: run `npx electron-builder --dir` first.');
  for (const archive of archives) {
    const size = readFileSync(archive).length;
    console.log([`# ${relative(root, archive)}, ${size} bytes`, ...listPacked(archive)].join('\n'));
  }
}
