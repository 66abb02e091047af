// Parses a backup place of the command line: a URL without secrets, and the secrets from a file or stdin.
import { readFileSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeSystemError, refusal } from '../../adapters/refusal.ts';
import type { PlaceAccess } from '../../core/ports/backup-places.ts';

/** Names that the file of secrets may contain. */
const NAMES = [
  'BACKUP_PASSPHRASE',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'SFTP_PASSWORD',
  'SFTP_PRIVATE_KEY_FILE',
] as const;
type SecretName = (typeof NAMES)[number];
export type PlaceSecrets = Readonly<Partial<Record<SecretName, string>>>;

const FORMS =
  'Name a place as the panel has it, as /a/folder, s3://bucket/prefix?endpoint=https://s3.example.com&region=us-east-1, or sftp://user@host:22/folder?host-key=SHA256:…';
const DEFAULT_REGION = 'us-east-1';
const SSH_PORT = 22;
const HOST_KEY = /^SHA256:[A-Za-z0-9+/]{43}$/;

/** Reads `NAME=value` lines. Throws a refusal for anything else, and for a file that other accounts can read. */
export function readSecretsFile(path: string): PlaceSecrets {
  let text: string;
  try {
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
      throw refusal('refused', `Other accounts can read ${path}. Close it: chmod 600 ${path}`);
    }
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error)
      throw refusal('refused', `${path} cannot be read: ${describeSystemError(error)}.`);
    throw error;
  }
  return parseSecrets(text);
}

export function parseSecrets(text: string): PlaceSecrets {
  const secrets: Partial<Record<SecretName, string>> = {};
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(?:#.*)?$/.test(line)) continue;
    const at = line.indexOf('=');
    const name = NAMES.find((known) => known === line.slice(0, Math.max(0, at)).trim());
    // The line may be a secret, so it is not repeated.
    if (name === undefined) throw refusal('refused', `A line of the secrets is none of ${NAMES.join('=, ')}=.`);
    secrets[name] = line.slice(at + 1);
  }
  return secrets;
}

/** Whether the text is the name of one of the panel's places, rather than a path or a URL. */
export function isPlaceName(text: string): boolean {
  return !isAbsolute(text) && !text.includes('/') && !text.includes(':');
}

/** Throws a refusal for an invalid place, for a secret in the URL, and for a missing secret. */
export function parsePlace(text: string, secrets: PlaceSecrets, allowPrivate: boolean): PlaceAccess {
  if (isAbsolute(text)) return { kind: 'folder', path: text };
  const url = URL.parse(text);
  if (url?.protocol === 'file:') return { kind: 'folder', path: fileURLToPath(url) };
  if (url === null || url.hostname === '') throw refusal('refused', FORMS);
  if (url.password !== '') throw refusal('refused', 'A password in the URL is seen by others: give it by --secrets.');
  if (url.protocol === 's3:') return parseS3(url, secrets, allowPrivate);
  if (url.protocol === 'sftp:') return parseSftp(url, secrets, allowPrivate);
  throw refusal('refused', FORMS);
}

function parseS3(url: URL, secrets: PlaceSecrets, allowPrivate: boolean): PlaceAccess {
  const endpoint = URL.parse(url.searchParams.get('endpoint') ?? '');
  if (endpoint === null || !/^https?:$/.test(endpoint.protocol)) throw refusal('refused', FORMS);
  const prefix = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '');
  return {
    kind: 's3',
    endpoint: endpoint.href,
    region: url.searchParams.get('region') ?? DEFAULT_REGION,
    bucket: url.hostname,
    prefix: prefix === '' ? '' : `${prefix}/`,
    allowPrivate,
    accessKeyId: requireSecret(secrets, 'S3_ACCESS_KEY_ID'),
    secretAccessKey: requireSecret(secrets, 'S3_SECRET_ACCESS_KEY'),
  };
}

function parseSftp(url: URL, secrets: PlaceSecrets, allowPrivate: boolean): PlaceAccess {
  const file = secrets.SFTP_PRIVATE_KEY_FILE;
  // URLSearchParams decodes a plus in a query as a space.
  const hostKey = url.searchParams.get('host-key')?.replaceAll(' ', '+') ?? null;
  if (hostKey !== null && !HOST_KEY.test(hostKey)) throw refusal('refused', FORMS);
  return {
    kind: 'sftp',
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? SSH_PORT : Number(url.port),
    user: decodeURIComponent(url.username),
    path: decodeURIComponent(url.pathname),
    hostKey,
    allowPrivate,
    password: file === undefined ? requireSecret(secrets, 'SFTP_PASSWORD') : null,
    privateKey: file === undefined ? null : readKey(file),
  };
}

function requireSecret(secrets: PlaceSecrets, name: SecretName): string {
  const found = secrets[name];
  if (!found)
    throw refusal('refused', `${name} is missing: give it in a file with --secrets, or on stdin with --secrets -.`);
  return found;
}

function readKey(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw refusal('refused', `${path} cannot be read: ${describeSystemError(error)}.`);
  }
}
