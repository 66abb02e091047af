// The state of a backup place in the list, and validation of its form.
import {
  BACKUP_PLACE_FIELDS,
  type BackupPlaceFieldName,
  type BackupPlaceKind,
  type BackupPlaceView,
} from '../../../../../contract/backup-places.ts';
import type { State } from '../../../components/state.tsx';

export const PLACES_PATH = ['settings', 'backups', 'places'] as const;

interface Look {
  readonly state: State;
  readonly text: `backups.places.state.${'ok' | 'failing' | 'waiting' | 'running'}`;
}

export function describePlace({
  running,
  error,
  last_at,
}: Pick<BackupPlaceView, 'running' | 'error' | 'last_at'>): Look {
  if (running) return { state: 'on_hold', text: 'backups.places.state.running' };
  if (error !== null) return { state: 'down', text: 'backups.places.state.failing' };
  if (last_at === null) return { state: 'unknown', text: 'backups.places.state.waiting' };
  return { state: 'up', text: 'backups.places.state.ok' };
}

/** The place's address without credentials; null: a chat. */
export function findPlaceTarget({ kind, fields }: Pick<BackupPlaceView, 'kind' | 'fields'>): string | null {
  if (kind === 'chat') return null;
  if (kind === 'folder') return fields.path ?? '';
  if (kind === 's3') {
    const host = URL.parse(fields.endpoint ?? '')?.host ?? '';
    return [host, fields.bucket, ...(fields.prefix === undefined ? [] : [fields.prefix])].join('/');
  }
  const port = fields.port === undefined ? '' : `:${fields.port}`;
  return `${fields.user}@${fields.host}${port}${fields.path === undefined ? '' : ` ${fields.path}`}`;
}

export type PlaceFieldError = 'required' | 'format' | 'https_required' | 'needsAuth';

/** Errors of the form's fields; `saved`: stored credentials, which may be left empty. */
export function findPlaceErrors(
  kind: BackupPlaceKind,
  typed: Readonly<Record<string, unknown>>,
  saved: readonly string[],
): Readonly<Partial<Record<BackupPlaceFieldName, PlaceFieldError>>> {
  const wrong: Partial<Record<BackupPlaceFieldName, PlaceFieldError>> = {};
  const read = (name: string) => String(typed[name] ?? '').trim();
  for (const { name, isRequired, isValid } of BACKUP_PLACE_FIELDS[kind]) {
    const value = read(name);
    if (value === '' && isRequired && !saved.includes(name)) wrong[name] = 'required';
    if (value !== '' && !isValid(value)) wrong[name] = 'format';
  }
  if (kind === 's3' && typed.allow_private !== true && URL.parse(read('endpoint'))?.protocol === 'http:')
    wrong.endpoint = 'https_required';
  const hasAuth = (name: string) => read(name) !== '' || saved.includes(name);
  if (kind === 'sftp' && !hasAuth('sftp_password') && !hasAuth('private_key')) wrong.sftp_password = 'needsAuth';
  return wrong;
}
