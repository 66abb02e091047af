// API keys: only their hash is here. Every request asks for one, so that a revocation holds from the next on.
import type { KeyRow, KeyStore } from '../core/ports/administrator.ts';
import type { Connection } from './database.ts';

const SELECT = `SELECT id, name, access, prefix, created_at AS createdAt, expires_at AS expiresAt, revoked_at AS revokedAt,
  last_used_at AS lastUsedAt, last_used_from AS lastUsedFrom FROM api_keys`;

export function createKeyStore(db: Connection): KeyStore {
  const insert = db.prepare<[Omit<KeyRow, 'id'> & { readonly hash: string }]>(
    `INSERT INTO api_keys (hash, name, access, prefix, created_at, expires_at, revoked_at, last_used_at, last_used_from)
     VALUES (:hash, :name, :access, :prefix, :createdAt, :expiresAt, :revokedAt, :lastUsedAt, :lastUsedFrom)`,
  );
  const byHash = db.prepare<[string], KeyRow>(`${SELECT} WHERE hash = ?`);
  const get = db.prepare<[number], KeyRow>(`${SELECT} WHERE id = ?`);
  const all = db.prepare<[], KeyRow>(`${SELECT} ORDER BY id DESC`);
  const revoke = db.prepare<[number, number]>('UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL');
  const revokeAll = db.prepare<[number]>('UPDATE api_keys SET revoked_at = ? WHERE revoked_at IS NULL');
  const touch = db.prepare<[number, string, number]>(
    'UPDATE api_keys SET last_used_at = ?, last_used_from = ? WHERE id = ?',
  );
  const counts = db.prepare<[number], { readonly access: KeyRow['access']; readonly count: number }>(
    `SELECT access, count(*) AS count FROM api_keys
     WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?) GROUP BY access`,
  );
  // What was found, until any key is written: here alone, as the panel owns its folder and a restored database gets a store of its own.
  const known = new Map<string, KeyRow>();
  const writing = <T>(write: () => T): T => {
    known.clear();
    return write();
  };

  return {
    insert: (key, hash) => writing(() => Number(insert.run({ ...key, hash }).lastInsertRowid)),
    byHash: (hash) => {
      const found = known.get(hash) ?? byHash.get(hash);
      // What a transaction sees may never come to be.
      if (found !== undefined && !db.inTransaction) known.set(hash, found);
      return found;
    },
    get: (id) => get.get(id),
    all: () => all.all(),
    revoke: (id, at) => {
      writing(() => revoke.run(at, id));
    },
    revokeAll: (at) => writing(() => revokeAll.run(at).changes),
    touch: (id, at, from) => {
      writing(() => touch.run(at, from, id));
    },
    countByAccess: (now) => {
      const found = { read: 0, full: 0 };
      for (const { access, count } of counts.all(now)) found[access] = count;
      return found;
    },
  };
}
