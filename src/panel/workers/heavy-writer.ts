// The writer thread behind the core's port.
import { moduleBeside, openTaskThread } from '../../adapters/worker-thread.ts';
import type { CoreParts } from '../../core/kernel/core.ts';
import type { HeavyWriter } from '../../core/ports/heavy-writer.ts';
import type { WriterData, WriterTasks } from './writer-worker.ts';

export type HeavyWriterThread = HeavyWriter & { close(): Promise<void> };

const IDLE_MS = 60_000;

/** The database must exist and be migrated. If the thread dies, its writes reject; the next write starts a new thread. */
export function createHeavyWriter(
  data: WriterData,
  { clock, log }: Pick<CoreParts, 'clock' | 'log'>,
  origin: () => string,
): HeavyWriterThread {
  const thread = openTaskThread<WriterTasks>({
    name: 'writer thread',
    module: moduleBeside(import.meta.url, 'writer-worker'),
    data,
    idleMs: IDLE_MS,
    log,
  });
  return {
    run: (operation, input, call) =>
      thread.run('write', { operation, input, call, origin: origin(), now: clock.now() }),
    proceed: (unfinished) => thread.run('proceed', unfinished),
    enqueueDeliveries: (now) => thread.run('enqueueDeliveries', now),
    recordAttempts: (attempts, now) => thread.run('recordAttempts', { attempts, now }),
    close: thread.close,
  };
}
