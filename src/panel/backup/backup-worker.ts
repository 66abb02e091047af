// The thread of backups: copies, packs, looks through and rebuilds, so that none of it holds the panel up.
import { parentPort } from 'node:worker_threads';
import { PanelError } from '../../core/panel-error.ts';
import type { TaskReply, TaskRequest } from './messages.ts';
import { TASKS } from './tasks.ts';

if (!parentPort) throw new Error('this module is a worker thread');
const port = parentPort;
const say = (reply: TaskReply) => port.postMessage(reply);

port.on('message', ({ name, input }: TaskRequest) => {
  TASKS[name](input as never).then(
    (result) => say({ result }),
    (error: unknown) => say(failureOf(error)),
  );
});

function failureOf(error: unknown): TaskReply {
  if (error instanceof PanelError) return { code: error.code };
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (['ENOSPC', 'EDQUOT', 'SQLITE_FULL'].includes(code)) return { code: 'storage_full' };
  return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
