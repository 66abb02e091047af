// Places outside of the panel's machine where backups are stored: each has its schedule, its passphrase and its credentials. In the panel only.
import { z } from 'zod';
import { PROOF_ERRORS, proof } from './access/proof.ts';
import { BACKUP_NAME, passphrase } from './backups.ts';
import { type PlaceErrorCode, placeErrorCodes } from './errors.ts';
import { panelOperation } from './operation.ts';
import { isApiRoot } from './sales/providers.ts';
import * as s from './scalars.ts';

/** Maximum number of places. */
export const MAX_BACKUP_PLACES = 16;

export const BACKUP_PLACE_KINDS = ['s3', 'sftp', 'folder', 'chat'] as const;
export type BackupPlaceKind = (typeof BACKUP_PLACE_KINDS)[number];

/** Why nothing was stored at a place, besides its own failures. */
const OWN_ERRORS = ['storage_full', 'backup_failed', 'vault_unavailable', 'bot_off', 'internal'] as const;
export type BackupPlaceError = PlaceErrorCode | (typeof OWN_ERRORS)[number];
export const BACKUP_PLACE_ERRORS: readonly BackupPlaceError[] = [...placeErrorCodes, ...OWN_ERRORS];

/** One setting or credential of a place. */
export interface BackupPlaceField {
  readonly name: BackupPlaceFieldName;
  /** Sealed, and never returned. */
  readonly isSecret: boolean;
  readonly isRequired: boolean;
  /** Whether a text is one. */
  readonly isValid: (text: string) => boolean;
}
const FIELD_NAMES = [
  'path',
  'endpoint',
  'region',
  'bucket',
  'prefix',
  'access_key_id',
  'secret_access_key',
  'host',
  'port',
  'user',
  'host_key',
  'sftp_password',
  'private_key',
] as const;
export type BackupPlaceFieldName = (typeof FIELD_NAMES)[number];

/** Long enough for an RSA key of 16,384 bits. */
const MAX_FIELD = 16_384;

function field(name: BackupPlaceFieldName, pattern: RegExp, more: Partial<BackupPlaceField> = {}): BackupPlaceField {
  return { name, isSecret: false, isRequired: true, isValid: (text) => pattern.test(text), ...more };
}
const OPTIONAL = { isRequired: false };
const SECRET = { isSecret: true };

