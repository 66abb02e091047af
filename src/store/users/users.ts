// The users table and grants of extra traffic, behind the core's ports: single reads and writes. Lists are in list.ts.
import type {
  GrantConditions,
  GrantRow,
  GrantStore,
  NewUser,
  StoredGrant,
  UserRow,
  UserStore,
} from '../../core/ports/users.ts';
import type { Cell, Connection } from '../database.ts';
import { createCache, createUses, limitTo, type Params } from '../statements.ts';
import {
  CREDENTIALS,
  createCredentialStore,
  createCredentialWrites,
  credentialColumns,
  decodeCredentials,
} from './credentials.ts';
import { createUserLists } from './list.ts';
import {
  decodeUser,
  encodeUser,
  INSERT_USER,
  NEVER,
  TEXT_COLUMNS,
  USER_COLUMNS,
  type UserCells,
  WRITTEN,
} from './row.ts';
import { buildSearchText, createSearchIndex, registerTextHolds } from './search.ts';
import { createUserStates } from './states.ts';

const SELECT = `SELECT ${USER_COLUMNS} FROM users`;

export function createUserStore(db: Connection): UserStore {
  registerTextHolds(db);
  const byId = db.prepare<[number], UserCells>(`${SELECT} WHERE id = ?`).raw();
  const byToken = db.prepare<[string], UserCells>(`${SELECT} WHERE token = ?`).raw();
  const behindLink = db
    .prepare<[string], [...UserCells, ...unknown[]]>(
      `SELECT ${USER_COLUMNS}, ${credentialColumns('users')} FROM users WHERE token = ?`,
    )
    .raw();
  const byExternalId = db.prepare<[string], UserCells>(`${SELECT} WHERE external_id = ?`).raw();
  const byTelegramId = db.prepare<[number], UserCells>(`${SELECT} WHERE telegram_id = ?`).raw();
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
  const withEnds = db
    .prepare<[number, number], UserCells>(
      `${SELECT} WHERE id > ? AND expires_at < ${NEVER} ORDER BY id ${limitTo('?')}`,
    )
    .raw();
  const withExcess = db
    .prepare<[number, number], UserCells>(
      `${SELECT} INDEXED BY users_excess WHERE excess_at IS NOT NULL AND id > ? ORDER BY id ${limitTo('?')}`,
    )
    .raw();
  const hasExcess = db
    .prepare<[], number>('SELECT EXISTS (SELECT 1 FROM users INDEXED BY users_excess WHERE excess_at IS NOT NULL)')
    .pluck();
  const withConcurrentLimit = db
    .prepare<[string], UserCells>(
      `${SELECT} WHERE id IN (SELECT value FROM json_each(?)) AND concurrent_limit IS NOT NULL
       AND +state IN ('active', 'on_hold')`,
    )
    .raw();
  const online = db.prepare<[number], number>('SELECT count(*) FROM users WHERE coalesce(online_at, 0) > ?').pluck();
  // A disabled user stays disabled, so only the other states are read, by the index that begins with the state.
  const expiring = db
    .prepare<[number, number], number>(
      `SELECT count(*) FROM users INDEXED BY users_state_expires
       WHERE state IN ('active', 'on_hold', 'limited', 'expired') AND expires_at > ? AND expires_at <= ?`,
    )
    .pluck();
  const usesOfTariff = createUses(
    db,
    'SELECT coalesce(sum(count), 0) FROM user_counts WHERE tariff_id = ?',
    'SELECT id, name FROM users WHERE tariff_id = ? ORDER BY id',
  );
  const usesOfInbound = createUses(
    db,
    'SELECT count(*) FROM user_inbounds WHERE inbound_id = ?',
    'SELECT u.id, u.name FROM user_inbounds AS i JOIN users AS u ON u.id = i.user_id WHERE i.inbound_id = ? ORDER BY i.user_id',
  );

  const namingInbound = db
    .prepare<[{ inboundId: number; others: string; hasOther: number; limit: number }], number>(
      `SELECT own.user_id FROM user_inbounds AS own
       WHERE own.inbound_id = :inboundId AND :hasOther = EXISTS (
         SELECT 1 FROM user_inbounds AS other
         WHERE other.user_id = own.user_id AND other.inbound_id IN (SELECT value FROM json_each(:others)))
       ORDER BY own.user_id LIMIT :limit`,
    )
    .pluck();
  const lastId = db.prepare<[], number | null>('SELECT max(id) FROM users').pluck();
  const states = createUserStates(db);
  return {
    ...createUserWrites(db),
    ...createCredentialStore(db),
    ...createUserLists(db, states),
    get: (id) => {
      const cells = byId.get(id);
      return cells && decodeUser(cells);
    },
    byToken: (token) => {
      const cells = byToken.get(token);
      return cells && decodeUser(cells);
    },
    behindLink: (token) => {
      const cells = behindLink.get(token);
      return cells && { row: decodeUser(cells), credentials: decodeCredentials(cells.slice(-CREDENTIALS)) };
    },
    byExternalId: (externalId) => {
      const cells = byExternalId.get(externalId);
      return cells && decodeUser(cells);
    },
    byTelegramId: (telegramId) => {
      const cells = byTelegramId.get(telegramId);
      return cells && decodeUser(cells);
    },
    lastId: () => lastId.get() ?? 0,
    countsByState: states.countsByState,
    countsByTariff: states.countsByTariff,
    countOnline: (since) => online.get(since) ?? 0,
    countExpiring: (from, to) => expiring.get(from, Math.min(to, NEVER - 1)) ?? 0,
    countByTariff: (tariffId) => states.count({ tariffId }, 0),
    usesOfTariff,
    usesOfInbound,
    namingInbound: (inboundId, others, hasOther, limit) =>
      namingInbound.all({ inboundId, others: JSON.stringify(others), hasOther: Number(hasOther), limit }),
    due: (now, limit) => due.all(now, limit).map(decodeUser),
    endedEarly: (now, limit) => endedEarly.all(now, limit).map(decodeUser),
    nextDueAt: () => nextDue.get() ?? null,
    withResets: (afterId, limit) => withResets.all(afterId, limit).map(decodeUser),
    withExcess: (afterId, limit) => withExcess.all(afterId, limit).map(decodeUser),
    hasExcess: () => hasExcess.get() === 1,
    withConcurrentLimit: (ids) => withConcurrentLimit.all(JSON.stringify(ids)).map(decodeUser),
    withEnds: (afterId, limit) => withEnds.all(afterId, limit).map(decodeUser),
  };
}

