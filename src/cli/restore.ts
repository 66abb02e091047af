// `panel restore`: puts what a backup holds in the place of the present data, or with --check only says whether it could.
import { resolve } from 'node:path';
import type { BackupProblem } from '../core/ports/backups.ts';
import { inspectBackup, isEncrypted, restoreFile } from '../panel/backup/local-file.ts';
import { reasonOf, refusal } from '../panel/refusal.ts';
import { askPassphrase, print, printJson, say } from './terminal.ts';

export type RestoreOptions = {
  readonly data?: string;
  readonly json?: boolean;
  readonly check?: boolean;
  readonly passphraseStdin?: boolean;
  readonly keyFile?: string;
};

const REFUSED: Readonly<Record<BackupProblem, string>> = {
  not_a_backup: 'it is not a backup of a panel',
  truncated: 'it breaks off before its end',
  damaged: 'it was changed or damaged',
  newer: 'it was made by a newer version of the panel; install that first',
  foreign: "it holds a database that is not the panel's",
  needs_passphrase: 'it is encrypted and needs its passphrase',
  wrong_passphrase: 'the passphrase is wrong',
};

export async function restore(file: string, options: RestoreOptions): Promise<void> {
  const { data, json, check = false, passphraseStdin = false, keyFile = null } = options;
  const path = resolve(file);
  const passphrase = isEncrypted(path) || passphraseStdin ? await askPassphrase(passphraseStdin) : null;
  const verdict = await look(path, passphrase);
  if (verdict.problem !== null) {
    throw refusal('refused', `${path} cannot be restored: ${REFUSED[verdict.problem]}. Nothing was changed.`);
  }
  const made = verdict.createdAt === null ? 'an unknown time' : new Date(verdict.createdAt).toISOString();
  if (check) {
    if (json) return printJson({ ok: true, ...verdict });
    return print(`${path} can be restored: ${verdict.users} users, ${verdict.keys} keys, as of ${made}.`);
  }
  const restored = await restoreFile(data, path, passphrase, keyFile);
  if (json) return printJson(restored);
  print(`Restored ${verdict.users} users and ${verdict.keys} keys as of ${made}.`);
  print(`Links begin with ${restored.links_url}`);
  print(`The panel is at  ${restored.panel_url}`);
  if (restored.former) say(`What was there before is kept as ${restored.former}.`);
  if (restored.set_aside) say(`The database that could not be opened is kept as ${restored.set_aside}.`);
  if (verdict.secrets === 'left_out') say('The secrets of the vault were not in the backup: enter them again.');
}

async function look(path: string, passphrase: string | null) {
  try {
    return await inspectBackup(path, passphrase);
  } catch (error) {
    throw error instanceof Error && 'code' in error && /^E[A-Z]+$/.test(String(error.code))
      ? refusal('refused', `${path} cannot be read: ${reasonOf(error)}.`)
      : error;
  }
}
