// The users table behind the core's port: single rows here, pages and search beside it.
import type { UserStore } from '../../core/ports/users.ts';
import type { Connection } from '../database.ts';
import { limitTo } from '../statements.ts';
import { createUserPages } from './page.ts';
import { decodeUser, NEVER, USER_COLUMNS, type UserCells } from './row.ts';
import { registerTextHolds } from './search.ts';
import { createUserStates } from './states.ts';
import { createUserWrites } from './writes.ts';

const SELECT = `SELECT ${USER_COLUMNS} FROM users`;

export function createUserStore(db: Connection): UserStore {
  registerTextHolds(db);
  const byId = db.prepare<[number], UserCells>(`${SELECT} WHERE id = ?`).raw();
  const byToken = db.prepare<[string], UserCells>(`${SELECT} WHERE token = ?`).raw();
  const due = db
    .prepare<[number, number], UserCells>(`${SELECT} WHERE due_at <= ? ORDER BY due_at, id ${limitTo('?')}`)
    .raw();
  const nextDue = db
    .prepare<[], number>('SELECT due_at FROM users WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1')
    .pluck();
  const endedEarly = db
    .prepare<[number, number], UserCells>(
      `SELECT ${USER_COLUMNS} FROM users INDEXED BY users_state_expires
       WHERE state = 'expired' AND expires_at > ? ORDER BY expires_at, id ${limitTo('?')}`,
    )
    .raw();
  const withResets = db
    .prepare<[number, number], UserCells>(
      `${SELECT} WHERE id > ? AND reset_strategy <> 'none' ORDER BY id ${limitTo('?')}`,
    )
    .raw();
  const online = db.prepare<[number], number>('SELECT count(*) FROM users WHERE online_at > ?').pluck();
  // A disabled user has that state whatever the time: the index that begins with the state counts the others.
  const expiring = db
    .prepare<[number, number], number>(
      `SELECT count(*) FROM users INDEXED BY users_state_expires
       WHERE state IN ('active', 'on_hold', 'limited', 'expired') AND expires_at > ? AND expires_at <= ?`,
    )
    .pluck();
  const namesInbound = db.prepare<[number], number>('SELECT 1 FROM user_inbounds WHERE inbound_id = ? LIMIT 1').pluck();

  const states = createUserStates(db);
  return {
    ...createUserWrites(db),
    ...createUserPages(db, states),
    get: (id) => {
      const cells = byId.get(id);
      return cells && decodeUser(cells);
    },
    byToken: (token) => {
      const cells = byToken.get(token);
      return cells && decodeUser(cells);
    },
    countsByState: states.countsByState,
    countOnline: (since) => online.get(since) ?? 0,
    countExpiring: (from, to) => expiring.get(from, Math.min(to, NEVER - 1)) ?? 0,
    countByTariff: (tariffId) => states.count({ tariffId }, 0),
    isInboundNamed: (inboundId) => namesInbound.get(inboundId) !== undefined,
    due: (now, limit) => due.all(now, limit).map(decodeUser),
    endedEarly: (now, limit) => endedEarly.all(now, limit).map(decodeUser),
    nextDueAt: () => nextDue.get() ?? null,
    withResets: (afterId, limit) => withResets.all(afterId, limit).map(decodeUser),
  };
}