/** Settings and credentials of each kind. Where SFTP has no key of the host yet, the refusal names the one that the server shows. */
export const BACKUP_PLACE_FIELDS: Readonly<Record<BackupPlaceKind, readonly BackupPlaceField[]>> = {
  s3: [
    field('endpoint', /./, { isValid: (text) => text.length <= 500 && isApiRoot(text) }),
    field('region', /^[A-Za-z0-9-]{1,60}$/, OPTIONAL),
    field('bucket', /^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/),
    field('prefix', /^(?!\/)[A-Za-z0-9._/-]{1,200}$/, OPTIONAL),
    field('access_key_id', /^[\x21-\x7e]{1,200}$/, SECRET),
    field('secret_access_key', /^[\x21-\x7e]{1,400}$/, SECRET),
  ],
  sftp: [
    field('host', /^[^\s\p{C}/@?#]{1,255}$/u),
    field('port', /^[1-9]\d{0,4}$/, {
      ...OPTIONAL,
      isValid: (text) => /^[1-9]\d{0,4}$/.test(text) && Number(text) < 65_536,
    }),
    field('user', /^[^\p{C}]{1,100}$/u),
    field('path', /^[^\p{C}]{1,500}$/u, OPTIONAL),
    field('host_key', /^SHA256:[A-Za-z0-9+/]{43}$/, OPTIONAL),
    field('sftp_password', /^[^\p{C}]{1,400}$/u, { ...SECRET, ...OPTIONAL }),
    field('private_key', /^-----BEGIN [\s\S]+-----\s*$/, { ...SECRET, ...OPTIONAL }),
  ],
  folder: [field('path', /^(?:\/|[A-Za-z]:[\\/])[^\p{C}]{0,500}$/u)],
  chat: [],
};

const kind = z.enum(BACKUP_PLACE_KINDS).meta({ description: 'What it is.' });
/** Name of a place, also on the command line. It cannot be confused with a path or a URL. */
const name = s
  .text({ min: 1, max: 60 })
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u)
  .meta({ description: 'Its name, also for `panel backup --to` and `panel restore --from`.' });
const fields = z.partialRecord(z.enum(FIELD_NAMES), z.string().max(MAX_FIELD)).meta({
  description: 'Settings and credentials, by the names of its kind. Credentials are sealed and never returned.',
});
const allowPrivate = z.boolean().meta({
  description:
    'Whether its address may be private or loopback, and its endpoint plain HTTP. Link-local addresses never are.',
});
const everyHours = z
  .int()
  .min(1)
  .max(24 * 31)
  .nullable()
  .meta({ description: 'How often; null: only on request.' });
const keep = z.int().min(1).max(1000).meta({
  description: "How many of this panel's own backups stay there. A chat keeps all.",
});
const newPassphrase = passphrase.nullable().meta({
  description: 'It encrypts each backup there, and is sealed. null: in clear, without the secrets of the vault.',
});
const error = z.enum(BACKUP_PLACE_ERRORS as [BackupPlaceError, ...BackupPlaceError[]]);

const place = z
  .object({
    id: s.id.meta({ description: 'Its id.' }),
    kind,
    name: z.string(),
    fields: z
      .partialRecord(z.enum(FIELD_NAMES), z.string())
      .meta({ description: 'The settings, without credentials.' }),
    secrets: z.array(z.enum(FIELD_NAMES)).meta({ description: 'The names of the stored credentials.' }),
    allow_private: allowPrivate,
    encrypted: z.boolean().meta({ description: 'Whether backups there are encrypted by a passphrase.' }),
    every_hours: everyHours,
    keep,
    running: z.boolean().meta({ description: 'Whether a backup is on its way there.' }),
    last_at: s.instant.nullable().meta({ description: 'When a backup was last stored there; null: never.' }),
    error: error.nullable().meta({ description: 'Why nothing was stored since then; null: nothing has failed.' }),
    error_at: s.instant.nullable().meta({ description: 'When it last failed.' }),
    created_at: s.instant,
    updated_at: s.instant,
  })
  .meta({ id: 'BackupPlace' });
export type BackupPlaceView = z.output<typeof place>;

const example: BackupPlaceView = {
  id: 1,
  kind: 's3',
  name: 'Storage',
  fields: { endpoint: 'https://s3.example.com', region: 'eu-central-1', bucket: 'backups', prefix: 'panel' },
  secrets: ['access_key_id', 'secret_access_key'],
  allow_private: false,
  encrypted: true,
  every_hours: 24,
  keep: 14,
  running: false,
  last_at: '2026-11-20T10:00:00.000Z',
  error: null,
  error_at: null,
  created_at: '2026-11-19T10:00:00.000Z',
  updated_at: '2026-11-19T10:00:00.000Z',
};

const ofPlace = { id: s.id.meta({ description: 'The place.' }) };

export const listBackupPlaces = panelOperation({
  id: 'listBackupPlaces',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'List places of backups',
  input: z.strictObject({}),
  output: z.object({
    items: z.array(place).meta({ description: 'All places, oldest first.' }),
    left_at: s.instant.nullable().meta({
      description: 'When a backup last left the machine: stored at a place, downloaded or sent; null: none has.',
    }),
  }),
  example: { body: {}, reply: { items: [example], left_at: '2026-11-20T10:00:00.000Z' } },
});

export const createBackupPlace = panelOperation({
  id: 'createBackupPlace',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Add a place of backups',
  description:
    'It is tested first, and not stored if that fails. Of an SFTP server without `host_key` the failure has the key that the server shows.',
  input: z.strictObject({
    kind,
    name,
    fields: fields.default({}),
    allow_private: allowPrivate.default(false),
    passphrase: newPassphrase,
    every_hours: everyHours.default(24),
    keep: keep.default(14),
    ...proof,
  }),
  status: 201,
  output: place,
  errors: [...PROOF_ERRORS, 'place_limit', 'place_failed', 'bot_off'],
  example: {
    body: {
      kind: 's3',
      name: 'Storage',
      fields: { endpoint: 'https://s3.example.com', bucket: 'backups', access_key_id: 'GK…', secret_access_key: '…' },
      passphrase: 'correct horse battery',
      password: 'correct horse battery',
    },
    reply: example,
  },
});

export const changeBackupPlace = panelOperation({
  id: 'changeBackupPlace',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Change a place of backups',
  description:
    'Absent fields stay as they are, also each of `fields`; an empty text removes one. It is tested before it is saved where its address or its credentials change.',
  input: z.strictObject({
    ...ofPlace,
    name: name.optional(),
    fields: fields.optional(),
    allow_private: allowPrivate.optional(),
    passphrase: newPassphrase.optional(),
    every_hours: everyHours.optional(),
    keep: keep.optional(),
    ...proof,
  }),
  output: place,
  errors: [...PROOF_ERRORS, 'not_found', 'place_failed', 'bot_off'],
  example: { body: { id: 1, keep: 30, password: 'correct horse battery' }, reply: { ...example, keep: 30 } },
});

export const deleteBackupPlace = panelOperation({
  id: 'deleteBackupPlace',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Delete a place of backups with its credentials',
  description: 'The backups there stay.',
  input: z.strictObject({ ...ofPlace, ...proof }),
  status: 204,
  output: null,
  errors: [...PROOF_ERRORS, 'not_found'],
  example: { body: { id: 1, password: 'correct horse battery' } },
});

export const testBackupPlace = panelOperation({
  id: 'testBackupPlace',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Test a place of backups',
  description: 'Stores a small file there, lists it, reads it back and deletes it. A chat gets a message.',
  input: z.strictObject(ofPlace),
  output: place,
  errors: ['not_found', 'place_failed', 'bot_off', 'vault_unavailable'],
  example: { body: { id: 1 }, reply: example },
});

export const listPlacedBackups = panelOperation({
  id: 'listPlacedBackups',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'List the backups at a place',
  description: 'The place is asked; a chat cannot be.',
  input: z.strictObject(ofPlace),
  output: z.object({
    items: z
      .array(
        z.object({
          name: z.string().max(120).regex(BACKUP_NAME),
          size_bytes: z.int().min(0),
          stored_at: s.instant,
          own: z.boolean().meta({ description: 'Whether this panel made it; others are never deleted.' }),
        }),
      )
      .meta({ description: 'The newest first, at most 1000.' }),
  }),
  errors: ['not_found', 'place_failed', 'vault_unavailable'],
  example: {
    body: { id: 1 },
    reply: {
      items: [
        {
          name: 'gatehouse-k3v9-2026-11-20T10-00-00-000Z.gatehouse-backup',
          size_bytes: 4_210_688,
          stored_at: '2026-11-20T10:00:02.000Z',
          own: true,
        },
      ],
    },
  },
});

export const backUpToPlace = panelOperation({
  id: 'backUpToPlace',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Begin a backup to a place',
  description:
    'The reply does not wait for its end: `running` of the place is true until then, and `last_at` or `error` has the result.',
  input: z.strictObject(ofPlace),
  output: place,
  errors: ['not_found'],
  example: { body: { id: 1 }, reply: { ...example, running: true } },
});
