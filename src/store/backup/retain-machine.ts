// Copies what belongs to this machine, and what must not go back in time, from the present database into the one being restored.
import type { SealedRow } from '../../core/ports/sealed.ts';
import { PLACE_SECRETS } from '../../domain/backup-places.ts';
import { MAX_EPOCH } from '../../domain/nodes/panel-claim.ts';
import { lastUserInPool } from '../../domain/nodes/wireguard.ts';
import { type Connection, databaseRefusal, openWorkFile, syncFile } from '../database.ts';
import { findFault } from './check.ts';
import { listSettings, PENDING_RULES, SEQUENCE_CLASSES } from './restore-classes.ts';

/** What a restored database gets from this machine. */
export interface Machine {
  /** Path of the present database; nothing may write to it meanwhile. */
  readonly present: string;
  /** The session that stays signed in; null: none. */
  readonly sessionId: number | null;
  /** Secrets of the backup, sealed for this machine. */
  readonly sealed: readonly SealedRow[];
  /** Names of the secrets that the backup lacks: the present ones stay. */
  readonly leftOut: readonly string[];
  /**
   * The origin of links on the panel that made the backup. It becomes a setting if that was another panel whose settings lack it, so that
   * links stay the same; a panel's own links follow its address.
   */
  readonly publicUrl: string | null;
  /** Set for a backup of unknown origin, which may have been changed; null: it was not. */
  readonly doubt: Doubt | null;
  /** The least epoch of a restored database that comes from another panel. */
  readonly lowestEpoch?: number;
}

interface Doubt {
  readonly at: number;
  /** Whether keys that this panel does not know stay valid. */
  readonly acceptsKeys: boolean;
}

const MACHINE_SETTINGS = listSettings('machine');
const PATH = listSettings('path');
const PROGRAM = listSettings('program');
/** Addresses that exist on every machine, in their stored form. */
const PORTABLE_HOSTS = `'"127.0.0.1"', '"0.0.0.0"', '"::1"', '"::"', '"localhost"'`;

/** Tables of which this machine's rows stay if it has an administrator. */
export const SIGN_IN_TABLES = [
  'administrator',
  'two_factor',
  'recovery_codes',
  'failed_attempts',
  'known_browsers',
  'bot_admins',
] as const;
const FACTOR_PLACE = 'administrator:totp';

/**
 * More events than there can be since a backup. A client that follows the feed then gets `events_gone` and reads everything again, as its
 * events are not those of the restored database.
 */
const EVENT_GAP = 1_000_000;
/** The same for another panel, which may itself have restored backups many times since. */
const EVENT_GAP_ELSEWHERE = 1_000_000_000;
/** More ids of a table than another panel can have used since the backup. */
const ID_GAP = 1_000_000;

/** Completes `target`, made by `rebuildDatabase`, and syncs it. Throws a refusal `damaged` if it is not consistent. */
export function retainMachine(target: string, machine: Machine): void {
  const db = openWorkFile(target);
  try {
    db.prepare('ATTACH ? AS present').run(machine.present);
    db.transaction(() => {
      const isOwn = idIn(db, 'main') === idIn(db, 'present');
      const hasAdministrator = db.prepare('SELECT 1 FROM present.administrator').get() !== undefined;
      insertSealed(db, machine, hasAdministrator);
      retainSettings(db, isOwn ? null : machine.publicUrl, hasAdministrator);
      const retained = hasAdministrator ? SIGN_IN_TABLES : (['setup_token'] as const);
      for (const table of retained) replaceRows(db, table);
      db.exec('DELETE FROM main.setup_token WHERE EXISTS (SELECT 1 FROM main.administrator)');
      if (machine.sessionId !== null) retainSession(db, machine.sessionId);
      retainRevocations(db);
      if (machine.doubt !== null) distrust(db, machine.doubt);
      retainAudit(db, isOwn);
      const isElsewhere = !isOwn || readEpoch(db, 'main') > readEpoch(db, 'present');
      retainSequences(db, isElsewhere);
      saveEpoch(db, isElsewhere, machine.lowestEpoch ?? 1);
      restartFeed(db, isElsewhere ? EVENT_GAP_ELSEWHERE : EVENT_GAP);
      endPendingWork(db, machine.doubt !== null);
      if (isOwn) retainNotices(db);
      releaseEngines(db, isOwn);
    })();
    db.exec('DETACH present');
    const fault = findFault(db);
    if (fault !== null) throw databaseRefusal('damaged', `the restored database is not whole: ${fault}`);
  } finally {
    db.close();
  }
  syncFile(target);
}

