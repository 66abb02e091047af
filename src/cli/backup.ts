// `panel backup` and `panel restore`: all data in one file, and back, whether the panel runs or not.
import { constants, copyFileSync, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describeSystemError, refusal } from '../adapters/refusal.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { BackupDifferences, BackupProblem, BackupVerdict } from '../core/ports/backups.ts';
import { inspectBackup, isEncrypted, restoreFile } from '../panel/backup/local-file.ts';
import { isPlaceName } from '../panel/backup/place-url.ts';
import { fetchFrom, listBackups, runAtPlace, storeAt, workAtPlace } from '../panel/backup/places.ts';
import { runCommand } from '../panel/run-command.ts';
import { type PlaceOptions, printPlaced, readSecrets } from './places.ts';
import { askConfirmation, askNewPassphrase, askPassphrase, notify, print, printJson } from './terminal.ts';

export type BackupOptions = {
  readonly data?: string;
  readonly json?: boolean;
  readonly out?: string;
  readonly to?: string;
  readonly keep?: number;
  readonly clear?: boolean;
  readonly passphraseStdin?: boolean;
  readonly keyFile?: string;
} & PlaceOptions;

/** Only the path goes to stdout, for scripts that copy the file elsewhere. */
export async function backup(options: BackupOptions): Promise<void> {
  const { data, json, out, to, passphraseStdin = false, keyFile = null } = options;
  if (to !== undefined) return backUpTo(to, options);
  if (out !== undefined && existsSync(out)) throw refusal('refused', `${out} is there already. Name another file.`);
  const passphrase = await askNewPassphrase(passphraseStdin);
  const made = await runCommand(data, 'backup', { passphrase }, { keyFile });
  const path = out === undefined ? made.path : await moveTo(resolve(out), made, data);
  if (json) return printJson({ ...made, path });
  print(path);
  notify(SECRETS_NOTICE[made.secrets ?? 'none']);
}

/** Makes a backup and moves it to a place, encrypted unless --clear is given. Prints its name there. */
async function backUpTo(to: string, options: BackupOptions): Promise<void> {
  const { data, json, out, keep = null, clear = false, passphraseStdin = false, keyFile = null } = options;
  if (out !== undefined) throw refusal('refused', 'Give either --out or --to.');
  if (isPlaceName(to)) return backUpToNamed(to, options);
  const secrets = await readSecrets(options);
  const passphrase = clear ? null : (secrets.BACKUP_PASSPHRASE ?? (await askNewPassphrase(passphraseStdin)));
  if (passphrase === null && !clear) {
    throw refusal('refused', 'A backup that leaves the machine is encrypted: give a passphrase, or --clear.');
  }
  await workAtPlace(to, secrets, options, async (place) => {
    // Fails before a backup is made if the place cannot be reached.
    await place.list();
    const made = await runCommand(data, 'backup', { passphrase }, { keyFile });
    try {
      const { name, removed } = await storeAt(place, made, keep);
      await runCommand(data, 'backup-stored', { name, kind: describeKind(to) });
      if (json) return printJson({ name, size_bytes: made.size_bytes, encrypted: made.encrypted, removed });
      print(name);
      notify(SECRETS_NOTICE[made.secrets ?? 'none']);
    } finally {
      await runCommand(data, 'backup-delete', { name: made.name });
    }
  });
}

/** Makes a backup at a place of the panel's own, with its credentials, passphrase and retention. */
async function backUpToNamed(place: string, options: BackupOptions): Promise<void> {
  requireNone(place, options);
  const stored = await runAtPlace(options.data, 'place-backup', { place }, options.keyFile ?? null);
  if (options.json) return printJson(stored);
  print(stored.name);
  notify(SECRETS_NOTICE[stored.encrypted ? 'inside' : 'left_out']);
}

