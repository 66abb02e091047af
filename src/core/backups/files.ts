// Backups as files that leave and enter by the administrator's door: who took one and who brought one is on record.

import type { Call } from '../call.ts';
import { createTransaction, type Env } from '../context.ts';
import { PanelError } from '../panel-error.ts';
import type { BackupFiles } from '../ports/backups.ts';
import { requireBackups, viewBackup } from './backups.ts';

export function createBackupFiles(env: Env): BackupFiles {
  const audit = (action: string, call: Call, target: string) =>
    env.queue.run(() => env.store.write(() => createTransaction(env, call, action, env.clock.now()).audit(target)));
  return {
    async open(name, call) {
      const file = requireBackups(env).open(name);
      if (!file) throw new PanelError('not_found');
      await audit('downloadBackup', call, `backup:${name}`);
      return file;
    },
    async receive(chunks, call) {
      const received = await requireBackups(env).receive(chunks);
      await audit('uploadBackup', call, `backup:${received.name}`);
      return viewBackup(received);
    },
  };
}
