// The panel's knowledge of nodes' engines: the log of changes to push to them, their counters, and quarantined users.

import type { LedgerTaken } from '../../core/ports/engines.ts';
import type { LeaseProgress } from '../../core/ports/lease.ts';
import type { Counted, Member, NodeChange, NodeLine, NodeSync, Quarantined, SyncStore } from '../../core/ports/sync.ts';
import { SMALL_LIMIT } from '../../domain/nodes/lease.ts';
import { parseOwnJson } from '../../domain/own-json.ts';
import type { Connection } from '../database.ts';
import { limitTo } from '../statements.ts';
import { credentialColumns, decodeCredentials } from '../users/credentials.ts';

type MemberCells = [id: number, inbounds: string | null, ...credentials: unknown[]];

const MEMBER = `SELECT u.id, u.inbounds, ${credentialColumns('u')}`;
/** Condition of users who may connect at the node `:node`. */
const MAY_CONNECT =
  "+u.state IN ('active', 'on_hold') AND (u.cut_off_until IS NULL OR coalesce(u.cut_off_node_id, :node) <> :node)";

function decodeMember([userId, inbounds, ...credentials]: MemberCells): Member {
  return {
    userId,
    credentials: decodeCredentials(credentials),
    inbounds: inbounds === null ? null : (parseOwnJson(inbounds) as number[]),
  };
}

const LINE_COLUMNS = [
  'at',
  'behind',
  'users_up',
  'users_down',
  'inbounds_up',
  'inbounds_down',
  'implausible_up',
  'implausible_down',
  'implausible_at',
] as const;
type LineCells = Readonly<Record<Exclude<(typeof LINE_COLUMNS)[number], 'implausible_at'>, number>> & {
  readonly implausible_at: number | null;
};

function decodeLine(cells: LineCells): NodeLine {
  return {
    allowance: {
      at: cells.at,
      isBehind: cells.behind === 1,
      users: { up: cells.users_up, down: cells.users_down },
      inbounds: { up: cells.inbounds_up, down: cells.inbounds_down },
    },
    implausible: { up: cells.implausible_up, down: cells.implausible_down },
    implausibleAt: cells.implausible_at,
  };
}

const COUNTED = 'SELECT value ->> 0 AS id, value ->> 1 AS up, value ->> 2 AS down FROM json_each(:counted)';
const MAX = 9_007_199_254_740_991;
const sum = (a: string, b: string) => `min(${MAX}, ${a} + ${b})`;
const addTo = (table: string, keys: string, values: string) => `INSERT INTO ${table} (${keys}, up, down)
  SELECT ${values}, up, down FROM temp.counted WHERE true
  ON CONFLICT (${keys}) DO UPDATE SET up = ${sum('up', 'excluded.up')}, down = ${sum('down', 'excluded.down')}`;

function toJson(counted: readonly Counted[]): string {
  return JSON.stringify(counted.map(({ userId, up, down }) => [userId, up, down]));
}

/** Starts of a node's engine, and the position in the change log up to which it is informed. */
function createBoots(
  db: Connection,
): Pick<
  SyncStore,
  | 'get'
  | 'begin'
  | 'savePosition'
  | 'saveCaution'
  | 'countedChange'
  | 'saveCountedChange'
  | 'boots'
  | 'endBoot'
  | 'countedBoots'
