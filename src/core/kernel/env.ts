// Composes the environment that modules of one core share.

import type { SettingValues } from '../ports/settings.ts';
import { createCheckpoints } from './checkpoints.ts';
import type { Env } from './context.ts';
import type { CoreParts } from './core.ts';
import { createFailures } from './failures.ts';
import { createLinkReads } from './link-reads.ts';
import {
  createAcmeOrder,
  createAddressTrial,
  createBotStatus,
  createConnectedEngines,
  createEngineUpdates,
  createImportJob,
  createInvitations,
  createProviderCalls,
} from './live-state.ts';
import { createTasks } from './tasks.ts';
import { createTransaction } from './transaction.ts';
import { createWriteQueue } from './write-queue.ts';

export function createEnv(
  given: CoreParts,
  announce: () => void,
  notifyEndedSessions: () => void = () => {},
  react: Env['react'] = () => {},
): Env {
  const tasks = createTasks(given);
  const parts = { ...given, timers: tasks.timers };
  const { settings, forgetSettings } = createSettingsCache(parts);
  const queueParts = createQueue(parts, forgetSettings);
  const transactNow: Env['transactNow'] = (action, work) =>
    parts.store.write(() => work(createTransaction(env, action, action.at ?? parts.clock.now())), action.importance);
  const env: Env = {
    ...parts,
    ...queueParts,
    transactNow,
    async transact(action, work) {
      try {
        return await env.queue.run(() => transactNow(action, work));
      } finally {
        announce();
      }
    },
    linkReads: createLinkReads({ ...parts, ...queueParts }),
    failures: createFailures(parts),
    addressTrial: createAddressTrial(),
    acmeOrder: createAcmeOrder(),
    importJob: createImportJob(),
    botStatus: createBotStatus(),
    invitations: createInvitations(),
    turn: createTurns(parts.timers),
    engines: createConnectedEngines(),
    engineUpdate: createEngineUpdates(),
    providerCalls: createProviderCalls(),
    runningPlaces: new Set(),
    tasks,
    settings,
    forgetSettings,
    baseUrl: () => `${parts.origin()}/${settings().secretPath}/api/v1`,
    subUrl: (token) => {
      const { publicUrl, subPath } = settings();
      return `${publicUrl ?? parts.origin()}/${subPath}/${token}`;
    },
    react,
    announce,
    notifyEndedSessions,
  };
  return env;
}

/** Caches the settings; they are read again after a change. */
function createSettingsCache({ store }: CoreParts): Pick<Env, 'settings' | 'forgetSettings'> {
  let cached: SettingValues | null = null;
  return {
    settings() {
      cached ??= store.settings.get();
      return cached;
    },
    forgetSettings() {
      cached = null;
    },
  };
}

function createTurns({ soon }: CoreParts['timers']): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => new Promise((resolve) => soon(resolve)));
    return last;
  };
}

/** The write queue with its checkpoints. Settings written by a failed write are discarded. */
function createQueue(
  { store, timers, log, checkpointer }: CoreParts,
  forgetSettings: () => void,
): Pick<Env, 'queue' | 'checkpoints'> {
  const orForget = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      forgetSettings();
      throw error;
    }
  };
  const queue = createWriteQueue({
    commit: (works) => orForget(() => store.writeTogether(works)),
    soon: timers.soon,
    onTurnEnd: () => checkpoints?.countTurn(),
  });
  const { runAlone } = queue;
  const checkpoints = checkpointer ? createCheckpoints({ store, log, checkpointer, runAlone }) : null;
  return { queue: { ...queue, run: (work) => queue.run(() => orForget(work)) }, checkpoints };
}
