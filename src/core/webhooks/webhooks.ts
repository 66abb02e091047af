// Webhooks: create, change, rotate, test; list and repeat deliveries.
import type { Proof } from '../../contract/access/proof.ts';
import type { Input, Output } from '../../contract/table.ts';
import { type Delivery, MAX_WEBHOOKS, TEST_TYPE, type Webhook } from '../../contract/webhooks.ts';
import type { AsyncContext, Context, Env, Handlers, Transaction } from '../kernel/context.ts';
import { bodyError, PanelError } from '../kernel/panel-error.ts';
import { patchReader, toInstant, toInstantOrNull } from '../kernel/wire.ts';
import type { Result } from '../ports/call.ts';
import type { DeliveryRow, WebhookRow } from '../ports/webhooks.ts';
import { messageId, newSecret, previousSecretPlace, SECRET_OVERLAP_MS, secretPlace, testBody } from './message.ts';
import { newDelivery } from './sender.ts';

function viewWebhook({ store }: Context, row: WebhookRow): Webhook {
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    types: row.types as Webhook['types'],
    allow_private: row.allowPrivate,
    enabled: row.enabled,
    disabled_reason: row.disabledReason,
    has_secret: store.sealed.get(secretPlace(row.id)) !== undefined,
    previous_secret_ends_at: toInstantOrNull(row.previousSecretEndsAt),
    pending: store.webhooks.countPending(row.id),
    delivered_at: toInstantOrNull(row.deliveredAt),
    failing_since: toInstantOrNull(row.failingSince),
    created_at: toInstant(row.createdAt),
    updated_at: toInstant(row.updatedAt),
  };
}

function viewDelivery({ store }: Context, row: DeliveryRow): Delivery {
  return {
    id: row.id,
    webhook_id: row.webhookId,
    message_id: messageId(row),
    event_id: row.eventId,
    type: row.type,
    state: row.state,
    body: row.body,
    created_at: toInstant(row.createdAt),
    next_at: toInstantOrNull(row.nextAt),
    attempts: store.webhooks.attempts(row.id).map(({ number, at, durationMs, status, error }) => ({
      number,
      at: toInstant(at),
      duration_ms: durationMs,
      status,
      error,
    })),
  };
}

function requireWebhook({ store }: Context, id: number): WebhookRow {
  const found = store.webhooks.get(id);
  if (!found) throw new PanelError('not_found');
  return found;
}

function requireEnabled({ enabled }: WebhookRow): void {
  if (!enabled) throw new PanelError('webhook_disabled');
}

/** Rejects an address that is never allowed. Addresses of a host name are checked at each connection. */
function requireAllowed({ webhookClient }: Pick<Env, 'webhookClient'>, url: string, allowPrivate: boolean): void {
  if (!allowPrivate && new URL(url).protocol !== 'https:')
    throw bodyError('validation', '#/url', 'https_required', 'must be https unless private addresses are allowed');
  if (webhookClient?.isRefused(url, allowPrivate))
    throw bodyError('validation', '#/url', 'address_refused', 'names an address that is not allowed');
}

/** For the audit log: path and query of a URL may contain a token. */
function parseHost(url: string): string {
  return new URL(url).host;
}

function listWebhooks(_input: Input<'listWebhooks'>, context: Context): Result<Output<'listWebhooks'>> {
  return { body: { items: context.store.webhooks.all().map((row) => viewWebhook(context, row)) } };
}

async function createWebhook(input: Input<'createWebhook'>, context: AsyncContext<'createWebhook'>) {
  const { url, description, types, allow_private: allowPrivate } = input;
  requireAllowed(context.env, url, allowPrivate);
  await context.env.vault.prepare();
  return context.commit((tx) => {
    const { store, crypto, vault, now } = tx;
    if (store.webhooks.all().length >= MAX_WEBHOOKS) throw new PanelError('webhook_limit');
    const fields: Omit<WebhookRow, 'id'> = {
      url,
      description,
      types,
      enabled: true,
      disabledReason: null,
      allowPrivate,
      position: store.events.latestId(),
      previousSecretEndsAt: null,
      deliveredAt: null,
      failingSince: null,
      createdAt: now,
      updatedAt: now,
    };
    const row = { ...fields, id: store.webhooks.insert(fields) };
    const secret = newSecret(crypto);
    store.sealed.save(vault.seal(secretPlace(row.id), secret));
    tx.audit(`webhook:${row.id}`, { host: parseHost(url), description, types, allow_private: allowPrivate });
    return { body: { webhook: viewWebhook(tx, row), secret } };
  });
}

const toColumns = patchReader<Omit<Input<'changeWebhook'>, 'id' | keyof Proof>, WebhookRow>({
  url: 'url',
  description: 'description',
  types: 'types',
  allow_private: 'allowPrivate',
});