> {
  const get = db.prepare<[number], NodeSync>(
    'SELECT boot, position, cautious_until AS cautiousUntil FROM nodes WHERE id = ?',
  );
  const begin = db.prepare<[NodeSync & { readonly nodeId: number }]>(
    `UPDATE nodes SET boot = :boot, position = :position, cautious_until = :cautiousUntil, counted_change = 0
     WHERE id = :nodeId`,
  );
  // Only without a ledger: a ledger reports itself when a start has ended.
  const forget = ['node_user_counters', 'node_inbound_counters', 'node_boots'].map((table) =>
    db.prepare<[{ readonly nodeId: number; readonly boot: string | null }]>(
      `DELETE FROM ${table} WHERE node_id = :nodeId AND boot IS NOT :boot
       AND NOT EXISTS (SELECT 1 FROM node_ledgers WHERE node_id = :nodeId)`,
    ),
  );
  const insertBoot = db.prepare<[number, string]>(
    'INSERT INTO node_boots (node_id, boot, ended) VALUES (?, ?, 0) ON CONFLICT DO NOTHING',
  );
  const boots = db
    .prepare<[number], [boot: string, ended: number]>('SELECT boot, ended FROM node_boots WHERE node_id = ?')
    .raw();
  const endBoot = db.prepare<[number, string]>(
    'INSERT INTO node_boots (node_id, boot, ended) VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET ended = 1',
  );
  const dropCounters = ['node_user_counters', 'node_inbound_counters'].map((table) =>
    db.prepare<[number, string]>(`DELETE FROM ${table} WHERE node_id = ? AND boot = ?`),
  );
  const countedBoots = db
    .prepare<[number], string>('SELECT DISTINCT boot FROM node_user_counters WHERE node_id = ?')
    .pluck();
  const savePosition = db.prepare<[number | null, number]>('UPDATE nodes SET position = ? WHERE id = ?');
  const saveCaution = db.prepare<[number, number]>('UPDATE nodes SET cautious_until = ? WHERE id = ?');
  const countedChange = db.prepare<[number], number>('SELECT counted_change FROM nodes WHERE id = ?').pluck();
  const saveCountedChange = db.prepare<[number, number, string]>(
    'UPDATE nodes SET counted_change = ? WHERE id = ? AND boot = ?',
  );

  return {
    get: (nodeId) => get.get(nodeId) ?? { boot: null, position: null, cautiousUntil: 0 },
    begin: (nodeId, sync) => {
      begin.run({ ...sync, nodeId });
      for (const statement of forget) statement.run({ nodeId, boot: sync.boot });
      if (sync.boot !== null) insertBoot.run(nodeId, sync.boot);
    },
    savePosition: (nodeId, position) => {
      savePosition.run(position, nodeId);
    },
    saveCaution: (nodeId, until) => {
      saveCaution.run(until, nodeId);
    },
    countedChange: (nodeId) => countedChange.get(nodeId) ?? 0,
    saveCountedChange: (nodeId, boot, change) => {
      saveCountedChange.run(change, nodeId, boot);
    },
    boots: (nodeId) => new Map(boots.all(nodeId).map(([boot, ended]) => [boot, ended === 0 ? 'known' : 'ended'])),
    endBoot: (nodeId, boot) => {
      endBoot.run(nodeId, boot);
      for (const statement of dropCounters) statement.run(nodeId, boot);
    },
    countedBoots: (nodeId) => countedBoots.all(nodeId),
  };
}

/** The ledger of a node's machine, as far as it was read, and the lease that it has. */
function createLedgers(
  db: Connection,
): Pick<SyncStore, 'ledger' | 'saveLedger' | 'line' | 'saveLine' | 'leaseProgress' | 'saveLeaseProgress'> {
  const ledger = db.prepare<[number], LedgerTaken>(
    'SELECT ledger, run, taken, acknowledged FROM node_ledgers WHERE node_id = ?',
  );
  const saveLedger = db.prepare<[LedgerTaken & { readonly nodeId: number }]>(
    `INSERT INTO node_ledgers (node_id, ledger, run, taken, acknowledged)
     VALUES (:nodeId, :ledger, :run, :taken, :acknowledged)
     ON CONFLICT (node_id) DO UPDATE SET
       ledger = excluded.ledger, run = excluded.run, taken = excluded.taken, acknowledged = excluded.acknowledged`,
  );
  const line = db.prepare<[number], LineCells>(`SELECT ${LINE_COLUMNS.join(', ')} FROM node_lines WHERE node_id = ?`);
  const saveLine = db.prepare<[LineCells & { readonly nodeId: number }]>(
    `INSERT INTO node_lines (node_id, ${LINE_COLUMNS.join(', ')})
     VALUES (:nodeId, ${LINE_COLUMNS.map((name) => `:${name}`).join(', ')})
     ON CONFLICT (node_id) DO UPDATE SET ${LINE_COLUMNS.map((name) => `${name} = excluded.${name}`).join(', ')}`,
  );
  const leaseProgress = db.prepare<[number], LeaseProgress>(
    'SELECT lease_id AS leaseId, version, at, change, moved_at AS movedAt, protocol_version AS protocolVersion, shared FROM node_leases WHERE node_id = ?',
  );
  const saveLeaseProgress = db.prepare<[LeaseProgress & { readonly nodeId: number }]>(
    `INSERT INTO node_leases (node_id, lease_id, version, at, change, moved_at, protocol_version, shared)
     SELECT id, :leaseId, :version, :at, :change, :movedAt, :protocolVersion, :shared FROM nodes WHERE id = :nodeId
     ON CONFLICT (node_id) DO UPDATE SET lease_id = excluded.lease_id, version = excluded.version, at = excluded.at,
       change = excluded.change, moved_at = excluded.moved_at, protocol_version = excluded.protocol_version, shared = excluded.shared`,
  );

  return {
    ledger: (nodeId) => ledger.get(nodeId) ?? null,
    saveLedger: (nodeId, taken) => {
      saveLedger.run({ ...taken, nodeId });
    },
    line: (nodeId) => {
      const cells = line.get(nodeId);
      return cells ? decodeLine(cells) : null;
    },
    saveLine: (nodeId, { allowance: { at, isBehind, users, inbounds }, implausible, implausibleAt }) => {
      saveLine.run({
        nodeId,
        at,
        behind: Number(isBehind),
        users_up: users.up,
        users_down: users.down,
        inbounds_up: inbounds.up,
        inbounds_down: inbounds.down,
        implausible_up: implausible.up,
        implausible_down: implausible.down,
        implausible_at: implausibleAt,
      });
    },
    leaseProgress: (nodeId) => leaseProgress.get(nodeId) ?? null,
    saveLeaseProgress: (nodeId, progress) => {
      saveLeaseProgress.run({ ...progress, nodeId });
    },
  };
}

