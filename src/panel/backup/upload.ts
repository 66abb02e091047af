// Takes a backup file in from outside: as it comes, no more than the disk bears, under a name of our own.
import { rmSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { readBackupHeader } from '../../adapters/backup-file.ts';
import { PanelError } from '../../core/panel-error.ts';
import type { BackupFile } from '../../core/ports/backups.ts';
import { syncFolderOf } from '../../store/work-file.ts';
import { type BackupFolder, hasRoom } from './folder.ts';

/**
 * Writes what comes to the folder. Rejects with PanelError `storage_full`, with `backup_refused` for what does not begin as a
 * backup does, or as the source does; nothing is left then. What is inside is judged when it is checked or restored.
 */
export async function receiveBackup(
  files: BackupFolder,
  at: number,
  chunks: AsyncIterable<Uint8Array>,
): Promise<BackupFile> {
  const { name, path, unfinished } = files.newPath('uploaded', at);
  const output = await open(unfinished, 'wx', 0o600);
  try {
    await writeChunks(output, files.path, chunks).finally(() => output.close());
    const read = readBackupHeader(unfinished);
    if ('problem' in read) {
      throw new PanelError('backup_refused', [{ pointer: '#', code: read.problem, message: 'is not a backup' }]);
    }
    await rename(unfinished, path);
    syncFolderOf(path);
    return files.describe(name);
  } catch (error) {
    rmSync(unfinished, { force: true });
    const isFull = error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
    throw isFull ? new PanelError('storage_full') : error;
  }
}

async function writeChunks(output: FileHandle, folder: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks) {
    if (!hasRoom(folder, chunk.length)) throw new PanelError('storage_full');
    await output.appendFile(chunk);
  }
  await output.sync();
}
