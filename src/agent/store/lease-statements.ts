// The tables of the lease, and all prepared statements on them.
import type { LedgerEvent } from '../../core/ports/lease.ts';
import type { UpDown } from '../../core/ports/traffic.ts';
import type { Connection } from '../../store/database.ts';

export const LEASE_SCHEMA = `
  CREATE TABLE lease (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    lease_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    at INTEGER,
    shared BLOB
  ) STRICT;
  CREATE TABLE started (one INTEGER PRIMARY KEY CHECK (one = 1), engine BLOB NOT NULL) STRICT;
  CREATE TABLE leased (
    user_id INTEGER PRIMARY KEY,
    lease_id TEXT NOT NULL,
    token_hash TEXT NOT NULL,
    secrets BLOB NOT NULL,
    inbounds TEXT,
    left_out TEXT NOT NULL,
    leased TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    due_at INTEGER,
    allowed INTEGER NOT NULL,
    removed INTEGER NOT NULL,
    applied INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX leased_token ON leased (token_hash);
  CREATE INDEX leased_due ON leased (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX leased_unapplied ON leased (user_id) WHERE (allowed > removed) <> applied;
  CREATE TABLE engine_users (user_id INTEGER PRIMARY KEY) STRICT;
  CREATE TABLE lease_events (
    seq INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    at INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    boot TEXT,
    up INTEGER NOT NULL,
    down INTEGER NOT NULL
  ) STRICT;
`;

export interface Row {
  readonly allowed: number;
  /** 1: the panel has removed the user since the lease was read. */
  readonly removed: number;
  readonly userId: number;
  readonly tokenHash: string;
  readonly secrets: Uint8Array;
  readonly inbounds: string | null;
  readonly leftOut: string;
  readonly leased: string;
  readonly updatedAt: number;
}

const COLUMNS = `user_id AS userId, token_hash AS tokenHash, secrets, inbounds, left_out AS leftOut, leased, updated_at AS updatedAt, allowed, removed`;

/** The counters of a user in one start of the engine. */
export type CountedBy = UpDown & { readonly boot: string };

/** Upsert of the ledger (its counters are in the same file): keeps the values that were already offered, up to `:offered`. */
export const KEEP_OFFERED = ['up', 'down', 'seq']
  .map((column) => `offered_${column} = CASE WHEN seq <= :offered THEN ${column} ELSE offered_${column} END`)
  .join(', ');

