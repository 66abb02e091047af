// The credentials of backup places: sealed separately from the records, and unsealed to connect.
import { BACKUP_PLACE_FIELDS, type BackupPlaceError, type BackupPlaceKind } from '../../contract/backup-places.ts';
import type { PlaceErrorCode } from '../../contract/errors.ts';
import { PLACE_SECRETS } from '../../domain/backup-places.ts';
import type { Env, Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import type { BackupPlaceRow, BackupPlaces, OpenPlace, PlaceAccess, PlaceFields } from '../ports/backup-places.ts';

const DEFAULT_REGION = 'us-east-1';
const SSH_PORT = 22;
/** The name of the passphrase among the secrets of a place. */
const PASSPHRASE = 'passphrase';

/** The vault place of a secret of a backup place. */
export function secretPlace(placeId: number, name: string): string {
  return `${PLACE_SECRETS}:${placeId}:${name}`;
}

export function listSecretNames(kind: BackupPlaceKind): readonly (keyof PlaceFields)[] {
  return BACKUP_PLACE_FIELDS[kind].filter(({ isSecret }) => isSecret).map(({ name }) => name);
}

/** PanelError `place_failed` with its reason. */
export function createPlaceError(code: PlaceErrorCode, message: string): PanelError {
  return new PanelError('place_failed', [{ pointer: '#/place', code, message }]);
}

/** The reason of a failure, as the record stores it. */
export function toPlaceError(error: unknown): BackupPlaceError {
  if (!(error instanceof PanelError)) return 'internal';
  if (error.code === 'place_failed') return (error.errors?.[0]?.code as PlaceErrorCode | undefined) ?? 'place_refused';
  const { code } = error;
  const isOwn =
    code === 'storage_full' || code === 'backup_failed' || code === 'vault_unavailable' || code === 'bot_off';
  return isOwn ? code : 'internal';
}

/** The unsealed credentials of a place. PanelError `vault_unavailable`. */
export function openSecrets(
  { store, vault }: Pick<Env, 'store' | 'vault'>,
  { id, kind }: Pick<BackupPlaceRow, 'id' | 'kind'>,
): PlaceFields {
  const opened: Partial<Record<keyof PlaceFields, string>> = {};
  for (const name of listSecretNames(kind)) {
    const sealed = store.sealed.get(secretPlace(id, name));
    if (sealed) opened[name] = vault.open(sealed);
  }
  return opened;
}

/** Seals the given secrets, and removes the kind's other ones. */
export function sealSecrets(
  { store, vault }: Pick<Transaction, 'store' | 'vault'>,
  { id, kind }: Pick<BackupPlaceRow, 'id' | 'kind'>,
  secrets: PlaceFields,
): void {
  for (const name of listSecretNames(kind)) {
    const value = secrets[name];
    if (value === undefined) store.sealed.remove(secretPlace(id, name));
    else store.sealed.save(vault.seal(secretPlace(id, name), value));
  }
}

/** null: removes the passphrase. */
export function sealPassphrase(
  { store, vault }: Pick<Transaction, 'store' | 'vault'>,
  placeId: number,
  passphrase: string | null,
): void {
  const place = secretPlace(placeId, PASSPHRASE);
  if (passphrase === null) store.sealed.remove(place);
  else store.sealed.save(vault.seal(place, passphrase));
}

/**
 * null: backups there are unencrypted. PanelError `place_failed` if the passphrase is missing, as nothing is stored unencrypted instead;
 * `vault_unavailable`.
 */
export function openPassphrase(
  { store, vault }: Pick<Env, 'store' | 'vault'>,
  { id, encrypted }: Pick<BackupPlaceRow, 'id' | 'encrypted'>,
): string | null {
  if (!encrypted) return null;
  const sealed = store.sealed.get(secretPlace(id, PASSPHRASE));
  if (!sealed) throw createPlaceError('no_secrets', 'its passphrase is missing');
  return vault.open(sealed);
}

export function removeSecrets({ store }: Pick<Transaction, 'store'>, { id, kind }: BackupPlaceRow): void {
  for (const name of [...listSecretNames(kind), PASSPHRASE]) store.sealed.remove(secretPlace(id, name));
}

/** `fields`: validated settings and credentials of the kind. */
export function buildAccess(
  kind: Exclude<BackupPlaceKind, 'chat'>,
  fields: PlaceFields,
  allowPrivate: boolean,
): PlaceAccess {
  const needField = (name: keyof PlaceFields) => {
    const value = fields[name];
    if (value === undefined) throw createPlaceError('no_secrets', `${name} is missing`);
    return value;
  };
  if (kind === 'folder') return { kind, path: needField('path') };
  if (kind === 's3') {
    const prefix = (fields.prefix ?? '').replace(/\/+$/, '');
    return {
      kind,
      allowPrivate,
      endpoint: needField('endpoint'),
      region: fields.region ?? DEFAULT_REGION,
      bucket: needField('bucket'),
      prefix: prefix === '' ? '' : `${prefix}/`,
      accessKeyId: needField('access_key_id'),
      secretAccessKey: needField('secret_access_key'),
    };
  }
  if (fields.private_key === undefined) needField('sftp_password');
  return {
    kind,
    allowPrivate,
    host: needField('host').replace(/^\[|\]$/g, ''),
    port: fields.port === undefined ? SSH_PORT : Number(fields.port),
    user: needField('user'),
    path: fields.path ?? '',
    hostKey: fields.host_key ?? null,
    password: fields.private_key === undefined ? (fields.sftp_password ?? null) : null,
    privateKey: fields.private_key ?? null,
  };
}

export function requirePlaces({ backupPlaces }: Pick<Env, 'backupPlaces'>): BackupPlaces {
  if (!backupPlaces) throw new PanelError('unavailable');
  return backupPlaces;
}

/** Opens a saved place; the caller closes it. PanelError `place_failed` if a credential is missing, `vault_unavailable`. */
export function openSavedPlace(
  env: Pick<Env, 'backupPlaces' | 'store' | 'vault'>,
  row: BackupPlaceRow & { readonly kind: Exclude<BackupPlaceKind, 'chat'> },
): OpenPlace {
  return requirePlaces(env).open(buildAccess(row.kind, { ...row.fields, ...openSecrets(env, row) }, row.allowPrivate));
}

/** Whether the kind stores files that can be listed; a chat does not. */
export function holdsFiles(
  row: BackupPlaceRow,
): row is BackupPlaceRow & { readonly kind: Exclude<BackupPlaceKind, 'chat'> } {
  return row.kind !== 'chat';
}
