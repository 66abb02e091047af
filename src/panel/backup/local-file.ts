// Backup files named on the command line: checked without a running panel, and restored even if the present database cannot be opened.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBackupHeader } from '../../adapters/backup-file.ts';
import { systemClock } from '../../adapters/clock.ts';
import { FILES, findDataFolder } from '../../adapters/data-folder.ts';
import { acquireLock } from '../../adapters/instance-lock.ts';
import { describeSystemError, isRefusal, refusal } from '../../adapters/refusal.ts';
import { PanelError } from '../../core/kernel/panel-error.ts';
import type { BackupVerdict } from '../../core/ports/backups.ts';
import type { CommandArgs, CommandResult } from '../local-commands.ts';
import { runCommand } from '../run-command.ts';
import { openBackupThread } from './backups.ts';
import { timeInName } from './folder.ts';
import { readHeader } from './manifest.ts';
import { openBackup } from './open-backup.ts';

/** Whether a file's header asks for a passphrase. Throws a refusal for a file that cannot be read. */
export function isEncrypted(path: string): boolean {
  try {
    const read = readBackupHeader(path);
    return 'header' in read && (readHeader(read.header)?.key ?? null) !== null;
  } catch (error) {
    throw refusal('refused', `${path} cannot be read: ${describeSystemError(error)}.`);
  }
}

/** Checks a backup file as a restore does, and compares one of unknown origin with the data folder's panel, if that can be opened. */
export async function inspectBackup(
  data: string | undefined,
  path: string,
  passphrase: string | null,
  keyFile: string | null,
): Promise<BackupVerdict> {
  if (!existsSync(join(findDataFolder(data), FILES.database))) return inspectAlone(path, passphrase);
  try {
    return await runCommand(data, 'restore-check', { path, passphrase }, { keyFile });
  } catch (error) {
    if (isRefusal(error) && error.refusal === 'database') return inspectAlone(path, passphrase);
    throw error;
  }
}

/** The file is unpacked in the system's temporary folder, for the owner only. */
async function inspectAlone(path: string, passphrase: string | null): Promise<BackupVerdict> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-check-'));
  const thread = openBackupThread();
  try {
    const target = join(folder, 'candidate.db');
    return (await openBackup(thread, path, passphrase, target, { vault: null, present: null })).verdict;
  } finally {
    await thread.abort();
    rmSync(folder, { recursive: true, force: true });
  }
}

export type RestoredFile = CommandResult<'restore'> & {
  /** Path of the former database if it could not be opened, else null. */
  readonly set_aside: string | null;
};

/** `args.path`: absolute. Rejects with the restore's PanelError, or with a refusal; then nothing was changed. */
export async function restoreFile(
  data: string | undefined,
  args: CommandArgs<'restore'>,
  keyFile: string | null,
): Promise<RestoredFile> {
  const { path, passphrase } = args;
  const restore = () => runCommand(data, 'restore', args, { mayCreate: true, keyFile });
  try {
    return { ...(await restore()), set_aside: null };
  } catch (error) {
    if (!isRefusal(error) || error.refusal !== 'database') throw error;
  }
  const { problem } = await inspectAlone(path, passphrase);
  if (problem !== null)
    throw new PanelError('backup_refused', [{ pointer: '#/path', code: problem, message: problem }]);
  const set_aside = setAside(findDataFolder(data));
  return { ...(await restore()), set_aside };
}

function setAside(folder: string): string {
  const lock = acquireLock(folder, 'restore');
  if (!lock) throw refusal('in_use', `Another panel is using the data folder ${folder}.`);
  try {
    return moveAside(folder);
  } finally {
    lock.release();
  }
}

/** Moves a database that cannot be opened, with its journal, to the backups: an expert may still recover data from it. */
export function moveAside(folder: string): string {
  const backups = join(folder, FILES.backups);
  mkdirSync(backups, { recursive: true, mode: 0o700 });
  const aside = join(backups, `set-aside-${timeInName(systemClock.now())}.sqlite`);
  for (const end of ['-wal', '-shm', '']) {
    const part = join(folder, `${FILES.database}${end}`);
    if (existsSync(part)) renameSync(part, `${aside}${end}`);
  }
  return aside;
}
