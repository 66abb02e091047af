// Grants of extra traffic; those with bytes left have an index of their own, as every settling asks for them.
import type { GrantRow, GrantStore } from '../core/ports/users.ts';
import type { Connection } from './database.ts';
import { limitTo } from './statements.ts';

const COLUMNS =
  'id, user_id AS userId, bytes, bytes_left AS bytesLeft, lifetime, days, ends_at AS endsAt, note, created_at AS createdAt';

export function createGrantStore(db: Connection): GrantStore {
  const insert = db.prepare<[Omit<GrantRow, 'id'>]>(
    `INSERT INTO grants (user_id, bytes, bytes_left, lifetime, days, ends_at, note, created_at)
     VALUES (:userId, :bytes, :bytesLeft, :lifetime, :days, :endsAt, :note, :createdAt)`,
  );
  const get = db.prepare<[number, number], GrantRow>(`SELECT ${COLUMNS} FROM grants WHERE id = ? AND user_id = ?`);
  const page = db.prepare<[number, number, number], GrantRow>(
    `SELECT ${COLUMNS} FROM grants WHERE user_id = ? ORDER BY id DESC ${limitTo('?')} OFFSET ?`,
  );
  const count = db.prepare<[number], number>('SELECT count(*) FROM grants WHERE user_id = ?').pluck();
  const live = db.prepare<[number], GrantRow>(
    `SELECT ${COLUMNS} FROM grants INDEXED BY grants_live WHERE user_id = ? AND bytes_left > 0 ORDER BY id`,
  );
  const save = db.prepare<[number, number | null, number]>(
    'UPDATE grants SET bytes_left = ?, ends_at = ? WHERE id = ?',
  );
  const remove = db.prepare<[number]>('DELETE FROM grants WHERE id = ?');
  return {
    insert: (grant) => Number(insert.run(grant).lastInsertRowid),
    get: (userId, id) => get.get(id, userId),
    page: (userId, limit, offset) => page.all(userId, limit, offset),
    count: (userId) => count.get(userId) ?? 0,
    live: (userId) => live.all(userId),
    save: (id, bytesLeft, endsAt) => {
      save.run(bytesLeft, endsAt, id);
    },
    remove: (id) => {
      remove.run(id);
    },
  };
}
