// Backups as the administrator works with them: made, scheduled, looked through and restored.
import type { Backup } from '../../contract/backups.ts';
import type { Input, Output } from '../../contract/table.ts';
import { forgiveAttempts, proveAnew, refuse } from '../access/attempts.ts';
import { acceptCode } from '../access/second-factor.ts';
import type { Call, Reply, Scope } from '../context.ts';
import { createScope, type Env } from '../env.ts';
import type { Handlers, Refusal } from '../handler.ts';
import { PanelError } from '../panel-error.ts';
import type { BackupFile, BackupSource, Backups, BackupVerdict, Restored } from '../ports/backups.ts';
import type { SettingValues } from '../ports/settings.ts';
import { toInstant, toInstantOrNull } from '../wire.ts';

/** Where the passphrase of scheduled backups is sealed. */
export const PASSPHRASE_PLACE = 'backup:passphrase';

/** Throws PanelError `unavailable` where this core has nobody who keeps backups. */
export function backupsOf({ backups }: Pick<Env, 'backups'>): Backups {
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
  const { problem, version, createdAt, users, keys, secrets } = verdict;
  return { ok: problem === null, problem, version, created_at: toInstantOrNull(createdAt), users, keys, secrets };
}

function listBackups(env: Env, { settings }: Scope): Reply {
  const backups = backupsOf(env);
  const items = backups.list().map(viewBackup);
  const body: Output<'listBackups'> = { items, schedule: viewSchedule(settings), folder: backups.folder };
  return { status: 200, body };
}

function prepareCreate({ passphrase }: Input<'createBackup'>, _call: Call, env: Env): Promise<BackupFile> {
  return backupsOf(env).create('manual', passphrase ?? null);
}

function createBackup(_input: Input<'createBackup'>, scope: Scope, made: BackupFile): Reply {
  const { name, encrypted, secrets } = made;
  scope.emit('backup.made', { name });
  scope.audit(`backup:${name}`, { encrypted, secrets });
  return { status: 201, body: viewBackup(made) };
}

/** Before the transaction, which may have to run twice where the disk is full. */
async function prepareDelete({ name }: Input<'deleteBackup'>, _call: Call, env: Env): Promise<void> {
  if (!backupsOf(env).remove(name)) throw new PanelError('not_found');
}

function deleteBackup({ name }: Input<'deleteBackup'>, scope: Scope): Reply {
  scope.audit(`backup:${name}`);
  return { status: 204 };
}

/** A key of the vault must be there before the transaction that seals with it. */
async function prepareSchedule({ passphrase }: Input<'scheduleBackups'>, _call: Call, { vault }: Env): Promise<void> {
  if (typeof passphrase === 'string') await vault.prepare();
}

function scheduleBackups(input: Input<'scheduleBackups'>, scope: Scope): Reply {
  const { store, vault, settings } = scope;
  const { every_hours: everyHours, keep, passphrase } = input;
  if (typeof passphrase === 'string') store.sealed.put(vault.seal(PASSPHRASE_PLACE, passphrase));
  if (passphrase === null) store.sealed.remove(PASSPHRASE_PLACE);
  const encrypted = passphrase === undefined ? settings.backupSchedule.encrypted : passphrase !== null;
  const backupSchedule = { everyHours, keep, encrypted };
  scope.saveSettings({ backupSchedule });
  scope.audit('backups', { every_hours: everyHours, keep, encrypted, new_passphrase: typeof passphrase === 'string' });
  return { status: 200, body: viewSchedule({ ...settings, backupSchedule }) };
}

async function prepareCheck(input: Input<'checkBackup'>, _call: Call, env: Env): Promise<BackupVerdict> {
  return backupsOf(env).check({ name: input.name }, input.passphrase ?? null);
}

/**
 * Restores, or throws PanelError `backup_refused` with the reason, having touched nothing. The audit row and the event of it belong
 * into what was restored, so they are for the caller to write.
 */
