// Broadcasts and the outcome for each person. The messages are among the bot's, under keys that contain the person.

import type { BroadcastRow, BroadcastStore, PersonEnd, PersonRow } from '../core/ports/broadcasts.ts';
import { parseOwnJson } from '../domain/own-json.ts';
import type { Connection } from './database.ts';
import { limitTo } from './statements.ts';

type Cells = Omit<BroadcastRow, 'texts' | 'filter'> & { readonly texts: string; readonly filter: string };

const COLUMNS = `id, key, bot_id AS botId, texts, filter, state, total, sent, blocked, failed, last_user_id AS lastUserId,
  until_user_id AS untilUserId, created_at AS createdAt, ended_at AS endedAt`;

function decode(cells: Cells): BroadcastRow {
  return { ...cells, texts: parseOwnJson(cells.texts), filter: parseOwnJson(cells.filter) };
}

function encode<Row extends Omit<BroadcastRow, 'id'>>(row: Row) {
  return { ...row, texts: JSON.stringify(row.texts), filter: JSON.stringify(row.filter) };
}

export function createBroadcastStore(db: Connection): BroadcastStore {
  const insert = db.prepare<[Omit<Cells, 'id'>]>(
    `INSERT INTO broadcasts (key, bot_id, texts, filter, state, total, sent, blocked, failed, last_user_id, until_user_id, created_at, ended_at)
     VALUES (:key, :botId, :texts, :filter, :state, :total, :sent, :blocked, :failed, :lastUserId, :untilUserId, :createdAt, :endedAt)`,
  );
  const save = db.prepare<[Cells]>(
    `UPDATE broadcasts SET filter = :filter, state = :state, total = :total, sent = :sent, blocked = :blocked, failed = :failed,
       last_user_id = :lastUserId, until_user_id = :untilUserId, created_at = :createdAt, ended_at = :endedAt WHERE id = :id`,
  );
  const get = db.prepare<[number], Cells>(`SELECT ${COLUMNS} FROM broadcasts WHERE id = ?`);
  const byKey = db.prepare<[string], Cells>(`SELECT ${COLUMNS} FROM broadcasts WHERE key = ?`);
  const page = db.prepare<[number, number], Cells>(
    `SELECT ${COLUMNS} FROM broadcasts WHERE id < ? AND state <> 'draft' ORDER BY id DESC ${limitTo('?')}`,
  );
  const active = db.prepare<[], Cells>(
    `SELECT ${COLUMNS} FROM broadcasts WHERE state = 'running' OR id IN (SELECT broadcast_id FROM broadcast_people WHERE state = 'queued')
     ORDER BY id LIMIT 1`,
  );
  const olderRunning = db
    .prepare<[number], number>("SELECT 1 FROM broadcasts WHERE state = 'running' AND id < ? LIMIT 1")
    .pluck();
  const savePerson = db.prepare<[PersonRow]>(
    `INSERT OR REPLACE INTO broadcast_people (broadcast_id, user_id, state, error, at)
     VALUES (:broadcastId, :userId, :state, :error, :at)`,
  );
  const queued = db
    .prepare<[number], number>("SELECT count(*) FROM broadcast_people WHERE broadcast_id = ? AND state = 'queued'")
    .pluck();
  const ended = db.prepare<[{ readonly id: number; readonly limit: number }], PersonEnd>(
    `SELECT user_id AS userId, bot_messages.id AS messageId, bot_messages.error FROM broadcast_people
     LEFT JOIN bot_messages ON dedupe_key = 'broadcast:' || broadcast_id || ':' || user_id
     WHERE broadcast_id = :id AND state = 'queued' AND (bot_messages.id IS NULL OR ended_at IS NOT NULL) ${limitTo(':limit')}`,
  );
  const people = db.prepare<
    [{ readonly id: number; readonly state: string | null; readonly after: number; readonly limit: number }],
    PersonRow
  >(
    `SELECT broadcast_id AS broadcastId, user_id AS userId, state, error, at FROM broadcast_people
     WHERE broadcast_id = :id AND user_id > :after AND (:state IS NULL OR state = :state) ORDER BY user_id ${limitTo(':limit')}`,
  );
  const reachable = db.prepare<[string], { readonly people: number; readonly blocked: number }>(
    `SELECT count(*) AS people, count(unreachable_at) AS blocked FROM json_each(?) AS wanted
     CROSS JOIN users ON users.id = wanted.value AND telegram_id IS NOT NULL LEFT JOIN bot_chats ON chat_id = telegram_id`,
  );
  const pruneDrafts = db.prepare<[number]>("DELETE FROM broadcasts WHERE state = 'draft' AND created_at < ?");
  const found = (cells: Cells | undefined) => cells && decode(cells);
  return {
    insert: (row) => Number(insert.run(encode(row)).lastInsertRowid),
    save: (row) => {
      save.run(encode(row));
    },
    get: (id) => found(get.get(id)),
    byKey: (key) => found(byKey.get(key)),
    page: (before, limit) => page.all(before ?? Number.MAX_SAFE_INTEGER, limit).map(decode),
    active: () => found(active.get()),
    isBehind: (id) => olderRunning.get(id) !== undefined,
    savePerson: (row) => {
      savePerson.run(row);
    },
    countQueued: (id) => queued.get(id) ?? 0,
    ended: (id, limit) => ended.all({ id, limit }),
    people: ({ id, state, after, limit }) => people.all({ id, state: state ?? null, after, limit }),
    countReachable: (ids) => reachable.get(JSON.stringify(ids)) ?? { people: 0, blocked: 0 },
    pruneDrafts: (before) => {
      pruneDrafts.run(before);
    },
  };
}
