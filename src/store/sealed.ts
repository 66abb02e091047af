// Secrets as the vault sealed them, by the place they belong to. Without the master key they are noise.
import type { SealedRow, SealedStore } from '../core/ports/administrator.ts';
import type { Connection } from './database.ts';

const SELECT = 'SELECT place, key_id AS keyId, nonce, ciphertext FROM sealed';

export function createSealedStore(db: Connection): SealedStore {
  const get = db.prepare<[string], SealedRow>(`${SELECT} WHERE place = ?`);
  // All secrets have one key: a row of another would be lost to whoever brings that key.
  const put = db.prepare<[SealedRow]>(
    `INSERT INTO sealed (place, key_id, nonce, ciphertext) SELECT :place, :keyId, :nonce, :ciphertext
     WHERE NOT EXISTS (SELECT 1 FROM sealed WHERE key_id <> :keyId AND place <> :place)
     ON CONFLICT (place) DO UPDATE SET key_id = excluded.key_id, nonce = excluded.nonce, ciphertext = excluded.ciphertext`,
  );
  const remove = db.prepare<[string]>('DELETE FROM sealed WHERE place = ?');
  const all = db.prepare<[], SealedRow>(`${SELECT} ORDER BY place`);
  const keyId = db.prepare<[], string>('SELECT key_id FROM sealed LIMIT 1').pluck();
  return {
    get: (place) => get.get(place),
    put: (row) => {
      if (put.run(row).changes === 0) throw new Error(`${row.place} is sealed with another key than the secrets here`);
    },
    remove: (place) => {
      remove.run(place);
    },
    all: () => all.all(),
    keyId: () => keyId.get() ?? null,
  };
}
