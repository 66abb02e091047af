// The checkpoint thread behind the core's port.
import { moduleBeside, openTaskThread } from '../../adapters/worker-thread.ts';
import type { Checkpointer } from '../../core/ports/checkpointer.ts';
import type { CheckpointData, CheckpointTasks } from './checkpoint-worker.ts';

export type CheckpointerThread = Checkpointer & { close(): Promise<void> };

const IDLE_MS = 30_000;

/** The database must exist and be migrated. */
export function createCheckpointer(data: CheckpointData): CheckpointerThread {
  const thread = openTaskThread<CheckpointTasks>({
    name: 'checkpoint thread',
    module: moduleBeside(import.meta.url, 'checkpoint-worker'),
    data,
    idleMs: IDLE_MS,
  });
  return { checkpoint: (mode) => thread.run('checkpoint', mode), close: thread.close };
}
