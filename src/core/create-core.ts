// Puts the core together over its ports.

import { HOUR_MS } from '../domain/limits.ts';
import { nodeStatusAt } from '../domain/nodes/node-status.ts';
import { createLocalCommands } from './access/administrator.ts';
import { writeFailures } from './access/failure-rows.ts';
import { createKeyAuthentication } from './access/keys.ts';
import { authenticateSession } from './access/session.ts';
import { createBackupFiles } from './backups/backups.ts';
import { createBackupSchedule } from './backups/schedule.ts';
import { tellAdmins } from './bot/admin-notices.ts';
import { sendBroadcasts } from './bot/broadcasts.ts';
import { createBotDesk } from './bot/desk.ts';
import { sendNotices } from './bot/notices.ts';
import { createEnv, type Env } from './context.ts';
import type { Core, CoreParts, Figures } from './core.ts';
import { createDispatch } from './dispatch.ts';
import { createEventHub } from './events.ts';
import { renewCertificates } from './inbounds/inbound-certificates.ts';
import { createNodeWorkers, type NodeWorkers } from './nodes/worker.ts';
import { createPaymentAsker } from './payments/asker.ts';
import { checkProviders } from './payments/providers.ts';
import { createShop } from './payments/shop.ts';
import { endDevices } from './sales/devices.ts';
import { runAcme } from './settings/acme.ts';
import { tellOfEnds } from './settings/certificates.ts';
import { prune, sweepDue, sweepExcesses } from './sweep.ts';
import { createUpdateSchedule } from './updates.ts';
import { subscriptionOf } from './users/subscription.ts';
import { ONLINE_MS } from './users/users.ts';
import { createWebhookSender } from './webhooks/sender.ts';

const SWEEP_EVERY_MS = 1000;
const FLUSH_EVERY_MS = 10_000;
const PRUNE_EVERY_MS = 3_600_000;
const TIDY_EVERY_MS = 10_000;
const BACKUP_EVERY_MS = 60_000;
const DISK_CHECK_EVERY_MS = 1000;
const WEBHOOKS_EVERY_MS = 1000;
const POLL_EVERY_MS = 10_000;
/** While energy is saved, nodes are read once in so many times: every 30 s, far below what makes their state unknown. */
const SAVING_TURNS = 3;
const CERTIFICATES_EVERY_MS = 60_000;
const UPDATES_EVERY_MS = 60_000;
const ACME_EVERY_MS = 1000;
const PRUNE_WEBHOOKS_EVERY_MS = 60_000;
const PROVIDERS_EVERY_MS = 3_600_000;
const ASK_EVERY_MS = 1000;
const NOTICES_EVERY_MS = 60_000;
const BROADCASTS_EVERY_MS = 1000;

function figuresOf({ store, clock }: Env): Figures {
  const now = clock.now();
  return store.read(() => ({
    users: store.users.countsByState(now),
    usersOnline: store.users.countOnline(now - ONLINE_MS),
    traffic: store.traffic.total(),
    nodes: store.nodes.page(store.nodes.count(), 0).map((node) => ({ ...node, status: nodeStatusAt(node, now) })),
    nodeTraffic: store.traffic.nodeTotals(),
    inboundTraffic: store.traffic.inboundTotals(),
    keys: store.keys.countByAccess(now),
    databaseBytes: store.sizeBytes(),
    isDiskFull: store.diskSpace.isFull(),
  }));
}

/** Makes the periodic check of the disk's free space; a change is logged, and the administrator is told. */
function createDiskSpaceCheck(env: Env): () => Promise<void> {
  const { store, log, clock, queue } = env;
  const { diskSpace } = store;
  let wasFull = false;
  function noteChange(): void {
    if (diskSpace.isFull() === wasFull) return;
    wasFull = !wasFull;
    if (wasFull) log.error('disk full: nothing is changed until there is space again');
    else log.info('disk has space again');
    const text = wasFull ? 'admin.notice.diskFull' : 'admin.notice.diskFree';
    const now = clock.now();
    const context = { store, settings: env.settings(), now };
    // At most one of each an hour, also where the panel starts again and again.
    const key = `${wasFull}:${Math.floor(now / HOUR_MS)}`;
    const tell = () => tellAdmins(context, { kind: 'disk', key, say: ({ t }) => t(text) });
    if (store.bot.admins().length === 0) return;
    // What frees space does not wait for it.
    queue
      .run(() => store.write(tell, 'essential'))
      .then(env.announce)
      .catch((error: unknown) => log.warn('bot: notice not queued', { error: String(error) }));
  }
  return async () => {
    noteChange();
    await diskSpace.recover();
    noteChange();
  };
}

