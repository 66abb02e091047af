// What the panel has left with a node's machine, beside its ledger: users with their terms and shares, sealed secrets, and the engine's configuration.
import type { EngineConfig } from '../../core/ports/engines.ts';
import type { LeaseHeld, LeaseShared, LeaseUser, LedgerEvent } from '../../core/ports/lease.ts';
import type { LeaseMember, NodeLease } from '../../core/ports/node-lease.ts';
import type { UpDown } from '../../core/ports/records.ts';
import {
  countLeased,
  countUnread,
  type Leased,
  type LeaseEventKind,
  leaseDueAt,
  nodesCounter,
  passTime,
  refusalOf,
  shareAmong,
} from '../../domain/nodes/lease.ts';
import { PLAIN_WEIGHT, weighSince } from '../../domain/nodes/weight.ts';
import type { Connection } from '../database.ts';

/** Seals what only the machine may read. `open` throws for what another key has sealed. */
export interface TextSeal {
  seal(text: string): Uint8Array;
  open(sealed: Uint8Array): string;
}

/** Users whose time passes in one transaction. */
const PASSED = 500;
/** A clock that was set back by more had been wrong: what had come due by it alone may be still to come. */
const SET_BACK_MS = 60_000;
const NOTHING: UpDown = { up: 0, down: 0 };

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

