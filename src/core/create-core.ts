// Composes the core from its ports.

import { HOUR_MS } from '../domain/limits.ts';
import { nodeStatusAt } from '../domain/nodes/node-status.ts';
import { createKeyAuthentication, type KeyAuthentication } from './access/keys.ts';
import { authenticateSession } from './access/session.ts';
import { createBackupFiles } from './backups/backups.ts';
import { createPlaceSchedule } from './backups/place-runs.ts';
import { createBackupSchedule } from './backups/schedule.ts';
import { createBotService } from './bot/bot-service.ts';
import { sendBroadcasts } from './bot/broadcasts.ts';
import { createDispatch } from './dispatch.ts';
import { createImports } from './imports/imports.ts';
import { renewCertificates } from './inbounds/inbound-certificates.ts';
import type { Env } from './kernel/context.ts';
import type { Core, CoreParts, Figures, Shop } from './kernel/core.ts';
import { createEnv } from './kernel/env.ts';
import { createEventHub } from './kernel/events.ts';
import { PanelError } from './kernel/panel-error.ts';
import { isActive, requireRole } from './kernel/role.ts';
import { createNodeWorkers, type NodeWorkers } from './nodes/worker.ts';
import { notifyAdmins } from './notify/admin-notices.ts';
import { notifyOfSale } from './notify/sale-reactions.ts';
import { sendNotices } from './notify/user-notices.ts';
import { createInvoicePoller } from './payments/invoice-poller.ts';
import { checkProviders } from './payments/providers.ts';
import { createShop } from './payments/shop.ts';
import type { OpenEngine } from './ports/engines.ts';
import { writeFailures } from './proof/failure-rows.ts';
import { runAcme } from './settings/acme.ts';
import { followAuthority } from './settings/authority.ts';
import { notifyOfEnds } from './settings/certificates.ts';
import { createClockJob, isClockDoubted } from './settings/clock.ts';
import { createLocalCommands } from './setup/administrator.ts';
import { findImportedSubscription } from './subscription/imported-links.ts';
import { findSubscription } from './subscription/subscription.ts';
import { prune, sweepDue, sweepExcesses } from './sweep.ts';
import { createUpdateSchedule } from './updates/updates.ts';
import { ONLINE_MS } from './users/users.ts';
import { createWebhookSender } from './webhooks/sender.ts';

/** How long nodes are asked at the start whether another panel has taken over, before this panel becomes active. */
const ASK_NODES_MS = 10_000;
const SWEEP_EVERY_MS = 1000;
const CLOCK_EVERY_MS = 1000;
const FLUSH_EVERY_MS = 10_000;
const PRUNE_EVERY_MS = 3_600_000;
const TIDY_EVERY_MS = 10_000;
const BACKUP_EVERY_MS = 60_000;
const DISK_CHECK_EVERY_MS = 1000;
const WEBHOOKS_EVERY_MS = 1000;
const POLL_EVERY_MS = 10_000;
/** In energy-saving mode, nodes are polled at every third turn: every 30 s, well below the time after which their state is unknown. */
const SAVING_TURNS = 3;
const CERTIFICATES_EVERY_MS = 60_000;
const UPDATES_EVERY_MS = 60_000;
const ACME_EVERY_MS = 1000;
const PRUNE_WEBHOOKS_EVERY_MS = 60_000;
const PROVIDERS_EVERY_MS = 3_600_000;
const ASK_EVERY_MS = 1000;
const NOTICES_EVERY_MS = 60_000;
const BROADCASTS_EVERY_MS = 1000;

function collectFigures({ store, clock }: Env): Figures {
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
    epoch: store.settings.get().epoch,
  }));
}

