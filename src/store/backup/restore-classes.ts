// What a restore does with each table and column of the schema, in one place. The test beside it compares this with the migrations.
import type { BackupDifferenceKind } from '../../contract/backups.ts';
import type { SettingValues } from '../../core/ports/settings.ts';

/**
 * `data`: restored from the backup. `pending`: queued work, never carried out after a restore. `destination` (where users, money or secrets
 * are sent), `identity` (a person or a thing), `price` and `secret` (gives access to its owner): restored, and listed by the check of a
 * backup of unknown origin, secrets by their beginning. `machine`: belongs to this machine or this moment, never taken from a backup.
 * `computed`: computed again from the data.
 */
export type RestoreClass =
  | 'data'
  | 'pending'
  | 'destination'
  | 'identity'
  | 'price'
  | 'secret'
  | 'machine'
  | 'computed';

/** A table that is never copied has one class. Other tables have one for each column, so that a new column cannot be forgotten. */
type TableClasses = WholeClass | { readonly [Class in RestoreClass]?: readonly string[] };
type WholeClass = 'pending' | 'machine' | 'computed' | 'secret';

export const RESTORE_CLASSES = {
  administrator: {
    data: ['one', 'created_at', 'password_changed_at'],
    identity: ['name'],
    secret: ['password_hash'],
  },
  api_keys: {
    data: ['id', 'name', 'access', 'prefix', 'created_at', 'expires_at', 'revoked_at', 'unconfirmed', 'last_used_at'],
    machine: ['last_used_from'],
    secret: ['hash'],
  },
  audit: {
    data: [
      'id',
      'at',
      'actor_kind',
      'actor_id',
      'actor_name',
      'action',
      'outcome',
      'target',
      'detail',
      'address',
      'request_id',
    ],
  },
  audit_users: { data: ['audit_id', 'user_id', 'name'] },
  backup_places: {
    data: [
      'id',
      'kind',
      'name',
      'allow_private',
      'encrypted',
      'every_hours',
      'retained',
      'last_at',
      'error',
      'error_at',
      'created_at',
      'updated_at',
    ],
    destination: ['fields'],
  },
  bot: {
    data: ['one', 'name', 'allow_private', 'app_path', 'enabled', 'error', 'error_at', 'updated_at'],
    destination: ['api_root', 'proxy'],
    identity: ['bot_id', 'username'],
  },
  bot_admins: { data: ['name', 'paired_at', 'proven_at'], identity: ['telegram_id'] },
  bot_chats: { data: ['chat_id', 'language', 'told_language', 'unreachable_at'], pending: ['prompt'] },
  bot_invitations: 'machine',
  bot_messages: {
    data: ['id', 'chat_id', 'dedupe_key', 'method', 'priority', 'attempts', 'not_before', 'created_at', 'message_id'],
    pending: ['payload', 'ended_at', 'error'],
  },
  bot_notices: { data: ['user_id', 'kind', 'mark'] },
  bot_requests: { data: ['name', 'requested_at', 'refused_at'], identity: ['telegram_id'] },
  bot_updates: 'pending',
  broadcast_people: { data: ['broadcast_id', 'user_id', 'at'], pending: ['state', 'error'] },
  broadcasts: {
    data: [
      'id',
      'key',
      'bot_id',
      'texts',
      'filter',
      'total',
      'sent',
      'blocked',
      'failed',
      'last_user_id',
      'until_user_id',
      'created_at',
    ],
    pending: ['state', 'ended_at'],
  },
  events: 'machine',
  events_pruned: 'machine',
  failed_attempts: 'machine',
  grants: {
    data: ['id', 'user_id', 'bytes', 'bytes_left', 'bytes_lost', 'lifetime', 'days', 'ends_at', 'note', 'created_at'],
  },
  idempotency: { pending: ['id', 'scope', 'key', 'at', 'fingerprint', 'status', 'body', 'location'] },
  idempotency_parts: { pending: ['scope', 'key', 'number', 'at', 'fingerprint', 'data'] },
  imported_link_sources: { data: ['source', 'kind', 'path'], secret: ['key'] },
  imported_links: { data: ['user_id', 'not_before', 'ends_at'], secret: ['hash'] },
  imported_records: { data: ['kind', 'source', 'source_id', 'record_id', 'facts', 'version', 'at'] },
  inbound_totals: { data: ['inbound_id', 'up', 'down'] },
  inbounds: {
    data: [
      'id',
      'node_id',
      'group_id',
      'tag',
      'name',
      'protocol',
      'network',
      'security',
      'flow',
      'fingerprint',
      'alpn',
      'method',
      'address_pool',
      'mtu',
      'proxy_header',
      'hop_ports',
      'fragment',
      'noise',
      'mux',
      'shares_port_of',
      'fallback_proxy_protocol',
      'xhttp_mode',
      'xhttp_extra',
      'encryption',
      'mldsa65_verify',
      'min_client_version',
      'target_findings',
      'host_order',
      'note',
      'enabled',
      'created_at',
      'updated_at',
      'version',
    ],
    destination: ['host', 'hosts', 'port', 'sni', 'path', 'service_name', 'target', 'masquerade', 'fallback'],
    identity: ['public_key', 'short_id', 'more_short_ids', 'more_server_names', 'certificate'],
    secret: ['obfs_password'],
  },
  invoices: {
    data: ['id', 'order_id', 'provider_id', 'key', 'state', 'tries', 'created_at', 'polled_at', 'next_poll_at'],
    destination: ['pay_url', 'return_url', 'email'],
    identity: ['external_id'],
    price: ['amount', 'currency'],
    secret: ['token'],
  },
  known_browsers: 'machine',
  link_reads: { data: ['user_id', 'at', 'app'] },
  node_boots: { machine: ['node_id', 'boot', 'ended'] },
  node_changes: 'pending',
  node_days: { data: ['node_id', 'day', 'up', 'down'] },
  node_hours: { data: ['node_id', 'hour', 'up', 'down'] },
  node_inbound_counters: { data: ['node_id', 'boot', 'tag', 'up', 'down'] },
  node_leases: 'machine',
  node_ledgers: 'machine',
  node_lines: {
    data: [
      'node_id',
      'at',
      'behind',
      'users_up',
      'users_down',
      'inbounds_up',
      'inbounds_down',
      'implausible_up',
      'implausible_down',
      'implausible_at',
    ],
  },
  node_quarantine: 'machine',
  node_totals: { data: ['node_id', 'up', 'down'] },
  node_user_counters: { data: ['node_id', 'boot', 'user_id', 'up', 'down'] },
  nodes: {
    data: [
      'id',
      'name',
      'kind',
      'enabled',
      'allows_private',
      'draining',
      'weight',
      'note',
      'status',
      'core_name',
      'core_version',
      'engine_started_at',
      'users_online',
      'last_seen_at',
      'error_code',
      'error_text',
      'created_at',
      'updated_at',
      'addresses_at',
      'unserved',
      'last_restart',
      'agent_protocol',
      'machine_load',
      'clock_offset',
      'agent_version',
      'links_ends_at',
      'links_late',
      'links_failure',
      'waiting_entries',
      'waiting_bytes',
      'waiting_since',
      'restored_at',
    ],
    machine: ['boot', 'position', 'cautious_until', 'counted_change'],
    destination: ['address', 'agent_port'],
    identity: ['agent_pin'],
  },
  offers: {
    data: ['id', 'tariff_id', 'name', 'sold', 'on_sale', 'audience', 'created_at', 'updated_at'],
    price: ['prices', 'trial'],
  },
  orders: {
    data: [
      'id',
      'key',
      'user_id',
      'user_name',
      'offer_id',
      'offer_name',
      'tariff_id',
      'tariff_name',
      'sold',
      'method',
      'provider_id',
      'reference',
      'note',
      'state',
      'is_renewal',
      'given',
      'paid_at',
      'day',
      'created_at',
      'refunded_at',
      'refund_note',
      'promo',
      'referral',
    ],
    price: ['prices', 'amount', 'currency'],
    secret: ['token'],
  },
  payments: {
    data: [
      'id',
      'kind',
      'provider_id',
      'is_test',
      'order_id',
      'amount',
      'currency',
      'refunded',
      'refunded_at',
      'paid_at',
      'raw',
      'state',
      'provider_state',
      'reason',
      'act',
      'note',
      'resolved_at',
      'created_at',
    ],
    destination: ['buyer'],
    identity: ['external_id'],
    pending: ['refund_key', 'refund_id', 'next_refund_at'],
  },
  promo_uses: { data: ['promo_id', 'order_id', 'user_id', 'telegram_id', 'reserved_at', 'used_at'] },
  promos: {
    data: [
      'id',
      'code',
      'valid_from',
      'valid_until',
      'max_uses',
      'max_uses_per_user',
      'tariff_ids',
      'offer_ids',
      'enabled',
      'note',
      'created_at',
      'updated_at',
    ],
    price: ['effect'],
  },
  providers: {
    data: [
      'id',
      'kind',
      'name',
      'is_test',
      'allow_private',
      'enabled',
      'ok_at',
      'error',
      'missing',
      'codes',
      'refused_currencies',
      'error_at',
      'created_at',
      'updated_at',
    ],
    destination: ['account', 'fields', 'api_root'],
    pending: ['cursor', 'caught_up_at'],
    secret: ['hook_token'],
  },
  recovery_codes: { secret: ['hash'] },
  referral_codes: { data: ['user_id'], identity: ['code'] },
  referrals: { data: ['referrer_id', 'opened_at', 'order_id', 'rewarded_at'], identity: ['telegram_id'] },
  reissue_meetings: { data: ['user_id', 'node_id', 'at'] },
  reissues: { data: ['user_id', 'at'] },
  schema_migrations: 'computed',
  sealed: 'secret',
  sessions: 'machine',
  // One row for each setting: see `SETTING_CLASSES`.
  settings: { data: ['name', 'value'] },
  setup_token: 'machine',
  tariff_inbounds: { data: ['inbound_id', 'tariff_id'] },
  tariffs: {
    data: [
      'id',
      'name',
      'traffic_limit',
      'duration_days',
      'duration_months',
      'device_limit',
      'concurrent_limit',
      'reset_strategy',
      'starts',
      'inbounds',
      'archived',
      'created_at',
      'updated_at',
      'version',
    ],
    price: ['price_amount', 'price_currency'],
  },
  trials: { data: ['order_id', 'user_id', 'telegram_id'] },
  two_factor: { data: ['one', 'enabled_at', 'last_step'] },
  two_factor_pending: 'machine',
  undo: 'machine',
  user_addresses: 'machine',
  user_blocks: 'computed',
  user_changes: { data: ['day', 'created', 'expired', 'deleted'] },
  user_counts: 'computed',
  user_credentials: { data: ['user_id', 'family'], secret: ['value'] },
  user_inbound_credentials: { data: ['user_id', 'inbound_id', 'flow'], secret: ['value'] },
  user_days: { data: ['day', 'user_id', 'node_id', 'up', 'down'] },
  user_hours: { data: ['hour', 'user_id', 'up', 'down'] },
  user_inbounds: { data: ['inbound_id', 'user_id'] },
  user_metadata: { data: ['key', 'value', 'user_id'] },
  user_months: { data: ['month', 'user_id', 'up', 'down', 'total', 'magnitude'] },
  user_tags: { data: ['tag', 'user_id'] },
  users: {
    data: [
      'id',
      'name',
      'name_sort',
      'contact',
      'note',
      'tags',
      'state',
      'tariff_id',
      'enabled',
      'expires_at',
      'hold_months',
      'hold_days',
      'traffic_limit',
      'used_up',
      'used_down',
      'used',
      'total_up',
      'total_down',
      'extra',
      'reset_strategy',
      'term_began_at',
      'resets_at',
      'due_at',
      'state_due_at',
      'device_limit',
      'inbounds',
      'online_at',
      'announced',
      'notice_announced',
      'created_at',
      'updated_at',
      'version',
      'metadata',
      'cut_change',
      'cut_up',
      'cut_down',
      'concurrent_limit',
      'excess',
      'excess_at',
      'cut_off_until',
      'held_at',
    ],
    machine: ['cut_node_id', 'cut_off_node_id'],
    identity: ['telegram_id', 'external_id'],
    secret: ['token'],
  },
  webhook_attempts: 'pending',
  webhook_deliveries: 'pending',
  webhooks: {
    data: [
      'id',
      'description',
      'types',
      'enabled',
      'disabled_reason',
      'allow_private',
      'position',
      'previous_secret_ends_at',
      'delivered_at',
      'failing_since',
      'created_at',
      'updated_at',
    ],
    destination: ['url'],
  },
} as const satisfies Readonly<Record<string, TableClasses>>;

