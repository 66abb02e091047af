// Puts a restored database in the place of the present one, so that a crash at any moment leaves the one or the other, whole.
//
// A name says how far it is. `<database>.restored` is a complete database that is to take over: from the moment of that name on the
// restore is done, and whoever opens the database next finishes it. Until then nothing of the present database was touched.
import { existsSync, renameSync, rmSync } from 'node:fs';
import { syncFolderOf } from '../work-file.ts';

const nextOf = (database: string) => `${database}.restored`;

/** Decides for `ready`, a complete file that is on the disk, in the database's own folder or one beside it on the same disk. */
export function decideFor(ready: string, database: string): void {
  renameSync(ready, nextOf(database));
  syncFolderOf(database);
}

/** Takes the decision back, while `finishSwap` has not begun. */
export function undecide(database: string): void {
  rmSync(nextOf(database), { force: true });
  syncFolderOf(database);
}

/**
 * Finishes what was decided; true where something was. Nobody may have the database open. The journal of the former one goes
 * first: it must not be played into its successor.
 */
export function finishSwap(database: string): boolean {
  const next = nextOf(database);
  if (!existsSync(next)) return false;
  for (const end of ['-wal', '-shm', '-journal']) rmSync(`${database}${end}`, { force: true });
  renameSync(next, database);
  syncFolderOf(database);
  return true;
}
