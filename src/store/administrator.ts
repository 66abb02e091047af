// Tables of access to the panel: the administrator, sessions, API keys, the second factor, and secrets sealed by the vault.
import type {
  AdministratorRow,
  AdministratorStore,
  TwoFactorRow,
  TwoFactorStore,
} from '../core/ports/administrator.ts';
import type { KeyRow, KeyStore } from '../core/ports/keys.ts';
import type { SealedRow, SealedStore } from '../core/ports/sealed.ts';
import type { BrowserRow, BrowserStore, NewSession, SessionRow, SessionStore } from '../core/ports/sessions.ts';
import type { Connection } from './database.ts';

/** The administrator, failed attempts, and the one-time token of the setup. */
export function createAdministratorStore(db: Connection): AdministratorStore {
  const get = db.prepare<[], AdministratorRow>(
    `SELECT name, password_hash AS passwordHash, created_at AS createdAt, password_changed_at AS passwordChangedAt
     FROM administrator`,
  );
  const save = db.prepare<[AdministratorRow]>(
    `INSERT OR REPLACE INTO administrator (one, name, password_hash, created_at, password_changed_at)
     VALUES (1, :name, :passwordHash, :createdAt, :passwordChangedAt)`,
  );
  const attempts = db.prepare<[string], { readonly failed: number; readonly lastAt: number }>(
    'SELECT failed, last_at AS lastAt FROM failed_attempts WHERE scope = ?',
  );
  const setAttempts = db.prepare<[string, number, number]>(
    'INSERT OR REPLACE INTO failed_attempts (scope, failed, last_at) VALUES (?, ?, ?)',
  );
  const dropAttempts = db.prepare<[string]>('DELETE FROM failed_attempts WHERE scope = ?');
  const clearAttempts = db.prepare<[]>('DELETE FROM failed_attempts');
  const dropOldAttempts = db.prepare<[number, number]>(
    `DELETE FROM failed_attempts WHERE last_at < ? OR scope IN (
       SELECT scope FROM failed_attempts WHERE scope GLOB 'network:*' OR scope GLOB 'around:*'
       ORDER BY last_at LIMIT max(0, (SELECT count(*) FROM failed_attempts) - ?))`,
  );
  const token = db.prepare<[], { readonly hash: string; readonly endsAt: number }>(
    'SELECT hash, ends_at AS endsAt FROM setup_token',
  );
  const setToken = db.prepare<[string, number]>(
    'INSERT OR REPLACE INTO setup_token (one, hash, ends_at) VALUES (1, ?, ?)',
  );
  const dropToken = db.prepare<[]>('DELETE FROM setup_token');
  return {
    get: () => get.get(),
    save: (administrator) => {
      save.run(administrator);
    },
    attempts: (scope) => attempts.get(scope) ?? { failed: 0, lastAt: 0 },
    setAttempts: (scope, failed, lastAt) => {
      if (failed === 0) dropAttempts.run(scope);
      else setAttempts.run(scope, failed, lastAt);
    },
    clearAttempts: () => {
      clearAttempts.run();
    },
    dropOldAttempts: (before, most) => {
      dropOldAttempts.run(before, most);
    },
    setupToken: () => token.get() ?? null,
    setSetupToken: (made) => {
      if (made === null) dropToken.run();
      else setToken.run(made.hash, made.endsAt);
    },
  };
}

const SELECT_SESSION = 'SELECT id, address, device, created_at AS createdAt, last_seen_at AS lastSeenAt FROM sessions';

/** Only the hash of a session's token is stored. */
export function createSessionStore(db: Connection): SessionStore {
  const insert = db.prepare<[NewSession & { readonly hash: string }]>(
    `INSERT INTO sessions (hash, address, device, created_at, last_seen_at, browser_id)
     VALUES (:hash, :address, :device, :createdAt, :lastSeenAt, :browserId)`,
  );
  const byHash = db.prepare<[string], SessionRow>(`${SELECT_SESSION} WHERE hash = ?`);
  const all = db.prepare<[], SessionRow>(`${SELECT_SESSION} ORDER BY id DESC`);
  const touch = db.prepare<[number, number]>('UPDATE sessions SET last_seen_at = ? WHERE id = ?');
  const provenAt = db.prepare<[number], number | null>('SELECT proven_at FROM sessions WHERE id = ?').pluck();
  const prove = db.prepare<[number | null, number]>('UPDATE sessions SET proven_at = ? WHERE id = ?');
  const remove = db.prepare<[number]>('DELETE FROM sessions WHERE id = ?');
  const removeOfBrowser = db.prepare<[number]>('DELETE FROM sessions WHERE browser_id = ?');
  const removeAll = db.prepare<[number | null]>('DELETE FROM sessions WHERE id IS NOT ?');
  const removeOld = db.prepare<[number, number]>('DELETE FROM sessions WHERE last_seen_at < ? OR created_at < ?');
  return {
    insert: (session, hash) => Number(insert.run({ ...session, hash }).lastInsertRowid),
    byHash: (hash) => byHash.get(hash),
    all: () => all.all(),
    touch: (id, at) => {
      touch.run(at, id);
    },
    provenAt: (id) => provenAt.get(id) ?? null,
    prove: (id, at) => {
      prove.run(at, id);
    },
    remove: (id) => remove.run(id).changes > 0,
    removeOfBrowser: (browserId) => {
      removeOfBrowser.run(browserId);
    },
    removeAll: (exceptId) => removeAll.run(exceptId).changes,
    removeOld: (idleBefore, madeBefore) => {
      removeOld.run(idleBefore, madeBefore);
    },
  };
}

