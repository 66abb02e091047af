// Addresses from which users are connected, or were in the last 24 hours.
import type { ConnectedStore, UserAddress } from '../../core/ports/connected.ts';
import { DAY_MS } from '../../domain/limits.ts';
import type { Connection } from '../database.ts';
import { limitTo } from '../statements.ts';

/** How long users whom an engine reported count as connected after its last answer. */
const FRESH_MS = 90_000;
const IS_TELLING = "n.status = 'up' AND n.enabled = 1 AND n.addresses_at > :since";
const IS_CONNECTED = `${IS_TELLING} AND a.last_at >= n.addresses_at`;

type AddressCells = [network: string, nodeId: number, isConnected: number, firstAt: number, lastAt: number];

function decode([network, nodeId, isConnected, firstAt, lastAt]: AddressCells): UserAddress {
  return { network, nodeId, isConnected: isConnected === 1, firstAt, lastAt };
}

export function createConnectedStore(db: Connection): ConnectedStore {
  const recordSeen = db.prepare<[{ seen: string; nodeId: number; at: number }]>(
    `INSERT INTO user_addresses (user_id, node_id, hash, network, first_at, last_at)
     SELECT value ->> 0, :nodeId, value ->> 1, value ->> 2, :at, :at FROM json_each(:seen)
     WHERE EXISTS (SELECT 1 FROM users WHERE id = value ->> 0) AND EXISTS (SELECT 1 FROM nodes WHERE id = :nodeId)
     ON CONFLICT (user_id, node_id, hash) DO UPDATE SET
       first_at = max(first_at, excluded.last_at - ${DAY_MS}), last_at = excluded.last_at`,
  );
  const finish = db.prepare<[number | null, number]>('UPDATE nodes SET addresses_at = ? WHERE id = ?');
  const ofUser = db
    .prepare<[{ userId: number; since: number; oldest: number; limit: number }], AddressCells>(
      `SELECT a.network, a.node_id, coalesce(${IS_CONNECTED}, 0), max(a.first_at, :oldest), a.last_at
       FROM user_addresses AS a JOIN nodes AS n ON n.id = a.node_id WHERE a.user_id = :userId AND a.last_at >= :oldest
       ORDER BY a.last_at DESC, a.first_at DESC, a.hash, a.node_id ${limitTo(':limit')}`,
    )
    .raw();
  const hasReport = db
    .prepare<[{ since: number }], number>(`SELECT EXISTS (SELECT 1 FROM nodes AS n WHERE ${IS_TELLING})`)
    .pluck();
  const countOfUser = db
    .prepare<[{ userId: number; since: number }], number>(
      `SELECT count(DISTINCT a.hash) FROM user_addresses AS a JOIN nodes AS n ON n.id = a.node_id
       WHERE a.user_id = :userId AND ${IS_CONNECTED}`,
    )
    .pluck();
  const countOnNode = db
    .prepare<[{ nodeId: number; since: number }], number>(
      `SELECT (SELECT count(*) FROM user_addresses AS a WHERE a.node_id = n.id AND a.last_at >= n.addresses_at)
       FROM nodes AS n WHERE n.id = :nodeId AND ${IS_TELLING}`,
    )
    .pluck();
  const prune = db.prepare<[number]>(
    'DELETE FROM user_addresses WHERE node_id IN (SELECT id FROM nodes) AND last_at < ?',
  );
  return {
    recordSeen: (nodeId, seen, at) => {
      recordSeen.run({
        seen: JSON.stringify(seen.map(({ userId, hash, network }) => [userId, hash, network])),
        nodeId,
        at,
      });
    },
    finish: (nodeId, at) => {
      finish.run(at, nodeId);
    },
    ofUser: (userId, limit, now) =>
      ofUser.all({ userId, since: now - FRESH_MS, oldest: now - DAY_MS, limit }).map(decode),
    countOfUser: (userId, now) => {
      const since = now - FRESH_MS;
      return hasReport.get({ since }) === 1 ? (countOfUser.get({ userId, since }) ?? 0) : null;
    },
    countOnNode: (nodeId, now) => countOnNode.get({ nodeId, since: now - FRESH_MS }) ?? null,
    prune: (before) => {
      prune.run(before);
    },
  };
}