/** The log of changes for nodes. */
function createChangeLog(
  db: Connection,
): Pick<SyncStore, 'latest' | 'hasAfter' | 'changes' | 'changedUsers' | 'prune'> {
  const latest = db.prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'node_changes'").pluck();
  const first = db.prepare<[], number | null>('SELECT min(id) FROM node_changes').pluck();
  const changes = db.prepare<[number, number], NodeChange>(
    `SELECT id, user_id AS userId FROM node_changes WHERE id > ? ORDER BY id ${limitTo('?')}`,
  );
  const changedUsers = db
    .prepare<[{ after: number; changed: number; moved: number; movedSmall: number }], number>(
      `SELECT user_id AS id FROM node_changes WHERE id > :after
       UNION SELECT id FROM users WHERE coalesce(online_at, 0) >= :moved
       UNION SELECT id FROM users WHERE coalesce(online_at, 0) >= :movedSmall AND traffic_limit < ${SMALL_LIMIT}
       UNION SELECT id FROM users WHERE updated_at >= :changed ORDER BY id`,
    )
    .pluck();
  const prune = db.prepare<[{ latest: number; most: number }]>(
    `DELETE FROM node_changes WHERE id <= max(:latest - :most,
       coalesce((SELECT min(position) FROM nodes WHERE position IS NOT NULL), :latest))`,
  );
  const pruneQuarantine = db.prepare('DELETE FROM node_quarantine WHERE user_id NOT IN (SELECT id FROM users)');
  const latestId = () => latest.get() ?? 0;

  return {
    latest: latestId,
    hasAfter: (position) => {
      const last = latestId();
      return position <= last && position >= (first.get() ?? last + 1) - 1;
    },
    changes: (after, limit) => changes.all(after, limit),
    changedUsers(after, { changed, moved, movedSmall }) {
      const never = Number.MAX_SAFE_INTEGER;
      return changedUsers.all({ after, changed, moved: moved ?? never, movedSmall: movedSmall ?? never });
    },
    prune: (most) => {
      prune.run({ latest: latestId(), most });
      pruneQuarantine.run();
    },
  };
}

