// Records of the past: the audit log with its undo data, the event feed, and replies stored for repeated requests.
import type { EventType } from '../contract/event-types.ts';
import type { AuditQuery, AuditRow, AuditStore, AuditUser } from '../core/ports/audit.ts';
import type { EventRow, EventStore } from '../core/ports/events.ts';
import type { IdempotencyStore, StoredPart, StoredReply } from '../core/ports/idempotency.ts';
import type { UndoRow, UndoStore } from '../core/ports/undo.ts';
import type { Cell, Connection } from './database.ts';
import { createCache, limitTo, type Params } from './statements.ts';

const AUDIT_COLUMNS = `id, at, actor_kind AS actorKind, actor_id AS actorId, actor_name AS actorName, action, outcome, target, detail,
  address, request_id AS requestId`;

/** The SQL condition of each field of a query. */
const AUDIT_TESTS = {
  before: 'id < :before',
  action: 'action = :action',
  target: 'target = :target',
  userId: `(target = 'user:' || CAST(:userId AS INTEGER)
    OR id IN (SELECT audit_id FROM audit_users WHERE user_id = CAST(:userId AS INTEGER)))`,
  actorKind: 'actor_kind = :actorKind',
  keyId: "actor_kind = 'key' AND actor_id = :keyId",
  requestId: 'request_id = :requestId',
  since: 'at >= :since',
  until: 'at < :until',
} as const satisfies Record<Exclude<keyof AuditQuery, 'limit'>, string>;
const AUDIT_MEMBERS = Object.keys(AUDIT_TESTS) as (keyof typeof AUDIT_TESTS)[];

/** Rows are appended, read newest first, and pruned by age; a row changes only while its action runs. */
export function createAuditStore(db: Connection): AuditStore {
  const append = db.prepare<[Omit<AuditRow, 'id'>]>(
    `INSERT INTO audit (at, actor_kind, actor_id, actor_name, action, outcome, target, detail, address, request_id)
     VALUES (:at, :actorKind, :actorId, :actorName, :action, :outcome, :target, :detail, :address, :requestId)`,
  );
  const getPageStatement = createCache((where: string) =>
    db.prepare<[Params], AuditRow>(`SELECT ${AUDIT_COLUMNS} FROM audit ${where} ORDER BY id DESC ${limitTo(':limit')}`),
  );
  const amend = db.prepare<[string, number]>('UPDATE audit SET detail = ? WHERE id = ?');
  const prune = db.prepare<[number]>('DELETE FROM audit WHERE at < ?');
  const appendUsers = db.prepare<[number, string]>(
    `INSERT INTO audit_users (audit_id, user_id, name)
     SELECT ?, value ->> 'id', value ->> 'name' FROM json_each(?)`,
  );
  const users = db.prepare<[number, number, number], AuditUser & { readonly present: number }>(
    `SELECT noted.user_id AS id, coalesce(u.name, noted.name) AS name, u.id IS NOT NULL AS present
     FROM audit_users AS noted LEFT JOIN users AS u ON u.id = noted.user_id
     WHERE noted.audit_id = ? AND noted.user_id > ? ORDER BY noted.user_id ${limitTo('?')}`,
  );
  const usersAmong = db
    .prepare<[number, string], number>(
      'SELECT user_id FROM audit_users WHERE audit_id = ? AND user_id IN (SELECT value FROM json_each(?))',
    )
    .pluck();
  const countUsers = db.prepare<[number], number>('SELECT count(*) FROM audit_users WHERE audit_id = ?').pluck();
  return {
    append: (entry) => Number(append.run(entry).lastInsertRowid),
    amend: (id, detail) => {
      amend.run(detail, id);
    },
    appendUsers: (id, changed) => {
      if (changed.length > 0) appendUsers.run(id, JSON.stringify(changed));
    },
    users: (id, after, limit) =>
      users.all(id, after, limit).map(({ present, ...user }) => ({ ...user, isPresent: present === 1 })),
    countUsers: (id) => countUsers.get(id) ?? 0,
    usersAmong: (id, ids) => usersAmong.all(id, JSON.stringify(ids)),
    page: (query) => {
      const given = AUDIT_MEMBERS.filter((name) => query[name] !== undefined);
      const where = given.length === 0 ? '' : `WHERE ${given.map((name) => AUDIT_TESTS[name]).join(' AND ')}`;
      const params = Object.fromEntries(given.map((name) => [name, query[name] ?? null]));
      return getPageStatement(where).all({ ...params, limit: query.limit });
    },
    prune: (before) => {
      prune.run(before);
    },
  };
}

