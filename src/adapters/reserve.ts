// A file of no use but its size: on a full disk it is cut piece by piece, so that what must be written still can be.
import { randomFillSync } from 'node:crypto';
import { rmSync, statfsSync, statSync, truncateSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Reserve } from '../core/ports/disk-space.ts';

const MIB = 2 ** 20;
/** Small pieces: another program that takes whatever becomes free gets little of them. */
const PIECE = MIB / 8;

export interface ReserveSize {
  readonly bytes: number;
  /** What must be free besides, so that the disk is not full again the moment after. */
  readonly spare: number;
}

const USUAL: ReserveSize = { bytes: 8 * MIB, spare: 4 * MIB };

/** The reserve at `path`, as it was left. It is made by `restore`, not here. */
export function openReserve(path: string, { bytes, spare }: ReserveSize = USUAL): Reserve {
  const folder = dirname(path);
  const size = () => statSync(path, { throwIfNoEntry: false })?.size ?? null;
  const freeBytes = () => freeBytesOf(folder);
  const missingBytes = () => {
    const lacking = Math.max(0, bytes - (size() ?? 0));
    return lacking === 0 ? 0 : lacking + spare;
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
        await appendNoise(path, bytes - (present ?? 0));
      } catch {
        cutBack(path, present);
      }
      return missingBytes() === 0;
    },
  };
}

/** Noise, as some disks keep no room for zeros, and on the disk, as some find out late that there is none. */
async function appendNoise(path: string, bytes: number): Promise<void> {
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

/** What did not become whole gives back what it took. */
function cutBack(path: string, former: number | null): void {
  try {
    if (former === null) rmSync(path, { force: true });
    else if (statSync(path).size > former) truncateSync(path, former);
  } catch {
    // The next attempt goes on from there.
  }
}

/** Root may use what is kept back for root. */
function freeBytesOf(folder: string): number {
  const { bavail, bfree, bsize } = statfsSync(folder);
  return (process.getuid?.() === 0 ? bfree : bavail) * bsize;
}
