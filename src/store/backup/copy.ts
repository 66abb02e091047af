// A copy of the live database for a backup: of one moment, without what must not travel, and looked through before it counts.
import { closeSync, openSync } from 'node:fs';
import { PanelError } from '../../core/panel-error.ts';
import type { SealedRow } from '../../core/ports/administrator.ts';
import { type Connection, openConnection } from '../database.ts';
import { refusal } from '../refusal.ts';
import { openWorkFile, syncFile } from '../work-file.ts';
import { countRows, type RowCounts, wrongIn } from './inspect-rows.ts';

export interface Copied {
  /** Version of the schema. */
  readonly schema: number;
  readonly counts: RowCounts;
  /** What is sealed at that moment, all of it, whether it stayed in the copy or not. */
  readonly sealed: readonly SealedRow[];
}

/** Of no use anywhere else, or at any later time: sessions, one-time tokens, enrolments that were begun. */
const FLEETING = ['sessions', 'setup_token', 'two_factor_pending'] as const;
const PENDING_SECRET = 'administrator:totp-pending';

/**
 * Copies the database behind `file` to `target`, a new file (0600). Everything that was committed before the call is in it;
 * writers go on meanwhile. `keepsSealed` false: sealed secrets are left out. Throws PanelError `storage_full`, or a refusal
 * `damaged` where the copy is not whole.
 */
export function copyDatabase(file: string, target: string, keepsSealed: boolean): Copied {
  const live = openConnection(file, { readonly: true });
  try {
    const before = sequences(live);
    closeSync(openSync(target, 'wx', 0o600));
    // A reader's view of one moment: it neither waits for writers nor begins anew when they write, as the backup API would.
    live.prepare('VACUUM INTO ?').run(target);
    return finish(target, before, keepsSealed);
  } catch (error) {
    throw isFull(error) ? new PanelError('storage_full') : error;
  } finally {
    live.close();
  }
}

function finish(target: string, before: ReadonlyMap<string, number>, keepsSealed: boolean): Copied {
  const db = openWorkFile(target);
  try {
    const sealed = db
      .prepare<[string], SealedRow>(
        'SELECT place, key_id AS keyId, nonce, ciphertext FROM sealed WHERE place <> ? ORDER BY place',
      )
      .all(PENDING_SECRET);
    const emptied = keepsSealed ? FLEETING : [...FLEETING, 'sealed'];
    for (const table of emptied) db.exec(`DELETE FROM ${table}`);
    db.prepare('DELETE FROM sealed WHERE place = ?').run(PENDING_SECRET);
    const wrong = wrongIn(db) ?? missingIn(sequences(db), before);
    if (wrong !== null) throw refusal('damaged', `the copy for the backup is not whole: ${wrong}`);
    return { schema: Number(db.pragma('user_version', { simple: true })), counts: countRows(db), sealed };
  } finally {
    db.close();
    syncFile(target);
  }
}

/** The highest id ever given, by table. */
function sequences(db: Connection): ReadonlyMap<string, number> {
  return new Map(db.prepare<[], [string, number]>('SELECT name, seq FROM sqlite_sequence').raw().all());
}

/** Ids only grow: a lower one means that the copy lacks what was there before it began. */
function missingIn(copied: ReadonlyMap<string, number>, before: ReadonlyMap<string, number>): string | null {
  for (const [table, id] of before) if ((copied.get(table) ?? 0) < id) return `${table} ends before ${id}`;
  return null;
}

function isFull(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code === 'SQLITE_FULL' || code === 'ENOSPC' || code === 'EDQUOT';
}