type Classes = typeof RESTORE_CLASSES;
type Table = keyof Classes;

/**
 * What a restore does with the next id of a table. `given`: people and programs know its ids, so ids that the panel of the backup may have
 * used since are skipped. `feed`: clients follow it, so it continues after all ids that they may have read. `own`: nothing outside the
 * database refers to its ids. The test beside it compares this with the migrations.
 */
export const SEQUENCE_CLASSES = {
  api_keys: 'given',
  audit: 'given',
  backup_places: 'given',
  bot_messages: 'given',
  bot_updates: 'own',
  broadcasts: 'given',
  events: 'feed',
  grants: 'given',
  inbounds: 'given',
  invoices: 'given',
  known_browsers: 'own',
  node_changes: 'own',
  nodes: 'given',
  offers: 'given',
  orders: 'given',
  payments: 'given',
  promos: 'given',
  providers: 'given',
  sessions: 'own',
  tariffs: 'given',
  users: 'given',
  webhook_deliveries: 'given',
  webhooks: 'given',
} as const satisfies { readonly [Name in Table]?: 'given' | 'feed' | 'own' };

/** Tables with both pending work and data. */
export type MixedTable = {
  [Name in Table]: Classes[Name] extends { readonly pending: readonly string[] } ? Name : never;
}[Table];
/** Tables with pending work; of those with nothing else, a restore brings no rows. */
export type PendingTable = MixedTable | { [Name in Table]: Classes[Name] extends 'pending' ? Name : never }[Table];

