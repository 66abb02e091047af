// Replaced links, and when each node's machine received the replacement.
import type { Between, ReissueStore } from '../../core/ports/reissues.ts';
import type { Connection } from '../database.ts';

type ReissueQuery = Between & { readonly nodeId: number };

const UNMET = `FROM reissues AS r WHERE r.at BETWEEN :from AND :until
  AND NOT EXISTS (SELECT 1 FROM reissue_meetings AS m WHERE m.user_id = r.user_id AND m.node_id = :nodeId)`;

export function createReissueStore(db: Connection): ReissueStore {
  const forget = db.prepare<[number]>('DELETE FROM reissue_meetings WHERE user_id = ?');
  const upsert = db.prepare<[number, number]>(
    'INSERT INTO reissues (user_id, at) VALUES (?, ?) ON CONFLICT (user_id) DO UPDATE SET at = excluded.at',
  );
  const get = db.prepare<[number], number>('SELECT at FROM reissues WHERE user_id = ?').pluck();
  const deliveries = db
    .prepare<[number], [nodeId: number, at: number]>('SELECT node_id, at FROM reissue_meetings WHERE user_id = ?')
    .raw();
  const undelivered = db.prepare<[ReissueQuery], number>(`SELECT EXISTS (SELECT 1 ${UNMET})`).pluck();
  const markDelivered = db.prepare<[ReissueQuery & { readonly at: number }]>(
    `INSERT INTO reissue_meetings (user_id, node_id, at) SELECT r.user_id, :nodeId, :at ${UNMET}`,
  );
  return {
    recordReissue: (userId, at) => {
      forget.run(userId);
      upsert.run(userId, at);
    },
    of: (userId) => {
      const at = get.get(userId);
      return at === undefined ? null : { at, deliveredAt: new Map(deliveries.all(userId)) };
    },
    hasUndelivered: (nodeId, between) => undelivered.get({ nodeId, ...between }) === 1,
    markDelivered: (nodeId, between, at) => {
      markDelivered.run({ nodeId, ...between, at });
    },
  };
}
