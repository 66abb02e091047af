// Replies kept for repeated requests: written in the transaction of the effect they answer for.
import type { IdempotencyStore, StoredReply } from '../core/ports/records.ts';
import type { Connection } from './database.ts';

export function createIdempotencyStore(db: Connection): IdempotencyStore {
  const get = db.prepare<[string, string, number], StoredReply>(
    'SELECT fingerprint, status, body, location FROM idempotency WHERE scope = ? AND key = ? AND at >= ?',
  );
  // A key may be used anew once its reply counts as gone.
  const put = db.prepare<[StoredReply & { readonly scope: string; readonly key: string; readonly at: number }]>(
    `INSERT INTO idempotency (scope, key, at, fingerprint, status, body, location)
     VALUES (:scope, :key, :at, :fingerprint, :status, :body, :location)
     ON CONFLICT (scope, key) DO UPDATE SET at = excluded.at, fingerprint = excluded.fingerprint,
       status = excluded.status, body = excluded.body, location = excluded.location`,
  );
  const prune = db.prepare<[number]>('DELETE FROM idempotency WHERE at < ?');
  return {
    get: (scope, key, notBefore) => get.get(scope, key, notBefore),
    put: (scope, key, at, reply) => {
      put.run({ ...reply, scope, key, at });
    },
    prune: (before) => {
      prune.run(before);
    },
  };
}