interface UserWrites {
  insert(user: NewUser): number;
  save(before: UserRow, after: UserRow): void;
  remove(id: number): void;
}

// Rows of users' traffic are ordered by time, then user: each distinct time takes one seek.
const deleteOverTime = (table: string, time: string) => `
  WITH RECURSIVE times (t) AS (
    SELECT min(${time}) FROM ${table}
    UNION ALL SELECT (SELECT min(${time}) FROM ${table} WHERE ${time} > t) FROM times WHERE t IS NOT NULL
  )
  DELETE FROM ${table} WHERE user_id = ? AND ${time} IN (SELECT t FROM times)`;

/** Call this inside a transaction. A write touches only changed columns and their indexes. */
function createUserWrites(db: Connection): UserWrites {
  const insert = db.prepare<Cell[]>(INSERT_USER);
  const removals = [
    deleteOverTime('user_hours', 'hour'),
    deleteOverTime('user_days', 'day'),
    deleteOverTime('user_months', 'month'),
    'DELETE FROM users WHERE id = ?',
  ].map((sql) => db.prepare<[number]>(sql));
  const links = createUserLinks(db);
  const search = createSearchIndex(db);
  const credentials = createCredentialWrites(db);
  // One statement for each set of columns, keyed by the sum of their bits.
  const prepareUpdate = createCache((columns: number) => {
    const names = WRITTEN.filter((_, index) => Math.floor(columns / 2 ** index) % 2 === 1).map(({ name }) => name);
    return db.prepare<Cell[]>(`UPDATE users SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE id = ?`);
  });

  return {
    insert: (user) => {
      const id = Number(insert.run(...encodeUser(user)).lastInsertRowid);
      credentials.insert(id, user.credentials);
      links.insert(id, user);
      search.insert(id, buildSearchText(user));
      return id;
    },
    save: (before, after) => {
      const isTextSame = hasSameText(before, after);
      const cells: Cell[] = [];
      let columns = 0;
      for (let index = isTextSame ? TEXT_COLUMNS : 0; index < WRITTEN.length; index += 1) {
        const cell = WRITTEN[index]?.cell(after) ?? null;
        if (cell === WRITTEN[index]?.cell(before)) continue;
        cells.push(cell);
        columns += 2 ** index;
      }
      if (columns === 0) return;
      cells.push(before.id);
      prepareUpdate(columns).run(...cells);
      links.save(before.id, before, after);
      if (isTextSame) return;
      const text = buildSearchText(after);
      if (text !== buildSearchText(before)) search.replace(before.id, text);
    },
    remove: (id) => {
      for (const removal of removals) removal.run(id);
      search.remove(id);
    },
  };
}

function hasSameText(a: UserRow, b: UserRow): boolean {
  return (
    a.name === b.name &&
    a.contact === b.contact &&
    a.note === b.note &&
    a.tags === b.tags &&
    a.externalId === b.externalId &&
    a.metadata === b.metadata
  );
}

type Links = Pick<NewUser, 'tags' | 'inbounds' | 'metadata'>;

interface UserLinks {
  insert(id: number, links: Links): void;
  /** Writes only the differences. */
  save(id: number, before: Links, after: Links): void;
}

const NO_INBOUNDS: readonly number[] = [];

