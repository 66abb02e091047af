// Several writes in one transaction, so that they share one sync of the disk; a failed one is undone alone.
import type { Outcome } from '../core/ports/ports.ts';
import type { Connection } from './database.ts';
import { isDiskFull, type StoreDiskSpace } from './disk-space.ts';

/** Runs the works in one transaction; throws if the commit fails, which undoes all of them. */
export type GroupCommit = (works: readonly (() => unknown)[]) => readonly Outcome[];

/** Each work calls the store's `write`, which inside this transaction is a savepoint. */
export function createGroupCommit(db: Connection, file: string, diskSpace: StoreDiskSpace): GroupCommit {
  let isBroken = false;
  const together = db.transaction((works: readonly (() => unknown)[]) =>
    works.map((work) => {
      const outcome = attempt(work);
      // SQLite rolled everything back, or the disk is full: then each write runs in a transaction of its own.
      if ('error' in outcome && (!db.inTransaction || isDiskFull(outcome.error, file))) {
        isBroken = true;
        throw outcome.error;
      }
      return outcome;
    }),
  );
  return (works) => {
    if (works.length === 1 || diskSpace.isFull()) return works.map(attempt);
    isBroken = false;
    try {
      return together.immediate(works);
    } catch (error) {
      if (!isBroken && !isDiskFull(error, file)) throw error;
      return works.map(attempt);
    }
  };
}

function attempt(work: () => unknown): Outcome {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}
