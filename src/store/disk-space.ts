// What the store does on a full disk: refuses ordinary writes, makes essential ones from the reserve, and recovers by itself.
import { closeSync, fsyncSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { DiskSpace, Importance, Reserve } from '../core/ports/disk-space.ts';
import { CHECKPOINT_PAGES, type Connection, fileSize, getErrorCode } from './database.ts';

const MIB = 2 ** 20;
/** The last part of the reserve is for the WAL only, not for checkpoints. */
const WAL_RESERVE = 2 * MIB;
/** Without a reserve, this much free space ends the full state. */
const ENOUGH_FREE = MIB;

export interface StoreDiskSpace extends DiskSpace {
  /** Runs a transaction. Throws PanelError `storage_full`; an essential one is retried while there is a reserve. */
  write<T>(attempt: () => T, importance: Importance): T;
}

/**
 * For the panel's own connection. Without a reserve every write is attempted; none is refused in advance.
 *
 * SQLite reuses the WAL's space on disk from its beginning after a checkpoint. So on a full disk each write is followed by a checkpoint, as
 * far as the database file can grow for it, and the WAL is not truncated.
 */
export function createDiskSpace(db: Connection, file: string, reserve: Reserve | null): StoreDiskSpace {
  let full = false;

  function markFull(): void {
    if (full || !reserve) return;
    full = true;
    // Automatic checkpoints would grow the database until nothing is left for the WAL.
    db.pragma('wal_autocheckpoint = 0');
    checkpoint();
  }

  /** Bytes by which a checkpoint makes the database grow. */
  function growth(): number {
    const size = Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));
    return Math.max(0, size - fileSize(file));
  }

  /** Checkpoints the WAL if there is space for that, the reserve included; otherwise the WAL continues to grow from the reserve. */
  function checkpoint(): void {
    if (!reserve || growth() > reserve.freeBytes() + Math.max(0, reserve.bytesLeft() - WAL_RESERVE)) return;
    for (;;) {
      try {
        db.pragma('wal_checkpoint(PASSIVE)');
        return;
      } catch (error) {
        // The data is still in the WAL.
        if (!isDiskFull(error, file) || reserve.bytesLeft() <= WAL_RESERVE || !reserve.release()) return;
      }
    }
  }

  /** Truncates the WAL if only its space is missing for a complete reserve. Does not wait for other connections that read. */
  function truncateWal({ freeBytes, missingBytes }: Reserve): void {
    const needed = missingBytes();
    if (freeBytes() >= needed || freeBytes() + fileSize(`${file}-wal`) < needed + growth()) return;
    const timeout = db.pragma('busy_timeout', { simple: true });
    db.pragma('busy_timeout = 0');
    try {
      db.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // The next call tries again.
    } finally {
      db.pragma(`busy_timeout = ${timeout}`);
    }
  }

  if (reserve?.state() === 'broken') markFull();

  return {
    isFull: () => full,
    markFull,
    async recover() {
      if (!reserve) return;
      if (full) truncateWal(reserve);
      const isWhole = await reserve.restore();
      const isEnough = isWhole || (reserve.state() === 'none' && reserve.freeBytes() >= ENOUGH_FREE);
      // A restore may have closed this connection meanwhile.
      if (!full || !isEnough || !db.open) return;
      full = false;
      db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    },
    write(attempt, importance) {
      if (full && importance === 'ordinary') throw new PanelError('storage_full');
      for (;;) {
        try {
          const result = attempt();
          if (full) checkpoint();
          return result;
        } catch (error) {
          if (!isDiskFull(error, file)) throw error;
        }
        markFull();
        if (importance === 'ordinary' || !reserve?.release()) throw new PanelError('storage_full');
      }
    },
  };
}

/** A quota, the limit of a file's size and the WAL index on a full disk: SQLite reports all of them as I/O errors. */
const AMBIGUOUS = /^SQLITE_(IOERR(_(WRITE|SHMSIZE|SHMMAP|FSYNC|TRUNCATE|CLOSE))?|CANTOPEN)$/;
const NO_SPACE: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const PROBE_BYTES = 65_536;

/** Whether an error says that the disk has no space left. */
export function isOutOfSpace(error: unknown): boolean {
  const code = getErrorCode(error);
  return code === 'SQLITE_FULL' || NO_SPACE.has(code);
}

/** Whether a write to the database at `file` failed because the disk has no space left: an ambiguous error is resolved by a probe. */
export function isDiskFull(error: unknown, file: string): boolean {
  return isOutOfSpace(error) || (AMBIGUOUS.test(getErrorCode(error)) && !hasSpaceBeside(file));
}

/** Writes some bytes to a file as long as the WAL would be, as SQLite does. */
function hasSpaceBeside(file: string): boolean {
  const probe = `${file}-probe`;
  let handle: number | null = null;
  try {
    handle = openSync(probe, 'w', 0o600);
    writeSync(handle, Buffer.alloc(PROBE_BYTES, 0xa5));
    ftruncateSync(handle, fileSize(`${file}-wal`) + PROBE_BYTES);
    // Some file systems report a full disk only when syncing.
    fsyncSync(handle);
    return true;
  } catch (error) {
    return !NO_SPACE.has(getErrorCode(error));
  } finally {
    if (handle !== null) closeSync(handle);
    rmSync(probe, { force: true });
  }
}
