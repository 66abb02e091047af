// Files that only their owner may read, and that are either the old ones or the new ones, never half of them.
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

/** Writes `text` to `path` (0600) by way of a temporary file beside it. Throws what the file system throws. */
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

/** The text of a file; null where there is none. Throws for one that cannot be read, with its path. */
export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    // Node leaves it out where the path can be opened and not read, as a folder.
    throw Object.assign(error as Error, { path });
  }
}

/** How the names of files begin that were set aside. */
export const SET_ASIDE = 'set-aside-';

/**
 * Renames a file that is to be replaced to `set-aside-<time>-<name>` (0600) beside it, so that it can still be brought back. Returns the new
 * name; null: there is no such file.
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
