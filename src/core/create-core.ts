// Puts the core together over its ports.

import { createLocalCommands } from './access/administrator.ts';
import { authenticateKey, createKeyUse } from './access/keys.ts';
import { authenticateSession } from './access/session.ts';
import { createBackupFiles } from './backups/files.ts';
import { createBackupSchedule } from './backups/schedule.ts';
import { createEnv, type Env } from './context.ts';
import type { Core, CoreParts, Figures } from './core.ts';
import { watchDiskSpace } from './disk-space-watch.ts';
import { createDispatch } from './dispatch.ts';
import { createEventHub } from './events.ts';
import { prune, sweepDue } from './sweep.ts';
import { subscriptionOf } from './users/subscription.ts';
import { ONLINE_MS } from './users/view.ts';

const SWEEP_EVERY_MS = 1000;
const FLUSH_EVERY_MS = 10_000;
const PRUNE_EVERY_MS = 3_600_000;
const BACKUP_EVERY_MS = 60_000;
const ROOM_EVERY_MS = 1000;

function figuresOf({ store, clock }: Env): Figures {
  const now = clock.now();
  return store.read(() => ({
    users: store.users.countsByState(now),
    usersOnline: store.users.countOnline(now - ONLINE_MS),
    traffic: store.traffic.total(),
    nodes: store.nodes.page(store.nodes.count(), 0),
    nodeTraffic: store.traffic.nodeTotals(),
    inboundTraffic: store.traffic.inboundTotals(),
    keys: store.keys.countByAccess(now),
    databaseBytes: store.sizeBytes(),
    isDiskFull: store.diskSpace.isFull(),
  }));
}

/** Runs a background chore so that none overlaps itself and none takes the panel down. */
function chore(env: Env, name: string, work: () => Promise<unknown>): () => void {
  let isRunning = false;
  return () => {
    if (isRunning) return;
    isRunning = true;
    work()
      .catch((error: unknown) => env.log.error(`${name} failed`, { error: String(error) }))
      .finally(() => {
        isRunning = false;
      });
  };
}

/** The environment alone: what the worker thread runs its writes over. */
export function createHeavyEnv(parts: CoreParts): Env {
  return createEnv(parts, () => {});
}

export function createCore(parts: CoreParts): Core {
  const hub = createEventHub(parts.store, parts.timers.soon);
  const env = createEnv(parts, hub.announce);
  const keyUse = createKeyUse(env);
  const stops: (() => void)[] = [];

  async function sweepAll(): Promise<void> {
    let isMore = true;
    while (isMore) {
      isMore = await sweepDue(env);
      if (isMore) await new Promise<void>((resolve) => env.timers.soon(resolve));
    }
  }

  return {
    call: createDispatch(env),
    authenticateKey: (key) => authenticateKey(env, key),
    noteKeyUse: keyUse.note,
    authenticateSession: (token, isUse) => authenticateSession(env, token, isUse),
    settings: env.settings,
    baseUrl: env.baseUrl,
    subscribe: hub.subscribe,
    eventsAfter: hub.after,
    latestEventId: () => env.store.events.latestId(),
    figures: () => figuresOf(env),
    subscription: (token) => subscriptionOf(env, token),
    local: createLocalCommands(env),
    backupFiles: createBackupFiles(env),
    start() {
      const { every } = env.timers;
      const sweep = chore(env, 'sweep', sweepAll);
      const checkDiskSpace = chore(env, 'disk space', watchDiskSpace(env));
      stops.push(
        every(ROOM_EVERY_MS, checkDiskSpace),
        every(SWEEP_EVERY_MS, sweep),
        every(FLUSH_EVERY_MS, chore(env, 'key use', keyUse.flush)),
        every(
          PRUNE_EVERY_MS,
          chore(env, 'prune', () => prune(env)),
        ),
        every(BACKUP_EVERY_MS, chore(env, 'scheduled backup', createBackupSchedule(env))),
      );
      checkDiskSpace();
      sweep();
    },
    async stop() {
      for (const stop of stops.splice(0)) stop();
      await env.backups?.close();
      await env.queue.drained();
      await keyUse.flush().catch((error: unknown) => env.log.warn('key use not kept', { error: String(error) }));
    },
  };
}
