// Carries into a database that is about to be restored what belongs to this machine and must not go back in time with the rest.
import type { SealedRow } from '../../core/ports/administrator.ts';
import type { SettingValues } from '../../core/ports/settings.ts';
import type { Connection } from '../database.ts';
import { refusal } from '../refusal.ts';
import { openWorkFile, syncFile } from '../work-file.ts';
import { tablesOf, wrongIn } from './inspect-rows.ts';

export interface Keep {
  /** The present database, closed to writers or not; it must not be written to meanwhile. */
  readonly present: string;
  /** The one session that goes on; null: none. */
  readonly sessionId: number | null;
  /** Secrets of the backup, sealed for this machine. */
  readonly sealed: readonly SealedRow[];
  /** Places of the backup's secrets that did not travel: what is sealed there now stays. */
  readonly leftOut: readonly string[];
  /**
   * How links began where the backup was made. Set where that was another panel and its settings do not say it, so that links
   * stay as they are; a panel's own links go on to follow its address.
   */
  readonly publicUrl: string | null;
}

/**
 * Where the panel listens, how it is reached and by which name browsers know it: the machine's, whatever is restored. Where it has no
 * administrator yet, nobody reaches it so far: what it has not set itself comes from the backup.
 */
const MACHINE_SETTINGS: readonly (keyof SettingValues)[] = [
  ...([
    'host',
    'port',
    'linksHost',
    'linksPort',
    'publicAddress',
    'hostNames',
    'trustedProxies',
    'instanceId',
  ] as const),
];
/** Stays where there is an administrator, who would not find the panel again. */
const PATH: keyof SettingValues = 'secretPath';
/** Addresses that every machine has, as they are stored. */
const PORTABLE_HOSTS = `'"127.0.0.1"', '"0.0.0.0"', '"::1"', '"::"', '"localhost"'`;

/** Who may sign in. */
const ADMINISTRATOR_TABLES = ['administrator', 'two_factor', 'recovery_codes', 'failed_attempts'] as const;
const FACTOR_PLACE = 'administrator:totp';

/**
 * Further on than any feed can have come since a backup: whoever follows the events learns that they are another past's
 * (`events_gone`) and reads everything anew.
 */
const EVENT_GAP = 1_000_000;

/** Finishes `target`, made by `rebuildDatabase`, and puts it on the disk. Throws a refusal `damaged` where it is not whole. */
export function keepMachine(target: string, keep: Keep): void {
  const db = openWorkFile(target);
  try {
    db.prepare('ATTACH ? AS present').run(keep.present);
    db.transaction(() => {
      const isOwn = idIn(db, 'main') === idIn(db, 'present');
      const hasAdministrator = db.prepare('SELECT 1 FROM present.administrator').get() !== undefined;
      putSealed(db, keep, hasAdministrator);
      keepSettings(db, isOwn ? null : keep.publicUrl, hasAdministrator);
      const stay = hasAdministrator ? ADMINISTRATOR_TABLES : (['setup_token'] as const);
      for (const table of stay) replaceRows(db, table);
      db.exec('DELETE FROM main.setup_token WHERE EXISTS (SELECT 1 FROM main.administrator)');
      if (keep.sessionId !== null) keepSession(db, keep.sessionId);
      keepRevocations(db);
      keepAudit(db, isOwn);
      keepSequences(db);
      beginFeed(db);
    })();
    db.exec('DETACH present');
    const wrong = wrongIn(db);
    if (wrong !== null) throw refusal('damaged', `the restored database is not whole: ${wrong}`);
  } finally {
    db.close();
  }
  syncFile(target);
}

function putSealed(db: Connection, { sealed, leftOut }: Keep, hasAdministrator: boolean): void {
  const put = db.prepare<[SealedRow]>(
    'INSERT OR REPLACE INTO main.sealed (place, key_id, nonce, ciphertext) VALUES (:place, :keyId, :nonce, :ciphertext)',
  );
  for (const row of sealed) put.run(row);
  // All secrets of a database have one key.
  const stay = db.prepare<[string, string | null]>(
    'INSERT OR REPLACE INTO main.sealed SELECT * FROM present.sealed WHERE place = ? AND key_id = coalesce(?, key_id)',
  );
  const keyId = sealed[0]?.keyId ?? null;
  for (const place of leftOut) stay.run(place, keyId);
  if (!hasAdministrator || hasSameFactor(db)) return;
  db.prepare('DELETE FROM main.sealed WHERE place = ?').run(FACTOR_PLACE);
  stay.run(FACTOR_PLACE, keyId);
}

