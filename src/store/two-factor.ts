// The state of the second factor: what of it is no secret. A step and a recovery code are each used once, by one statement.
import type { TwoFactorRow, TwoFactorStore } from '../core/ports/administrator.ts';
import type { Connection } from './database.ts';

export function createTwoFactorStore(db: Connection): TwoFactorStore {
  const get = db.prepare<[], TwoFactorRow>('SELECT enabled_at AS enabledAt, last_step AS lastStep FROM two_factor');
  const put = db.prepare<[TwoFactorRow]>(
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
    put: (row) => {
      if (row !== null) {
        put.run(row);
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
