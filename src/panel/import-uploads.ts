// Files that were sent for an import, in a folder of the data folder that only the panel's account can read.
import { constants, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FILES } from '../adapters/data-folder.ts';
import { IMPORT_UPLOAD_BYTES } from '../contract/imports/imports.ts';
import { bodyError, PanelError } from '../core/kernel/panel-error.ts';
import type { ImportUploads } from '../core/ports/imports.ts';

const NO_SPACE: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);
/** SQLite finds them beside their database. */
const JOURNAL = /-(?:wal|journal|shm)$/;

/** Files of an earlier start are deleted. `folder`: the data folder. */
export async function openImportUploads(folder: string): Promise<ImportUploads> {
  const own = join(folder, FILES.imports);
  const clear = () => rm(own, { recursive: true, force: true });
  await clear();
  const list = () => readNames(own).map((name) => ({ name, sizeBytes: lstatSync(join(own, name)).size }));
  return {
    list,
    clear,
    paths: () =>
      readNames(own)
        .filter((name) => !JOURNAL.test(name))
        .map((name) => join(own, name)),
    async append(name, offset, data) {
      const bytes = Buffer.from(data, 'base64');
      const files = list().filter((file) => file.name !== name || offset > 0);
      const before = files.find((file) => file.name === name)?.sizeBytes ?? 0;
      if (before !== offset) throw bodyError('validation', '#/offset', 'inconsistent', `must be ${before}`);
      const total = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, bytes.length);
      if (total > IMPORT_UPLOAD_BYTES)
        throw bodyError('validation', '#/data', 'too_large', 'exceeds the disk space for uploads');
      mkdirSync(own, { recursive: true, mode: 0o700 });
      const { O_WRONLY, O_CREAT, O_NOFOLLOW, O_TRUNC, O_APPEND } = constants;
      const flags = O_WRONLY | O_CREAT | O_NOFOLLOW | (offset === 0 ? O_TRUNC : O_APPEND);
      const file = await open(join(own, name), flags, 0o600);
      try {
        await file.writeFile(bytes);
      } catch (error) {
        if (error instanceof Error && 'code' in error && NO_SPACE.has(error.code)) throw new PanelError('storage_full');
        throw error;
      } finally {
        await file.close();
      }
      return offset + bytes.length;
    },
  };
}

function readNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