interface PendingRule {
  /** SQL condition of the rows that are pending. */
  readonly waits: string;
  /** SQL that ends them in `main`, the database being restored. */
  readonly end: string;
  /** Only for a backup of unknown origin: with an unchanged backup these rows are still correct. */
  readonly isUnknownOnly?: true;
}

/** How pending work is ended in tables with data, whose history stays. */
export const PENDING_RULES: Readonly<Record<MixedTable, PendingRule>> = {
  bot_chats: { waits: 'prompt IS NOT NULL', end: 'UPDATE main.bot_chats SET prompt = NULL' },
  // A pending message has been sent since, or is too old. Sent ones are not sent again.
  bot_messages: {
    waits: 'ended_at IS NULL',
    end: "UPDATE main.bot_messages SET payload = NULL, ended_at = created_at, error = 'stopped' WHERE ended_at IS NULL",
  },
  broadcast_people: {
    waits: "state = 'queued'",
    end: `UPDATE main.broadcasts SET failed = failed + (
        SELECT count(*) FROM main.broadcast_people WHERE broadcast_id = main.broadcasts.id AND state = 'queued');
      UPDATE main.broadcast_people SET state = 'failed', error = 'stopped' WHERE state = 'queued'`,
  },
  broadcasts: {
    waits: "state IN ('draft', 'running', 'paused')",
    end: "UPDATE main.broadcasts SET state = 'stopped', ended_at = created_at WHERE state IN ('draft', 'running', 'paused')",
  },
  // These replies answer repeated requests, so only those that this panel has as well are trusted.
  idempotency: {
    waits: 'TRUE',
    end: `DELETE FROM main.idempotency WHERE NOT EXISTS (
      SELECT 1 FROM present.idempotency AS current
      WHERE current.scope = main.idempotency.scope AND current.key = main.idempotency.key
        AND current.fingerprint = main.idempotency.fingerprint AND current.status = main.idempotency.status
        AND current.body IS main.idempotency.body AND current.location IS main.idempotency.location)`,
    isUnknownOnly: true,
  },
  idempotency_parts: { waits: 'TRUE', end: 'DELETE FROM main.idempotency_parts', isUnknownOnly: true },
  // Only a person's decision may refund money. The refund keeps its key, so the provider does not refund twice.
  payments: {
    waits: 'next_refund_at IS NOT NULL',
    end: `UPDATE main.payments SET refund_id = NULL, next_refund_at = NULL,
        reason = iif(state = 'applied', 'refund_failed', reason),
        act = iif(state = 'applied', NULL, act), resolved_at = iif(state = 'applied', NULL, resolved_at)
      WHERE next_refund_at IS NOT NULL`,
  },
  // The provider's list is read again from its beginning; each payment in it is still counted once.
  providers: {
    waits: 'cursor IS NOT NULL OR caught_up_at IS NOT NULL',
    end: 'UPDATE main.providers SET cursor = NULL, caught_up_at = NULL',
    isUnknownOnly: true,
  },
};

