// The audit log: appended to, read newest first, dropped by age, never changed.
import type { AuditQuery, AuditRow, AuditStore } from '../core/ports/records.ts';
import type { Connection } from './database.ts';
import { createCache, limitTo, type Params } from './statements.ts';

const COLUMNS = `id, at, actor_kind AS actorKind, actor_id AS actorId, actor_name AS actorName, action, outcome, target, detail,
  address, request_id AS requestId`;

/** The condition behind each member of a query. */
const TESTS = {
  before: 'id < :before',
  action: 'action = :action',
  target: 'target = :target',
  actorKind: 'actor_kind = :actorKind',
  keyId: "actor_kind = 'key' AND actor_id = :keyId",
  since: 'at >= :since',
  until: 'at <= :until',
} as const satisfies Record<Exclude<keyof AuditQuery, 'limit'>, string>;
const NAMES = Object.keys(TESTS) as (keyof typeof TESTS)[];

export function createAuditStore(db: Connection): AuditStore {
  const append = db.prepare<[Omit<AuditRow, 'id'>]>(
    `INSERT INTO audit (at, actor_kind, actor_id, actor_name, action, outcome, target, detail, address, request_id)
     VALUES (:at, :actorKind, :actorId, :actorName, :action, :outcome, :target, :detail, :address, :requestId)`,
  );
  const pageOf = createCache((where: string) =>
    db.prepare<[Params], AuditRow>(`SELECT ${COLUMNS} FROM audit ${where} ORDER BY id DESC ${limitTo(':limit')}`),
  );
  const prune = db.prepare<[number]>('DELETE FROM audit WHERE at < ?');
  return {
    append: (entry) => Number(append.run(entry).lastInsertRowid),
    page: (query) => {
      const asked = NAMES.filter((name) => query[name] !== undefined);
      const where = asked.length === 0 ? '' : `WHERE ${asked.map((name) => TESTS[name]).join(' AND ')}`;
      const params = Object.fromEntries(asked.map((name) => [name, query[name] ?? null]));
      return pageOf(where).all({ ...params, limit: query.limit });
    },
    prune: (before) => {
      prune.run(before);
    },
  };
}
