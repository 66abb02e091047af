// The part of a start that belongs to an update: restores the former data if the launcher returned to this version, and, for a version on
// trial, verifies that it is up.
import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { get as getPlain } from 'node:http';
import { get as getSecure } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connectControl } from '../../adapters/control-socket.ts';
import { FILES } from '../../adapters/data-folder.ts';
import {
  type Installation,
  type Returned,
  readPointer,
  readReturned,
  removeReturned,
  writePointer,
} from '../../adapters/installation.ts';
import { acquireLock } from '../../adapters/instance-lock.ts';
import { refusal } from '../../adapters/refusal.ts';
import { isDatabaseRefusal, syncFile, syncParentFolder } from '../../store/database.ts';
import { inspect, loadMigrations } from '../../store/migrate.ts';
import { moveAside } from '../backup/local-file.ts';
import type { Panel } from '../panel.ts';

export interface UpdatedStart {
  /** Set if the launcher or the administrator returned to this version; otherwise null. */
  readonly returned: (Returned & { readonly restored: boolean }) | null;
}

/** Must run before the database is opened. */
export function prepareStart(folder: string, { root, version }: Installation): UpdatedStart {
  const returned = readReturned(root);
  if (returned === null || returned.version !== version || readPointer(root)?.trial) return { returned: null };
  return { returned: { ...returned, restored: restoreFormer(folder) } };
}

/**
 * If a newer version migrated the database, puts the copy from before the migrations back and moves the migrated one to the backups.
 * Returns whether it did.
 */
function restoreFormer(folder: string): boolean {
  const database = join(folder, FILES.database);
  const migrations = loadMigrations();
  const name = `pre-migration-${String(migrations.length).padStart(4, '0')}.sqlite`;
  const former = join(folder, FILES.backups, name);
  if (!existsSync(former) || canOpen(database, migrations)) return false;
  const lock = acquireLock(folder, 'update');
  if (!lock) throw refusal('in_use', `Another panel is using the data folder ${folder}.`);
  try {
    const ready = `${database}.former`;
    copyFileSync(former, ready);
    syncFile(ready);
    moveAside(folder);
    renameSync(ready, database);
    syncParentFolder(database);
  } finally {
    lock.release();
  }
  return true;
}

/** false for a missing file too: a kill may have come between the two renames. */
function canOpen(database: string, migrations: ReturnType<typeof loadMigrations>): boolean {
  if (!existsSync(database)) return false;
  try {
    inspect(database, migrations);
    return true;
  } catch (error) {
    return !isDatabaseRefusal(error) || (error.reason !== 'newer' && error.reason !== 'diverged');
  }
}

/** Call this once the panel is open. Rejects if it does not answer: the launcher then returns to the former version. */
export async function finishStart(
  { core, address, caPath, log }: Panel,
  folder: string,
  { root, version }: Installation,
  { returned }: UpdatedStart,
): Promise<void> {
  if (returned !== null) {
    const { failed, reason, restored } = returned;
    const result = reason === 'asked' ? 'returned' : 'rolled_back';
    log.warn('update rolled back', { from: failed, to: version, reason, restored });
    await core.local.recordUpdate({ from: failed, to: version, result, reason, restored });
    removeReturned(root);
  }
  const pointer = readPointer(root);
  if (pointer === null || pointer.trial === null || pointer.version !== version) return;
  const { former } = pointer.trial;
  await requireAnswers(folder, address(), caPath !== null);
  log.info('updated', { from: former, to: version });
  await core.local.recordUpdate({ from: former, to: version, result: 'updated', reason: null, restored: false });
  writePointer(root, { version, trial: null });
  rmSync(join(root, 'starts'), { force: true });
}

/** Requires answers by both ways to reach a panel: the control socket and its address. */
async function requireAnswers(folder: string, place: AddressInfo | null, isTls: boolean): Promise<void> {
  const control = await connectControl(folder);
  if (control === null || place === null) throw new Error('the panel does not answer');
  await control.callPanel('addresses', {}).finally(control.close);
  const host = ANY_ADDRESS[place.address] ?? place.address;
  await new Promise<void>((resolve, reject) => {
    const get = isTls ? getSecure : getPlain;
    // The certificate may be for the public name only, so it is not verified for this address.
    const request = get({ host, port: place.port, path: '/', agent: false, rejectUnauthorized: false }, (reply) => {
      reply.resume();
      resolve();
    });
    request.on('error', reject);
  });
}

const ANY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
