// The checkpoint thread: writes the journal into the database file, over a connection of its own.
import { workerData } from 'node:worker_threads';
import { serveTasks } from '../../adapters/worker-thread.ts';
import type { CheckpointMode } from '../../core/ports/checkpointer.ts';
import { openConnection } from '../../store/database.ts';
import { isDiskFull } from '../../store/disk-space.ts';

/** The thread's start parameters. */
export type CheckpointData = { readonly database: string };

const { database }: CheckpointData = workerData;
const db = openConnection(database);
// Waits for no reader: pages in use are written the next time.
db.pragma('busy_timeout = 0');
const statements = {
  passive: db.prepare('PRAGMA wal_checkpoint(PASSIVE)'),
  truncate: db.prepare('PRAGMA wal_checkpoint(TRUNCATE)'),
} as const satisfies Record<CheckpointMode, unknown>;

const tasks = {
  checkpoint(mode: CheckpointMode): 'done' | 'full' {
    try {
      statements[mode].get();
      return 'done';
    } catch (error) {
      if (isDiskFull(error, database)) return 'full';
      throw error;
    }
  },
};

export type CheckpointTasks = typeof tasks;

serveTasks(tasks, () => db.close());
