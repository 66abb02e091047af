// Backups to remote places: makes one for each place, stores it there, and deletes older ones. Places do not wait for each other.

import { buildPlacedName, listSurplus } from '../../domain/backup-places.ts';
import { DAY_MS, HOUR_MS } from '../../domain/limits.ts';
import type { Env, Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { toInstantOrNull } from '../kernel/wire.ts';
import { findRunningBot } from '../notify/active-bot.ts';
import { notifyAdmins, type Render } from '../notify/admin-notices.ts';
import type { BackupPlace, BackupPlaceRow, StoredBackup } from '../ports/backup-places.ts';
import type { Call } from '../ports/call.ts';
import type { Store } from '../ports/ports.ts';
import type { SettingValues } from '../ports/settings.ts';
import { requireBackups } from './backups.ts';
import { MAX_CHAT_BACKUP, queueBackup } from './chat-backups.ts';
import { createPlaceError, holdsFiles, openPassphrase, openSavedPlace, toPlaceError } from './place-access.ts';

export type PlaceRunEnv = Pick<
  Env,
  'backupPlaces' | 'backups' | 'clock' | 'runningPlaces' | 'settings' | 'store' | 'tasks' | 'transact' | 'vault'
>;

const AGAIN_AFTER_MS = 15 * 60_000;
/** The time without a backup outside the machine after which it counts as late. */
export const LATE_MS = 2 * DAY_MS;

/** After a clock was set back the next backup is due, not late. */
export function isWithin(now: number, since: number, ms: number): boolean {
  return now >= since && now - since < ms;
}

export function requirePlace({ store }: Pick<Env, 'store'>, id: number): BackupPlaceRow {
  const found = store.backupPlaces.get(id);
  if (!found) throw new PanelError('not_found');
  return found;
}

/** When a backup last left the machine: stored at a place, downloaded, or sent to a chat; null: none has. */
export function findLastLeft({ bot }: Pick<Store, 'bot'>, { backupLeftAt }: Pick<SettingValues, 'backupLeftAt'>) {
  const latest = Math.max(backupLeftAt ?? 0, bot.lastDocumentAt() ?? 0);
  return latest === 0 ? null : latest;
}

/** Stores a file under a new name of this panel. Returns the name, which the place then lists. */
export async function storeFile(
  place: BackupPlace,
  { path, createdAt, instanceId }: { readonly path: string; readonly createdAt: number; readonly instanceId: string },
): Promise<string> {
  const name = buildPlacedName(instanceId, createdAt);
  await place.upload(name, path);
  const isListed = (await place.list()).some((file) => file.name === name);
  if (!isListed) throw createPlaceError('place_mismatch', `${name} is not in its list`);
  return name;
}

/** Deletes this panel's own backups there beyond the newest `keep`. Returns their names. */
export async function pruneAt(place: BackupPlace, instanceId: string, keep: number): Promise<readonly string[]> {
  const removed = listSurplus(
    (await place.list()).map(({ name }) => name),
    instanceId,
    keep,
  );
  for (const name of removed) await place.remove(name);
  return removed;
}

/**
 * Makes a backup for a place and stores it there; the record gets the outcome. Rejects with the PanelError of the failed step;
 * `rate_limited` if one is being stored there already.
 */
export async function backUpTo(env: PlaceRunEnv, id: number, by: Call | 'schedule'): Promise<StoredBackup> {
  const row = requirePlace(env, id);
  if (env.runningPlaces.has(id)) throw new PanelError('rate_limited', undefined, 60);
  env.runningPlaces.add(id);
  try {
    return holdsFiles(row) ? await storeFor(env, row, by) : await sendFor(env, row, by);
  } catch (error) {
    // The panel is stopping.
    if (!(error instanceof PanelError && error.code === 'unavailable')) await recordFailure(env, id, error, by);
    throw error;
  } finally {
    env.runningPlaces.delete(id);
  }
}

async function storeFor(
  env: PlaceRunEnv,
  row: Parameters<typeof openSavedPlace>[1],
  by: Call | 'schedule',
): Promise<StoredBackup> {
  const backups = requireBackups(env);
  const { instanceId } = env.settings();
  const passphrase = openPassphrase(env, row);
  const place = openSavedPlace(env, row);
  try {
    // Fails before a backup is made if the place cannot be reached.
    await env.tasks.untilStop(place.list());
    const { name: madeName, createdAt, sizeBytes, encrypted } = await backups.create('outgoing', passphrase);
    try {
      const file = { path: backups.locate(madeName), createdAt, instanceId };
      const name = await env.tasks.untilStop(storeFile(place, file));
      await recordStored(env, row.id, name, by);
      const removed = await env.tasks.untilStop(pruneAt(place, instanceId, row.keep));
      return { name, sizeBytes, encrypted, removed };
    } finally {
      backups.remove(madeName);
    }
  } finally {
    place.close();
  }
}

/** Sends a backup to the chat. The file stays until it was sent; only the newest one is kept. */
async function sendFor(env: PlaceRunEnv, row: BackupPlaceRow, by: Call | 'schedule'): Promise<StoredBackup> {
  const backups = requireBackups(env);
  requireChat(env);
  const made = await backups.create('chat', openPassphrase(env, row));
  const { name, sizeBytes, encrypted } = made;
  if (sizeBytes > MAX_CHAT_BACKUP) {
    backups.remove(name);
    throw createPlaceError('chat_too_large', `${sizeBytes} bytes`);
  }
  backups.prune('chat', 1);
  await env.transact({ name: 'storeBackup', by }, (tx) => {
    if (queueBackup(tx, made, null) === 0) throw createPlaceError('no_chat', 'no account is paired');
    saveOutcome(tx, row.id, { lastAt: tx.now, error: null, errorAt: null });
    tx.emit('backup.stored', { name, place: row.name });
  });
  return { name, sizeBytes, encrypted, removed: [] };
}

/** PanelError `bot_off`; `place_failed` if no account is paired. */
export function requireChat(env: Pick<Env, 'store'>): void {
  if (!findRunningBot(env)) throw new PanelError('bot_off');
  if (env.store.bot.admins().length === 0) throw createPlaceError('no_chat', 'no account is paired');
}

type Outcome = Partial<Pick<BackupPlaceRow, 'lastAt' | 'error' | 'errorAt'>>;

/** Stores the outcome, unless the place was changed or deleted meanwhile. Returns the former record. */
export function saveOutcome(
  { store }: Pick<Transaction, 'store'>,
  id: number,
  outcome: Outcome,
): BackupPlaceRow | undefined {
  const row = store.backupPlaces.get(id);
  if (row) store.backupPlaces.save({ ...row, ...outcome });
  return row;
}

function recordStored(env: PlaceRunEnv, id: number, name: string, by: Call | 'schedule'): Promise<void> {
  return env.transact({ name: 'storeBackup', by }, (tx) => {
    tx.saveSettings({ backupLeftAt: tx.now });
    const row = saveOutcome(tx, id, { lastAt: tx.now, error: null, errorAt: null });
    if (row) tx.emit('backup.stored', { name, place: row.name });
  });
}

/** Reports each reason once, until a backup succeeds there again. */
function recordFailure(env: PlaceRunEnv, id: number, cause: unknown, by: Call | 'schedule'): Promise<void> {
  const error = toPlaceError(cause);
  return env.transact({ name: 'storeBackup', by }, (tx) => {
    const row = saveOutcome(tx, id, { error, errorAt: tx.now });
    if (!row || row.error === error) return;
    tx.emit('backup.failed', { reason: error, place: row.name });
    const render: Render = ({ t }) =>
      error === 'chat_too_large'
        ? t('admin.notice.backupTooLarge')
        : t('admin.notice.placeFailed', { name: row.name, reason: error });
    notifyAdmins(tx, { kind: 'backup', key: `place:${id}:${error}:${row.lastAt ?? 0}`, render });
  });
}

function isDue({ everyHours, lastAt, error, errorAt }: BackupPlaceRow, now: number): boolean {
  if (everyHours === null) return false;
  if (error !== null && errorAt !== null && isWithin(now, errorAt, AGAIN_AFTER_MS)) return false;
  return lastAt === null || !isWithin(now, lastAt, everyHours * HOUR_MS);
}

/** Creates the periodic check that starts due backups; places do not wait for each other. */
export function createPlaceSchedule(env: PlaceRunEnv): () => Promise<void> {
  return async () => {
    if (env.backups === undefined) return;
    await reportLate(env);
    if (env.backupPlaces === undefined || env.store.diskSpace.isFull()) return;
    const now = env.clock.now();
    for (const row of env.store.backupPlaces.all()) {
      if (!isDue(row, now) || env.runningPlaces.has(row.id)) continue;
      env.tasks.start(`backup to ${row.kind} place ${row.id}`, () => backUpTo(env, row.id, 'schedule'));
    }
  };
}

/** Reports once that no backup has left the machine for long, until one has. */
async function reportLate(env: PlaceRunEnv): Promise<void> {
  const { store } = env;
  const administrator = store.administrator.get();
  // A panel that was never set up has no data to lose.
  if (administrator === undefined) return;
  const { backupLateAt } = env.settings();
  const leftAt = findLastLeft(store, env.settings());
  if (env.clock.now() - (leftAt ?? administrator.createdAt) <= LATE_MS) return;
  if (backupLateAt !== null && (leftAt === null || leftAt < backupLateAt)) return;
  await env.transact({ name: 'storeBackup', by: 'schedule' }, (tx) => {
    tx.saveSettings({ backupLateAt: tx.now });
    tx.emit('backup.late', { left_at: toInstantOrNull(leftAt) });
    const render: Render = ({ t, when }) =>
      leftAt === null ? t('admin.notice.backupNever') : t('admin.notice.backupLate', { when: when(leftAt) });
    notifyAdmins(tx, { kind: 'backup', key: `late:${leftAt ?? 0}`, render });
  });
}
