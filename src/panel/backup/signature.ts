// The panel's mark in a backup: proves that the backup is unchanged since this panel, with this master key, made it.
import { createHash } from 'node:crypto';
import type { Vault } from '../../core/ports/ports.ts';
import type { SealedRow } from '../../core/ports/sealed.ts';
import type { BackupHeader, BackupManifest } from './manifest.ts';

const PLACE = 'backup:mark';

/** One digest of all facts that a restore relies on. `database`: SHA-256 of the database in the backup. */
export function computeDigest(header: BackupHeader, manifest: Omit<BackupManifest, 'mark'>, database: string): string {
  const sorted = (record: Readonly<Record<string, unknown>>) =>
    Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
  const facts = [
    [header.version, header.created_at, header.database_bytes, header.secrets, header.key],
    [manifest.schema, manifest.database_bytes, sorted(manifest.counts), manifest.links_at],
    [sorted(manifest.secrets), manifest.left_out],
    [manifest.authority?.pem, manifest.authority?.key, sorted(manifest.certificates)],
    database,
  ];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}

/** The mark of a new backup: its digest, sealed by the master key. null: the key is unavailable, as when the keychain is locked. */
export async function makeMark(
  vault: Vault,
  header: BackupHeader,
  manifest: Omit<BackupManifest, 'mark'>,
  database: string,
): Promise<BackupManifest['mark']> {
  try {
    await vault.prepare();
    const { keyId, nonce, ciphertext } = vault.seal(PLACE, computeDigest(header, manifest, database));
    return { key_id: keyId, nonce: toBase64(nonce), ciphertext: toBase64(ciphertext) };
  } catch {
    // A backup without a mark is better than none.
    return null;
  }
}

/** Whether the mark of a backup is this panel's and fits the content that was read. */
export function isMarked(
  vault: Pick<Vault, 'open'>,
  header: BackupHeader,
  { mark, ...manifest }: BackupManifest,
  database: string,
): boolean {
  if (mark === null) return false;
  const row: SealedRow = {
    place: PLACE,
    keyId: mark.key_id,
    nonce: Buffer.from(mark.nonce, 'base64'),
    ciphertext: Buffer.from(mark.ciphertext, 'base64'),
  };
  try {
    return vault.open(row) === computeDigest(header, manifest, database);
  } catch {
    return false;
  }
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
