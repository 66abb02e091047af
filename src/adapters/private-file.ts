// Files that only their owner may read and that are replaced atomically.
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Writes `text` to `path` (0600) by a temporary file and a rename. Throws the file system's error. */
export function writePrivateFile(path: string, text: string): void {
  const temporary = `${path}.new`;
  rmSync(temporary, { force: true });
  const descriptor = openSync(temporary, 'wx', 0o600);
  try {
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, path);
}

/** The text of a file; null if it does not exist. Throws the file system's error, with the path, if it cannot be read. */
export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    // Node omits the path when opening works and reading fails, as for a folder.
    throw Object.assign(error as Error, { path });
  }
}

/** Prefix of the names of files that were set aside. */
export const SET_ASIDE = 'set-aside-';

/**
 * Renames a file that is to be replaced to `set-aside-<time>-<name>` (0600) beside it, so that it can be restored. Returns the new name;
 * null: there is no such file.
 */
export function setAside(path: string, now: number): string | null {
  if (!existsSync(path)) return null;
  const time = new Date(now)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-');
  for (let count = 1; ; count += 1) {
    const name = `${SET_ASIDE}${time}${count === 1 ? '' : `-${count}`}-${basename(path)}`;
    const aside = join(dirname(path), name);
    if (existsSync(aside)) continue;
    renameSync(path, aside);
    chmodSync(aside, 0o600);
    return name;
  }
}