/** Creates the periodic check of free disk space; changes are logged and notified to the administrator. */
function createDiskSpaceCheck(env: Env): () => Promise<void> {
  const { store, log, clock, queue } = env;
  const { diskSpace } = store;
  let wasFull = false;
  function reportDiskChange(): void {
    if (diskSpace.isFull() === wasFull) return;
    wasFull = !wasFull;
    if (wasFull) log.error('disk full: nothing is changed until there is space again');
    else log.info('disk has space again');
    const text = wasFull ? 'admin.notice.diskFull' : 'admin.notice.diskFree';
    const now = clock.now();
    const context = { store, settings: env.settings(), now };
    // At most one notification of each kind per hour, even if the panel restarts repeatedly.
    const key = `${wasFull}:${Math.floor(now / HOUR_MS)}`;
    const notifyDiskState = () => notifyAdmins(context, { kind: 'disk', key, render: ({ t }) => t(text) });
    if (store.bot.admins().length === 0) return;
    // Operations that free space do not wait for this.
    queue
      .run(() => store.write(notifyDiskState, 'essential'))
      .then(env.announce)
      .catch((error: unknown) => log.warn('bot: notice not queued', { error: String(error) }));
  }
  return async () => {
    reportDiskChange();
    await diskSpace.recover();
    reportDiskChange();
  };
}

/** Creates a periodic job that never overlaps itself; failures are logged. */
function createJob({ tasks }: Env, name: string, work: () => Promise<unknown>): () => void {
  let isRunning = false;
  return () => {
    if (isRunning) return;
    isRunning = true;
    tasks.start(name, () =>
      work().finally(() => {
        isRunning = false;
      }),
    );
  };
}

/**
 * Creates a periodic job that pauses while the clock is in doubt, since its effects cannot be undone, and while another panel works with this data.
 */
function createTimedJob(env: Env, name: string, work: () => Promise<unknown>): () => void {
  return createJob(env, name, async () => {
    if (!isClockDoubted(env) && isActive(env)) await work();
  });
}

/** Starts the periodic jobs. Returns functions that stop them. */
function startJobs(env: Env, keys: KeyAuthentication, sweepAll: () => Promise<void>): readonly (() => void)[] {
  const { every } = env.timers;
  const sweep = createTimedJob(env, 'sweep', sweepAll);
  const renewDue = createTimedJob(env, 'certificates', async () => {
    await renewCertificates(env);
    await notifyOfEnds(env);
  });
  // Current readers continue over TLS.
  const followOwnAuthority = createJob(env, 'authority', async () => {
    if (!isClockDoubted(env)) await followAuthority(env);
  });
  const checkDiskSpace = createJob(env, 'disk space', createDiskSpaceCheck(env));
  const followClock = createJob(env, 'clock', createClockJob(env));
  const stops = [
    every(CLOCK_EVERY_MS, followClock),
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
      createTimedJob(env, 'prune', () => prune(env)),
    ),
    every(
      TIDY_EVERY_MS,
      createJob(env, 'journal', async () => env.checkpoints?.tidy()),
    ),
    every(CERTIFICATES_EVERY_MS, renewDue),
    every(CERTIFICATES_EVERY_MS, followOwnAuthority),
    every(
      NOTICES_EVERY_MS,
      createTimedJob(env, 'notices', () => sendNotices(env)),
    ),
    every(
      BROADCASTS_EVERY_MS,
      createTimedJob(env, 'broadcasts', () => sendBroadcasts(env)),
    ),
    every(UPDATES_EVERY_MS, createJob(env, 'update check', createUpdateSchedule(env))),
    every(
      ACME_EVERY_MS,
      createTimedJob(env, 'certificates by ACME', () => runAcme(env)),
    ),
    every(BACKUP_EVERY_MS, createTimedJob(env, 'scheduled backup', createBackupSchedule(env))),
    every(BACKUP_EVERY_MS, createTimedJob(env, 'places of backups', createPlaceSchedule(env))),
  ];
  checkDiskSpace();
  followClock();
  followOwnAuthority();
  sweep();
  return stops;
}

function hasRemoteNodes({ store }: Pick<Env, 'store'>): boolean {
  const all = store.nodes.page(store.nodes.count(), 0);
  return all.some(({ enabled, agentPin }) => enabled && agentPin !== null);
}

/** Retry-After for buyers while nodes are being asked for another panel, seconds. */
const ASKING_RETRY_S = 5;

