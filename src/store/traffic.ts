// Traffic over time, stored as sums by hour, day and month: no query reads more rows than it returns.
import type { NodeDay, Point, TrafficStore, UpDown } from '../core/ports/traffic.ts';
import type { Connection } from './database.ts';
import { limitTo } from './statements.ts';

/** Node 0 is the stored sum of all nodes, deleted ones included. */
const ALL_NODES = 0;
const NOTHING: UpDown = { up: 0, down: 0 };

// Counters stop at the largest integer that JavaScript represents exactly.
const add = (column: string) => `${column} = min(9007199254740991, ${column} + excluded.${column})`;
const count = (table: string, keys: string) => {
  const names = keys.split(', ');
  return `INSERT INTO ${table} (${keys}, up, down) VALUES (${names.map(() => '?').join(', ')}, ?, ?)
    ON CONFLICT (${keys}) DO UPDATE SET ${add('up')}, ${add('down')}`;
};

// The distinct times in a table that is ordered by time, from a given one on: each takes one seek.
const timesFrom = (table: string, time: string) => `WITH RECURSIVE times (t) AS (
    SELECT min(${time}) FROM ${table} WHERE ${time} >= :from
    UNION ALL SELECT (SELECT min(${time}) FROM ${table} WHERE ${time} > t) FROM times WHERE t IS NOT NULL
  )`;
const ofUser = (table: string, time: string, columns: string) => `${timesFrom(table, time)}
  SELECT ${columns} FROM times CROSS JOIN ${table} ON ${time} = t WHERE user_id = :userId`;
const sum = (column: string) => `min(9007199254740991, sum(${column})) AS ${column}`;