interface Row {
  readonly allowed: number;
  /** The panel has removed the user since the lease was read. */
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

type Secrets = Pick<LeaseUser, 'name' | 'credentials' | 'deviceLimit'>;
/** What a start of the engine had counted of a user. */
export type CountedBy = UpDown & { readonly boot: string };

export interface LeaseTables extends NodeLease {
  /** Counts what a user moved. `before`, `after`: what the engine had counted. Returns whether the user may not connect, leaving out too many addresses. */
  count(userId: number, moved: UpDown, before: CountedBy | null, after: CountedBy, now: number): boolean;
  /** Behind a number, at most so many. */
  events(after: number, limit: number): readonly LedgerEvent[];
  acknowledge(seq: number): void;
  /** How far the panel had taken the ledger when what is held was read; null: nothing is held. */
  taken(): number | null;
}

/** In the ledger, whose counters are in the same file, an entry that changes keeps what of it was offered up to `:offered`. */
export const KEEP_OFFERED = ['up', 'down', 'seq']
  .map((column) => `offered_${column} = CASE WHEN seq <= :offered THEN ${column} ELSE offered_${column} END`)
  .join(', ');

function sumOf(all: readonly UpDown[]): UpDown {
  return all.reduce((sum, { up, down }) => ({ up: sum.up + up, down: sum.down + down }), NOTHING);
}

/** `nextSeq`: the next number of the ledger. `offered`: up to which number entries were offered. */
export function createNodeLease(
  db: Connection,
  seal: TextSeal,
  nextSeq: () => number,
  offered: () => number,
): LeaseTables {
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
  const put = db.prepare<[Omit<Row, 'removed'> & { readonly leaseId: string; readonly dueAt: number | null }]>(
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
  const putLease = db.prepare<[string, number]>(
    `INSERT INTO lease (one, lease_id, version) VALUES (1, ?, ?)
     ON CONFLICT (one) DO UPDATE SET lease_id = excluded.lease_id, version = excluded.version`,
  );
  const forgetVersion = db.prepare('UPDATE lease SET version = 0');
  const putShared = db.prepare<[Uint8Array]>('UPDATE lease SET shared = ?');
  const putAt = db.prepare<[number]>('UPDATE lease SET at = ?');
  const started = db.prepare<[], Uint8Array>('SELECT engine FROM started').pluck();
  const putStarted = db.prepare<[Uint8Array]>(
    'INSERT INTO started (one, engine) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET engine = excluded.engine',
  );
  const dropStarted = db.prepare('DELETE FROM started');
  const putEvent = db.prepare<[LedgerEvent]>(
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
  const takenOf = db.prepare<[], number>('SELECT taken FROM ledger').pluck();
  const saveTaken = db.prepare<[number]>('UPDATE ledger SET taken = ?');
  /** When time was last passed; null: not yet by this process. */
  let passedAt: number | null = null;
  let present: LeaseShared | null | undefined;
  let countNodes: ReturnType<typeof nodesCounter> | null = null;

  function shared(): LeaseShared | null {
    if (present === undefined) {
      const sealed = lease.get()?.shared ?? null;
      present = sealed === null ? null : (JSON.parse(seal.open(sealed)) as LeaseShared);
    }
    return present;
  }

  const weight = () => shared()?.weight ?? PLAIN_WEIGHT;
  const zone = () => shared()?.settings.timeZone ?? 'UTC';
  const inboundsOf = ({ inbounds }: Row) => (inbounds === null ? null : (JSON.parse(inbounds) as number[]));
  /** Connections may have come or gone since it was written: the panel sends those alone, and not all users once more. */
  function decode(row: Row, now: number): Leased {
    countNodes ??= nodesCounter(shared()?.connections.map(({ inbound: { id, nodeId } }) => ({ id, nodeId })) ?? []);
    return shareAmong(JSON.parse(row.leased) as Leased, countNodes(inboundsOf(row)), now);
  }
  const isAllowed = (leased: Leased, now: number) => Number(refusalOf(leased, now) === null);

  const secretsOf = ({ secrets }: Row) => JSON.parse(seal.open(secrets)) as Secrets;

  function userOf(row: Row, leased: Leased): LeaseUser {
    const { name, credentials, deviceLimit } = secretsOf(row);
    return {
      id: row.userId,
      name,
      credentials,
      inbounds: inboundsOf(row),
      leftOut: JSON.parse(row.leftOut) as number[],
      tokenHash: row.tokenHash,
      deviceLimit,
      leased,
      updatedAt: row.updatedAt,
    };
  }

  function memberOf(row: Row): LeaseMember {
    const { credentials } = secretsOf(row);
    const leftOut = JSON.parse(row.leftOut) as number[];
    return {
      userId: row.userId,
      credentials,
      inbounds: inboundsOf(row),
      leftOut,
      isAllowed: row.allowed > row.removed,
    };
  }

  function save(userId: number, leased: Leased, now: number): void {
    update.run(JSON.stringify(leased), leaseDueAt(leased, now), isAllowed(leased, now), userId);
  }

  function note(kind: LeaseEventKind, at: number, userId: number, counted: CountedBy | null): void {
    const { boot, up, down } = counted ?? { boot: null, ...NOTHING };
    putEvent.run({ seq: nextSeq(), kind, at, userId, boot, up, down });
  }

  /**
   * What the panel has not taken yet belongs before a reset, or before what uses up a limit: it must be able to count it there, and so it is
   * offered behind that. A start that has ended ends once more behind it, as nothing of it is counted after its end.
   */
  function noteUnknown(kind: LeaseEventKind, at: number, userId: number, except: string | null): void {
    for (const counted of unknown.all(userId)) {
      if (counted.boot === except) continue;
      note(kind, at, userId, counted);
      const { changes } = offerAgain.run({ boot: counted.boot, userId, seq: nextSeq(), offered: offered() });
      if (changes > 0) endAgain.run({ boot: counted.boot, seq: nextSeq() });
    }
  }

  function held(): LeaseHeld | null {
    const row = lease.get();
    if (!row) return null;
    const { leaseId, version, at } = row;
    return {
      leaseId,
      version,
      at,
      // Counting takes a scan, and few ask.
      get users() {
        return count.get() ?? 0;
      },
    };
  }

  /** Users whose term had ended only by a clock that was wrong. */
  function letInAgain(now: number): void {
    for (const row of refused.all()) {
      const leased = decode(row, now);
      if (refusalOf(leased, now) === null) save(row.userId, leased, now);
    }
  }

  function putUser(user: LeaseUser, part: { leaseId: string; taken: number }, now: number): void {
    learn.run({ userId: user.id, taken: part.taken });
    const grown = unknown.all(user.id).map(({ up, down, knownUp, knownDown }) => {
      const charged = weighSince({ up, down }, { up: knownUp, down: knownDown }, weight());
      return { moved: { up: up - knownUp, down: down - knownDown }, charged };
    });
    const moved = sumOf(grown.map((each) => each.moved));
    const charged = sumOf(grown.map((each) => each.charged));
    const passed = passTime(user.leased, now, zone()).leased;
    const isMoved = moved.up > 0 || moved.down > 0;
    const leased = isMoved ? countUnread(passed, moved, now, zone(), charged) : passed;
    const { name, credentials, deviceLimit } = user;
    put.run({
      userId: user.id,
      leaseId: part.leaseId,
      tokenHash: user.tokenHash,
      secrets: seal.seal(JSON.stringify({ name, credentials, deviceLimit } satisfies Secrets)),
      inbounds: user.inbounds && JSON.stringify(user.inbounds),
      leftOut: JSON.stringify(user.leftOut),
      leased: JSON.stringify(leased),
      updatedAt: user.updatedAt,
      dueAt: leaseDueAt(leased, now),
      allowed: isAllowed(leased, now),
    });
  }

  return {
    held,
    shared,
    taken: () => (lease.get() ? (takenOf.get() ?? 0) : null),
    engine() {
      const sealed = started.get();
      return sealed === undefined ? null : (JSON.parse(seal.open(sealed)) as { config: EngineConfig; boot: string });
    },
    saveEngine: (engine) => {
      if (engine === null) dropStarted.run();
      else putStarted.run(seal.seal(JSON.stringify(engine)));
    },
    take: db.transaction((part, now) => {
      const before = lease.get();
      const follows =
        part.base === 0 || (before !== undefined && before.leaseId === part.leaseId && before.version === part.base);
      if (!follows) return held();
      putLease.run(part.leaseId, part.base + 1);
      if (part.shared !== null) {
        putShared.run(seal.seal(JSON.stringify(part.shared)));
        present = part.shared;
        countNodes = null;
      }
      for (const user of part.users) putUser(user, part, now);
      for (const id of part.gone) remove.run(id);
      if (part.isLast) {
        removeOthers.run(part.leaseId);
        putAt.run(part.at);
        saveTaken.run(part.taken);
      }
      return held();
    }),
    count(userId, moved, before, after, now) {
      const row = get.get(userId);
      if (!row) {
        // Nothing is known of the user, whose held term this may begin, or who was deleted.
        if (before === null) note('first', now, userId, after);
        return (lease.get()?.at ?? null) !== null && isInEngine.get(userId) === undefined;
      }
      const charged = weighSince(after, before ?? NOTHING, weight());
      const { leased, happened } = countLeased(decode(row, now), moved, now, zone(), charged);
      const cut = happened.some(({ kind }) => kind === 'limited' || kind === 'share');
      for (const { kind, at } of happened) {
        if (kind === 'reset') noteUnknown('reset', at, userId, null);
        else if (kind === 'expired') note(kind, at, userId, before);
        // What cuts off at the first connection says both.
        else if (kind !== 'first' || !cut) {
          noteUnknown('share', at, userId, after.boot);
          note(kind, at, userId, after);
        }
      }
      const refusal = refusalOf(passTime(decode(row, now), now, zone()).leased, now);
      save(userId, leased, now);
      return refusal !== null && refusal !== 'addresses';
    },
    advance: db.transaction((now) => {
      const isSetBack = passedAt !== null && now < passedAt - SET_BACK_MS;
      // Also of a process before this one.
      if (passedAt === null || isSetBack) letInAgain(now);
      // Resets and ends of grants cannot be taken back here: the panel sends everything once more.
      if (isSetBack) forgetVersion.run();
      passedAt = now;
      for (;;) {
        const rows = due.all(now, PASSED);
        for (const row of rows) {
          const { leased, happened } = passTime(decode(row, now), now, zone());
          for (const { kind, at } of happened) {
            if (kind === 'reset') noteUnknown('reset', at, row.userId, null);
            else note(kind, at, row.userId, null);
          }
          save(row.userId, leased, now);
        }
        if (rows.length < PASSED) return;
      }
    }),
    unapplied: (after, limit) => unapplied.all(after, limit).map(memberOf),
    noteApplied: db.transaction((applied, by) => {
      for (const { userId, isAllowed: isIn } of applied) {
        if (isIn) addToEngine.run(userId);
        else dropFromEngine.run(userId);
        setApplied.run({ userId, isIn: Number(isIn), isRemoved: Number(by === 'panel') });
      }
    }),
    noteStarted: db.transaction((userIds, by) => {
      clearEngine.run();
      for (const userId of userIds) addToEngine.run(userId);
      setStarted.run({ isRemoved: Number(by === 'panel') });
    }),
    members: () => allowed.all().map(memberOf),
    findLink(tokenHash, now) {
      const row = byToken.get(tokenHash);
      if (!row) return null;
      const { leased } = passTime(decode(row, now), now, zone());
      return { user: userOf(row, leased), refusal: refusalOf(leased, now) };
    },
    forget: db.transaction(() => {
      for (const table of ['lease', 'started', 'leased', 'engine_users', 'lease_events'])
        db.exec(`DELETE FROM ${table}`);
      present = undefined;
      countNodes = null;
    }),
    events: (after, limit) => events.all(after, limit),
    acknowledge: (seq) => {
      dropEvents.run(seq);
    },
  };
}
