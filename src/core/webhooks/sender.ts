// Delivers events to webhooks: queues deliveries from the feed, sends due ones, and records every attempt.
//
// Deliveries are queued in one transaction with the webhook's position in the feed, and an attempt is recorded after its reply. So a crash loses
// nothing, but may repeat a request with the same webhook-id. Large numbers of both are written by the worker thread, since a commit waits for the
// disk and would delay requests.
import {
  DELIVERIES_KEPT,
  DELIVERIES_KEPT_DAYS,
  DELIVERY_DAYS,
  FAILING_DAYS,
  type WebhookErrorCode,
} from '../../contract/webhooks.ts';
import { DAY_MS } from '../../domain/limits.ts';
import type { Env, Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import type { HeavyWriter } from '../ports/heavy-writer.ts';
import type { Crypto, Store } from '../ports/ports.ts';
import type { Attempted, DeliveryRow, WebhookClient, WebhookRow } from '../ports/webhooks.ts';
import {
  buildBody,
  buildHeaders,
  delayAfter,
  messageId,
  openSecrets,
  previousSecretPlace,
  randomFraction,
  retryAfterMs,
} from './message.ts';

type WebhookEnv = Pick<
  Env,
  'announce' | 'clock' | 'crypto' | 'heavy' | 'log' | 'queue' | 'store' | 'tasks' | 'timers' | 'transactNow' | 'vault'
>;

/** Concurrent requests per webhook, so that a slow receiver delays only its own deliveries. */
const CONCURRENCY = 8;
/** Events queued per transaction and webhook, since other writes wait for it. */
const CHUNK = 100;
/** Number of events or attempts from which the worker thread writes. */
const LARGE = 10;
/** Due deliveries of a webhook read at once. */
const LOOKED_UP = 100;
/** Attempts recorded per transaction while more are being sent; a slow one is recorded at once. */
const RECORDED = 100;
const SLOW_MS = 1000;
/** Further events stay in the feed until some of these have ended. */
const MAX_PENDING = 1000;
/** After this time without a success, the next success makes every waiting delivery due. */
const OUTAGE_MS = 10 * 60_000;

export interface WebhookSender {
  /** Sends new and due deliveries soon. */
  wake(): void;
  /** Deletes old deliveries and secrets whose overlap has ended. */
  prune(): Promise<void>;
  /** Aborts running requests, which are repeated after the next start. */
  stop(): void;
}

const NO_SECRET = { error: 'no_secret' } as const;

/** The send queue of a webhook. */
interface Ready {
  /** Deliveries waiting for a free request slot. */
  readonly waiting: number[];
  /** The opened secrets; null: they cannot be decrypted. `updatedAt`: the version of the webhook they belong to. */
  opened: { readonly updatedAt: number; readonly secrets: readonly string[] | null } | null;
}

/** Runs large writes on the worker thread. */
async function writeLarge<T>(
  { store, queue, heavy }: Pick<Env, 'heavy' | 'queue' | 'store'>,
  isLarge: boolean,
  work: () => T,
  onThread: (thread: HeavyWriter) => Promise<T>,
): Promise<T> {
  if (!heavy || !isLarge) return queue.run(() => store.write(work));
  try {
    return await queue.runAlone(() => onThread(heavy));
  } catch (error) {
    if (error instanceof PanelError && error.code === 'storage_full') store.diskSpace.markFull();
    throw error;
  }
}

function isBehind(store: Store, { id, position }: WebhookRow): boolean {
  return position < store.events.latestId() && store.webhooks.countPending(id) < MAX_PENDING;
}

function post(
  client: WebhookClient,
  crypto: Crypto,
  webhook: WebhookRow,
  delivery: DeliveryRow,
  secrets: readonly string[],
  now: number,
) {
  const { url, allowPrivate } = webhook;
  const headers = buildHeaders(crypto, secrets, messageId(delivery), now, delivery.body);
  return client.post({ url, allowPrivate, headers, body: delivery.body });
}

/** Reopened after a change of the webhook, whose secret may be another one. */
function getSecrets(
  { store, vault, clock }: Pick<Env, 'clock' | 'store' | 'vault'>,
  webhook: WebhookRow,
  all: Ready,
): readonly string[] | null {
  const { updatedAt } = webhook;
  if (all.opened?.updatedAt !== updatedAt) {
    all.opened = { updatedAt, secrets: openSecrets(store, vault, webhook, clock.now()) };
  }
  return all.opened.secrets;
}

export function createWebhookSender(env: WebhookEnv, client: WebhookClient): WebhookSender {
  const { store, clock, crypto, vault, log, queue, tasks, timers } = env;
  /** Number of running requests by webhook. */
  const running = new Map<number, number>();
  /** Lists are never empty. */
  const ready = new Map<number, Ready>();
  /** Deliveries that are queued, being sent, or not recorded yet. */
  const busy = new Set<number>();
  const attempted: Attempted[] = [];
  let isRecording = false;
  let isPumping = false;
  let isMore = false;
  let isStopped = false;

  function wake(): void {
    isMore = true;
    if (isPumping || isStopped) return;
    isPumping = true;
    timers.soon(() => {
      tasks
        .run(pump)
        .catch((error: unknown) => {
          log.error('webhooks failed', { error: String(error) });
          isMore = false;
        })
        .finally(() => {
          isPumping = false;
          // An event was committed while the last round ended.
          if (isMore && !store.diskSpace.isFull()) wake();
        });
    });
  }

  async function pump(): Promise<void> {
    while (isMore && !isStopped && !store.diskSpace.isFull()) {
      isMore = false;
      const overdue = store.webhooks.all().filter((webhook) => webhook.enabled && isBehind(store, webhook));
      if (overdue.length > 0) {
        const now = clock.now();
        const isLarge = store.events.latestId() - Math.min(...overdue.map(({ position }) => position)) >= LARGE;
        const isUnfinished = await writeLarge(
          env,
          isLarge,
          () => enqueueAllDeliveries(env, now),
          (thread) => thread.enqueueDeliveries(now),
        );
        isMore ||= isUnfinished;
      }
      if (isStopped) return;
      sendDue();
      // Lets other tasks run between two chunks.
      if (isMore) await new Promise<void>((resolve) => timers.soon(resolve));
    }
  }

  function sendDue(): void {
    const isOpen = vault.state() === 'unlocked' || vault.state() === 'headless';
    if (!isOpen) return;
    const now = clock.now();
    for (const { id, enabled } of store.webhooks.all()) {
      if (!enabled || ready.has(id) || (running.get(id) ?? 0) >= CONCURRENCY) continue;
      const due = store.webhooks.due(id, now, LOOKED_UP + busy.size).filter((delivery) => !busy.has(delivery));
      if (due.length === 0) continue;
      ready.set(id, { waiting: due, opened: null });
      for (const delivery of due) busy.add(delivery);
      sendReady(id);
    }
  }

  /** Sends the queue of a webhook up to its request limit. Everything is read again, since it may have changed. */
  function sendReady(webhookId: number): void {
    const all = ready.get(webhookId);
    if (!all) return;
    const { waiting } = all;
    const canSend = !isStopped && !store.diskSpace.isFull();
    while (canSend && waiting.length > 0 && (running.get(webhookId) ?? 0) < CONCURRENCY) {
      const id = waiting.shift() ?? 0;
      const delivery = store.webhooks.delivery(id);
      const webhook = delivery?.webhookId === webhookId ? store.webhooks.get(webhookId) : undefined;
      const isDue = delivery !== undefined && delivery.nextAt !== null && delivery.nextAt <= clock.now();
      if (webhook?.enabled && isDue) begin(webhook, delivery, getSecrets(env, webhook, all));
      else busy.delete(id);
    }
    if (canSend && waiting.length > 0) return;
    for (const id of waiting) busy.delete(id);
    ready.delete(webhookId);
  }

  function begin(webhook: WebhookRow, delivery: DeliveryRow, secrets: readonly string[] | null): void {
    tasks.start('webhook delivery', () => send(webhook, delivery, secrets));
  }

  async function send(webhook: WebhookRow, delivery: DeliveryRow, secrets: readonly string[] | null): Promise<void> {
    const at = clock.now();
    running.set(webhook.id, (running.get(webhook.id) ?? 0) + 1);
    const outcome = await (secrets ? post(client, crypto, webhook, delivery, secrets, at) : NO_SECRET);
    running.set(webhook.id, (running.get(webhook.id) ?? 1) - 1);
    if ('error' in outcome && outcome.error === 'stopped') return;
    const endedAt = clock.now();
    attempted.push({ deliveryId: delivery.id, at, endedAt, outcome });
    sendReady(webhook.id);
    const isLast = !ready.has(webhook.id);
    if (isLast || attempted.length >= RECORDED || endedAt - at >= SLOW_MS) recordSoon();
  }

  function recordSoon(): void {
    if (isRecording) return;
    isRecording = true;
    tasks.start('webhook attempts', record);
  }

  /** Attempts that end during a write share the next transaction. */
  async function record(): Promise<void> {
    await new Promise<void>((resolve) => timers.soon(resolve));
    while (attempted.length > 0) {
      const ended = attempted.splice(0, RECORDED);
      try {
        const now = clock.now();
        await writeLarge(
          env,
          ended.length >= LARGE,
          () => recordAll(env, ended, now),
          (thread) => thread.recordAttempts(ended, now),
        );
      } catch (error) {
        // They are sent again.
        log.error('webhook attempts not recorded', { error: String(error) });
      }
      for (const { deliveryId } of ended) busy.delete(deliveryId);
    }
    isRecording = false;
    env.announce();
  }

  return {
    wake,
    async prune() {
      if (store.webhooks.all().length > 0) await queue.run(() => store.write(() => pruneAll(env)));
    },
    stop() {
      isStopped = true;
      client.close();
      if (attempted.length > 0) recordSoon();
    },
  };
}

/** Queues events for every webhook with room; returns whether there are more. */
export function enqueueAllDeliveries({ store }: Pick<Env, 'store'>, now: number): boolean {
  let isMore = false;
  for (const webhook of store.webhooks.all()) {
    if (!webhook.enabled) continue;
    const room = MAX_PENDING - store.webhooks.countPending(webhook.id);
    if (room <= 0) continue;
    const from = Math.max(webhook.position, store.events.prunedUpTo());
    const rows = store.events.after(from, Math.min(CHUNK, room), null);
    const { types } = webhook;
    for (const row of rows) {
      if (types !== null && !types.includes(row.type)) continue;
      store.webhooks.addDelivery(newDelivery(webhook.id, row.id, row.type, buildBody(row), now));
    }
    isMore ||= rows.length === CHUNK;
    const position = rows.at(-1)?.id ?? Math.max(from, store.events.latestId());
    if (position !== webhook.position) store.webhooks.save({ ...webhook, position });
  }
  return isMore;
}

export function newDelivery(
  webhookId: number,
  eventId: number | null,
  type: DeliveryRow['type'],
  body: string,
  now: number,
): Omit<DeliveryRow, 'id'> {
  return {
    webhookId,
    eventId,
    type,
    body,
    state: 'pending',
    attempts: 0,
    failures: 0,
    createdAt: now,
    begunAt: now,
    nextAt: now,
    endedAt: null,
  };
}

export function recordAll(env: Pick<Env, 'transactNow'>, ended: readonly Attempted[], now: number): void {
  env.transactNow({ name: 'disableWebhook', by: 'webhooks', at: now }, (tx) => {
    for (const one of ended) recordOne(tx, one);
  });
}

/** The error code of a failed result; null: success. */
function findErrorCode(outcome: Attempted['outcome']): WebhookErrorCode | null {
  if ('error' in outcome) return outcome.error;
  if (outcome.status >= 200 && outcome.status < 300) return null;
  return outcome.status >= 300 && outcome.status < 400 ? 'redirect' : 'status';
}

function recordOne(tx: Transaction, { deliveryId, at, endedAt, outcome }: Attempted): void {
  const { webhooks } = tx.store;
  const delivery = webhooks.delivery(deliveryId);
  const webhook = delivery && webhooks.get(delivery.webhookId);
  // Deleted meanwhile, or the database was replaced.
  if (!webhook) return;
  const { now } = tx;
  const attempts = delivery.attempts + 1;
  const error = findErrorCode(outcome);
  const status = 'status' in outcome ? outcome.status : null;
  webhooks.addAttempt({ deliveryId, number: attempts, at, durationMs: Math.max(0, endedAt - at), status, error });
  if (error === null) {
    webhooks.saveDelivery({ ...delivery, attempts, state: 'delivered', nextAt: null, endedAt: now });
    if (webhook.deliveredAt !== now || webhook.failingSince !== null)
      webhooks.save({ ...webhook, deliveredAt: now, failingSince: null });
    if (webhook.failingSince !== null && now - webhook.failingSince >= OUTAGE_MS) webhooks.makeDue(webhook.id, now);
    return;
  }
  const failures = delivery.failures + 1;
  const deadline = delivery.begunAt + DELIVERY_DAYS * DAY_MS;
  const isGone = status === 410;
  if (isGone || now >= deadline) {
    webhooks.saveDelivery({ ...delivery, attempts, failures, state: 'failed', nextAt: null, endedAt: now });
  } else {
    const requestedMs = 'retryAfter' in outcome ? retryAfterMs(outcome.retryAfter, now) : 0;
    const wait = Math.max(delayAfter(failures, randomFraction(tx.crypto)), requestedMs);
    webhooks.saveDelivery({ ...delivery, attempts, failures, nextAt: Math.min(deadline, now + wait) });
  }
  const failingSince = Math.min(webhook.failingSince ?? at, now);
  const isLong = now - failingSince >= FAILING_DAYS * DAY_MS;
  if (webhook.enabled && (isGone || isLong)) disable(tx, { ...webhook, failingSince }, isGone ? 'gone' : 'failing');
  else webhooks.save({ ...webhook, failingSince });
}

function disable(tx: Transaction, webhook: WebhookRow, reason: 'gone' | 'failing'): void {
  tx.store.webhooks.save({ ...webhook, enabled: false, disabledReason: reason });
  tx.emit('webhook.disabled', { webhook_id: webhook.id });
  tx.audit(`webhook:${webhook.id}`, { reason });
  tx.env.log.warn('webhook disabled', { webhook: webhook.id, reason });
}

function pruneAll({ store, clock }: Pick<Env, 'clock' | 'store'>): void {
  const now = clock.now();
  for (const webhook of store.webhooks.all()) {
    store.webhooks.prune(webhook.id, now - DELIVERIES_KEPT_DAYS * DAY_MS, DELIVERIES_KEPT);
    if (webhook.previousSecretEndsAt === null || webhook.previousSecretEndsAt > now) continue;
    store.sealed.remove(previousSecretPlace(webhook.id));
    store.webhooks.save({ ...webhook, previousSecretEndsAt: null });
  }
}