/** Refuses options that the panel's own place already has. */
function requireNone(
  place: string,
  { secrets, allowPrivate, keep, clear, passphraseStdin }: Partial<BackupOptions>,
): void {
  const given = Object.entries({
    '--secrets': secrets,
    '--allow-private': allowPrivate,
    '--keep': keep,
    '--clear': clear,
    '--passphrase-stdin': passphraseStdin,
  }).find(([, value]) => value !== undefined && value !== false);
  if (given)
    throw refusal('refused', `${given[0]} is set in the panel for the place ${place}, under Settings, Backups.`);
}

/** The kind of a place for the audit log: its URL contains names and addresses. */
function describeKind(to: string): string {
  return /^(s3|sftp):/.exec(to)?.[1] ?? 'folder';
}

const SECRETS_NOTICE = {
  none: 'Users, links, plans and keys are in it. Keep it apart from this machine.',
  inside:
    'Users, links, keys and the secrets of the vault are in it, encrypted. Without its passphrase nothing of it opens.',
  left_out: 'The secrets of the vault are NOT in it, as there was no passphrase: users, links, plans and keys are.',
  this_machine: 'The secrets of the vault in it open on this machine only.',
} as const;

/** Moves the backup out of the panel's folder without ever overwriting a file. */
async function moveTo(path: string, made: { name: string; path: string }, data: string | undefined): Promise<string> {
  try {
    copyFileSync(made.path, path, constants.COPYFILE_EXCL);
  } catch (error) {
    throw refusal('refused', `${path} cannot be written: ${describeSystemError(error)}. The backup is ${made.path}.`);
  }
  await runCommand(data, 'backup-delete', { name: made.name });
  return path;
}

export type RestoreOptions = {
  readonly data?: string;
  readonly json?: boolean;
  readonly check?: boolean;
  readonly acceptKeys?: boolean;
  readonly yes?: boolean;
  readonly from?: string;
  readonly passphraseStdin?: boolean;
  readonly keyFile?: string;
} & PlaceOptions;

const PROBLEMS: Readonly<Record<BackupProblem, string>> = {
  not_a_backup: 'it is not a backup of a panel',
  truncated: 'it is incomplete',
  damaged: 'it was changed or damaged',
  newer: 'it was made by a newer version of the panel; install that first',
  foreign: "it holds a database that is not the panel's",
  needs_passphrase: 'it is encrypted and needs its passphrase',
  wrong_passphrase: 'the passphrase is wrong',
  too_large: 'it unpacks to more than an uploaded one may',
};

const NO_KEY =
  'The backup has secrets, and there is no place for the key that seals them here. Add --key-file <path>: a file outside the data folder, made if it is missing; or unlock the keychain. Nothing was changed.';

const TAKES_OVER =
  'If the backup is of another panel, this one takes over its nodes as soon as it runs, and that one becomes read-only. Rehearse with --check.';

/** Restores from a file, or from a place; without a name the place's backups are listed. */
export async function restore(file: string | undefined, options: RestoreOptions): Promise<void> {
  const { from, json } = options;
  if (from === undefined) {
    if (file === undefined) throw refusal('refused', 'Name a backup, or a place of backups with --from.');
    return restoreFrom(resolve(file), options);
  }
  if (isPlaceName(from)) return restoreFromNamed(from, file, options);
  const secrets = await readSecrets(options);
  if (file === undefined) return printPlaced(await workAtPlace(from, secrets, options, listBackups), json);
  using fetched = await workAtPlace(from, secrets, options, (place) => fetchFrom(place, file));
  await restoreFrom(fetched.path, options, secrets.BACKUP_PASSPHRASE);
}

/** Restores from a place of the panel's own, with the credentials that it has. */
async function restoreFromNamed(name: string, file: string | undefined, options: RestoreOptions): Promise<void> {
  const { data, json, keyFile = null, secrets, allowPrivate } = options;
  requireNone(name, { ...(secrets !== undefined && { secrets }), ...(allowPrivate !== undefined && { allowPrivate }) });
  const place = {
    list: () => runAtPlace(data, 'place-list', { place: name }, keyFile),
    download: async (wanted: string, target: string) => {
      await runAtPlace(data, 'place-fetch', { place: name, name: wanted, target }, keyFile);
    },
  };
  if (file === undefined) return printPlaced(await listBackups(place), json);
  using fetched = await fetchFrom(place, file);
  await restoreFrom(fetched.path, options);
}