function changeWebhook(input: Input<'changeWebhook'>, tx: Transaction): Result<Webhook> {
  const before = requireWebhook(tx, input.id);
  const after = { ...before, ...toColumns(input), updatedAt: tx.now };
  requireAllowed(tx.env, after.url, after.allowPrivate);
  tx.store.webhooks.save(after);
  const { description, types, allowPrivate } = after;
  tx.audit(`webhook:${after.id}`, { host: parseHost(after.url), description, types, allow_private: allowPrivate });
  return { body: viewWebhook(tx, after) };
}

function enableWebhook({ id, enabled }: Input<'enableWebhook'>, tx: Transaction): Result<Webhook> {
  const before = requireWebhook(tx, id);
  if (before.enabled === enabled) return { body: viewWebhook(tx, before) };
  const disabledReason = enabled ? null : ('administrator' as const);
  const after = { ...before, enabled, disabledReason, failingSince: null, updatedAt: tx.now };
  tx.store.webhooks.save(after);
  if (enabled) tx.store.webhooks.makeDue(id, tx.now);
  tx.audit(`webhook:${id}`, { host: parseHost(after.url), enabled });
  return { body: viewWebhook(tx, after) };
}

function deleteWebhook({ id }: Input<'deleteWebhook'>, tx: Transaction): Result<undefined> {
  const { url, description } = requireWebhook(tx, id);
  tx.store.webhooks.remove(id);
  tx.store.sealed.remove(secretPlace(id));
  tx.store.sealed.remove(previousSecretPlace(id));
  tx.audit(`webhook:${id}`, { host: parseHost(url), description });
  return { body: undefined };
}

async function rotateWebhookSecret(input: Input<'rotateWebhookSecret'>, context: AsyncContext<'rotateWebhookSecret'>) {
  await context.env.vault.prepare();
  return context.commit((tx) => {
    const { store, crypto, vault, now } = tx;
    const before = requireWebhook(tx, input.id);
    const sealed = store.sealed.get(secretPlace(before.id));
    // Sealed again, because a sealed secret opens only at its own place.
    if (sealed) store.sealed.save(vault.seal(previousSecretPlace(before.id), vault.open(sealed)));
    const secret = newSecret(crypto);
    store.sealed.save(vault.seal(secretPlace(before.id), secret));
    const after = { ...before, previousSecretEndsAt: sealed ? now + SECRET_OVERLAP_MS : null, updatedAt: now };
    store.webhooks.save(after);
    tx.audit(`webhook:${after.id}`, { host: parseHost(after.url) });
    return { body: { webhook: viewWebhook(tx, after), secret } };
  });
}

function testWebhook({ id }: Input<'testWebhook'>, tx: Transaction): Result<Delivery> {
  const { store, now } = tx;
  const webhook = requireWebhook(tx, id);
  requireEnabled(webhook);
  const fields = newDelivery(id, null, TEST_TYPE, testBody(id, now), now);
  const row = { ...fields, id: store.webhooks.addDelivery(fields) };
  tx.audit(`webhook:${id}`, { host: parseHost(webhook.url) });
  return { body: viewDelivery(tx, row) };
}

function listWebhookDeliveries(
  input: Input<'listWebhookDeliveries'>,
  context: Context,
): Result<Output<'listWebhookDeliveries'>> {
  const { webhook_id: webhookId, before, state, limit } = input;
  requireWebhook(context, webhookId);
  const rows = context.store.webhooks.deliveries({ webhookId, before, state, limit });
  const next = rows.length < limit ? null : (rows.at(-1)?.id ?? null);
  return { body: { items: rows.map((row) => viewDelivery(context, row)), next_before: next } };
}

function redeliverWebhook({ id }: Input<'redeliverWebhook'>, tx: Transaction): Result<Delivery> {
  const { store, now } = tx;
  const before = store.webhooks.delivery(id);
  if (!before) throw new PanelError('not_found');
  requireEnabled(requireWebhook(tx, before.webhookId));
  const after: DeliveryRow = { ...before, state: 'pending', failures: 0, begunAt: now, nextAt: now, endedAt: null };
  store.webhooks.saveDelivery(after);
  tx.audit(`webhook:${before.webhookId}`, { delivery: id, type: before.type });
  return { body: viewDelivery(tx, after) };
}

export const WEBHOOK_HANDLERS = {
  listWebhooks: { read: listWebhooks },
  createWebhook: { run: createWebhook },
  changeWebhook: { write: changeWebhook },
  enableWebhook: { write: enableWebhook, isEssential: true },
  deleteWebhook: { write: deleteWebhook, isEssential: true },
  rotateWebhookSecret: { run: rotateWebhookSecret },
  testWebhook: { write: testWebhook },
  listWebhookDeliveries: { read: listWebhookDeliveries },
  redeliverWebhook: { write: redeliverWebhook },
} satisfies Handlers<
  | 'listWebhooks'
  | 'createWebhook'
  | 'changeWebhook'
  | 'enableWebhook'
  | 'deleteWebhook'
  | 'rotateWebhookSecret'
  | 'testWebhook'
  | 'listWebhookDeliveries'
  | 'redeliverWebhook'
>;