/** Prepares all statements once, on the ledger's connection. */
export function prepareLease(db: Connection) {
  const get = db.prepare<[number], Row>(`SELECT ${COLUMNS} FROM leased WHERE user_id = ?`);
  const byToken = db.prepare<[string], Row>(`SELECT ${COLUMNS} FROM leased WHERE token_hash = ?`);
  const due = db.prepare<[number, number], Row>(
    `SELECT ${COLUMNS} FROM leased WHERE due_at <= ? ORDER BY due_at, user_id LIMIT ?`,
  );
  const unapplied = db.prepare<[number, number], Row>(
    `SELECT ${COLUMNS} FROM leased INDEXED BY leased_unapplied WHERE (allowed > removed) <> applied AND user_id > ? ORDER BY user_id LIMIT ?`,
  );
  const refused = db.prepare<[], Row>(`SELECT ${COLUMNS} FROM leased WHERE allowed = 0`);
  const allowed = db.prepare<[], Row>(`SELECT ${COLUMNS} FROM leased WHERE allowed > removed ORDER BY user_id`);
  const count = db.prepare<[], number>('SELECT count(*) FROM leased').pluck();
  const upsert = db.prepare<[Omit<Row, 'removed'> & { readonly leaseId: string; readonly dueAt: number | null }]>(
    `INSERT INTO leased (user_id, lease_id, token_hash, secrets, inbounds, left_out, leased, updated_at, due_at, allowed, removed, applied)
     VALUES (:userId, :leaseId, :tokenHash, :secrets, :inbounds, :leftOut, :leased, :updatedAt, :dueAt, :allowed, 0,
       EXISTS (SELECT 1 FROM engine_users WHERE user_id = :userId))
     ON CONFLICT (user_id) DO UPDATE SET lease_id = excluded.lease_id, token_hash = excluded.token_hash, secrets = excluded.secrets,
       inbounds = excluded.inbounds, left_out = excluded.left_out, leased = excluded.leased, updated_at = excluded.updated_at,
       due_at = excluded.due_at, allowed = excluded.allowed, removed = 0`,
  );
  const update = db.prepare<[string, number | null, number, number]>(
    'UPDATE leased SET leased = ?, due_at = ?, allowed = ? WHERE user_id = ?',
  );
  const setApplied = db.prepare<[{ userId: number; isIn: number; isRemoved: number }]>(
    `UPDATE leased SET applied = :isIn, removed = CASE WHEN :isIn THEN 0 ELSE max(removed, :isRemoved AND allowed) END WHERE user_id = :userId`,
  );
  const isInEngine = db.prepare<[number], number>('SELECT 1 FROM engine_users WHERE user_id = ?').pluck();
  const addToEngine = db.prepare<[number]>('INSERT INTO engine_users (user_id) VALUES (?) ON CONFLICT DO NOTHING');
  const dropFromEngine = db.prepare<[number]>('DELETE FROM engine_users WHERE user_id = ?');
  const clearEngine = db.prepare('DELETE FROM engine_users');
  const setStarted = db.prepare<[{ isRemoved: number }]>(
    `UPDATE leased SET applied = user_id IN (SELECT user_id FROM engine_users),
       removed = max(removed, :isRemoved AND allowed AND user_id NOT IN (SELECT user_id FROM engine_users))`,
  );
  const remove = db.prepare<[number]>('DELETE FROM leased WHERE user_id = ?');
  const removeOthers = db.prepare<[string]>('DELETE FROM leased WHERE lease_id <> ?');
  const lease = db.prepare<[], { leaseId: string; version: number; at: number | null; shared: Uint8Array | null }>(
    'SELECT lease_id AS leaseId, version, at, shared FROM lease',
  );
  const saveLease = db.prepare<[string, number]>(
    `INSERT INTO lease (one, lease_id, version) VALUES (1, ?, ?)
     ON CONFLICT (one) DO UPDATE SET lease_id = excluded.lease_id, version = excluded.version`,
  );
  const forgetVersion = db.prepare('UPDATE lease SET version = 0');
  const setShared = db.prepare<[Uint8Array]>('UPDATE lease SET shared = ?');
  const setAt = db.prepare<[number]>('UPDATE lease SET at = ?');
  const started = db.prepare<[], Uint8Array>('SELECT engine FROM started').pluck();
  const saveStarted = db.prepare<[Uint8Array]>(
    'INSERT INTO started (one, engine) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET engine = excluded.engine',
  );
  const dropStarted = db.prepare('DELETE FROM started');
  const insertEvent = db.prepare<[LedgerEvent]>(
    'INSERT INTO lease_events (seq, kind, at, user_id, boot, up, down) VALUES (:seq, :kind, :at, :userId, :boot, :up, :down)',
  );
  const events = db.prepare<[number, number], LedgerEvent>(
    'SELECT seq, kind, at, user_id AS userId, boot, up, down FROM lease_events WHERE seq > ? ORDER BY seq LIMIT ?',
  );
  const dropEvents = db.prepare<[number]>('DELETE FROM lease_events WHERE seq <= ?');
  const unknown = db.prepare<[number], CountedBy & { knownUp: number; knownDown: number }>(
    `SELECT boot, up, down, known_up AS knownUp, known_down AS knownDown FROM counters
     WHERE user_id = ? AND tag = '' AND (up > known_up OR down > known_down)`,
  );
  const offerAgain = db.prepare<[{ boot: string; userId: number; seq: number; offered: number }]>(
    `UPDATE counters SET ${KEEP_OFFERED}, seq = :seq
     WHERE boot = :boot AND user_id = :userId AND tag = '' AND seq > (SELECT acknowledged FROM ledger)`,
  );
  const endAgain = db.prepare<[{ boot: string; seq: number }]>(
    'UPDATE boots SET ended = :seq WHERE boot = :boot AND ended IS NOT NULL',
  );
  const learn = db.prepare<[{ userId: number; taken: number }]>(
    `UPDATE counters SET known_up = CASE WHEN seq <= :taken THEN up WHEN offered_seq <= :taken THEN max(known_up, offered_up) ELSE known_up END,
       known_down = CASE WHEN seq <= :taken THEN down WHEN offered_seq <= :taken THEN max(known_down, offered_down) ELSE known_down END
     WHERE user_id = :userId AND tag = ''`,
  );
  const taken = db.prepare<[], number>('SELECT taken FROM ledger').pluck();
  const saveTaken = db.prepare<[number]>('UPDATE ledger SET taken = ?');
  return {
    get,
    byToken,
    due,
    unapplied,
    refused,
    allowed,
    count,
    upsert,
    update,
    setApplied,
    isInEngine,
    addToEngine,
    dropFromEngine,
    clearEngine,
    setStarted,
    remove,
    removeOthers,
    lease,
    saveLease,
    forgetVersion,
    setShared,
    setAt,
    started,
    saveStarted,
    dropStarted,
    insertEvent,
    events,
    dropEvents,
    unknown,
    offerAgain,
    endAgain,
    learn,
    taken,
    saveTaken,
  };
}
export type LeaseStatements = ReturnType<typeof prepareLease>;
