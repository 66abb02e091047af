// What the store does on a full disk: refuses what is ordinary, writes what is essential out of the reserve, and finds its way back.
import { PanelError } from '../core/panel-error.ts';
import type { DiskSpace, Importance, Reserve } from '../core/ports/disk-space.ts';
import { CHECKPOINT_PAGES, type Connection, fileSize } from './database.ts';
import { isDiskFull } from './disk-full.ts';

const MIB = 2 ** 20;
/** The last of the reserve is not for writing the journal back: it is for the journal itself. */
const KEPT = 2 * MIB;
/** Where no reserve was ever made, so much free room ends the time of need. */
const LITTLE = MIB;

export interface StoreDiskSpace extends DiskSpace {
  /** Runs a transaction. Throws PanelError `storage_full`; what is essential is tried anew as long as there is a reserve. */
  write<T>(attempt: () => T, importance: Importance): T;
}

/**
 * Over the panel's own connection. Without a reserve every write is tried, and none is ever refused untried.
 *
 * The journal has room of its own on the disk: once it was written back into the database, SQLite writes it from its beginning.
 * So on a full disk it is written back after each write, as far as the database can grow for that, and never cut.
 */
export function createDiskSpace(db: Connection, file: string, reserve: Reserve | null): StoreDiskSpace {
  let full = false;

  function markFull(): void {
    if (full || !reserve) return;
    full = true;
    // By itself SQLite would grow the database until nothing is left for the journal.
    db.pragma('wal_autocheckpoint = 0');
    fold();
  }

  /** How many bytes the database grows by when the journal is written back. */
  function growth(): number {
    const size = Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));
    return Math.max(0, size - fileSize(file));
  }

  /** Writes the journal back where there is room for that, in the reserve too; else it goes on growing out of the reserve. */
  function fold(): void {
    if (!reserve || growth() > reserve.freeBytes() + Math.max(0, reserve.bytesLeft() - KEPT)) return;
    for (;;) {
      try {
        db.pragma('wal_checkpoint(PASSIVE)');
        return;
      } catch (error) {
        // It stays in the journal, whole.
        if (!isDiskFull(error, file) || reserve.bytesLeft() <= KEPT || !reserve.release()) return;
      }
    }
  }

  /** Cuts the journal where its room is all that lacks for a reserve. Not while somebody reads: nobody is waited for. */
  function cutJournal({ freeBytes, missingBytes }: Reserve): void {
    const needed = missingBytes();
    if (freeBytes() >= needed || freeBytes() + fileSize(`${file}-wal`) < needed + growth()) return;
    const waits = db.pragma('busy_timeout', { simple: true });
    db.pragma('busy_timeout = 0');
    try {
      db.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // The next look will tell.
    } finally {
      db.pragma(`busy_timeout = ${waits}`);
    }
  }

  if (reserve?.state() === 'broken') markFull();

  return {
    isFull: () => full,
    markFull,
    async recover() {
      if (!reserve) return;
      if (full) cutJournal(reserve);
      const isWhole = await reserve.restore();
      const isEnough = isWhole || (reserve.state() === 'none' && reserve.freeBytes() >= LITTLE);
      // Meanwhile a restore may have put another database in its place.
      if (!full || !isEnough || !db.open) return;
      full = false;
      db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    },
    write(attempt, importance) {
      if (full && importance === 'ordinary') throw new PanelError('storage_full');
      for (;;) {
        try {
          const result = attempt();
          if (full) fold();
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
