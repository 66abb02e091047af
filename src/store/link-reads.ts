// When users' links were last read, and by which application. A table of its own, so that reading a link does not write to users.
import type { LinkRead, LinkReadStore } from '../core/ports/link-reads.ts';
import { parseOwnJson } from '../domain/own-json.ts';
import type { Connection } from './database.ts';

export function createLinkReadStore(db: Connection): LinkReadStore {
  const recordRead = db.prepare<[LinkRead & { readonly userId: number }]>(
    `INSERT INTO link_reads (user_id, at, app) SELECT id, :at, :app FROM users WHERE id = :userId
     ON CONFLICT (user_id) DO UPDATE SET at = excluded.at, app = excluded.app`,
  );
  const get = db.prepare<[number], LinkRead>('SELECT at, app FROM link_reads WHERE user_id = ?');
  const countByApp = db.prepare<[number, number], { inbounds: string | null; app: string | null; users: number }>(
    `SELECT inbounds, app, count(*) AS users FROM users LEFT JOIN link_reads ON user_id = id
     WHERE id > ? AND id <= ? AND state IN ('active', 'on_hold') GROUP BY inbounds, app`,
  );
  return {
    recordRead: (userId, read) => {
      recordRead.run({ ...read, userId });
    },
    get: (userId) => get.get(userId),
    countByApp: (afterId, untilId) =>
      countByApp.all(afterId, untilId).map(({ inbounds, app, users }) => {
        return { inbounds: inbounds === null ? null : (parseOwnJson(inbounds) as number[]), app, users };
      }),
  };
}