/** Rows that find users by tag, metadata and inbound without reading the users. A foreign key deletes them with their user. */
export function createUserLinks(db: Connection): UserLinks {
  const addTag = db.prepare<[string, number]>('INSERT INTO user_tags (tag, user_id) VALUES (?, ?)');
  const dropTag = db.prepare<[string, number]>('DELETE FROM user_tags WHERE tag = ? AND user_id = ?');
  const addMember = db.prepare<[string, string, number]>(
    'INSERT INTO user_metadata (key, value, user_id) VALUES (?, ?, ?)',
  );
  const dropMember = db.prepare<[string, string, number]>(
    'DELETE FROM user_metadata WHERE key = ? AND value = ? AND user_id = ?',
  );
  const addInbound = db.prepare<[number, number]>('INSERT INTO user_inbounds (inbound_id, user_id) VALUES (?, ?)');
  const dropInbound = db.prepare<[number, number]>('DELETE FROM user_inbounds WHERE inbound_id = ? AND user_id = ?');
  return {
    insert: (id, { tags, inbounds, metadata }) => {
      for (const tag of tags) addTag.run(tag, id);
      for (const [key, value] of Object.entries(metadata)) addMember.run(key, value, id);
      for (const inbound of inbounds ?? NO_INBOUNDS) addInbound.run(inbound, id);
    },
    save: (id, before, after) => {
      if (before.tags !== after.tags) {
        for (const tag of before.tags) if (!after.tags.includes(tag)) dropTag.run(tag, id);
        for (const tag of after.tags) if (!before.tags.includes(tag)) addTag.run(tag, id);
      }
      if (before.metadata !== after.metadata) {
        const [was, is] = [before.metadata, after.metadata];
        for (const [key, value] of Object.entries(was)) if (is[key] !== value) dropMember.run(key, value, id);
        for (const [key, value] of Object.entries(is)) if (was[key] !== value) addMember.run(key, value, id);
      }
      if (before.inbounds !== after.inbounds) {
        const [was, is] = [before.inbounds ?? NO_INBOUNDS, after.inbounds ?? NO_INBOUNDS];
        for (const inbound of was) if (!is.includes(inbound)) dropInbound.run(inbound, id);
        for (const inbound of is) if (!was.includes(inbound)) addInbound.run(inbound, id);
      }
    },
  };
}

const GRANT_COLUMNS =
  'id, user_id AS userId, bytes, bytes_left AS bytesLeft, lifetime, days, ends_at AS endsAt, note, created_at AS createdAt, bytes_lost AS bytesLost';

/** Condition of a user's grants in a state, by the rule of core/users/grants.ts. */
const GRANT_MATCHES = `user_id = :userId AND (:state IS NULL OR :state = CASE
  WHEN bytes_left > 0 AND (ends_at IS NULL OR ends_at > :now) AND NOT (lifetime = 'period' AND :isPeriodOver) THEN 'open'
  WHEN bytes_left > 0 OR bytes_lost > 0 THEN 'ended'
  ELSE 'used_up' END)`;

/** Grants with bytes left have an index of their own, as settling always reads them. */
export function createGrantStore(db: Connection): GrantStore {
  const insert = db.prepare<[Omit<GrantRow, 'id'>]>(
    `INSERT INTO grants (user_id, bytes, bytes_left, lifetime, days, ends_at, note, created_at)
     VALUES (:userId, :bytes, :bytesLeft, :lifetime, :days, :endsAt, :note, :createdAt)`,
  );
  const get = db.prepare<[number, number], StoredGrant>(
    `SELECT ${GRANT_COLUMNS} FROM grants WHERE id = ? AND user_id = ?`,
  );
  const page = db.prepare<[Params], StoredGrant>(
    `SELECT ${GRANT_COLUMNS} FROM grants WHERE id < :after AND ${GRANT_MATCHES}
     ORDER BY id DESC ${limitTo(':limit')} OFFSET :offset`,
  );
  const count = db.prepare<[Params], number>(`SELECT count(*) FROM grants WHERE ${GRANT_MATCHES}`).pluck();
  const latest = db.prepare<[number], StoredGrant>(
    `SELECT ${GRANT_COLUMNS} FROM grants WHERE user_id = ? ORDER BY id DESC LIMIT 1`,
  );
  const live = db.prepare<[number], GrantRow>(
    `SELECT ${GRANT_COLUMNS} FROM grants INDEXED BY grants_live WHERE user_id = ? AND bytes_left > 0 ORDER BY id`,
  );
  const save = db.prepare<[number, number, number | null, number]>(
    'UPDATE grants SET bytes_left = ?, bytes_lost = ?, ends_at = ? WHERE id = ?',
  );
  const toParams = ({ userId, state, now, isPeriodOver }: GrantConditions) => {
    return { userId, state: state ?? null, now, isPeriodOver: Number(isPeriodOver) };
  };
  const remove = db.prepare<[number]>('DELETE FROM grants WHERE id = ?');
  return {
    insert: (grant) => Number(insert.run(grant).lastInsertRowid),
    get: (userId, id) => get.get(id, userId),
    page: (conditions, limit, offset, after = Number.MAX_SAFE_INTEGER) =>
      page.all({ ...toParams(conditions), limit, offset, after }),
    count: (conditions) => count.get(toParams(conditions)) ?? 0,
    latest: (userId) => latest.get(userId),
    live: (userId) => live.all(userId),
    save: (id, { bytesLeft, bytesLost, endsAt }) => {
      save.run(bytesLeft, bytesLost, endsAt, id);
    },
    remove: (id) => {
      remove.run(id);
    },
  };
}
