// Backup places of a running panel: each on a thread of its own, which is aborted if a call takes too long.
import { isAbsolute, relative } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { BackupPlaces, OpenPlace, PlaceAccess } from '../../core/ports/backup-places.ts';
import { moduleBeside, openTaskThread } from '../worker-thread.ts';
import { createPlaceFailure } from './failure.ts';
import type { PlaceTasks } from './place-worker.ts';

/** Limit of every call except transfers of whole backups. Silent servers fail earlier. */
const SHORT_MS = 120_000;
const LONG_MS = 6 * 3_600_000;
const IDLE_MS = 1000;

/** `dataFolder`: no place may be inside it. Only tests lower `shortMs` and `longMs`. */
export function openBackupPlaces(dataFolder: string, shortMs = SHORT_MS, longMs = LONG_MS): BackupPlaces {
  return { open: (access) => openPlaceThread(access, dataFolder, shortMs, longMs) };
}

function isInside(path: string, folder: string): boolean {
  const below = relative(folder, path);
  return !below.startsWith('..') && !isAbsolute(below);
}

function openPlaceThread(access: PlaceAccess, dataFolder: string, shortMs: number, longMs: number): OpenPlace {
  const thread = openTaskThread<PlaceTasks>({
    name: 'place thread',
    module: moduleBeside(import.meta.url, 'place-worker'),
    idleMs: IDLE_MS,
  });

  async function within<T>(ms: number, outcome: () => Promise<T>): Promise<T> {
    if (access.kind === 'folder' && isInside(access.path, dataFolder))
      throw createPlaceFailure('place_refused', 'inside the data folder');
    const deadline = new AbortController();
    const late = wait(ms, undefined, { signal: deadline.signal, ref: false }).then(() => {
      // A call to a disk or server that hangs cannot be awaited.
      void thread.abort();
      throw createPlaceFailure('timeout', `${Math.round(ms / 1000)} s`);
    });
    late.catch(() => {});
    try {
      return await Promise.race([outcome(), late]);
    } finally {
      deadline.abort();
    }
  }

  return {
    list: () => within(shortMs, () => thread.run('list', access)),
    upload: (name, path) => within(longMs, () => thread.run('upload', { access, name, path })),
    download: (name, target) => within(longMs, () => thread.run('download', { access, name, path: target })),
    remove: (name) => within(shortMs, () => thread.run('remove', { access, name })),
    test: (name) => within(shortMs, () => thread.run('test', { access, name })),
    close: () => void thread.abort(),
  };
}
