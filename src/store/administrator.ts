// The one administrator, what is known of failed attempts, and the one-time token of the setup: a row each.
import type { AdministratorRow, AdministratorStore } from '../core/ports/administrator.ts';
import type { Connection } from './database.ts';

export function createAdministratorStore(db: Connection): AdministratorStore {
  const get = db.prepare<[], AdministratorRow>(
    `SELECT name, password_hash AS passwordHash, created_at AS createdAt, password_changed_at AS passwordChangedAt
     FROM administrator`,
  );
  const put = db.prepare<[AdministratorRow]>(
    `INSERT OR REPLACE INTO administrator (one, name, password_hash, created_at, password_changed_at)
     VALUES (1, :name, :passwordHash, :createdAt, :passwordChangedAt)`,
  );
  const attempts = db.prepare<[], { readonly failed: number; readonly lastAt: number }>(
    'SELECT failed, last_at AS lastAt FROM failed_attempts',
  );
  const setAttempts = db.prepare<[number, number]>(
    'INSERT OR REPLACE INTO failed_attempts (one, failed, last_at) VALUES (1, ?, ?)',
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
    put: (administrator) => {
      put.run(administrator);
    },
    attempts: () => attempts.get() ?? { failed: 0, lastAt: 0 },
    setAttempts: (failed, lastAt) => {
      setAttempts.run(failed, lastAt);
    },
    setupToken: () => token.get() ?? null,
    setSetupToken: (made) => {
      if (made === null) dropToken.run();
      else setToken.run(made.hash, made.endsAt);
    },
  };
}
