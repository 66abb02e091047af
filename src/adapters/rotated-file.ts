// An append-only file that is rotated by size, so that a log never fills the disk.
import { closeSync, constants, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

export type RotatedFile = {
  /**
   * Appends one line. On a full disk the line is lost, but nothing throws. After `close` the file is opened for that line alone, and
   * neither created nor rotated, so that the last error is logged too.
   */
  write(line: string): void;
  close(): void;
};

/** On a full disk the panel starts, and its log begins once there is space. */
const DISK_FULL: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);

/**
 * Appends to `path` (0600); past `maxBytes` it becomes `<path>.1`, that one `.2`, and so on; at most `retained` of them. Throws the file
 * system's error if the file cannot be opened at first, except on a full disk.
 */
export function openRotatedFile(path: string, maxBytes = 5 * 2 ** 20, retained = 4): RotatedFile {
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
    for (let age = retained - 1; age >= 0; age--)
      moveIfThere(age === 0 ? path : `${path}.${age}`, `${path}.${age + 1}`);
    size = 0;
    isTorn = false;
  };

  try {
    open();
  } catch (error) {
    if (!DISK_FULL.has((error as NodeJS.ErrnoException).code)) throw error;
  }

  return {
    write(line) {
      try {
        if (isClosed) return appendLast(path, line);
        if (size > 0 && size + Buffer.byteLength(line) > maxBytes) rotate();
        const file = descriptor ?? open();
        // A full disk can cut a line off; the next one starts on a new line.
        const bytes = Buffer.from(isTorn ? `\n${line}` : line);
        const written = writeSync(file, bytes);
        size += written;
        isTorn = written < bytes.length;
      } catch {
        // The log itself failed, so there is nowhere to report it.
      }
    },
    close() {
      isClosed = true;
      close();
    },
  };
}

function appendLast(path: string, line: string): void {
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_APPEND);
  try {
    writeSync(descriptor, line);
  } finally {
    closeSync(descriptor);
  }
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
