// Backups: created, listed, checked and restored in the panel. The files have separate routes.
import { z } from 'zod';
import { ACCESSES } from './access/keys.ts';
import { PROOF_ERRORS, proof } from './access/proof.ts';
import { panelOperation } from './operation.ts';
import * as s from './scalars.ts';

/** Disk space for all uploaded backups. Larger ones are restored on the command line. */
export const UPLOADED_BYTES = 1_073_741_824;

/** Copies from before a migration are plain SQLite; all others have the panel's format. */
export const BACKUP_NAME = /^(?:[A-Za-z0-9][A-Za-z0-9._-]*\.gatehouse-backup|pre-migration-[0-9]{4}\.sqlite)$/;
const fileName = z.string().max(120).regex(BACKUP_NAME);
export const passphrase = s.text({ min: 8, max: 256 });
export const BACKUP_KINDS = [
  'manual',
  'scheduled',
  'outgoing',
  'chat',
  'uploaded',
  'before_restore',
  'before_migration',
] as const;
export const BACKUP_SECRETS = ['none', 'left_out', 'inside', 'this_machine'] as const;
export const BACKUP_PROBLEMS = [
  'not_a_backup',
  'truncated',
  'damaged',
  'newer',
  'foreign',
  'needs_passphrase',
  'wrong_passphrase',
  'too_large',
] as const;

export const BACKUP_ORIGINS = ['made_here', 'passphrase', 'unknown'] as const;

/** Stored values that lead somewhere, identify, cost or let somebody in: table and column. */
export const BACKUP_DIFFERENCE_KINDS = [
  'administrator.name',
  'administrator.password_hash',
  'backup_places.fields',
  'bot.api_root',
  'bot.proxy',
  'bot.bot_id',
  'bot.username',
  'bot_requests.telegram_id',
  'inbounds.host',
  'inbounds.hosts',
  'inbounds.port',
  'inbounds.sni',
  'inbounds.path',
  'inbounds.service_name',
  'inbounds.target',
  'inbounds.masquerade',
  'inbounds.fallback',
  'inbounds.public_key',
  'inbounds.short_id',
  'inbounds.more_short_ids',
  'inbounds.more_server_names',
  'inbounds.certificate',
  'inbounds.obfs_password',
  'imported_link_sources.key',
  'imported_links.hash',
  'invoices.pay_url',
  'invoices.return_url',
  'invoices.email',
  'invoices.external_id',
  'invoices.amount',
  'invoices.currency',
  'invoices.token',
  'nodes.address',
  'nodes.agent_port',
  'nodes.agent_pin',
  'offers.prices',
  'offers.trial',
  'orders.prices',
  'orders.amount',
  'orders.currency',
  'orders.token',
  'payments.buyer',
  'payments.external_id',
  'promos.effect',
  'providers.account',
  'providers.fields',
  'providers.api_root',
  'providers.hook_token',
  'recovery_codes.hash',
  'referral_codes.code',
  'referrals.telegram_id',
  'tariffs.price_amount',
  'tariffs.price_currency',
  'user_credentials.value',
  'user_inbound_credentials.value',
  'users.telegram_id',
  'users.external_id',
  'users.token',
  'webhooks.url',
] as const;
export type BackupDifferenceKind = (typeof BACKUP_DIFFERENCE_KINDS)[number];
/** How many of each kind a check names; it counts all. */
export const NAMED_DIFFERENCES = 100;

const secrets = z.enum(BACKUP_SECRETS).nullable().meta({
  description:
    'Secrets of the vault. none: there were none. left_out: omitted, because there was no passphrase. inside: restored with the backup. this_machine: restored only with the same master key. null: unknown.',
});

const backup = z
  .object({
    name: fileName,
    kind: z.enum(BACKUP_KINDS),
    created_at: s.instant,
    size_bytes: z.int().min(0),
    encrypted: z.boolean(),
    secrets,
  })
  .meta({ id: 'Backup' });
export type Backup = z.output<typeof backup>;

