// A disk so small that it can be filled in a moment: a mount of its own, or, where the system refuses one, a limit on the size of a
// process's files, which fails writes as a quota does.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk extends Disposable {
  /** An empty folder on it. */
  readonly folder: string;
  /** Whether it stays full. Under a limit a journal that was written back is short again, and there is room. */
  readonly isHard: boolean;
  /** Takes all the room there is, down to the last byte; `leave` so many bytes. `pid` is the process that is to feel it. */
  fill(pid: number, leave?: number): void;
  /** Gives it back. */
  clear(pid: number): void;
}

const BLOCK = 4096;
/** With the process that made it. */
const NAME = 'gatehouse-disk-';

/** Why no disk can be mounted here; null where one can. */
export function whyNoMount(): string | null {
  if (process.platform !== 'linux') return 'mounts are tried on Linux only';
  if (process.getuid?.() !== 0) return 'only root may mount';
  try {
    mountDisk(1)[Symbol.dispose]();
    return null;
  } catch (error) {
    return `the kernel refuses a mount: ${error instanceof Error ? error.message.trim() : error}`;
  }
}

/** Mounts a disk of so many MiB. */
export function mountDisk(mebibytes: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), `${NAME}${process.pid}-`));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=700`, 'tmpfs', path], { stdio: 'pipe' });
  } catch (error) {
    rmSync(path, { recursive: true });
    throw error;
  }
  const folder = join(path, 'disk');
  mkdirSync(folder);
  const filler = openSync(join(path, 'filler'), 'a');
  return {
    folder,
    isHard: true,
    fill(_pid, leave = 0) {
      if (leave > 0) {
        const { bavail, bsize } = statfsSync(path);
        appendAll(filler, bavail * bsize - leave);
      } else {
        appendAll(filler, Number.POSITIVE_INFINITY);
      }
    },
    clear: () => ftruncateSync(filler, 0),
    [Symbol.dispose]: () => {
      closeSync(filler);
      execFileSync('umount', ['-l', path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Takes away the disks of runs that were killed. */
export function sweepDisks(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = new RegExp(`^${NAME}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    const path = join(tmpdir(), name);
    // Killed before it was mounted, or after it was unmounted, it is a mere folder.
    spawnSync('umount', ['-l', path], { stdio: 'ignore' });
    rmSync(path, { recursive: true, force: true });
  }
}

function appendAll(file: number, bytes: number): void {
  const block = Buffer.alloc(16 * BLOCK, 0xa5);
  let left = bytes;
  for (let size = block.length; size >= BLOCK; size = BLOCK * Math.floor(size / BLOCK / 2)) {
    try {
      while (left >= size) left -= writeSync(file, block, 0, size);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
}

/**
 * A folder on the usual disk whose process may not write files beyond the present size of the panel's own: the next file that would
 * grow cannot.
 */
export function limitedDisk(): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-disk-'));
  const readSize = (name: string) => statSync(join(folder, 'data', name), { throwIfNoEntry: false })?.size ?? 0;
  const limit = (pid: number, bytes: number | 'unlimited') =>
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
  return {
    folder,
    isHard: false,
    fill: (pid, leave = 0) => limit(pid, Math.max(readSize('panel.db'), readSize('panel.db-wal')) + leave),
    clear: (pid) => limit(pid, 'unlimited'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
