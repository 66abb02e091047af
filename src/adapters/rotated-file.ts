// An append-only file that is set aside when it has grown, so that a log never fills the disk.
import { closeSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

export type RotatedFile = {
  /** Appends one line. A full disk loses the line, never the panel. */
  write(line: string): void;
  close(): void;
};

/** A full disk: the panel starts all the same, and its log does once there is room. */
const FOR_WANT_OF_ROOM: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);

/**
 * Appends to `path` (0600); past `maxBytes` it becomes `<path>.1`, that one `.2`, and so on; `keep` of them stay.
 * Throws what the file system throws when the file cannot be opened at first, unless that is for want of room.
 */
export function openRotatedFile(path: string, maxBytes = 5 * 2 ** 20, keep = 4): RotatedFile {
  let descriptor: number | null = null;
  let size = 0;
  let isClosed = false;
  let isTorn = false;

  const open = () => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    descriptor = openSync(path, 'a', 0o600);
    size = statSync(path).size;
    return descriptor;
  };
  const close = () => {
    if (descriptor !== null) closeSync(descriptor);
    descriptor = null;
  };
  const rotate = () => {
    close();
    for (let age = keep - 1; age >= 0; age--) moveIfThere(age === 0 ? path : `${path}.${age}`, `${path}.${age + 1}`);
    size = 0;
    isTorn = false;
  };

  try {
    open();
  } catch (error) {
    if (!FOR_WANT_OF_ROOM.has((error as NodeJS.ErrnoException).code)) throw error;
  }

  return {
    write(line) {
      if (isClosed) return;
      try {
        if (size > 0 && size + Buffer.byteLength(line) > maxBytes) rotate();
        const file = descriptor ?? open();
        // The beginning of a line that found no more room stays; it must not spoil the next one.
        const bytes = Buffer.from(isTorn ? `\n${line}` : line);
        const written = writeSync(file, bytes);
        size += written;
        isTorn = written < bytes.length;
      } catch {
        // Nowhere to say so: the log itself is what failed.
      }
    },
    close() {
      isClosed = true;
      close();
    },
  };
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