const schedule = z
  .object({
    every_hours: z
      .int()
      .min(1)
      .max(24 * 31)
      .nullable()
      .meta({ description: 'null: no scheduled backups.' }),
    keep: z.int().min(1).max(365),
    encrypted: z.boolean(),
    last_at: s.instant.nullable(),
    last_error: z.string().nullable(),
  })
  .meta({ id: 'BackupSchedule' });

const count = z.int().min(0);
const differences = z
  .object({
    keys: z
      .object({
        count,
        items: z.array(
          // `prefix`: the first 8 characters.
          z.object({
            name: z.string(),
            access: z.enum(ACCESSES),
            prefix: z.string(),
          }),
        ),
      })
      .meta({
        description: `Valid keys that are unknown to this panel: their number, and the first ${NAMED_DIFFERENCES}.`,
      }),
    settings: z
      .array(
        // Values as JSON; null: the default.
        z.object({
          name: z.string(),
          here: z.string().nullable(),
          there: z.string().nullable(),
        }),
      )
      .meta({ description: 'Settings and addresses that would change.' }),
    values: z
      .array(
        z.object({
          kind: z.enum(BACKUP_DIFFERENCE_KINDS),
          count,
          items: z.array(
            // The name of the record, or its id; null: there is no value.
            z.object({
              record: z.string(),
              here: z.string().nullable(),
              there: z.string().nullable(),
            }),
          ),
        }),
      )
      .meta({
        description: `Destinations, identities, prices and secrets that would be added or changed: their number, and the first ${NAMED_DIFFERENCES} of each kind. Secrets are given by their first characters.`,
      }),
  })
  .meta({ id: 'BackupDifferences' });

const check = z
  .object({
    ok: z.boolean(),
    problem: z.enum(BACKUP_PROBLEMS).nullable(),
    detail: z.string().nullable().meta({ description: 'What in it is foreign or damaged; null: unknown, or nothing.' }),
    version: z.string().nullable().meta({ description: 'Of the panel that made it.' }),
    created_at: s.instant.nullable(),
    users: z.int().min(0).nullable(),
    keys: z.int().min(0).nullable(),
    secrets,
    origin: z.enum(BACKUP_ORIGINS).nullable().meta({
      description:
        'made_here: unchanged since this panel created it. passphrase: unchanged since it was encrypted. unknown: it may have been changed. null: it cannot be restored.',
    }),
    differences: differences.nullable().meta({ description: 'If the origin is unknown: what it would add or change.' }),
    fingerprint: z
      .string()
      .nullable()
      .meta({ description: 'Of the contents that were checked; null: it cannot be restored.' }),
  })
  .meta({ id: 'BackupCheck' });

const example: Backup = {
  name: 'gatehouse-manual-2026-11-20T10-00-00Z.gatehouse-backup',
  kind: 'manual',
  created_at: '2026-11-20T10:00:00.000Z',
  size_bytes: 4_210_688,
  encrypted: true,
  secrets: 'inside',
};
const scheduleExample = { every_hours: 24, keep: 14, encrypted: true, last_at: null, last_error: null };
const checkExample = {
  ok: true,
  problem: null,
  detail: null,
  version: '0.1.0',
  created_at: '2026-11-20T10:00:00.000Z',
  users: 120,
  keys: 2,
  secrets: 'inside',
  origin: 'passphrase',
  differences: null,
  fingerprint: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
} as const;

export const listBackups = panelOperation({
  id: 'listBackups',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'List backups and their schedule',
  input: z.strictObject({}),
  output: z.object({ items: z.array(backup), schedule, folder: z.string() }),
  example: { body: {}, reply: { items: [example], schedule: scheduleExample, folder: '/var/lib/gatehouse/backups' } },
});

export const createBackup = panelOperation({
  id: 'createBackup',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Create a backup now',
  description: 'Without a passphrase the secrets of the vault are omitted; users and their links are always included.',
  input: z.strictObject({ ...proof, passphrase: passphrase.optional() }),
  status: 201,
  output: backup,
  errors: [...PROOF_ERRORS, 'backup_failed', 'storage_full'],
  example: { body: { passphrase: 'correct horse battery' }, reply: example },
});