function insertSealed(db: Connection, { sealed, leftOut }: Machine, hasAdministrator: boolean): void {
  const insert = db.prepare<[SealedRow]>(
    'INSERT OR REPLACE INTO main.sealed (place, key_id, nonce, ciphertext) VALUES (:place, :keyId, :nonce, :ciphertext)',
  );
  for (const row of sealed) insert.run(row);
  // Nothing is copied if the keys differ: all secrets of a database must have one key.
  const retain = db.prepare<[string, string | null]>(
    'INSERT OR REPLACE INTO main.sealed SELECT * FROM present.sealed WHERE place = ? AND key_id = coalesce(?, key_id)',
  );
  const keyId = sealed[0]?.keyId ?? null;
  for (const place of leftOut) retain.run(place, keyId);
  if (!hasAdministrator || hasSameFactor(db)) return;
  db.prepare('DELETE FROM main.sealed WHERE place = ?').run(FACTOR_PLACE);
  retain.run(FACTOR_PLACE, keyId);
}

/** Whether the backup has the same second factor: then its secret works here, even if the key of the present one is lost. */
function hasSameFactor(db: Connection): boolean {
  return (
    db
      .prepare(
        'SELECT 1 FROM main.two_factor AS restored, present.two_factor AS current WHERE restored.enabled_at = current.enabled_at',
      )
      .get() !== undefined
  );
}

