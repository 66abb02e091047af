// A file that reserves disk space: on a full disk it is truncated piece by piece, so that essential writes still succeed.
import { randomFillSync } from 'node:crypto';
import { rmSync, statfsSync, statSync, truncateSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Reserve } from '../core/ports/disk-space.ts';

const MIB = 2 ** 20;
/** Small pieces: another program that uses all free space gets little of it. */
const PIECE = MIB / 8;

export interface ReserveSize {
  readonly bytes: number;
  /** Bytes that must stay free in addition, so that the disk is not full again at once. */
  readonly spare: number;
}

const USUAL: ReserveSize = { bytes: 8 * MIB, spare: 4 * MIB };

/** The reserve at `path`. The file is made by `restore`, not here. */
export function openReserve(path: string, { bytes, spare }: ReserveSize = USUAL): Reserve {
  const folder = dirname(path);
  const size = () => statSync(path, { throwIfNoEntry: false })?.size ?? null;
  const freeBytes = () => readFreeBytes(folder);
  const missingBytes = () => {
    const missingBytes = Math.max(0, bytes - (size() ?? 0));
    return missingBytes === 0 ? 0 : missingBytes + spare;
  };

  return {
    state() {
      const present = size();
      if (present === null) return 'none';
      return present >= bytes ? 'whole' : 'broken';
    },
    freeBytes,
    bytesLeft: () => size() ?? 0,
    missingBytes,
    release() {
      const present = size() ?? 0;
      if (present === 0) return false;
      try {
        truncateSync(path, Math.max(0, present - PIECE));
        return true;
      } catch {
        return false;
      }
    },
    async restore() {
      const present = size();
      if (missingBytes() === 0) return true;
      if (freeBytes() < missingBytes()) return false;
      try {
        await appendRandom(path, bytes - (present ?? 0));
      } catch {
        cutBack(path, present);
      }
      return missingBytes() === 0;
    },
  };
}

/** Random bytes, as some file systems store no zeros, and synced, as some report a full disk late. */
async function appendRandom(path: string, bytes: number): Promise<void> {
  const file = await open(path, 'a', 0o600);
  try {
    for (let written = 0; written < bytes; written += MIB) {
      await file.write(randomFillSync(Buffer.allocUnsafe(Math.min(MIB, bytes - written))));
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Truncates an incomplete reserve to its former size. */
function cutBack(path: string, former: number | null): void {
  try {
    if (former === null) rmSync(path, { force: true });
    else if (statSync(path).size > former) truncateSync(path, former);
  } catch {
    // The next attempt continues from there.
  }
}

/** Root may also use the blocks that the file system reserves for it. */
function readFreeBytes(folder: string): number {
  const { bavail, bfree, bsize } = statfsSync(folder);
  return (process.getuid?.() === 0 ? bfree : bavail) * bsize;
}
