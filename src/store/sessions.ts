// The administrator's sessions: only the hash of each id is here.
import type { SessionRow, SessionStore } from '../core/ports/administrator.ts';
import type { Connection } from './database.ts';

const SELECT = 'SELECT id, address, device, created_at AS createdAt, last_seen_at AS lastSeenAt FROM sessions';

export function createSessionStore(db: Connection): SessionStore {
  const insert = db.prepare<[Omit<SessionRow, 'id'> & { readonly hash: string }]>(
    `INSERT INTO sessions (hash, address, device, created_at, last_seen_at)
     VALUES (:hash, :address, :device, :createdAt, :lastSeenAt)`,
  );
  const byHash = db.prepare<[string], SessionRow>(`${SELECT} WHERE hash = ?`);
  const all = db.prepare<[], SessionRow>(`${SELECT} ORDER BY id DESC`);
  const touch = db.prepare<[number, number]>('UPDATE sessions SET last_seen_at = ? WHERE id = ?');
  const remove = db.prepare<[number]>('DELETE FROM sessions WHERE id = ?');
  const removeAll = db.prepare<[number | null]>('DELETE FROM sessions WHERE id IS NOT ?');
  const removeOld = db.prepare<[number, number]>('DELETE FROM sessions WHERE last_seen_at < ? OR created_at < ?');
  return {
    insert: (session, hash) => Number(insert.run({ ...session, hash }).lastInsertRowid),
    byHash: (hash) => byHash.get(hash),
    all: () => all.all(),
    touch: (id, at) => {
      touch.run(at, id);
    },
    remove: (id) => remove.run(id).changes > 0,
    removeAll: (exceptId) => removeAll.run(exceptId).changes,
    removeOld: (idleBefore, madeBefore) => {
      removeOld.run(idleBefore, madeBefore);
    },
  };
}