export function createUndoStore(db: Connection): UndoStore {
  const append = db.prepare<[UndoRow]>(
    'INSERT INTO undo (audit_id, first_id, users, steps) VALUES (:auditId, :firstId, :users, :steps)',
  );
  const ofAct = db.prepare<[number, number], UndoRow>(
    `SELECT audit_id AS auditId, first_id AS firstId, users, steps FROM undo
     WHERE audit_id = ? AND (SELECT at FROM audit WHERE id = audit_id) >= ? ORDER BY first_id`,
  );
  const begunAt = db
    .prepare<[number], number>(
      'SELECT at FROM audit WHERE id = ? AND EXISTS (SELECT 1 FROM undo WHERE audit_id = audit.id)',
    )
    .pluck();
  const remove = db.prepare<[number, number]>('DELETE FROM undo WHERE audit_id = ? AND first_id = ?');
  const prune = db.prepare<[number]>('DELETE FROM undo WHERE (SELECT at FROM audit WHERE id = audit_id) < ?');
  return {
    append: (row) => {
      append.run(row);
    },
    of: (auditIds, since, users) => {
      const rows: UndoRow[] = [];
      let left = users;
      for (const auditId of [...new Set(auditIds)].sort((a, b) => a - b)) {
        for (const row of ofAct.iterate(auditId, since)) {
          rows.push(row);
          left -= row.users;
          if (left <= 0) return rows;
        }
      }
      return rows;
    },
    begunAt: (auditId) => begunAt.get(auditId) ?? null,
    remove: (auditId, firstId) => {
      remove.run(auditId, firstId);
    },
    prune: (before) => {
      prune.run(before);
    },
  };
}

const EVENT_COLUMNS = 'id, type, at, actor_kind AS actorKind, key_id AS keyId, request_id AS requestId, changed, data';

type NewEvent = Omit<EventRow, 'id'>;

const INSERT_EVENTS = 'INSERT INTO events (type, at, written_at, actor_kind, key_id, request_id, changed, data) VALUES';
const EVENT_VALUES = '(?, ?, ?, ?, ?, ?, ?, ?)';
/** Events that are inserted by one statement. */
const TOGETHER = 20;

function eventCells({ type, at, actorKind, keyId, requestId, changed, data }: NewEvent, writtenAt: number): Cell[] {
  return [type, at, writtenAt, actorKind, keyId, requestId, changed, data];
}

