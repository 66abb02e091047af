// Opens a backup file of any format and checks all of it before any part is used.
import { statSync } from 'node:fs';
import { readBackupHeader } from '../../adapters/backup-file.ts';
import type { TaskThread } from '../../adapters/worker-thread.ts';
import { PanelError } from '../../core/kernel/panel-error.ts';
import type { BackupOrigin, BackupVerdict } from '../../core/ports/backups.ts';
import type { Vault } from '../../core/ports/ports.ts';
import { isDatabase } from '../../store/backup/check.ts';
import { originIn } from '../config.ts';
import type { BackupTasks, Unpacked } from './backup-worker.ts';
import { hasSpace } from './folder.ts';
import { type BackupHeader, openFileKey, readHeader } from './manifest.ts';
import { computeDigest, isMarked } from './signature.ts';

export type BackupThread = TaskThread<BackupTasks>;

export type GoodBackup = Extract<Unpacked, { problem: null }>;

export interface OpenedBackup {
  readonly verdict: BackupVerdict;
  /** The content; null if the verdict has a problem. */
  readonly found: GoodBackup | null;
}

/** What a backup is compared with. */
interface Comparison {
  /** null: without a vault, the panel's own backups count as of unknown origin too. */
  readonly vault: Pick<Vault, 'open'> | null;
  /** Path of the database in use; null: there is none. */
  readonly present: string | null;
  /** The most bytes that it may unpack to; left out: no limit. */
  readonly maxUnpacked?: number;
}

/** Writes the database of the file at `path` to `target`, a new file. Rejects with PanelError `storage_full` if it does not fit. */
export async function openBackup(
  thread: BackupThread,
  path: string,
  passphrase: string | null,
  target: string,
  { vault, present, maxUnpacked = Number.POSITIVE_INFINITY }: Comparison,
): Promise<OpenedBackup> {
  const { mtimeMs, size } = statSync(path);
  const isPlain = isDatabase(path);
  const read = isPlain ? { header: null } : readBackupHeader(path);
  if ('problem' in read) return refuseBackup(read.problem, null);
  const header = readHeader(read.header);
  if (!isPlain && header === null) return refuseBackup('damaged', null);
  const databaseBytes = header?.database_bytes ?? size;
  if (databaseBytes > maxUnpacked) return refuseBackup('too_large', header);
  if (!hasSpace(target, databaseBytes)) throw new PanelError('storage_full');
  const key = header === null || header.key === null ? null : await resolveFileKey(header.key, passphrase);
  if (typeof key === 'string') return refuseBackup(key, header);
  const found = await thread.run('unpack', { path, target, file: header && { key, databaseBytes } });
  if (found.problem !== null) return refuseBackup(found.problem, header, found.detail);
  const facts = header ?? { version: null, created_at: Math.floor(mtimeMs), secrets: secretsIn(found) };
  const origin = determineOrigin(header, found, vault);
  const { manifest, digest } = found;
  const differences =
    origin === 'unknown'
      ? await thread.run('compare', { candidate: target, present, linksOrigin: readLinksOrigin(found) })
      : null;
  const fingerprint = header === null || manifest === null ? digest : computeDigest(header, manifest, digest);
  return { verdict: { ...buildVerdict(null, facts, found), origin, differences, fingerprint }, found };
}

/** The origin of links on the panel that made a backup; null: missing or invalid. */
export function readLinksOrigin({ manifest }: GoodBackup): string | null {
  return manifest === null || manifest.links_at === null ? null : originIn(manifest.links_at);
}

function determineOrigin(header: BackupHeader | null, found: GoodBackup, vault: Comparison['vault']): BackupOrigin {
  const { manifest, digest } = found;
  if (header === null || manifest === null) return 'unknown';
  if (vault !== null && isMarked(vault, header, manifest, digest)) return 'made_here';
  return header.key === null ? 'unknown' : 'passphrase';
}

async function resolveFileKey(sealed: string, passphrase: string | null) {
  return passphrase === null ? ('needs_passphrase' as const) : openFileKey(sealed, passphrase);
}

function refuseBackup(
  problem: BackupVerdict['problem'],
  header: BackupHeader | null,
  detail: string | null = null,
): OpenedBackup {
  return { verdict: { ...buildVerdict(problem, header, null), detail }, found: null };
}

/** Facts from the header, or, for a plain database, from the file. */
type Facts = Pick<BackupHeader, 'created_at' | 'secrets'> & { readonly version: string | null };

function buildVerdict(problem: BackupVerdict['problem'], facts: Facts | null, found: GoodBackup | null): BackupVerdict {
  return {
    problem,
    detail: null,
    version: facts?.version ?? null,
    createdAt: facts?.created_at ?? null,
    users: found?.checked.counts.users ?? null,
    keys: found?.checked.counts.api_keys ?? null,
    secrets: facts?.secrets ?? null,
    origin: null,
    differences: null,
    fingerprint: null,
  };
}

function secretsIn({ checked: judged }: GoodBackup): 'none' | 'this_machine' {
  return judged.sealed.length === 0 ? 'none' : 'this_machine';
}
