// Copies the live database for a backup: a snapshot, without rows that must not leave the machine, checked before it is used.
import { closeSync, openSync } from 'node:fs';
import { PanelError } from '../../core/kernel/panel-error.ts';
import type { SealedRow } from '../../core/ports/sealed.ts';
import { type Connection, databaseRefusal, openConnection, openWorkFile, syncFile } from '../database.ts';
import { isOutOfSpace } from '../disk-space.ts';
import { countRows, LITESTREAM_TABLES, type RowCounts } from './check.ts';
import { RESTORE_CLASSES } from './restore-classes.ts';

export interface Copied {
  /** Version of the schema. */
  readonly schema: number;
  readonly counts: RowCounts;
  /** All sealed secrets of the snapshot, also if the copy lacks them. */
  readonly sealed: readonly SealedRow[];
}

/** Useless on another machine or later: sessions, one-time tokens, users' addresses. */
const TEMPORARY = Object.entries(RESTORE_CLASSES).flatMap(([table, classes]) => (classes === 'machine' ? [table] : []));
const PENDING_SECRET = 'administrator:totp-pending';

/**
 * Copies the database behind `file` to `target`, a new file (0600). It has everything that was committed before the call; writers are not
 * blocked. `withSealed` false: without the sealed secrets. Throws PanelError `storage_full`, or a refusal `damaged` if rows are missing.
 * The whole file that contains the copy is checked later, as before a restore.
 */
export function copyDatabase(file: string, target: string, withSealed: boolean): Copied {
  const live = openConnection(file, { readonly: true });
  try {
    const before = sequences(live);
    closeSync(openSync(target, 'wx', 0o600));
    // VACUUM INTO reads a snapshot: it neither waits for writers nor restarts when they write, as the backup API does.
    live.prepare('VACUUM INTO ?').run(target);
    return finish(target, before, withSealed);
  } catch (error) {
    throw isOutOfSpace(error) ? new PanelError('storage_full') : error;
  } finally {
    live.close();
  }
}

function finish(target: string, before: ReadonlyMap<string, number>, withSealed: boolean): Copied {
  const db = openWorkFile(target);
  try {
    const sealed = db
      .prepare<[string], SealedRow>(
        'SELECT place, key_id AS keyId, nonce, ciphertext FROM sealed WHERE place <> ? ORDER BY place',
      )
      .all(PENDING_SECRET);
    for (const table of LITESTREAM_TABLES) db.exec(`DROP TABLE IF EXISTS ${table}`);
    for (const table of withSealed ? TEMPORARY : [...TEMPORARY, 'sealed']) db.exec(`DELETE FROM ${table}`);
    db.prepare('DELETE FROM sealed WHERE place = ?').run(PENDING_SECRET);
    const fault = findMissing(sequences(db), before);
    if (fault !== null) throw databaseRefusal('damaged', `the copy for the backup is not whole: ${fault}`);
    return { schema: Number(db.pragma('user_version', { simple: true })), counts: countRows(db), sealed };
  } finally {
    db.close();
    syncFile(target);
  }
}

/** The highest id ever used, by table. */
function sequences(db: Connection): ReadonlyMap<string, number> {
  return new Map(db.prepare<[], [string, number]>('SELECT name, seq FROM sqlite_sequence').raw().all());
}

/** Ids only increase: a lower one in the copy means that rows from before the copy are missing. */
function findMissing(copied: ReadonlyMap<string, number>, before: ReadonlyMap<string, number>): string | null {
  for (const [table, id] of before) if ((copied.get(table) ?? 0) < id) return `${table} ends before ${id}`;
  return null;
}
