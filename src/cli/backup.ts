// `panel backup`: everything there is in one file, made while the panel runs or while it does not.
import { constants, copyFileSync, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { perform } from '../panel/perform.ts';
import { reasonOf, refusal } from '../panel/refusal.ts';
import { askNewPassphrase, print, printJson, say } from './terminal.ts';

export type BackupOptions = {
  readonly data?: string;
  readonly json?: boolean;
  readonly out?: string;
  readonly passphraseStdin?: boolean;
  readonly keyFile?: string;
};

/** The path alone goes to stdout, so that a script can take the file elsewhere. */
export async function backup(options: BackupOptions): Promise<void> {
  const { data, json, out, passphraseStdin = false, keyFile = null } = options;
  if (out !== undefined && existsSync(out)) throw refusal('refused', `${out} is there already. Name another file.`);
  const passphrase = await askNewPassphrase(passphraseStdin);
  const made = await perform(data, 'backup', { passphrase }, { keyFile });
  const path = out === undefined ? made.path : await moveTo(resolve(out), made, data);
  if (json) return printJson({ ...made, path });
  print(path);
  say(SAID[made.secrets ?? 'none']);
}

const SAID = {
  none: 'Users, links, plans and keys are in it. Keep it apart from this machine.',
  inside:
    'Users, links, keys and the secrets of the vault are in it, encrypted. Without its passphrase nothing of it opens.',
  left_out: 'The secrets of the vault are NOT in it, as there was no passphrase: users, links, plans and keys are.',
  this_machine: 'The secrets of the vault in it open on this machine only.',
} as const;

/** Puts it at its place for good, without ever writing over a file; the panel's own folder then has it no more. */
async function moveTo(path: string, made: { name: string; path: string }, data: string | undefined): Promise<string> {
  try {
    copyFileSync(made.path, path, constants.COPYFILE_EXCL);
  } catch (error) {
    throw refusal('refused', `${path} cannot be written: ${reasonOf(error)}. The backup is ${made.path}.`);
  }
  await perform(data, 'backup-delete', { name: made.name });
  return path;
}
