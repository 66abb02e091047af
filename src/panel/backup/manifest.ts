// The parts of a backup file besides the database, and the key of an encrypted one, which the passphrase opens.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { CERTIFICATE_FILE } from '../../adapters/certificates/certificate-files.ts';
import { DATA_KEY_BYTES } from '../../adapters/chunk-seal.ts';
import { openWithPassphrase, sealWithPassphrase } from '../../adapters/passphrase.ts';
import { BACKUP_SECRETS } from '../../contract/backups.ts';

const MAX_PLACE = 200;
const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

/** The unencrypted start of the file. */
const headerShape = z.object({
  version: z.string().regex(/^[0-9A-Za-z.+-]{1,40}$/),
  created_at: z.int().min(0).max(8_640_000_000_000_000),
  database_bytes: count,
  secrets: z.enum(BACKUP_SECRETS),
  /** The file's key, sealed by the passphrase, base64; null: the file is not encrypted. */
  key: z.base64().max(4096).nullable(),
});
export type BackupHeader = z.output<typeof headerShape>;

/** Sealed with the database. */
export const manifestShape = z.object({
  schema: count,
  database_bytes: count,
  counts: z.record(z.string().max(MAX_PLACE), count),
  /** The origin of links on the panel that made the backup. */
  links_at: z.string().max(300).nullable(),
  /** The vault's unsealed secrets, by name: only in an encrypted file. */
  secrets: z.record(z.string().max(MAX_PLACE), z.string().max(65_536)),
  /** Names of secrets that were left out. */
  left_out: z.array(z.string().max(MAX_PLACE)),
  /** The authority of the panel that made it; its key only in an encrypted file. null: it had none, as over plain HTTP. */
  authority: z
    .object({ pem: z.string().max(4096), key: z.string().max(4096).nullable() })
    .nullable()
    .default(null),
  /** Its other certificates with their keys, and its accounts at ACME authorities, by file name: only in an encrypted file. */
  certificates: z.record(z.string().regex(CERTIFICATE_FILE), z.string().max(262_144)).default({}),
  /** The mark of the panel that made it (signature.ts); null: it had no master key. */
  mark: z
    .object({ key_id: z.string().max(MAX_PLACE), nonce: z.base64().max(64), ciphertext: z.base64().max(1024) })
    .nullable()
    .default(null),
});
export type BackupManifest = z.output<typeof manifestShape>;

/** The parsed header; null: no panel wrote it. */
export function readHeader(header: unknown): BackupHeader | null {
  return headerShape.safeParse(header).data ?? null;
}

const KEY_PLACE = 'backup:key';

/** A new key for one file, and the same key sealed for its header. `cost`: log2 of scrypt's N, lowered by tests only. */
export async function newFileKey(
  passphrase: string,
  cost?: number,
): Promise<{ readonly key: Uint8Array; readonly sealed: string }> {
  const key = randomBytes(DATA_KEY_BYTES);
  const sealed = await sealWithPassphrase({ [KEY_PLACE]: key.toString('base64') }, passphrase, cost);
  return { key, sealed: Buffer.from(sealed).toString('base64') };
}

export async function openFileKey(
  sealed: string,
  passphrase: string,
): Promise<Uint8Array | 'wrong_passphrase' | 'damaged' | 'newer'> {
  const opened = await openWithPassphrase(Buffer.from(sealed, 'base64'), passphrase);
  if (!opened.ok) return opened.problem;
  const key = Buffer.from(opened.secrets[KEY_PLACE] ?? '', 'base64');
  return key.length === DATA_KEY_BYTES ? key : 'damaged';
}
