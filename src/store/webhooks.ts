// Webhooks, their deliveries, and each attempt.

import type { AttemptRow, DeliveryQuery, DeliveryRow, WebhookRow, WebhookStore } from '../core/ports/webhooks.ts';
import { parseOwnJson } from '../domain/own-json.ts';
import type { Connection } from './database.ts';
import { limitTo } from './statements.ts';

type WebhookCells = Omit<WebhookRow, 'types' | 'enabled' | 'allowPrivate'> & {
  readonly types: string | null;
  readonly enabled: number;
  readonly allowPrivate: number;
};

const WEBHOOK_COLUMNS = `id, url, description, types, enabled, disabled_reason AS disabledReason, allow_private AS allowPrivate, position,
  previous_secret_ends_at AS previousSecretEndsAt, delivered_at AS deliveredAt, failing_since AS failingSince,
  created_at AS createdAt, updated_at AS updatedAt`;

const DELIVERY_COLUMNS = `id, webhook_id AS webhookId, event_id AS eventId, type, body, state, attempts, failures, created_at AS createdAt,
  begun_at AS begunAt, next_at AS nextAt, ended_at AS endedAt`;

function decode(cells: WebhookCells): WebhookRow {
  return {
    ...cells,
    types: cells.types === null ? null : parseOwnJson(cells.types),
    enabled: cells.enabled === 1,
    allowPrivate: cells.allowPrivate === 1,
  };
}

function encode<Row extends Omit<WebhookRow, 'id'>>(row: Row) {
  return {
    ...row,
    types: row.types === null ? null : JSON.stringify(row.types),
    enabled: row.enabled ? 1 : 0,
    allowPrivate: row.allowPrivate ? 1 : 0,
  };
}

export function createWebhookStore(db: Connection): WebhookStore {
  const insert = db.prepare<[Omit<WebhookCells, 'id'>]>(
    `INSERT INTO webhooks (url, description, types, enabled, disabled_reason, allow_private, position, previous_secret_ends_at,
       delivered_at, failing_since, created_at, updated_at)
     VALUES (:url, :description, :types, :enabled, :disabledReason, :allowPrivate, :position, :previousSecretEndsAt,
       :deliveredAt, :failingSince, :createdAt, :updatedAt)`,
  );
  const get = db.prepare<[number], WebhookCells>(`SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE id = ?`);
  const all = db.prepare<[], WebhookCells>(`SELECT ${WEBHOOK_COLUMNS} FROM webhooks ORDER BY id`);
  const save = db.prepare<[WebhookCells]>(
    `UPDATE webhooks SET url = :url, description = :description, types = :types, enabled = :enabled, disabled_reason = :disabledReason,
       allow_private = :allowPrivate, position = :position, previous_secret_ends_at = :previousSecretEndsAt,
       delivered_at = :deliveredAt, failing_since = :failingSince, updated_at = :updatedAt
     WHERE id = :id`,
  );
  const remove = db.prepare<[number]>('DELETE FROM webhooks WHERE id = ?');
  const addDelivery = db.prepare<[Omit<DeliveryRow, 'id'>]>(
    `INSERT INTO webhook_deliveries (webhook_id, event_id, type, body, state, attempts, failures, created_at, begun_at, next_at, ended_at)
     VALUES (:webhookId, :eventId, :type, :body, :state, :attempts, :failures, :createdAt, :begunAt, :nextAt, :endedAt)`,
  );
  const delivery = db.prepare<[number], DeliveryRow>(`SELECT ${DELIVERY_COLUMNS} FROM webhook_deliveries WHERE id = ?`);
  const saveDelivery = db.prepare<[DeliveryRow]>(
    `UPDATE webhook_deliveries SET state = :state, attempts = :attempts, failures = :failures, begun_at = :begunAt, next_at = :nextAt,
       ended_at = :endedAt
     WHERE id = :id`,
  );
  const due = db
    .prepare<[number, number, number], number>(
      `SELECT id FROM webhook_deliveries INDEXED BY webhook_deliveries_due
       WHERE webhook_id = ? AND next_at <= ? ORDER BY next_at, id ${limitTo('?')}`,
    )
    .pluck();
  const countPending = db
    .prepare<[number], number>(
      'SELECT count(*) FROM webhook_deliveries INDEXED BY webhook_deliveries_due WHERE webhook_id = ? AND next_at IS NOT NULL',
    )
    .pluck();
  const hasten = db.prepare<[{ readonly webhookId: number; readonly now: number }]>(
    'UPDATE webhook_deliveries SET next_at = :now WHERE webhook_id = :webhookId AND next_at > :now',
  );
  const addAttempt = db.prepare<[AttemptRow]>(
    `INSERT INTO webhook_attempts (delivery_id, number, at, duration_ms, status, error)
     VALUES (:deliveryId, :number, :at, :durationMs, :status, :error)`,
  );
  const attempts = db.prepare<[number], AttemptRow>(
    `SELECT delivery_id AS deliveryId, number, at, duration_ms AS durationMs, status, error
     FROM webhook_attempts WHERE delivery_id = ? ORDER BY number`,
  );
  const page = db.prepare<[Required<{ [Member in keyof DeliveryQuery]: DeliveryQuery[Member] | null }>], DeliveryRow>(
    `SELECT ${DELIVERY_COLUMNS} FROM webhook_deliveries INDEXED BY webhook_deliveries_webhook
     WHERE webhook_id = :webhookId AND id < coalesce(:before, 9223372036854775807) AND (:state IS NULL OR state = :state)
     ORDER BY id DESC ${limitTo(':limit')}`,
  );
  const prune = db.prepare<[{ readonly webhookId: number; readonly before: number; readonly keep: number }]>(
    `DELETE FROM webhook_deliveries
     WHERE webhook_id = :webhookId AND state <> 'pending' AND (
       ended_at < :before
       OR id <= (
         SELECT id FROM webhook_deliveries WHERE webhook_id = :webhookId AND state <> 'pending'
         ORDER BY id DESC LIMIT 1 OFFSET :keep
       )
     )`,
  );
  const found = (cells: WebhookCells | undefined) => cells && decode(cells);

  return {
    insert: (webhook) => Number(insert.run(encode(webhook)).lastInsertRowid),
    get: (id) => found(get.get(id)),
    all: () => all.all().map(decode),
    save: (webhook) => {
      save.run(encode(webhook));
    },
    remove: (id) => {
      remove.run(id);
    },
    addDelivery: (row) => Number(addDelivery.run(row).lastInsertRowid),
    delivery: (id) => delivery.get(id),
    saveDelivery: (row) => {
      saveDelivery.run(row);
    },
    due: (webhookId, now, limit) => due.all(webhookId, now, limit),
    countPending: (webhookId) => countPending.get(webhookId) ?? 0,
    makeDue: (webhookId, now) => {
      hasten.run({ webhookId, now });
    },
    addAttempt: (attempt) => {
      addAttempt.run(attempt);
    },
    attempts: (deliveryId) => attempts.all(deliveryId),
    deliveries: ({ webhookId, before, state, limit }) =>
      page.all({ webhookId, before: before ?? null, state: state ?? null, limit }),
    prune: (webhookId, before, keep) => {
      prune.run({ webhookId, before, keep });
    },
  };
}