/** Users who may connect. */
function createMembers(db: Connection): Pick<SyncStore, 'members' | 'membersAfter' | 'userIdsAfter' | 'cutOffForNow'> {
  const members = db
    .prepare<{ node: number; ids: string }, MemberCells>(
      `${MEMBER} FROM json_each(:ids) AS wanted CROSS JOIN users AS u ON u.id = wanted.value WHERE ${MAY_CONNECT}`,
    )
    .raw();
  const membersAfter = db
    .prepare<{ node: number; after: number; limit: number }, MemberCells>(
      `${MEMBER} FROM users AS u WHERE u.id > :after AND ${MAY_CONNECT} ORDER BY u.id ${limitTo(':limit')}`,
    )
    .raw();
  const userIdsAfter = db
    .prepare<[number, number], number>(`SELECT id FROM users WHERE id > ? ORDER BY id ${limitTo('?')}`)
    .pluck();
  const cutOffForNow = db
    .prepare<[string], number>(
      `SELECT u.id FROM json_each(?) AS wanted CROSS JOIN users AS u ON u.id = wanted.value
       WHERE +u.state IN ('active', 'on_hold') AND u.cut_off_until IS NOT NULL`,
    )
    .pluck();

  return {
    members: (node, userIds) => members.all({ node, ids: JSON.stringify(userIds) }).map(decodeMember),
    membersAfter: (node, after, limit) => membersAfter.all({ node, after, limit }).map(decodeMember),
    userIdsAfter: (userId, limit) => userIdsAfter.all(userId, limit),
    cutOffForNow: (userIds) => cutOffForNow.all(JSON.stringify(userIds)),
  };
}

/** The counters of engines at their last reading. */
function createCounters(
  db: Connection,
): Pick<SyncStore, 'userCounters' | 'saveUserCounters' | 'inboundCounters' | 'saveInboundCounter'> {
  const userCounters = db
    .prepare<[string, number, string], [userId: number, up: number, down: number]>(
      `SELECT c.user_id, c.up, c.down FROM json_each(?) AS wanted
       CROSS JOIN node_user_counters AS c ON c.node_id = ? AND c.boot = ? AND c.user_id = wanted.value`,
    )
    .raw();
  const saveUserCounters = db.prepare<[{ nodeId: number; boot: string; counted: string }]>(
    `INSERT INTO node_user_counters (node_id, boot, user_id, up, down)
     SELECT :nodeId, :boot, id, up, down FROM (${COUNTED}) WHERE true
     ON CONFLICT (node_id, boot, user_id) DO UPDATE SET up = excluded.up, down = excluded.down`,
  );
  const inboundCounters = db
    .prepare<[number, string], [tag: string, up: number, down: number]>(
      'SELECT tag, up, down FROM node_inbound_counters WHERE node_id = ? AND boot = ?',
    )
    .raw();
  const saveInboundCounter = db.prepare<[number, string, string, number, number]>(
    `INSERT INTO node_inbound_counters (node_id, boot, tag, up, down) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (node_id, boot, tag) DO UPDATE SET up = excluded.up, down = excluded.down`,
  );

  return {
    userCounters: (nodeId, boot, userIds) =>
      new Map(
        userCounters.all(JSON.stringify(userIds), nodeId, boot).map(([userId, up, down]) => [userId, { up, down }]),
      ),
    saveUserCounters: (nodeId, boot, counters) => {
      saveUserCounters.run({ nodeId, boot, counted: toJson(counters) });
    },
    inboundCounters: (nodeId, boot) =>
      new Map(inboundCounters.all(nodeId, boot).map(([tag, up, down]) => [tag, { up, down }])),
    saveInboundCounter: (nodeId, boot, tag, { up, down }) => {
      saveInboundCounter.run(nodeId, boot, tag, up, down);
    },
  };
}