type NamedClass = 'destination' | 'identity' | 'price' | 'secret';
const NAMED: readonly NamedClass[] = ['destination', 'identity', 'price', 'secret'];

type ColumnsOf<Name extends Table, Class> = Classes[Name] extends { readonly [Each in Class & string]: infer Columns }
  ? Columns extends readonly (infer Column extends string)[]
    ? Column
    : never
  : never;
/**
 * Not listed among values: keys have a list of their own and are restored revoked; unknown accounts of the administrator are not restored.
 */
type Apart = 'api_keys.hash' | 'bot_admins.telegram_id';
const APART: readonly string[] = ['api_keys.hash', 'bot_admins.telegram_id'] satisfies readonly Apart[];
type NamedColumn = Exclude<
  { [Name in Table]: { [Class in NamedClass]: `${Name}.${ColumnsOf<Name, Class>}` }[NamedClass] }[Table],
  Apart
>;

export interface NamedPlace {
  readonly kind: BackupDifferenceKind;
  readonly table: Table;
  readonly column: string;
  readonly isSecret: boolean;
}

/** The columns whose values the check of a backup of unknown origin lists. */
export function listNamedPlaces(): readonly NamedPlace[] {
  const places = Object.entries(RESTORE_CLASSES as Readonly<Record<string, TableClasses>>).flatMap(
    ([table, classes]) =>
      typeof classes === 'string'
        ? []
        : NAMED.flatMap((named) =>
            (classes[named] ?? []).map((column) => ({
              kind: `${table}.${column}` as NamedColumn,
              table: table as Table,
              column,
              isSecret: named === 'secret',
            })),
          ),
  );
  return places.filter(({ kind }) => !APART.includes(kind));
}