export function createTrafficStore(db: Connection): TrafficStore {
  const nodeHour = db.prepare<[number, number, number, number]>(count('node_hours', 'node_id, hour'));
  const nodeDay = db.prepare<[number, string, number, number]>(count('node_days', 'node_id, day'));
  const nodeTotal = db.prepare<[number, number, number]>(count('node_totals', 'node_id'));
  const inboundTotal = db.prepare<[number, number, number]>(count('inbound_totals', 'inbound_id'));
  const userHour = db.prepare<[number, number, number, number]>(count('user_hours', 'hour, user_id'));
  const userDay = db.prepare<[string, number, number, number, number]>(count('user_days', 'day, user_id, node_id'));
  const userMonth = db.prepare<[string, number, number, number, number]>(
    `INSERT INTO user_months (month, user_id, up, down, total) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (month, user_id) DO UPDATE SET ${add('up')}, ${add('down')},
       total = min(9007199254740991, min(9007199254740991, up + excluded.up) + min(9007199254740991, down + excluded.down))`,
  );

  const nodeHours = db.prepare<[number, number], Point>(
    'SELECT hour AS t, up, down FROM node_hours WHERE node_id = ? AND hour >= ? ORDER BY hour',
  );
  const nodeDays = db.prepare<[number, string], UpDown & { readonly day: string }>(
    'SELECT day, up, down FROM node_days WHERE node_id = ? AND day >= ? ORDER BY day',
  );
  const userHours = db.prepare<[{ userId: number; from: number }], Point>(
    `${ofUser('user_hours', 'hour', 'hour AS t, up, down')} ORDER BY hour`,
  );
  const userDays = db.prepare<[{ userId: number; from: string }], UpDown & { readonly day: string }>(
    `${ofUser('user_days', 'day', `day, ${sum('up')}, ${sum('down')}`)} GROUP BY day ORDER BY day`,
  );
  const userNodeDays = db.prepare<[{ userId: number; from: string }], NodeDay>(
    `${ofUser('user_days', 'day', 'day, node_id AS nodeId, up, down')} ORDER BY day, node_id`,
  );
  const days = db.prepare<[number, string, string], UpDown>(
    'SELECT up, down FROM node_days WHERE node_id = ? AND day BETWEEN ? AND ?',
  );
  // Selects users with at least the magnitude of the last one wanted, which are seldom many more than wanted.
  const top = db.prepare<[{ month: string; most: number }], UpDown & { readonly id: number; readonly name: string }>(
    `SELECT u.id, u.name, m.up, m.down FROM user_months AS m CROSS JOIN users AS u ON u.id = m.user_id
     WHERE m.month = :month AND m.magnitude >= coalesce(
       (SELECT magnitude FROM user_months WHERE month = :month ORDER BY magnitude DESC LIMIT 1 OFFSET :most - 1), 0)
     ORDER BY m.total DESC, m.user_id DESC ${limitTo(':most')}`,
  );
  const total = db.prepare<[number], UpDown>('SELECT up, down FROM node_totals WHERE node_id = ?');
  const nodeTotals = db.prepare<[], UpDown & { readonly nodeId: number; readonly name: string }>(
    `SELECT n.id AS nodeId, n.name, coalesce(t.up, 0) AS up, coalesce(t.down, 0) AS down
     FROM nodes AS n LEFT JOIN node_totals AS t ON t.node_id = n.id ORDER BY n.id`,
  );
  const inboundTotals = db.prepare<[], UpDown & { readonly inboundId: number; readonly name: string }>(
    `SELECT i.id AS inboundId, i.name, coalesce(t.up, 0) AS up, coalesce(t.down, 0) AS down
     FROM inbounds AS i LEFT JOIN inbound_totals AS t ON t.inbound_id = i.id ORDER BY i.id`,
  );
  // Few nodes have traffic; their hours are ordered by node.
  const nodesBefore = (table: string, time: string) => `DELETE FROM ${table} WHERE ${time} < ? AND node_id IN (
    WITH RECURSIVE ids (id) AS (
      SELECT min(node_id) FROM ${table}
      UNION ALL SELECT (SELECT min(node_id) FROM ${table} WHERE node_id > id) FROM ids WHERE id IS NOT NULL
    ) SELECT id FROM ids)`;
  const pruneHours = [nodesBefore('node_hours', 'hour'), 'DELETE FROM user_hours WHERE hour < ?'].map((sql) =>
    db.prepare<[number]>(sql),
  );
  const pruneDays = [
    nodesBefore('node_days', 'day'),
    'DELETE FROM user_days WHERE day < ?',
    'DELETE FROM user_months WHERE month < substr(?, 1, 7)',
  ].map((sql) => db.prepare<[string]>(sql));

  return {
    addToNode: (nodeId, { hour, day }, { up, down }) => {
      for (const id of [nodeId, ALL_NODES]) {
        nodeHour.run(id, hour, up, down);
        nodeDay.run(id, day, up, down);
        nodeTotal.run(id, up, down);
      }
    },
    addToInbound: (inboundId, { up, down }) => {
      inboundTotal.run(inboundId, up, down);
    },
    addToUser: (userId, nodeId, { hour, day, month }, { up, down }) => {
      userHour.run(hour, userId, up, down);
      userDay.run(day, userId, nodeId, up, down);
      userMonth.run(month, userId, up, down, Math.min(Number.MAX_SAFE_INTEGER, up + down));
    },
    nodeHours: (from, nodeId) => nodeHours.all(nodeId ?? ALL_NODES, from),
    nodeDays: (firstDay, nodeId) => nodeDays.all(nodeId ?? ALL_NODES, firstDay),
    userHours: (userId, from) => userHours.all({ userId, from }),
    userDays: (userId, firstDay) => userDays.all({ userId, from: firstDay }),
    userNodeDays: (userId, firstDay) => userNodeDays.all({ userId, from: firstDay }),
    sumDays: (firstDay, lastDay, nodeId = ALL_NODES) => {
      let [up, down] = [0, 0];
      for (const moved of days.all(nodeId, firstDay, lastDay)) {
        up = Math.min(Number.MAX_SAFE_INTEGER, up + moved.up);
        down = Math.min(Number.MAX_SAFE_INTEGER, down + moved.down);
      }
      return { up, down };
    },
    topUsers: (month, most) => top.all({ month, most }),
    total: () => total.get(ALL_NODES) ?? NOTHING,
    nodeTotals: () => nodeTotals.all(),
    inboundTotals: () => inboundTotals.all(),
    prune: (hour, day) => {
      for (const statement of pruneHours) statement.run(hour);
      for (const statement of pruneDays) statement.run(day);
    },
  };
}