/** Only the hash of a browser's token is stored. */
export function createBrowserStore(db: Connection): BrowserStore {
  const insert = db.prepare<[string, number]>('INSERT INTO known_browsers (hash, signed_in_at) VALUES (?, ?)');
  const byHash = db.prepare<[string], BrowserRow>(
    'SELECT id, signed_in_at AS signedInAt FROM known_browsers WHERE hash = ?',
  );
  const touch = db.prepare<[number, number]>('UPDATE known_browsers SET signed_in_at = ? WHERE id = ?');
  const removeAll = db.prepare<[number | null]>('DELETE FROM known_browsers WHERE id IS NOT ?');
  const dropOld = db.prepare<[number, number]>(
    `DELETE FROM known_browsers WHERE signed_in_at < ? OR id IN (
       SELECT id FROM known_browsers ORDER BY signed_in_at, id LIMIT max(0, (SELECT count(*) FROM known_browsers) - ?))`,
  );
  return {
    insert: (hash, signedInAt) => Number(insert.run(hash, signedInAt).lastInsertRowid),
    byHash: (hash) => byHash.get(hash),
    touch: (id, signedInAt) => {
      touch.run(signedInAt, id);
    },
    removeAll: (exceptId) => {
      removeAll.run(exceptId);
    },
    dropOld: (before, most) => {
      dropOld.run(before, most);
    },
  };
}

const SELECT_KEY = `SELECT id, name, access, prefix, created_at AS createdAt, expires_at AS expiresAt, revoked_at AS revokedAt,
  unconfirmed, last_used_at AS lastUsedAt, last_used_from AS lastUsedFrom FROM api_keys`;