/** Whether the second factor is the one that the backup has: then its secret there is good here, also where this one's key is lost. */
function hasSameFactor(db: Connection): boolean {
  return (
    db
      .prepare(
        'SELECT 1 FROM main.two_factor AS was, present.two_factor AS is_now WHERE was.enabled_at = is_now.enabled_at',
      )
      .get() !== undefined
  );
}

function keepSettings(db: Connection, publicUrl: string | null, hasAdministrator: boolean): void {
  const drop = db.prepare<[string]>('DELETE FROM main.settings WHERE name = ?');
  const stay = db.prepare<[string]>(
    'INSERT OR REPLACE INTO main.settings SELECT * FROM present.settings WHERE name = ?',
  );
  if (hasAdministrator) for (const name of [...MACHINE_SETTINGS, PATH]) drop.run(name);
  else db.exec(`DELETE FROM main.settings WHERE name = 'host' AND value NOT IN (${PORTABLE_HOSTS})`);
  for (const name of hasAdministrator ? [...MACHINE_SETTINGS, PATH] : MACHINE_SETTINGS) stay.run(name);
  if (publicUrl === null) return;
  db.prepare(
    `INSERT INTO main.settings (name, value) VALUES ('publicUrl', ?)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE value = 'null'`,
  ).run(JSON.stringify(publicUrl));
}

function idIn(db: Connection, schema: 'main' | 'present'): unknown {
  return db.prepare(`SELECT value FROM ${schema}.settings WHERE name = 'instanceId'`).pluck().get();
}

function replaceRows(db: Connection, table: string): void {
  db.exec(`DELETE FROM main.${table}; INSERT INTO main.${table} SELECT * FROM present.${table}`);
}

function keepSession(db: Connection, id: number): void {
  db.prepare('INSERT INTO main.sessions SELECT * FROM present.sessions WHERE id = ?').run(id);
}

/** A key that was revoked since the backup stays revoked. */
function keepRevocations(db: Connection): void {
  db.exec(
    `UPDATE main.api_keys SET revoked_at = gone.revoked_at
     FROM present.api_keys AS gone
     WHERE gone.hash = main.api_keys.hash AND gone.revoked_at IS NOT NULL AND main.api_keys.revoked_at IS NULL`,
  );
}

/** What was done here stays on record: since the backup where it is one of this panel, else all of it, behind what the backup has. */
function keepAudit(db: Connection, isOwn: boolean): void {
  const columns = 'at, actor_kind, actor_id, actor_name, action, outcome, target, detail, address, request_id';
  const last = "(SELECT coalesce(max(seq), 0) FROM main.sqlite_sequence WHERE name = 'audit')";
  db.exec(
    `INSERT INTO main.audit (${columns}) SELECT ${columns} FROM present.audit
     WHERE id > ${isOwn ? last : 0} ORDER BY id`,
  );
}

/** An id that was given since the backup is not given again. */
function keepSequences(db: Connection): void {
  for (const table of tablesOf(db)) {
    const highest = db
      .prepare<[string, string], number | null>(
        `SELECT max(seq) FROM (SELECT seq FROM main.sqlite_sequence WHERE name = ?
         UNION ALL SELECT seq FROM present.sqlite_sequence WHERE name = ?)`,
      )
      .pluck()
      .get(table, table);
    if (typeof highest === 'number') setSequence(db, table, highest);
  }
}

function beginFeed(db: Connection): void {
  const latest = Number(
    db.prepare("SELECT coalesce(max(seq), 0) FROM main.sqlite_sequence WHERE name = 'events'").pluck().get(),
  );
  const begin = latest + EVENT_GAP;
  setSequence(db, 'events', begin);
  db.prepare('INSERT OR REPLACE INTO main.events_pruned (one, up_to) VALUES (1, ?)').run(begin);
}

// SQLite's own table of sequences has no key to be replaced by.
function setSequence(db: Connection, table: string, highest: number): void {
  db.prepare('DELETE FROM main.sqlite_sequence WHERE name = ?').run(table);
  db.prepare('INSERT INTO main.sqlite_sequence (name, seq) VALUES (?, ?)').run(table, highest);
}