export const deleteBackup = panelOperation({
  id: 'deleteBackup',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Delete a backup',
  input: z.strictObject({ ...proof, name: fileName }),
  status: 204,
  output: null,
  errors: [...PROOF_ERRORS, 'not_found'],
  example: { body: { name: example.name } },
});

export const scheduleBackups = panelOperation({
  id: 'scheduleBackups',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Set the schedule of backups',
  input: z.strictObject({
    ...proof,
    every_hours: schedule.shape.every_hours,
    keep: schedule.shape.keep,
    passphrase: passphrase.nullable().optional().meta({ description: 'Absent: unchanged. null: without secrets.' }),
  }),
  output: schedule,
  errors: PROOF_ERRORS,
  example: { body: { every_hours: 24, keep: 14, passphrase: 'correct horse battery' }, reply: scheduleExample },
});

export const sendBackup = panelOperation({
  id: 'sendBackup',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Send an encrypted backup to the paired Telegram accounts',
  description:
    'If absent, a new one is created with the passphrase of the place in the chat, or else of the schedule, which requires a proof of identity (`prove`). One without a passphrase, or above 50 MB, is refused. From the chat it is sent only to the account that asks.',
  input: z.strictObject({ name: fileName.optional() }),
  output: z.object({
    name: fileName,
    accounts: z.int().min(0).meta({ description: 'The number of recipients; 0: no account is paired.' }),
  }),
  errors: ['proof_required', 'bot_off', 'not_found', 'backup_failed', 'storage_full', 'vault_unavailable'],
  example: { body: { name: example.name }, reply: { name: example.name, accounts: 1 } },
});

export const checkBackup = panelOperation({
  id: 'checkBackup',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Check a backup without changing anything',
  description: 'One check at a time, and one more may wait: more are refused with `rate_limited`.',
  input: z.strictObject({ name: fileName, passphrase: z.string().max(1024).optional() }),
  output: check,
  errors: ['not_found', 'rate_limited'],
  example: { body: { name: example.name, passphrase: 'correct horse battery' }, reply: checkExample },
});

export const restoreBackup = panelOperation({
  id: 'restoreBackup',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Restore a backup',
  description:
    'The backup is checked first and replaces the data in one step; the previous data are kept as a backup. Addresses, secret path, certificates, administrator and sign-in stay as on this machine. Links stay valid. Keys revoked since the backup stay revoked. Work that was waiting in the backup is not carried out. A backup of unknown origin is restored only if its check is confirmed (`confirm`); its unknown keys are restored revoked unless they are accepted, and unknown webhooks disabled. All other sessions end.',
  input: z.strictObject({
    ...proof,
    name: fileName,
    passphrase: z.string().max(1024).optional(),
    confirm: z.string().max(64).optional().meta({
      description:
        '`fingerprint` of a check. Required if the origin is unknown: the check names what the backup would change.',
    }),
    accept_keys: z.boolean().default(false).meta({
      description: 'Whether unknown keys of a backup of unknown origin stay valid.',
    }),
  }),
  output: z.object({
    restored: check,
    former: fileName.meta({ description: 'The backup of the previous data.' }),
    links_url: z.string().meta({ description: 'The beginning of subscription links from now on.' }),
    needs_new_ca: z.boolean().meta({
      description: "Whether clients that trust the CA of the backup's panel need the CA file of this one.",
    }),
  }),
  errors: [...PROOF_ERRORS, 'not_found', 'backup_failed', 'backup_refused', 'database_in_use', 'storage_full'],
  example: {
    body: { password: 'correct horse battery', name: example.name, passphrase: 'correct horse battery' },
    reply: {
      restored: checkExample,
      former: 'gatehouse-before-restore-2026-11-20T10-05-00Z.gatehouse-backup',
      links_url: 'https://panel.example.org/sub/',
      needs_new_ca: false,
    },
  },
});
