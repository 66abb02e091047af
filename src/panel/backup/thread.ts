// The thread of backups as its keeper sees it: begun with its first task, ended by who opened it.
import { Worker } from 'node:worker_threads';
import { PanelError } from '../../core/panel-error.ts';
import type { TaskInput, TaskName, TaskOutput, TaskReply, TaskRequest } from './messages.ts';

export interface BackupThread {
  /** One task at a time. Rejects with PanelError as the task does; with `unavailable` once the thread was ended. */
  run<Name extends TaskName>(name: Name, input: TaskInput<Name>): Promise<TaskOutput<Name>>;
  /** Ends the thread at once, whatever it does. */
  end(): Promise<void>;
}

/** Sources and bundle name it alike; which of the two runs is told by this module's own name. */
const MODULE = import.meta.url.endsWith('.ts') ? './backup-worker.ts' : './backup-worker.js';

export function openBackupThread(): BackupThread {
  let worker: Worker | null = null;
  let waiting: PromiseWithResolvers<unknown> | null = null;
  let isEnded = false;

  const settle = (work: (asked: PromiseWithResolvers<unknown>) => void) => {
    const asked = waiting;
    waiting = null;
    if (asked) work(asked);
  };
  const begin = (): Worker => {
    const begun = new Worker(new URL(MODULE, import.meta.url));
    begun.on('message', (reply: TaskReply) => {
      settle(({ resolve, reject }) => {
        if ('result' in reply) resolve(reply.result);
        else if ('code' in reply) reject(new PanelError(reply.code));
        else reject(new Error(`thread of backups: ${reply.failure}`));
      });
    });
    begun.on('error', (error) => settle(({ reject }) => reject(error)));
    begun.on('exit', (code) => {
      const cause = isEnded
        ? new PanelError('unavailable')
        : new Error(`the thread of backups ended with code ${code}`);
      settle(({ reject }) => reject(cause));
    });
    return begun;
  };

  return {
    run(name, input) {
      if (isEnded) return Promise.reject(new PanelError('unavailable'));
      if (waiting) return Promise.reject(new Error('a task is running'));
      waiting = Promise.withResolvers<unknown>();
      worker ??= begin();
      worker.postMessage({ name, input } satisfies TaskRequest);
      return waiting.promise as Promise<never>;
    },
    async end() {
      isEnded = true;
      await worker?.terminate();
    },
  };
}