/** Ids are never reused, so a reader's position in the feed stays valid. */
export function createEventStore(db: Connection): EventStore {
  const insert = db.prepare<Cell[]>(`${INSERT_EVENTS} ${EVENT_VALUES}`);
  const insertMany = db.prepare<Cell[]>(`${INSERT_EVENTS} ${Array(TOGETHER).fill(EVENT_VALUES).join(', ')}`);
  const append = (event: NewEvent, writtenAt: number) =>
    Number(insert.run(...eventCells(event, writtenAt)).lastInsertRowid);
  const after = db.prepare<[number, number], EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM events WHERE id > ? ORDER BY id ${limitTo('?')}`,
  );
  const afterOfType = db.prepare<[EventType, number, number], EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM events INDEXED BY events_type WHERE type = ? AND id > ? ORDER BY id ${limitTo('?')}`,
  );
  // Merges one page of each type into a page of all.
  const mergeTypes = (types: readonly EventType[], id: number, limit: number): EventRow[] =>
    types
      .flatMap((type) => afterOfType.all(type, id, limit))
      .sort((a, b) => a.id - b.id)
      .slice(0, limit);
  const prunedUpTo = db.prepare<[], number>('SELECT up_to FROM events_pruned').pluck();
  const latestId = db.prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'events'").pluck();
  // Events are ordered by time of writing, so the old ones come first.
  const lastOld = db
    .prepare<[number], number>(
      `SELECT coalesce((SELECT id FROM events WHERE written_at >= ? ORDER BY id LIMIT 1) - 1, (SELECT max(id) FROM events))`,
    )
    .pluck();
  const drop = db.prepare<[number]>('DELETE FROM events WHERE id <= ?');
  const savePruned = db.prepare<[number]>(
    'INSERT INTO events_pruned (one, up_to) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET up_to = max(up_to, excluded.up_to)',
  );
  return {
    append,
    appendAll: (events, writtenAt) => {
      const whole = events.length - (events.length % TOGETHER);
      for (let next = 0; next < whole; next += TOGETHER) {
        insertMany.run(...events.slice(next, next + TOGETHER).flatMap((event) => eventCells(event, writtenAt)));
      }
      for (const event of events.slice(whole)) append(event, writtenAt);
    },
    after: (id, limit, types) => (types === null ? after.all(id, limit) : mergeTypes(types, id, limit)),
    prunedUpTo: () => prunedUpTo.get() ?? 0,
    latestId: () => latestId.get() ?? 0,
    prune: (before) => {
      const last = lastOld.get(before) ?? null;
      if (last !== null && drop.run(last).changes > 0) savePruned.run(last);
    },
  };
}

/** Replies are written in the transaction of the effect that they report. */
export function createIdempotencyStore(db: Connection): IdempotencyStore {
  const get = db.prepare<[string, string, number], StoredReply>(
    'SELECT fingerprint, status, body, location FROM idempotency WHERE scope = ? AND key = ? AND at >= ?',
  );
  // A key can be used again once its reply has expired.
  const saveReply = db.prepare<[StoredReply & { readonly scope: string; readonly key: string; readonly at: number }]>(
    `INSERT INTO idempotency (scope, key, at, fingerprint, status, body, location)
     VALUES (:scope, :key, :at, :fingerprint, :status, :body, :location)
     ON CONFLICT (scope, key) DO UPDATE SET at = excluded.at, fingerprint = excluded.fingerprint,
       status = excluded.status, body = excluded.body, location = excluded.location`,
  );
  const parts = db.prepare<[string, string, number], StoredPart>(
    'SELECT fingerprint, data FROM idempotency_parts WHERE scope = ? AND key = ? AND at >= ? ORDER BY number',
  );
  const addPart = db.prepare<[StoredPart & { readonly scope: string; readonly key: string; readonly at: number }]>(
    `INSERT INTO idempotency_parts (scope, key, number, at, fingerprint, data)
     SELECT :scope, :key, coalesce(max(number), 0) + 1, :at, :fingerprint, :data
     FROM idempotency_parts WHERE scope = :scope AND key = :key`,
  );
  const dropParts = db.prepare<[string, string]>('DELETE FROM idempotency_parts WHERE scope = ? AND key = ?');
  const prune = db.prepare<[number]>('DELETE FROM idempotency WHERE at < ?');
  const pruneParts = db.prepare<[number]>('DELETE FROM idempotency_parts WHERE at < ?');
  return {
    get: (scope, key, notBefore) => get.get(scope, key, notBefore),
    saveReply: (scope, key, at, reply) => {
      saveReply.run({ ...reply, scope, key, at });
      dropParts.run(scope, key);
    },
    parts: (scope, key, notBefore) => parts.all(scope, key, notBefore),
    addPart: (scope, key, at, part) => {
      addPart.run({ ...part, scope, key, at });
    },
    prune: (before) => {
      prune.run(before);
      pruneParts.run(before);
    },
  };
}