/** Counts traffic of users whose state does not change by it. */
function createPlainCounting(db: Connection): Pick<SyncStore, 'countPlainly'> {
  // Applies the rules of core/users/change.ts and domain/traffic.ts to users of whom only the counters change; skips the others. One
  // statement for many rows would take four times as long.
  const [usedUp, usedDown] = [sum('used_up', ':chargedUp'), sum('used_down', ':chargedDown')];
  const left = '(traffic_limit - used - :chargedUp - :chargedDown)';
  const countUser = db.prepare<
    [Counted & { readonly chargedUp: number; readonly chargedDown: number; readonly now: number }]
  >(
    `UPDATE users SET used_up = ${usedUp}, used_down = ${usedDown}, used = ${sum(usedUp, usedDown)},
       total_up = ${sum('total_up', ':up')}, total_down = ${sum('total_down', ':down')}, online_at = :now
     WHERE id = :userId AND state = 'active' AND hold_months IS NULL AND online_at IS NOT NULL AND extra = 0
       AND (due_at IS NULL OR due_at > :now)
       AND CASE WHEN traffic_limit IS NULL THEN announced & 2 = 0
         ELSE ${left} > 0 AND (${left} * 5 <= traffic_limit) = (announced & 2 <> 0) END`,
  );
  const existing = db
    .prepare<[string], number>(
      'SELECT users.id FROM json_each(?) AS wanted CROSS JOIN users ON users.id = wanted.value',
    )
    .pluck();
  // The counters of the present call: as JSON, each statement would parse them again.
  db.exec(
    'CREATE TEMP TABLE IF NOT EXISTS counted (id INTEGER PRIMARY KEY, up INTEGER NOT NULL, down INTEGER NOT NULL) STRICT',
  );
  const clear = db.prepare('DELETE FROM temp.counted');
  const insertCounted = db.prepare<[number, number, number]>(
    'INSERT INTO temp.counted (id, up, down) VALUES (?, ?, ?)',
  );
  const addHours = db.prepare<[{ hour: number }]>(addTo('user_hours', 'hour, user_id', ':hour, id'));
  const addDays = db.prepare<[{ day: string; nodeId: number }]>(
    addTo('user_days', 'day, user_id, node_id', ':day, id, :nodeId'),
  );
  const addMonths = db.prepare<[{ month: string }]>(
    `INSERT INTO user_months (month, user_id, up, down, total)
     SELECT :month, id, up, down, ${sum('up', 'down')} FROM temp.counted WHERE true
     ON CONFLICT (month, user_id) DO UPDATE SET up = ${sum('up', 'excluded.up')}, down = ${sum('down', 'excluded.down')},
       total = ${sum(sum('up', 'excluded.up'), sum('down', 'excluded.down'))}`,
  );

  return {
    countPlainly: (nodeId, moved, { hour, day, month }, now) => {
      const others: number[] = [];
      clear.run();
      for (const { userId, up, down, charged } of moved) {
        const counts = { userId, up, down, chargedUp: charged.up, chargedDown: charged.down, now };
        if (countUser.run(counts).changes === 1) insertCounted.run(userId, up, down);
        else others.push(userId);
      }
      if (others.length < moved.length) {
        addHours.run({ hour });
        addDays.run({ day, nodeId });
        addMonths.run({ month });
      }
      return others.length === 0 ? others : existing.all(JSON.stringify(others));
    },
  };
}

export function createSyncStore(db: Connection): SyncStore {
  const quarantine = db.prepare<[Quarantined & { readonly now: number }]>(
    `INSERT INTO node_quarantine (user_id, inbound_id, message, at) VALUES (:userId, :inboundId, :message, :now)
     ON CONFLICT (user_id, inbound_id) DO UPDATE SET message = excluded.message, at = excluded.at`,
  );
  const quarantined = db.prepare<[number], Quarantined>(
    `SELECT q.user_id AS userId, q.inbound_id AS inboundId, q.message FROM inbounds AS i
     JOIN node_quarantine AS q ON q.inbound_id = i.id WHERE i.node_id = ? ORDER BY q.user_id, q.inbound_id`,
  );
  const nodeIds = db.prepare<[], number>('SELECT id FROM nodes ORDER BY id').pluck();
  const configKey = db
    .prepare<[number], string>(
      "SELECT count(*) || ' ' || total(version) || ' ' || total(updated_at) FROM inbounds WHERE node_id = ?",
    )
    .pluck();
  const workKey = db
    .prepare<[], string>(
      `SELECT concat_ws(' ', (SELECT seq FROM sqlite_sequence WHERE name = 'node_changes'),
         (SELECT concat_ws(' ', count(*), sum(id), sum(updated_at), count(agent_pin)) FROM nodes),
         (SELECT concat_ws(' ', count(*), sum(id), sum(version), sum(updated_at)) FROM inbounds))`,
    )
    .pluck();

  return {
    ...createBoots(db),
    ...createLedgers(db),
    ...createChangeLog(db),
    ...createMembers(db),
    ...createCounters(db),
    ...createPlainCounting(db),
    nodeIds: () => nodeIds.all(),
    configKey: (nodeId) => configKey.get(nodeId) ?? '',
    workKey: () => workKey.get() ?? '',
    quarantine: ({ userId, inboundId, message }, now) => {
      quarantine.run({ userId, inboundId, message: message.slice(0, 500), now });
    },
    quarantined: (nodeId) => quarantined.all(nodeId),
  };
}
