// Looks at a backup file from the command line: no panel, no data folder and no lock are needed for it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBackupHeader } from '../../adapters/backup-file.ts';
import type { BackupVerdict } from '../../core/ports/backups.ts';
import { reasonOf, refusal } from '../refusal.ts';
import { readHeader } from './form.ts';
import { openBackup } from './open.ts';
import { openBackupThread } from './thread.ts';

/** Whether a file says that it needs a passphrase. Throws a refusal for one that cannot be read. */
export function isEncrypted(path: string): boolean {
  try {
    const read = readBackupHeader(path);
    return 'header' in read && (readHeader(read.header)?.key ?? null) !== null;
  } catch (error) {
    throw refusal('refused', `${path} cannot be read: ${reasonOf(error)}.`);
  }
}

/** Judges a backup file as a restore does. What is unpacked for it lies in the system's temporary folder, for its owner only. */
export async function inspectBackup(path: string, passphrase: string | null): Promise<BackupVerdict> {
  const place = mkdtempSync(join(tmpdir(), 'gatehouse-check-'));
  const thread = openBackupThread();
  try {
    return (await openBackup(thread, path, passphrase, join(place, 'candidate.db'))).verdict;
  } finally {
    await thread.end();
    rmSync(place, { recursive: true, force: true });
  }
}
