// Scheduled backups. A failure is recorded and emitted as an event, and retried soon.

import { HOUR_MS } from '../../domain/limits.ts';
import type { Env } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { notifyAdmins, type Render } from '../notify/admin-notices.ts';
import type { BackupFile } from '../ports/backups.ts';
import type { SettingValues } from '../ports/settings.ts';
import { PASSPHRASE_PLACE, requireBackups } from './backups.ts';
import { isWithin } from './place-runs.ts';

type BackupScheduleEnv = Pick<Env, 'backups' | 'clock' | 'log' | 'settings' | 'store' | 'transact' | 'vault'>;

/** Delay of the first scheduled backup of a new panel. */
const FIRST_AFTER_MS = HOUR_MS;
const AGAIN_AFTER_MS = 15 * 60_000;

/** Creates the periodic check that makes a backup when one is due. Rejects only if not even the failure can be recorded. */
export function createBackupSchedule(env: BackupScheduleEnv): () => Promise<void> {
  const startedAt = env.clock.now();
  let failedAt: number | null = null;

  function isDue(now: number): boolean {
    const { backupSchedule, backupLast } = env.settings();
    if (env.backups === undefined || env.store.diskSpace.isFull() || backupSchedule.everyHours === null) return false;
    if (failedAt !== null && isWithin(now, failedAt, AGAIN_AFTER_MS)) return false;
    if (backupLast.at === null) return !isWithin(now, startedAt, FIRST_AFTER_MS);
    return !isWithin(now, backupLast.at, backupSchedule.everyHours * HOUR_MS);
  }

  return async () => {
    const now = env.clock.now();
    if (!isDue(now)) return;
    try {
      const backups = requireBackups(env);
      const { encrypted, keep } = env.settings().backupSchedule;
      const made = await backups.create('scheduled', encrypted ? getPassphrase(env) : null);
      backups.prune('scheduled', keep);
      failedAt = null;
      await recordBackup(env, { at: now, error: null }, made);
    } catch (error) {
      const reason = error instanceof PanelError ? error.code : 'internal';
      // The panel is stopping.
      if (reason === 'unavailable') return;
      failedAt = now;
      env.log.error('scheduled backup failed', { error: String(error) });
      const { backupLast } = env.settings();
      if (backupLast.error !== reason) await recordBackup(env, { at: backupLast.at, error: reason }, null);
    }
  };
}

/** Without the passphrase there is no backup, never one in clear text. */
function getPassphrase({ store, vault }: Pick<Env, 'store' | 'vault'>): string {
  const row = store.sealed.get(PASSPHRASE_PLACE);
  if (!row) throw new PanelError('vault_unavailable');
  return vault.open(row);
}

async function recordBackup(
  env: Pick<Env, 'transact'>,
  backupLast: SettingValues['backupLast'],
  made: BackupFile | null,
): Promise<void> {
  await env.transact({ name: 'scheduledBackup', by: 'schedule' }, (tx) => {
    tx.saveSettings({ backupLast });
    if (made === null) {
      const reason = backupLast.error ?? '';
      tx.emit('backup.failed', { reason, place: null });
      const render: Render = ({ t }) => t('admin.notice.backupFailed', { reason });
      notifyAdmins(tx, { kind: 'backup', key: `${backupLast.at ?? 0}:${reason}`, render });
    } else tx.emit('backup.made', { name: made.name });
  });
}