/** Makes the shop read-only while another panel works with this data, or may do so. `hasAsked`: whether nodes were asked. */
function guardShop(env: Pick<Env, 'role'>, hasAsked: () => boolean, shop: Shop): Shop {
  const requireAsked = () => {
    requireRole(env);
    if (!hasAsked()) throw new PanelError('unavailable', undefined, ASKING_RETRY_S);
  };
  const guard =
    <Args extends readonly unknown[], T>(act: (...args: Args) => Promise<T>, requireWork = requireAsked) =>
    async (...args: Args): Promise<T> => {
      requireWork();
      return act(...args);
    };
  return {
    ...shop,
    pay: guard(shop.pay),
    pollOrder: guard(shop.pollOrder),
    enterPromo: guard(shop.enterPromo),
    removePromo: guard(shop.removePromo),
    // Only stored here; the provider is polled later.
    hint: guard(shop.hint, () => requireRole(env)),
    buy: guard(shop.buy),
  };
}

/** The environment alone, for writes on the worker thread. */
export function createHeavyEnv(parts: CoreParts): Env {
  return createEnv(parts, () => {}, undefined, notifyOfSale);
}

export function createCore(parts: CoreParts): Core {
  const hub = createEventHub(parts.store, parts.timers.soon);
  const sessionListeners = new Set<() => void>();
  const announce = () => {
    hub.announce();
    bot.wake();
    if (!isWorking()) return;
    webhooks?.wake();
    nodes?.wake();
  };
  // After the commit and the reply, which may carry the token of the next session.
  const notifyEndedSessions = () =>
    tasks.timers.soon(() => {
      for (const listener of sessionListeners) listener();
    });
  const env = createEnv(parts, announce, notifyEndedSessions, notifyOfSale);
  const { tasks } = env;
  const webhooks = parts.webhookClient ? createWebhookSender(env, parts.webhookClient) : null;
  const invoicePoller = parts.paymentProviders ? createInvoicePoller(env) : null;
  const bot = createBotService(env);
  const keys = createKeyAuthentication(env);
  let nodes: NodeWorkers | null = null;
  let isSaving = false;
  let hasAsked = parts.role === undefined;
  let hasStarted = false;
  const stops: (() => void)[] = [];

  /** Whether this panel is active. At the start, nodes are asked first whether another panel is. */
  const isWorking = () => hasAsked && isActive(env);

  const pollProviders = () => {
    if (invoicePoller && isWorking()) tasks.start('payment providers', invoicePoller.wake);
  };

  /** Writes data that is collected in memory. */
  async function writePending(): Promise<void> {
    const writes = {
      'failed attempts': () => writeFailures(env, true),
      'key use': keys.flushUses,
      'link reads': env.linkReads.flush,
    };
    for (const [name, write] of Object.entries(writes))
      await write().catch((error: unknown) => env.log.warn(`${name} not written`, { error: String(error) }));
  }

  /** A superseded panel leaves its nodes alone, including local ones. */
  function followRole(open: OpenEngine): void {
    const isSuperseded = parts.role?.state() === 'superseded';
    if (!isSuperseded) nodes ??= createNodeWorkers(env, open);
    else if (nodes !== null) {
      const workers = nodes;
      nodes = null;
      tasks.start('nodes', () => workers.stop());
    }
  }

  function recordRole(open: OpenEngine): void {
    followRole(open);
    bot.wake();
    if (parts.role?.state() !== 'superseded') return;
    tasks.start('role', () =>
      env.transact({ name: 'superseded', by: 'node' }, (tx) => {
        tx.emit('panel.superseded', { epoch: tx.settings.epoch });
        tx.audit('panel', { epoch: tx.settings.epoch });
      }),
    );
  }

  async function sweepAll(): Promise<void> {
    await sweepExcesses(env);
    let isMore = true;
    while (isMore) {
      isMore = await sweepDue(env);
      if (isMore) await new Promise<void>((resolve) => env.timers.soon(resolve));
    }
  }

  return {
    ...tasks.track({ call: createDispatch(env) }),
    authenticateKey: keys.authenticate,
    recordKeyUse: keys.recordUse,
    authenticateSession: (token, isUse) => authenticateSession(env, token, isUse),
    recordFailedKey: (address, isThrottled) => env.failures.recordFailure('key', address, isThrottled),
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
    figures: () => collectFigures(env),
    subscription: (token) => findSubscription(env, token),
    importedSubscription: (token) => findImportedSubscription(env, token),
    linkPaths: () => env.store.imports.linkSources().flatMap(({ path }) => path ?? []),
    shop: tasks.track(guardShop(env, () => hasAsked, createShop(env, pollProviders))),
    recordLinkRead: env.linkReads.recordRead,
    local: tasks.track(createLocalCommands(env)),
    imports: tasks.track(createImports(env)),
    backupFiles: tasks.track(createBackupFiles(env)),
    bot: tasks.track({
      ...bot,
      bot: () => (isWorking() ? bot.bot() : null),
      recordStatus(error) {
        bot.recordStatus(error);
        // Another panel may have been restored with the same bot: ask the nodes.
        if (error === 'conflict') nodes?.poll();
      },
    }),
    start() {
      const { every } = env.timers;
      if (webhooks) {
        const wake = () => {
          if (isWorking()) webhooks.wake();
        };
        const pruneWebhooks = createJob(env, 'prune webhooks', async () => {
          if (isWorking()) await webhooks.prune();
        });
        stops.push(every(WEBHOOKS_EVERY_MS, wake), every(PRUNE_WEBHOOKS_EVERY_MS, pruneWebhooks));
        wake();
      }
      if (parts.paymentProviders) {
        const check = createJob(env, 'payment providers', async () => {
          if (isWorking()) await checkProviders(env);
        });
        stops.push(every(PROVIDERS_EVERY_MS, check));
      }
      if (invoicePoller) {
        stops.push(every(ASK_EVERY_MS, pollProviders));
        pollProviders();
      }
      if (env.openEngine) {
        const open = env.openEngine;
        let turn = 0;
        const poll = () => {
          turn = (turn + 1) % SAVING_TURNS;
          followRole(open);
          if (!isSaving || turn === 0) nodes?.poll();
        };
        stops.push(every(env.pollEveryMs ?? POLL_EVERY_MS, poll));
        parts.role?.onChange(() => recordRole(open));
        followRole(open);
        nodes?.poll();
      }
      const startAll = () => {
        if (hasStarted || tasks.isStopping()) return;
        hasStarted = true;
        hasAsked = true;
        pollProviders();
        stops.push(...startJobs(env, keys, sweepAll));
      };
      if (parts.role === undefined || !hasRemoteNodes(env)) return startAll();
      parts.role.onAnswered(startAll);
      stops.push(env.timers.after(ASK_NODES_MS, startAll));
    },
    catchUp: () =>
      tasks.run(async () => {
        nodes?.poll();
        if (!isWorking()) return;
        if (!isClockDoubted(env)) await sweepAll();
        webhooks?.wake();
        await invoicePoller?.wake();
        if (isClockDoubted(env)) return;
        await sendNotices(env);
        await sendBroadcasts(env);
      }),
    saveEnergy(isOn) {
      isSaving = isOn;
    },
    async stop() {
      tasks.beginStop();
      try {
        for (const stop of stops.splice(0)) stop();
        // Aborts what waits for external services.
        env.acmeOrder.abort();
        env.invitations.endAll();
        parts.targetProbe?.close();
        parts.paymentProviders?.close();
        webhooks?.stop();
        await nodes?.stop();
        await env.backups?.close();
        // A file can take long to read, and tasks wait for it.
        await parts.importFiles?.close();
      } finally {
        // Waits for running tasks.
        await tasks.idle();
        await env.checkpoints?.close();
        await writePending();
        // No task runs from here on.
        await env.queue.close();
        tasks.end();
        hub.close();
      }
    },
  };
}
