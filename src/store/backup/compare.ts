// Lists what a backup of unknown origin would bring into the panel: keys, settings, and values that are destinations, identities, prices or
// secrets.
import { NAMED_DIFFERENCES } from '../../contract/backups.ts';
import type { BackupDifferences, BackupValues } from '../../core/ports/backups.ts';
import type { SettingValues } from '../../core/ports/settings.ts';
import { type Connection, openConnection } from '../database.ts';
import { listNamedPlaces, listSettings, type NamedPlace, SETTING_CLASSES } from './restore-classes.ts';
import { SIGN_IN_TABLES } from './retain-machine.ts';

/** Longer values are cut off for display. */
const SHOWN = 300;
/** Characters of a secret that are shown, unless the secret is short. */
const SECRET_SHOWN = 4;
const SHORT_SECRET = 16;

/** The name under which a record is listed; other tables show ids. */
const RECORDS: Readonly<Partial<Record<NamedPlace['table'], string>>> = {
  administrator: 'there.name',
  backup_places: 'there.name',
  bot: 'there.username',
  bot_requests: 'there.name',
  inbounds: 'there.name',
  nodes: 'there.name',
  offers: 'there.name',
  orders: "there.user_name || ' #' || there.id",
  promos: 'there.code',
  providers: 'there.name',
  referral_codes: '(SELECT name FROM main.users WHERE id = there.user_id)',
  tariffs: 'there.name',
  user_credentials: "(SELECT name FROM main.users WHERE id = there.user_id) || ' (' || there.family || ')'",
  user_inbound_credentials:
    "(SELECT name FROM main.users WHERE id = there.user_id) || ' (' || (SELECT tag FROM main.inbounds WHERE id = there.inbound_id) || ')'",
  users: 'there.name',
};

/**
 * `candidate`: the checked database of a backup; `present`: the database in use; null: none. `linksOrigin`: the origin of links on the
 * panel that made the backup, as the backup says.
 */
export function compareDatabases(
  candidate: string,
  present: string | null,
  linksOrigin: string | null,
): BackupDifferences {
  const db = openConnection(candidate, { readonly: true });
  try {
    if (present !== null) db.prepare('ATTACH ? AS present').run(present);
    return db.transaction(() => {
      const hasAdministrator =
        present !== null && db.prepare('SELECT 1 FROM present.administrator').get() !== undefined;
      const places = listNamedPlaces().filter(
        ({ table }) => !(hasAdministrator && SIGN_IN_TABLES.some((name) => name === table)),
      );
      return {
        keys: findKeys(db, present !== null),
        settings: findSettings(db, present !== null, hasAdministrator, linksOrigin),
        values: places.map((place) => findValues(db, place, present !== null)).filter(({ count }) => count > 0),
      };
    })();
  } finally {
    db.close();
  }
}

function findKeys(db: Connection, hasPresent: boolean): BackupDifferences['keys'] {
  const known = hasPresent ? ' AND hash NOT IN (SELECT hash FROM present.api_keys)' : '';
  const found = `FROM main.api_keys WHERE revoked_at IS NULL${known}`;
  return {
    count: count(db, found),
    items: db
      .prepare<[], BackupDifferences['keys']['items'][number]>(
        `SELECT name, access, prefix ${found} ORDER BY id LIMIT ${NAMED_DIFFERENCES}`,
      )
      .all()
      .map((key) => ({ ...key, name: toShown(key.name), prefix: toShown(key.prefix) })),
  };
}

/** Settings with unknown names have no effect and are left out. */
function findSettings(
  db: Connection,
  hasPresent: boolean,
  hasAdministrator: boolean,
  linksOrigin: string | null,
): BackupDifferences['settings'] {
  const read = (schema: string) =>
    new Map(db.prepare<[], [string, string]>(`SELECT name, value FROM ${schema}.settings`).raw().all());
  const theirs = read('main');
  const ours: ReadonlyMap<string, string> = hasPresent ? read('present') : new Map();
  // The same value that a restore sets.
  const isOwn = ours.has('instanceId') && ours.get('instanceId') === theirs.get('instanceId');
  if (linksOrigin !== null && !isOwn && (theirs.get('publicUrl') ?? 'null') === 'null')
    theirs.set('publicUrl', JSON.stringify(linksOrigin));
  const names: readonly (keyof SettingValues)[] = [
    ...listSettings('data'),
    // A restore keeps those that this machine has set itself.
    ...(hasAdministrator
      ? []
      : listSettings('machine', 'path').filter((name) => !ours.has(name) && name !== 'instanceId')),
  ];
  return [...names]
    .sort()
    .filter((name) => (theirs.get(name) ?? null) !== (ours.get(name) ?? null))
    .map((name) => {
      const show = SETTING_CLASSES[name] === 'path' ? toBeginning : toShownOrNull;
      return { name, here: show(ours.get(name)), there: show(theirs.get(name)) };
    });
}

interface Found {
  readonly record: unknown;
  readonly here: unknown;
  readonly there: unknown;
}

function findValues(db: Connection, { kind, table, column, isSecret }: NamedPlace, hasPresent: boolean): BackupValues {
  const ids = db
    .prepare<[string], string>('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk')
    .pluck()
    .all(table);
  const isSame = ids.map((id) => `here."${id}" = there."${id}"`).join(' AND ');
  const here = hasPresent ? `here."${column}"` : 'NULL';
  const join = hasPresent ? `LEFT JOIN present."${table}" AS here ON ${isSame}` : '';
  const found = `FROM main."${table}" AS there ${join} WHERE there."${column}" IS NOT ${here}`;
  const record = RECORDS[table] ?? ids.map((id) => `there."${id}"`).join(" || ' ' || ");
  const show = isSecret ? toBeginning : toShownOrNull;
  return {
    kind,
    count: count(db, found),
    items: db
      .prepare<[], Found>(
        `SELECT ${record} AS record, ${here} AS here, there."${column}" AS there ${found} LIMIT ${NAMED_DIFFERENCES}`,
      )
      .all()
      .map((one) => ({ record: toShown(one.record), here: show(one.here), there: show(one.there) })),
  };
}

function count(db: Connection, found: string): number {
  return Number(db.prepare(`SELECT count(*) ${found}`).pluck().get());
}

/** Cleans a value for display: it must not contain control characters of terminals or change the text direction. */
function toShown(value: unknown): string {
  const text = String(value).replaceAll(/\p{C}/gu, '\u{FFFD}');
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
}

function toShownOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : toShown(value);
}

function toBeginning(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const text = String(value);
  return text.length < SHORT_SECRET ? '…' : `${toShown(text.slice(0, SECRET_SHOWN))}…`;
}
