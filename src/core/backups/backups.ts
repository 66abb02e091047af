// Backups through the panel: create, schedule, check and restore.

import type { Backup } from '../../contract/backups.ts';
import type { Input, Output } from '../../contract/table.ts';
import type { AsyncContext, Context, Env, Handlers, Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { toInstant, toInstantOrNull } from '../kernel/wire.ts';
import type {
  BackupFile,
  BackupFiles,
  BackupSource,
  Backups,
  BackupVerdict,
  Restored,
  RestoreRequest,
} from '../ports/backups.ts';
import type { Call, Result } from '../ports/call.ts';
import type { SettingValues } from '../ports/settings.ts';
import { requireFreshProof } from '../proof/proof.ts';

export type BackupEnv = Pick<
  Env,
  | 'backups'
  | 'clock'
  | 'forgetSettings'
  | 'host'
  | 'log'
  | 'notifyEndedSessions'
  | 'queue'
  | 'settings'
  | 'store'
  | 'tasks'
  | 'transact'
>;

/** The vault place of the passphrase of scheduled backups. */
export const PASSPHRASE_PLACE = 'backup:passphrase';

/** Throws PanelError `unavailable` if this core has no backups. */
export function requireBackups({ backups }: Pick<Env, 'backups'>): Backups {
  if (!backups) throw new PanelError('unavailable');
  return backups;
}

export function viewBackup({ name, kind, createdAt, sizeBytes, encrypted, secrets }: BackupFile): Backup {
  return { name, kind, created_at: toInstant(createdAt), size_bytes: sizeBytes, encrypted, secrets };
}

function viewSchedule({ backupSchedule, backupLast }: SettingValues): Output<'scheduleBackups'> {
  const { everyHours, keep, encrypted } = backupSchedule;
  const last = { last_at: toInstantOrNull(backupLast.at), last_error: backupLast.error };
  return { every_hours: everyHours, keep, encrypted, ...last };
}

export function viewVerdict(verdict: BackupVerdict): Output<'checkBackup'> {
  const { createdAt, differences, ...facts } = verdict;
  return {
    ...facts,
    ok: facts.problem === null,
    created_at: toInstantOrNull(createdAt),
    differences: differences && {
      keys: { ...differences.keys, items: [...differences.keys.items] },
      settings: [...differences.settings],
      values: differences.values.map((one) => ({ ...one, items: [...one.items] })),
    },
  };
}

function listBackups(_input: Input<'listBackups'>, { env, settings }: Context): Result<Output<'listBackups'>> {
  const backups = requireBackups(env);
  const items = backups.list().map(viewBackup);
  return { body: { items, schedule: viewSchedule(settings), folder: backups.folder } };
}

async function createBackup({ passphrase }: Input<'createBackup'>, { env, commit }: AsyncContext<'createBackup'>) {
  const file = await requireBackups(env).create('manual', passphrase ?? null);
  return commit((tx) => {
    const { name, encrypted, secrets } = file;
    tx.emit('backup.made', { name });
    tx.audit(`backup:${name}`, { encrypted, secrets });
    return { body: viewBackup(file) };
  });
}

async function deleteBackup({ name }: Input<'deleteBackup'>, { env, commit }: AsyncContext<'deleteBackup'>) {
  // Before the transaction, which is repeated when the disk is full.
  if (!requireBackups(env).remove(name)) throw new PanelError('not_found');
  return commit((tx) => {
    tx.audit(`backup:${name}`);
    return { body: undefined };
  });
}

async function scheduleBackups(input: Input<'scheduleBackups'>, { env, commit }: AsyncContext<'scheduleBackups'>) {
  const { every_hours: everyHours, keep, passphrase } = input;
  const isNew = typeof passphrase === 'string';
  if (isNew) await env.vault.prepare();
  return commit((tx) => {
    const { store, vault, settings } = tx;
    if (isNew) store.sealed.save(vault.seal(PASSPHRASE_PLACE, passphrase));
    if (passphrase === null) store.sealed.remove(PASSPHRASE_PLACE);
    const encrypted = passphrase === undefined ? settings.backupSchedule.encrypted : passphrase !== null;
    const backupSchedule = { everyHours, keep, encrypted };
    tx.saveSettings({ backupSchedule });
    tx.audit('backups', { every_hours: everyHours, keep, encrypted, new_passphrase: isNew });
    return { body: viewSchedule({ ...settings, backupSchedule }) };
  });
}

async function checkBackup({ name, passphrase }: Input<'checkBackup'>, { env }: AsyncContext<'checkBackup'>) {
  return { body: viewVerdict(await requireBackups(env).check({ name }, passphrase ?? null)) };
}

/**
 * Restores, or throws PanelError `backup_refused` with the reason and changes nothing. The audit row and the event belong in the restored database,
 * so the caller writes them.
 */
async function restoreFrom(
  env: BackupEnv,
  source: BackupSource,
  chosen: Pick<RestoreRequest, 'passphrase' | 'confirmed' | 'acceptsKeys'>,
  sessionId: number | null,
): Promise<Restored> {
  const restored = await requireBackups(env).restore({
    ...chosen,
    source,
    sessionId,
    runAlone: env.queue.runAlone,
    onSwapped: () => {
      env.forgetSettings();
      env.notifyEndedSessions();
    },
  });
  const { problem, detail } = restored.verdict;
  if (problem !== null) {
    const message = detail === null ? PROBLEMS[problem] : `${PROBLEMS[problem]}: ${detail}`;
    throw new PanelError('backup_refused', [{ pointer: '#/name', code: problem, message }]);
  }
  await env
    .host()
    ?.certificates?.follow(env.settings())
    .catch((error: unknown) => env.log.error('certificate not renewed', { error: String(error) }));
  return restored;
}

const PROBLEMS: Readonly<Record<NonNullable<BackupVerdict['problem']>, string>> = {
  not_a_backup: 'is not a backup of this panel',
  truncated: 'is incomplete',
  damaged: 'was changed or damaged',
  newer: 'was made by a newer version of the panel',
  foreign: 'has a database of another program, or with something in it that the panel did not make',
  needs_passphrase: 'is encrypted: give its passphrase',
  wrong_passphrase: 'cannot be decrypted with this passphrase',
  too_large: 'exceeds the disk space for uploads: restore it on the command line',
};

/** Writes the audit row and event of the restore into the restored database. */
function recordRestore(tx: Transaction, { verdict, former }: Restored, from: string): void {
  const { version, secrets, createdAt, origin } = verdict;
  const made = toInstantOrNull(createdAt);
  tx.emit('backup.restored', {});
  tx.audit(`backup:${from}`, { version, secrets, origin, created_at: made, former: former?.name ?? null });
}

async function restoreBackup(input: Input<'restoreBackup'>, context: AsyncContext<'restoreBackup'>) {
  const { env, call, commit } = context;
  const { name, passphrase = null, confirm: confirmed = null, accept_keys: acceptsKeys } = input;
  const chosen = { passphrase, confirmed, acceptsKeys };
  const restored = await restoreFrom(env, { name }, chosen, call.actor.sessionId ?? null);
  return commit((tx) => {
    recordRestore(tx, restored, name);
    return { body: viewRestored(tx, restored) };
  });
}

/** Restores a local file for the command line, which requires access to the data folder. */
export async function restoreLocally(
  env: BackupEnv,
  call: Call,
  path: string,
  chosen: Pick<RestoreRequest, 'passphrase' | 'confirmed' | 'acceptsKeys'>,
): Promise<Output<'restoreBackup'>> {
  const restored = await restoreFrom(env, { path }, chosen, null);
  return env.transact({ name: 'restoreBackup', by: call }, (tx) => {
    recordRestore(tx, restored, 'file');
    return viewRestored(tx, restored);
  });
}

function viewRestored({ env }: Context, { verdict, former, needsNewCa }: Restored): Output<'restoreBackup'> {
  const restored = viewVerdict(verdict);
  return { restored, former: former?.name ?? '', links_url: env.subUrl(''), needs_new_ca: needsNewCa };
}

/** Download and upload of backup files; each writes an audit row. */
export function createBackupFiles(env: BackupEnv): BackupFiles {
  const audit = (name: string, by: Call, target: string) => env.transact({ name, by }, (tx) => tx.audit(target));
  return {
    async open(name, call) {
      requireFreshProof(env, call);
      const file = requireBackups(env).open(name);
      if (!file) throw new PanelError('not_found');
      await env.transact({ name: 'downloadBackup', by: call }, (tx) => {
        tx.saveSettings({ backupLeftAt: tx.now });
        tx.audit(`backup:${name}`);
      });
      return file;
    },
    async receive(chunks, call) {
      const received = await env.tasks.untilStop(requireBackups(env).receive(chunks));
      await audit('uploadBackup', call, `backup:${received.name}`);
      return viewBackup(received);
    },
  };
}

export const BACKUP_HANDLERS = {
  listBackups: { read: listBackups },
  createBackup: { run: createBackup },
  deleteBackup: { run: deleteBackup, isEssential: true },
  scheduleBackups: { run: scheduleBackups },
  checkBackup: { run: checkBackup },
  restoreBackup: { run: restoreBackup },
} satisfies Handlers<
  'listBackups' | 'createBackup' | 'deleteBackup' | 'scheduleBackups' | 'checkBackup' | 'restoreBackup'
>;