async function restoreFrom(
  env: Env,
  source: BackupSource,
  passphrase: string | null,
  sessionId: number | null,
): Promise<Restored> {
  const restored = await backupsOf(env).restore({
    source,
    passphrase,
    sessionId,
    alone: env.queue.runAlone,
    exchanged: env.forgetSettings,
  });
  const { problem } = restored.verdict;
  if (problem !== null) {
    throw new PanelError('backup_refused', [{ pointer: '#/name', code: problem, message: PROBLEMS[problem] }]);
  }
  await env
    .host()
    ?.certificates?.follow(env.settings())
    .catch((error: unknown) => env.log.error('certificate not renewed', { error: String(error) }));
  return restored;
}

const PROBLEMS: Readonly<Record<NonNullable<BackupVerdict['problem']>, string>> = {
  not_a_backup: 'is not a backup of this panel',
  truncated: 'breaks off before its end',
  damaged: 'was changed or damaged',
  newer: 'was made by a newer version of the panel',
  foreign: 'holds a database that is not the panel’s',
  needs_passphrase: 'is encrypted: give its passphrase',
  wrong_passphrase: 'does not open with this passphrase',
};

/** What is restored must say who did it: on record, in the feed. */
function noteRestored(scope: Scope, { verdict, former }: Restored, from: string): void {
  const { version, secrets, createdAt } = verdict;
  const made = toInstantOrNull(createdAt);
  scope.emit('backup.restored', {});
  scope.audit(`backup:${from}`, { version, secrets, created_at: made, former: former?.name ?? null });
}

/** Proof is judged in a transaction of its own: what follows exchanges the very store it was written to. */
async function prepareRestore(input: Input<'restoreBackup'>, call: Call, env: Env): Promise<Restored | null> {
  const administrator = await proveAnew(input, call, env);
  const isProved = await env.queue.run(() =>
    env.store.write(() => {
      const scope = createScope(env, call, 'restoreBackup', env.clock.now());
      if (!administrator || !acceptCode(scope, input.code)) return false;
      forgiveAttempts(scope);
      return true;
    }),
  );
  if (!isProved) return null;
  return restoreFrom(env, { name: input.name }, input.passphrase ?? null, call.actor.sessionId ?? null);
}

function restoreBackup({ name }: Input<'restoreBackup'>, scope: Scope, restored: Restored | null): Reply | Refusal {
  if (!restored) return refuse(scope, { name });
  noteRestored(scope, restored, name);
  return { status: 200, body: viewRestored(scope, restored) };
}

/** Restores a file on this machine for the command line, which nobody can reach who does not own the data. */
export async function restoreLocally(
  env: Env,
  call: Call,
  path: string,
  passphrase: string | null,
): Promise<Output<'restoreBackup'>> {
  const restored = await restoreFrom(env, { path }, passphrase, null);
  const done = await env.queue.run(() =>
    env.store.write(() => {
      const scope = createScope(env, call, 'restoreBackup', env.clock.now());
      noteRestored(scope, restored, 'file');
      return viewRestored(scope, restored);
    }),
  );
  env.announce();
  return done;
}

function viewRestored(scope: Scope, { verdict, former }: Restored): Output<'restoreBackup'> {
  return { restored: viewVerdict(verdict), former: former?.name ?? '', links_url: scope.subUrl('') };
}

export function backupHandlers(env: Env) {
  return {
    listBackups: { read: (_input, scope) => listBackups(env, scope) },
    createBackup: { prepare: prepareCreate, write: createBackup },
    deleteBackup: { prepare: prepareDelete, write: deleteBackup, isEssential: true },
    scheduleBackups: { prepare: prepareSchedule, write: scheduleBackups },
    checkBackup: {
      prepare: prepareCheck,
      write: (_input, _scope, verdict: BackupVerdict) => ({ status: 200, body: viewVerdict(verdict) }),
    },
    restoreBackup: { prepare: prepareRestore, write: restoreBackup },
  } satisfies Handlers<
    'listBackups' | 'createBackup' | 'deleteBackup' | 'scheduleBackups' | 'checkBackup' | 'restoreBackup'
  >;
}