/** Only the hash of a key is stored. Each request looks its key up, so a revocation applies from the next request. */
export function createKeyStore(db: Connection): KeyStore {
  const insert = db.prepare<[Omit<KeyRow, 'id'> & { readonly hash: string }]>(
    `INSERT INTO api_keys (hash, name, access, prefix, created_at, expires_at, revoked_at, unconfirmed, last_used_at, last_used_from)
     VALUES (:hash, :name, :access, :prefix, :createdAt, :expiresAt, :revokedAt, :unconfirmed, :lastUsedAt, :lastUsedFrom)`,
  );
  const byHash = db.prepare<[string], KeyRow>(`${SELECT_KEY} WHERE hash = ?`);
  const get = db.prepare<[number], KeyRow>(`${SELECT_KEY} WHERE id = ?`);
  const all = db.prepare<[], KeyRow>(`${SELECT_KEY} ORDER BY id DESC`);
  const revoke = db.prepare<[number, number]>(
    'UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?), unconfirmed = 0 WHERE id = ?',
  );
  const confirm = db.prepare<[number]>(
    'UPDATE api_keys SET revoked_at = NULL, unconfirmed = 0 WHERE id = ? AND unconfirmed = 1',
  );
  const revokeAll = db.prepare<[number]>('UPDATE api_keys SET revoked_at = ? WHERE revoked_at IS NULL');
  const settleAll = db.prepare<[]>('UPDATE api_keys SET unconfirmed = 0 WHERE unconfirmed = 1');
  const touch = db.prepare<[number, string, number]>(
    'UPDATE api_keys SET last_used_at = ?, last_used_from = ? WHERE id = ?',
  );
  const counts = db.prepare<[number], { readonly access: KeyRow['access']; readonly count: number }>(
    `SELECT access, count(*) AS count FROM api_keys
     WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?) GROUP BY access`,
  );
  // Cached until any key is written. Only this connection writes keys, and a restored database gets a new store.
  const cached = new Map<string, KeyRow>();
  const writing = <T>(write: () => T): T => {
    cached.clear();
    return write();
  };

  return {
    insert: (key, hash) => writing(() => Number(insert.run({ ...key, hash }).lastInsertRowid)),
    byHash: (hash) => {
      const found = cached.get(hash) ?? byHash.get(hash);
      // Not cached inside a transaction, which may be rolled back.
      if (found !== undefined && !db.inTransaction) cached.set(hash, found);
      return found;
    },
    get: (id) => get.get(id),
    all: () => all.all(),
    revoke: (id, at) => {
      writing(() => revoke.run(at, id));
    },
    confirm: (id) => {
      writing(() => confirm.run(id));
    },
    revokeAll: (at) =>
      writing(() => {
        settleAll.run();
        return revokeAll.run(at).changes;
      }),
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

/** The parts of the second factor that are not secret. A time step and a recovery code are each used once, by one atomic statement. */
export function createTwoFactorStore(db: Connection): TwoFactorStore {
  const get = db.prepare<[], TwoFactorRow>('SELECT enabled_at AS enabledAt, last_step AS lastStep FROM two_factor');
  const save = db.prepare<[TwoFactorRow]>(
    'INSERT OR REPLACE INTO two_factor (one, enabled_at, last_step) VALUES (1, :enabledAt, :lastStep)',
  );
  const drop = db.prepare<[]>('DELETE FROM two_factor');
  const spendStep = db.prepare<[{ readonly step: number }]>(
    'UPDATE two_factor SET last_step = :step WHERE last_step < :step',
  );
  const dropCodes = db.prepare<[]>('DELETE FROM recovery_codes');
  const addCode = db.prepare<[string]>('INSERT INTO recovery_codes (hash) VALUES (?)');
  const spendCode = db.prepare<[string]>('DELETE FROM recovery_codes WHERE hash = ?');
  const countCodes = db.prepare<[], number>('SELECT count(*) FROM recovery_codes').pluck();
  const pending = db.prepare<[], { readonly sessionId: number; readonly endsAt: number }>(
    'SELECT session_id AS sessionId, ends_at AS endsAt FROM two_factor_pending',
  );
  const setPending = db.prepare<[number, number]>(
    'INSERT OR REPLACE INTO two_factor_pending (one, session_id, ends_at) VALUES (1, ?, ?)',
  );
  const dropPending = db.prepare<[]>('DELETE FROM two_factor_pending');
  return {
    get: () => get.get() ?? null,
    save: (row) => {
      if (row !== null) {
        save.run(row);
        return;
      }
      drop.run();
      dropCodes.run();
    },
    spendStep: (step) => spendStep.run({ step }).changes > 0,
    replaceCodes: (hashes) => {
      dropCodes.run();
      for (const hash of hashes) addCode.run(hash);
    },
    spendCode: (hash) => spendCode.run(hash).changes > 0,
    countCodes: () => countCodes.get() ?? 0,
    pending: () => pending.get() ?? null,
    setPending: (made) => {
      if (made === null) dropPending.run();
      else setPending.run(made.sessionId, made.endsAt);
    },
  };
}

const SELECT_SEALED = 'SELECT place, key_id AS keyId, nonce, ciphertext FROM sealed';

/** Sealed secrets, by the place they belong to. Reading them needs the master key. */
export function createSealedStore(db: Connection): SealedStore {
  const get = db.prepare<[string], SealedRow>(`${SELECT_SEALED} WHERE place = ?`);
  // All secrets must be sealed with one key: with rows of two keys, some could never be opened.
  const save = db.prepare<[SealedRow]>(
    `INSERT INTO sealed (place, key_id, nonce, ciphertext) SELECT :place, :keyId, :nonce, :ciphertext
     WHERE NOT EXISTS (SELECT 1 FROM sealed WHERE key_id <> :keyId AND place <> :place)
     ON CONFLICT (place) DO UPDATE SET key_id = excluded.key_id, nonce = excluded.nonce, ciphertext = excluded.ciphertext`,
  );
  const remove = db.prepare<[string]>('DELETE FROM sealed WHERE place = ?');
  const all = db.prepare<[], SealedRow>(`${SELECT_SEALED} ORDER BY place`);
  const keyId = db.prepare<[], string>('SELECT key_id FROM sealed LIMIT 1').pluck();
  return {
    get: (place) => get.get(place),
    save: (row) => {
      if (save.run(row).changes === 0) throw new Error(`${row.place} is sealed with another key than the others`);
    },
    remove: (place) => {
      remove.run(place);
    },
    all: () => all.all(),
    keyId: () => keyId.get() ?? null,
  };
}