/** The class of a whole table; null: its rows are copied, and each column has a class. Throws for an unknown table. */
export function getWholeClass(table: string): WholeClass | null {
  const classes = (RESTORE_CLASSES as Readonly<Record<string, TableClasses>>)[table];
  if (classes === undefined) throw new Error(`${table} has no restore class`);
  return typeof classes === 'string' ? classes : null;
}

/**
 * `data`: restored; listed by the check if it differs. `machine`: this machine's (addresses, cookie names, state of updates), whatever is
 * restored; a panel without an administrator is not in use yet, and takes what it has not set itself from the backup. `path`: this
 * machine's if it has an administrator, who has it as a bookmark. `program`: this machine's if the origin is unknown. `moment`: restored,
 * but never listed.
 */
export const SETTING_CLASSES: Readonly<
  Record<keyof SettingValues, 'data' | 'machine' | 'path' | 'program' | 'moment'>
> = {
  timeZone: 'data',
  language: 'data',
  panelTitle: 'data',
  subscriptionTitle: 'data',
  updateIntervalHours: 'data',
  supportUrl: 'data',
  announcement: 'data',
  subscriptionRules: 'data',
  subscriptionHeaders: 'data',
  subscriptionTemplates: 'data',
  subscriptionApps: 'data',
  rateLimit: 'data',
  expiringNoticeDays: 'data',
  eventsKeptDays: 'data',
  auditKeptDays: 'data',
  enginePath: 'program',
  cutOffConcurrent: 'data',
  restartToCutOff: 'data',
  nodeLineGbps: 'data',
  selling: 'data',
  starsOnlyInTelegram: 'data',
  referrals: 'data',
  botNotices: 'data',
  adminNotices: 'data',
  botRequests: 'data',
  userViews: 'data',
  host: 'machine',
  port: 'machine',
  secretPath: 'path',
  subPath: 'data',
  publicUrl: 'data',
  publicAddress: 'machine',
  linksPort: 'machine',
  linksHost: 'machine',
  hostNames: 'machine',
  trustedProxies: 'machine',
  instanceId: 'machine',
  acme: 'machine',
  acmeState: 'machine',
  authority: 'machine',
  backupSchedule: 'data',
  backupLast: 'moment',
  backupLeftAt: 'moment',
  backupLateAt: 'moment',
  updateChecks: 'data',
  updateSeen: 'machine',
  updateLast: 'machine',
  knownAt: 'machine',
  epoch: 'moment',
  startedAt: 'machine',
};

export function listSettings(
  ...classes: readonly (typeof SETTING_CLASSES)[keyof SettingValues][]
): readonly (keyof SettingValues)[] {
  const names = Object.keys(SETTING_CLASSES) as (keyof SettingValues)[];
  return names.filter((name) => classes.includes(SETTING_CLASSES[name]));
}