/** Replaces the present data, which is backed up first; with `check` only reports whether that would work. */
async function restoreFrom(path: string, options: RestoreOptions, known?: string): Promise<void> {
  const { data, json, check = false, passphraseStdin = false, keyFile = null, acceptKeys = false, yes } = options;
  const isAsked = isEncrypted(path) || passphraseStdin;
  const passphrase = isAsked ? (known ?? (await askPassphrase(passphraseStdin))) : null;
  const verdict = await inspect(data, path, passphrase, keyFile);
  if (verdict.problem !== null) {
    const reason = verdict.detail === null ? '' : ` (${verdict.detail})`;
    throw refusal('refused', `${path} cannot be restored: ${PROBLEMS[verdict.problem]}${reason}. Nothing was changed.`);
  }
  const made = verdict.createdAt === null ? 'an unknown time' : new Date(verdict.createdAt).toISOString();
  if (check && json) return printJson({ ok: true, ...verdict });
  if (verdict.differences !== null) printDifferences(verdict.differences, acceptKeys);
  if (check) return print(`${path} can be restored: ${verdict.users} users, ${verdict.keys} keys, as of ${made}.`);
  if (verdict.origin !== 'made_here') notify(TAKES_OVER);
  if (verdict.origin === 'unknown' && !yes) await askConfirmation('The backup may have been changed. Restore it?');
  const chosen = { path, passphrase, confirm: verdict.fingerprint, accept_keys: acceptKeys };
  const restored = await restoreFile(data, chosen, keyFile).catch((error: unknown) => {
    if (!(error instanceof PanelError) || error.code !== 'vault_unavailable') throw error;
    throw refusal('refused', NO_KEY);
  });
  if (json) return printJson(restored);
  print(`Restored ${verdict.users} users and ${verdict.keys} keys as of ${made}.`);
  print(`Links begin with ${restored.links_url}`);
  print(`The panel is at  ${restored.panel_url}`);
  if (restored.former) notify(`The previous data are stored as ${restored.former}.`);
  if (restored.set_aside) notify(`The database that could not be opened was moved to ${restored.set_aside}.`);
  if (restored.needs_new_ca && restored.ca_file !== null) {
    notify(`Programs that trust the CA file of the backup's panel need this one: ${restored.ca_file}`);
  }
  if (verdict.secrets === 'left_out') notify('The secrets of the vault were not in the backup: enter them again.');
}

/** Prints what a backup of unknown origin would bring. */
function printDifferences({ keys, settings, values }: BackupDifferences, acceptsKeys: boolean): void {
  notify('This panel did not make the backup, or it was changed since: check what it would add or change.');
  const printMore = (all: number, shown: number) => {
    if (all > shown) notify(`  … and ${all - shown} more`);
  };
  for (const { name, access, prefix } of keys.items) {
    notify(
      `  key ${name} (${access}, ${prefix}…): ${acceptsKeys ? 'valid' : 'revoked; --accept-keys leaves it valid'}`,
    );
  }
  printMore(keys.count, keys.items.length);
  for (const { name, here, there } of settings) notify(`  ${name}: ${here ?? 'default'} → ${there ?? 'default'}`);
  for (const { kind, count, items } of values) {
    notify(`  ${kind}: ${count}${kind === 'webhooks.url' ? ', which are restored disabled' : ''}`);
    for (const { record, here, there } of items) notify(`    ${record}: ${here ?? '-'} → ${there ?? '-'}`);
    printMore(count, items.length);
  }
}

async function inspect(
  data: string | undefined,
  path: string,
  passphrase: string | null,
  keyFile: string | null,
): Promise<BackupVerdict> {
  try {
    return await inspectBackup(data, path, passphrase, keyFile);
  } catch (error) {
    throw error instanceof Error && 'code' in error && /^E[A-Z]+$/.test(String(error.code))
      ? refusal('refused', `${path} cannot be read: ${describeSystemError(error)}.`)
      : error;
  }
}