function retainSettings(db: Connection, publicUrl: string | null, hasAdministrator: boolean): void {
  const drop = db.prepare<[string]>('DELETE FROM main.settings WHERE name = ?');
  const retain = db.prepare<[string]>(
    'INSERT OR REPLACE INTO main.settings SELECT * FROM present.settings WHERE name = ?',
  );
  if (hasAdministrator) for (const name of [...MACHINE_SETTINGS, ...PATH]) drop.run(name);
  else db.exec(`DELETE FROM main.settings WHERE name = 'host' AND value NOT IN (${PORTABLE_HOSTS})`);
  for (const name of hasAdministrator ? [...MACHINE_SETTINGS, ...PATH] : MACHINE_SETTINGS) retain.run(name);
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

/** Pending work in the backup was done since, is too old, or was planted: none of it is carried out. */
function endPendingWork(db: Connection, isUnknown: boolean): void {
  for (const { end, isUnknownOnly } of Object.values(PENDING_RULES)) if (isUnknown || !isUnknownOnly) db.exec(end);
}

/** Records notices that were sent since, so that they are not sent again. */
function retainNotices(db: Connection): void {
  db.exec(
    'INSERT OR REPLACE INTO main.bot_notices SELECT * FROM present.bot_notices WHERE user_id IN (SELECT id FROM main.users)',
  );
}

function retainSession(db: Connection, id: number): void {
  db.prepare('INSERT INTO main.sessions SELECT * FROM present.sessions WHERE id = ?').run(id);
}

/** A key that was revoked since the backup stays revoked. */
function retainRevocations(db: Connection): void {
  db.exec(
    `UPDATE main.api_keys SET revoked_at = current.revoked_at, unconfirmed = current.unconfirmed
     FROM present.api_keys AS current
     WHERE current.hash = main.api_keys.hash AND current.revoked_at IS NOT NULL AND main.api_keys.revoked_at IS NULL`,
  );
}

/**
 * Limits what a changed backup could gain:
 * - Known API keys keep their present rights; unknown ones are revoked until they are confirmed.
 * - Unknown webhooks are disabled.
 * - Payment providers and the Telegram bot with another API address than here are disabled, and lose that address.
 * - Backup places with another destination than here stop automatic backups, and lose the stored credentials and passphrase.
 * - Telegram accounts that are not the administrator's here are removed.
 * - The program of engines stays this machine's.
 */
function distrust(db: Connection, { at, acceptsKeys }: Doubt): void {
  db.exec(
    `UPDATE main.api_keys SET name = current.name, access = current.access, expires_at = current.expires_at
     FROM present.api_keys AS current WHERE current.hash = main.api_keys.hash`,
  );
  const unknown = 'revoked_at IS NULL AND hash NOT IN (SELECT hash FROM present.api_keys)';
  if (!acceptsKeys)
    db.prepare<[number]>(`UPDATE main.api_keys SET revoked_at = ?, unconfirmed = 1 WHERE ${unknown}`).run(at);
  db.exec(
    `UPDATE main.webhooks SET enabled = 0, disabled_reason = 'administrator'
     WHERE enabled = 1 AND url NOT IN (SELECT url FROM present.webhooks);
     UPDATE main.providers SET enabled = 0, api_root = NULL, allow_private = 0
     WHERE api_root IS NOT NULL AND NOT EXISTS (
       SELECT 1 FROM present.providers AS current
       WHERE current.kind = main.providers.kind AND current.api_root = main.providers.api_root
         AND current.allow_private >= main.providers.allow_private
     );
     UPDATE main.bot SET enabled = 0, api_root = NULL, allow_private = 0, proxy = NULL
     WHERE (api_root IS NOT NULL OR proxy IS NOT NULL) AND NOT EXISTS (
       SELECT 1 FROM present.bot AS current
       WHERE current.api_root IS main.bot.api_root AND current.proxy IS main.bot.proxy
         AND current.allow_private >= main.bot.allow_private
     );
     DELETE FROM main.bot_admins WHERE telegram_id NOT IN (SELECT telegram_id FROM present.bot_admins);
     UPDATE main.bot_admins SET proven_at = NULL`,
  );
  distrustPlaces(db);
  for (const name of PROGRAM) {
    db.prepare('DELETE FROM main.settings WHERE name = ?').run(name);
    db.prepare('INSERT INTO main.settings SELECT * FROM present.settings WHERE name = ?').run(name);
  }
}

function distrustPlaces(db: Connection): void {
  const unknown = db
    .prepare<[], number>(
      `SELECT id FROM main.backup_places AS restored WHERE NOT EXISTS (
         SELECT 1 FROM present.backup_places AS current
         WHERE current.id = restored.id AND current.kind = restored.kind AND current.fields = restored.fields
           AND current.allow_private >= restored.allow_private AND current.encrypted <= restored.encrypted
       )`,
    )
    .pluck()
    .all();
  const stop = db.prepare<[number]>('UPDATE main.backup_places SET every_hours = NULL WHERE id = ?');
  const forget = db.prepare<[string]>('DELETE FROM main.sealed WHERE place GLOB ?');
  for (const id of unknown) {
    stop.run(id);
    forget.run(`${PLACE_SECRETS}:${id}:*`);
  }
}

/**
 * The whole present audit log stays. From the backup come the entries that are older than all present ones, or, with another panel's
 * backup, all entries, placed before the present ones; present entries then lose their users, who are others.
 */
function retainAudit(db: Connection, isOwn: boolean): void {
  if (isOwn) {
    db.exec(
      `DELETE FROM main.audit_users WHERE audit_id >= (SELECT min(id) FROM present.audit);
       DELETE FROM main.audit WHERE id >= (SELECT min(id) FROM present.audit);
       INSERT INTO main.audit SELECT * FROM present.audit ORDER BY id;
       INSERT INTO main.audit_users SELECT * FROM present.audit_users`,
    );
    return;
  }
  const columns = 'at, actor_kind, actor_id, actor_name, action, outcome, target, detail, address, request_id';
  db.exec(`INSERT INTO main.audit (${columns}) SELECT ${columns} FROM present.audit ORDER BY id`);
}

/** An id that was used since the backup is not used again. `isElsewhere`: leaves a gap for ids that another panel may have used since. */
function retainSequences(db: Connection, isElsewhere: boolean): void {
  const read = db.prepare<[string, string], number | null>(
    `SELECT max(seq) FROM (SELECT seq FROM main.sqlite_sequence WHERE name = ?
     UNION ALL SELECT seq FROM present.sqlite_sequence WHERE name = ?)`,
  );
  for (const [table, kind] of Object.entries(SEQUENCE_CLASSES)) {
    const highest = read.pluck().get(table, table) ?? 0;
    setSequence(db, table, highest + (isElsewhere && kind === 'given' ? computeGap(db, table, highest) : 0));
  }
  retainLastView(db, isElsewhere ? ID_GAP : 0);
}

/** WireGuard addresses are computed from user ids, so the gap leaves half of the smallest pool's rest for new users. */
function computeGap(db: Connection, table: string, highest: number): number {
  if (table !== 'users') return ID_GAP;
  const pools = db
    .prepare<[], string>('SELECT DISTINCT address_pool FROM main.inbounds WHERE address_pool IS NOT NULL')
    .pluck()
    .all();
  const left = pools.map((pool) => lastUserInPool(pool) - highest).filter((ids) => ids > 0);
  return Math.min(ID_GAP, ...left.map((ids) => Math.ceil(ids / 2)));
}

/** The last id of saved views is a setting. */
function retainLastView(db: Connection, gap: number): void {
  const last = Number(
    db
      .prepare(
        `SELECT coalesce(max(json_extract(value, '$.lastId')), 0) FROM (
           SELECT value FROM main.settings WHERE name = 'userViews'
           UNION ALL SELECT value FROM present.settings WHERE name = 'userViews')`,
      )
      .pluck()
      .get(),
  );
  if (!Number.isSafeInteger(last)) return;
  db.prepare(
    `INSERT INTO main.settings (name, value) VALUES ('userViews', json_object('lastId', :last, 'items', json('[]')))
     ON CONFLICT (name) DO UPDATE SET value = json_set(value, '$.lastId', :last)`,
  ).run({ last: last + gap });
}

function readEpoch(db: Connection, schema: 'main' | 'present'): number {
  const stored = Number(db.prepare(`SELECT value FROM ${schema}.settings WHERE name = 'epoch'`).pluck().get());
  return Number.isSafeInteger(stored) && stored > 0 ? Math.min(stored, MAX_EPOCH) : 1;
}

/** A database from another panel starts the next epoch, so that nodes refuse that panel. */
function saveEpoch(db: Connection, isElsewhere: boolean, lowest: number): void {
  const highest = Math.max(readEpoch(db, 'main'), readEpoch(db, 'present'));
  const epoch = isElsewhere ? Math.min(MAX_EPOCH, Math.max(highest + 1, lowest)) : highest;
  db.prepare("INSERT OR REPLACE INTO main.settings (name, value) VALUES ('epoch', ?)").run(JSON.stringify(epoch));
}

/**
 * Makes nodes push the restored users to their engines. Bytes that an engine has counted since the backup still count, unless it is this
 * machine's engine and counted them for another panel's users.
 */
function releaseEngines(db: Connection, isOwn: boolean): void {
  db.exec('UPDATE main.nodes SET position = NULL, cautious_until = 0, counted_change = 0');
  // Users who were blocked in the backup may have been allowed since.
  db.exec('UPDATE main.users SET cut_node_id = NULL WHERE cut_node_id IS NOT NULL');
  if (isOwn) {
    db.exec(
      `INSERT OR IGNORE INTO main.node_boots
       SELECT * FROM present.node_boots WHERE node_id IN (SELECT id FROM main.nodes)`,
    );
    return;
  }
  db.exec("UPDATE main.nodes SET boot = NULL WHERE kind = 'local'");
  for (const table of ['node_user_counters', 'node_inbound_counters', 'node_boots'])
    db.exec(`DELETE FROM main.${table} WHERE node_id IN (SELECT id FROM main.nodes WHERE kind = 'local')`);
}

/** Continues after all events of another panel with this data, so that its readers do not take those of this panel for its own. */
export function skipEvents(db: Connection): void {
  restartFeed(db, 2 * EVENT_GAP_ELSEWHERE);
}

function restartFeed(db: Connection, gap: number): void {
  const latest = Number(
    db.prepare("SELECT coalesce(max(seq), 0) FROM main.sqlite_sequence WHERE name = 'events'").pluck().get(),
  );
  const start = latest + gap;
  setSequence(db, 'events', start);
  db.prepare('INSERT OR REPLACE INTO main.events_pruned (one, up_to) VALUES (1, ?)').run(start);
}

// SQLite's own table of sequences has no unique key, so there is no upsert.
function setSequence(db: Connection, table: string, highest: number): void {
  db.prepare('DELETE FROM main.sqlite_sequence WHERE name = ?').run(table);
  db.prepare('INSERT INTO main.sqlite_sequence (name, seq) VALUES (?, ?)').run(table, highest);
}
