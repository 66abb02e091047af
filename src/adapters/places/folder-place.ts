// Backups in a folder outside of the data folder, as on another disk that is mounted here.
import { constants } from 'node:fs';
import { copyFile, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackupPlace, FolderAccess } from '../../core/ports/backup-places.ts';
import { attemptAtPlace, createPlaceFailure } from './failure.ts';
import { buildPartialName, isLeftover, isPlacedName } from './place-name.ts';

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export function openFolderPlace({ path: folder }: FolderAccess): BackupPlace {
  async function list() {
    const entries = await readdir(folder, { withFileTypes: true });
    const names = entries.filter((entry) => entry.isFile() && isPlacedName(entry.name)).map(({ name }) => name);
    const found = await Promise.all(
      names.map(async (name) => {
        const { size, mtimeMs } = await stat(join(folder, name));
        return { name, sizeBytes: size, storedAt: Math.floor(mtimeMs) };
      }),
    );
    return found.sort((a, b) => b.storedAt - a.storedAt || (a.name < b.name ? 1 : -1));
  }

  return {
    list: () => attemptAtPlace(list),
    upload: (name, path) =>
      attemptAtPlace(async () => {
        for (const found of await readdir(folder))
          if (isLeftover(found, name)) await rm(join(folder, found), { force: true });
        const partial = join(folder, buildPartialName(name));
        await rm(partial, { force: true });
        await copyFile(path, partial, constants.COPYFILE_EXCL);
        await syncPath(partial);
        const [{ size }, wanted] = [await stat(partial), await stat(path)];
        if (size !== wanted.size) throw createPlaceFailure('place_mismatch', `${size} of ${wanted.size} bytes`);
        await rename(partial, join(folder, name));
        await syncPath(folder);
      }),
    download: (name, target) => attemptAtPlace(() => copyFile(join(folder, name), target, constants.COPYFILE_EXCL)),
    remove: (name) => attemptAtPlace(() => rm(join(folder, name), { force: true })),
    close() {},
  };
}