/** Makes a periodic job that never overlaps itself; its failure is logged. */
function createJob(env: Env, name: string, work: () => Promise<unknown>): () => void {
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

/** The environment alone, for the writes of the worker thread. */
export function createHeavyEnv(parts: CoreParts): Env {
  return createEnv(parts, () => {});
}

export function createCore(parts: CoreParts): Core {
  const hub = createEventHub(parts.store, parts.timers.soon);
  const sessionListeners = new Set<() => void>();
  const announce = () => {
    hub.announce();
    webhooks?.wake();
    nodes?.wake();
    bot.wake();
  };
  // Later than the commit and the reply, which may carry the token of the next session.
  const noteEndedSessions = () =>
    parts.timers.soon(() => {
      for (const listener of sessionListeners) listener();
    });
  const env = createEnv(parts, announce, noteEndedSessions);
  const webhooks = parts.webhookClient ? createWebhookSender(env, parts.webhookClient) : null;
  const asker = parts.paymentProviders ? createPaymentAsker(env) : null;
  const bot = createBotDesk(env);
  const keys = createKeyAuthentication(env);
  let nodes: NodeWorkers | null = null;
  let isSaving = false;
  const stops: (() => void)[] = [];

  async function sweepAll(): Promise<void> {
    await sweepExcesses(env);
    await endDevices(env);
    let isMore = true;
    while (isMore) {
      isMore = await sweepDue(env);
      if (isMore) await new Promise<void>((resolve) => env.timers.soon(resolve));
    }
  }

  return {
    call: createDispatch(env),
    authenticateKey: keys.authenticate,
    noteKeyUse: keys.noteUse,
    authenticateSession: (token, isUse) => authenticateSession(env, token, isUse),
    noteFailedKey: (address, isThrottled) => env.failures.note('key', address, isThrottled),
    settings: env.settings,
    baseUrl: env.baseUrl,
    onEndedSessions(listener) {
      sessionListeners.add(listener);
      return () => {
        sessionListeners.delete(listener);
      };
    },
    subscribe: hub.subscribe,
    eventsAfter: hub.after,
    latestEventId: () => env.store.events.latestId(),
    figures: () => figuresOf(env),
    subscription: (token) => subscriptionOf(env, token),
    shop: createShop(env, () => void asker?.wake()),
    noteLinkRead: env.linkReads.note,
    local: createLocalCommands(env),
    backupFiles: createBackupFiles(env),
    bot,
    start() {
      const { every } = env.timers;
      const sweep = createJob(env, 'sweep', sweepAll);
      const renewDue = createJob(env, 'certificates', async () => {
        await renewCertificates(env);
        await tellOfEnds(env);
      });
      const checkDiskSpace = createJob(env, 'disk space', createDiskSpaceCheck(env));
      stops.push(
        every(DISK_CHECK_EVERY_MS, checkDiskSpace),
        every(SWEEP_EVERY_MS, sweep),
        every(FLUSH_EVERY_MS, createJob(env, 'key use', keys.flushUses)),
        every(FLUSH_EVERY_MS, createJob(env, 'link reads', env.linkReads.flush)),
        every(
          FLUSH_EVERY_MS,
          createJob(env, 'failed attempts', () => writeFailures(env)),
        ),
        every(
          PRUNE_EVERY_MS,
          createJob(env, 'prune', () => prune(env)),
        ),
        every(
          TIDY_EVERY_MS,
          createJob(env, 'journal', async () => env.checkpoints?.tidy()),
        ),
        every(CERTIFICATES_EVERY_MS, renewDue),
        every(
          NOTICES_EVERY_MS,
          createJob(env, 'notices', () => sendNotices(env)),
        ),
        every(
          BROADCASTS_EVERY_MS,
          createJob(env, 'broadcasts', () => sendBroadcasts(env)),
        ),
        every(UPDATES_EVERY_MS, createJob(env, 'update check', createUpdateSchedule(env))),
        every(
          ACME_EVERY_MS,
          createJob(env, 'certificates by ACME', () => runAcme(env)),
        ),
        every(BACKUP_EVERY_MS, createJob(env, 'scheduled backup', createBackupSchedule(env))),
      );
      if (webhooks) {
        const pruneWebhooks = createJob(env, 'prune webhooks', webhooks.prune);
        stops.push(every(WEBHOOKS_EVERY_MS, webhooks.wake), every(PRUNE_WEBHOOKS_EVERY_MS, pruneWebhooks));
        webhooks.wake();
      }
      if (parts.paymentProviders) {
        const check = createJob(env, 'payment providers', () => checkProviders(env));
        stops.push(every(PROVIDERS_EVERY_MS, check));
      }
      if (asker) {
        const ask = () => void asker.wake();
        stops.push(every(ASK_EVERY_MS, ask));
        ask();
      }
      if (env.openEngine) {
        const workers = createNodeWorkers(env, env.openEngine);
        nodes = workers;
        let turn = 0;
        const poll = () => {
          turn = (turn + 1) % SAVING_TURNS;
          if (!isSaving || turn === 0) workers.poll();
        };
        stops.push(every(env.pollEveryMs ?? POLL_EVERY_MS, poll));
        workers.poll();
      }
      checkDiskSpace();
      sweep();
    },
    async catchUp() {
      await sweepAll();
      nodes?.poll();
      webhooks?.wake();
      await asker?.wake();
      await sendNotices(env);
      await sendBroadcasts(env);
    },
    saveEnergy(isOn) {
      isSaving = isOn;
    },
    async stop() {
      env.isStopping = true;
      env.acmeOrder?.abort();
      for (const stop of stops.splice(0)) stop();
      for (const end of [...env.invitations.values()]) end();
      parts.targetProbe?.close();
      parts.paymentProviders?.close();
      await nodes?.stop();
      await asker?.stop();
      await webhooks?.stop();
      await env.backups?.close();
      await env.queue.drained();
      await writeFailures(env, true).catch((error: unknown) =>
        env.log.warn('failed attempts not written', { error: String(error) }),
      );
      await keys.flushUses().catch((error: unknown) => env.log.warn('key use not written', { error: String(error) }));
      await env.linkReads
        .flush()
        .catch((error: unknown) => env.log.warn('link reads not written', { error: String(error) }));
      await env.checkpoints?.close();
    },
  };
}
