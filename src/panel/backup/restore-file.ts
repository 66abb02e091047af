// Restores a backup file from the command line, also where the present database cannot be opened: that is what backups are for.
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../adapters/clock.ts';
import { takeLock } from '../../adapters/instance-lock.ts';
import { PanelError } from '../../core/panel-error.ts';
import { FILES, findDataFolder } from '../data-folder.ts';
import type { CommandResult } from '../local-commands.ts';
import { perform } from '../perform.ts';
import { isRefusal, refusal } from '../refusal.ts';
import { inspectBackup } from './inspect.ts';

export type RestoredFile = CommandResult<'restore'> & {
  /** Where the database lies that could not be opened; null: it could. */
  readonly set_aside: string | null;
};

/** `path`: absolute. Rejects with PanelError as the restore does, or a refusal; what is there stays as it is then. */
export async function restoreFile(
  asked: string | undefined,
  path: string,
  passphrase: string | null,
): Promise<RestoredFile> {
  const restore = () => perform(asked, 'restore', { path, passphrase }, { mayFound: true });
  try {
    return { ...(await restore()), set_aside: null };
  } catch (error) {
    if (!isRefusal(error) || error.refusal !== 'database') throw error;
  }
  const { problem } = await inspectBackup(path, passphrase);
  if (problem !== null)
    throw new PanelError('backup_refused', [{ pointer: '#/path', code: problem, message: problem }]);
  const set_aside = setAside(findDataFolder(asked));
  return { ...(await restore()), set_aside };
}

/** Takes a database that cannot be opened out of the way, whole, with its journal: somebody may still save something of it. */
function setAside(folder: string): string {
  const lock = takeLock(folder, 'restore');
  if (!lock) throw refusal('in_use', `Another panel is using the data folder ${folder}.`);
  try {
    const backups = join(folder, FILES.backups);
    mkdirSync(backups, { recursive: true, mode: 0o700 });
    const moment = new Date(systemClock.now())
      .toISOString()
      .replace(/\.\d+Z$/, 'Z')
      .replaceAll(':', '-');
    const aside = join(backups, `set-aside-${moment}.sqlite`);
    for (const end of ['-wal', '-shm', '']) {
      const part = join(folder, `${FILES.database}${end}`);
      if (existsSync(part)) renameSync(part, `${aside}${end}`);
    }
    return aside;
  } finally {
    lock.release();
  }
}
