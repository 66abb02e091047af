// Backups in a folder outside the data folder, such as a mounted disk. Calls to a disk that hangs block their thread, so a running panel
// has a thread for each place (place-thread.ts): asynchronous calls would occupy the thread pool of the whole process.
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import type { BackupPlace, FolderAccess } from '../../core/ports/backup-places.ts';
import { buildPartialName, isLeftover, isPlacedName } from '../../domain/backup-places.ts';
import { attemptAtPlace, createPlaceFailure } from './failure.ts';

function syncPath(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

export function openFolderPlace({ path: folder }: FolderAccess): BackupPlace {
  function list() {
    const entries = readdirSync(folder, { withFileTypes: true });
    const names = entries.filter((entry) => entry.isFile() && isPlacedName(entry.name)).map(({ name }) => name);
    return names
      .map((name) => {
        const { size, mtimeMs } = statSync(join(folder, name));
        return { name, sizeBytes: size, storedAt: Math.floor(mtimeMs) };
      })
      .sort((a, b) => b.storedAt - a.storedAt || (a.name < b.name ? 1 : -1));
  }

  return {
    list: () => attemptAtPlace(async () => list()),
    upload: (name, path) =>
      attemptAtPlace(async () => {
        for (const found of readdirSync(folder)) {
          if (isLeftover(found, name)) rmSync(join(folder, found), { force: true });
        }
        const partial = join(folder, buildPartialName(name));
        rmSync(partial, { force: true });
        copyFileSync(path, partial, constants.COPYFILE_EXCL);
        syncPath(partial);
        const [{ size }, wanted] = [statSync(partial), statSync(path)];
        if (size !== wanted.size) throw createPlaceFailure('place_mismatch', `${size} of ${wanted.size} bytes`);
        renameSync(partial, join(folder, name));
        syncPath(folder);
      }),
    download: (name, target) =>
      attemptAtPlace(async () => copyFileSync(join(folder, name), target, constants.COPYFILE_EXCL)),
    remove: (name) => attemptAtPlace(async () => rmSync(join(folder, name), { force: true })),
    close() {},
  };
}
