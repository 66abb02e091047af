// The backups of one data folder: makes them from the live database, checks any file, and restores in one step.
import { createReadStream, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { type Authority, isWholeAuthority, type KeyedAuthority } from '../../adapters/certificates/authority.ts';
import type { CertificateFiles } from '../../adapters/certificates/certificate-files.ts';
import { FILES } from '../../adapters/data-folder.ts';
import { moduleBeside, openTaskThread } from '../../adapters/worker-thread.ts';
import { PanelError } from '../../core/kernel/panel-error.ts';
import type {
  BackupFile,
  BackupKind,
  BackupSource,
  Backups,
  BackupVerdict,
  Restored,
  RestoreRequest,
} from '../../core/ports/backups.ts';
import type { Clock, Store, Vault } from '../../core/ports/ports.ts';
import type { SealedRow } from '../../core/ports/sealed.ts';
import type { Machine } from '../../store/backup/retain-machine.ts';
import { requireAlone } from '../../store/backup/swap.ts';
import type { BackupTasks } from './backup-worker.ts';
import { hasSpace, openBackupFolder } from './folder.ts';
import { type BackupHeader, type BackupManifest, newFileKey } from './manifest.ts';
import { type BackupThread, type GoodBackup, openBackup, readLinksOrigin } from './open-backup.ts';
import { makeMark } from './signature.ts';

export interface BackupParts {
  /** The data folder, which this process owns. */
  readonly folder: string;
  readonly database: string;
  readonly store: Pick<Store, 'administrator' | 'sizeBytes'>;
  /** Replaces the present database by a complete one. Throws PanelError `database_in_use`. */
  swap(ready: string): void;
  readonly vault: Vault;
  /** A vault without sealed secrets, which works even if the key of the present ones is lost. */
  openEmptyVault(): Promise<Vault>;
  readonly clock: Clock;
  readonly version: string;
  readonly certificates: {
    /** The panel's own authority; null: there is none. */
    authority(): Authority | null;
    /** Replaces the panel's own authority. */
    adoptAuthority(authority: KeyedAuthority): Promise<void>;
    /** All other certificates with their keys, and the accounts at ACME authorities. */
    others(): CertificateFiles;
    /** Replaces files of the same names. */
    adoptOthers(others: CertificateFiles): void;
  };
  /** The epoch of a panel that has taken over the present data; null or left out: none. */
  supersededBy?(): number | null;
  /** The origin of links (scheme, host, port); null: not known yet. */
  linksOrigin(): string | null;
  /** Closes every other connection to the database. */
  releaseDatabase(): Promise<void>;
  /** log2 of scrypt's N for passphrases; lowered by tests only. */
  readonly passphraseCost?: number;
}

/** Backups from before a restore that are kept. */
const FORMER_RETAINED = 5;
/** Space for a copy, its compressed form, and that unpacked again. */
const SPACE_FACTOR = 3;

/**
 * Limits of an uploaded backup's unpacked size: this many bytes, or a multiple of its size, as rows of a service are seldom ten times
 * larger.
 */
const UNPACKED_BYTES = 268_435_456;
const UNPACKED_FACTOR = 20;

/**
 * Checks that run or wait. They ask for no password, so a session must not delay scheduled backups with more; the second one waits when
 * another backup is chosen before the first is checked.
 */
const MAX_CHECKS = 2;
const CHECK_AGAIN_S = 5;

/** A restore often follows a check. */
const IDLE_MS = 10_000;

/** Also used by checks of the command line. */
export function openBackupThread(): BackupThread {
  return openTaskThread<BackupTasks>({
    name: 'backup thread',
    module: moduleBeside(import.meta.url, 'backup-worker'),
    idleMs: IDLE_MS,
  });
}

type BackupFolder = ReturnType<typeof openBackupFolder>;

function locate(files: BackupFolder, source: BackupSource): string {
  const path = 'name' in source ? files.find(source.name) : source.path;
  if (path === null || !statSync(path, { throwIfNoEntry: false })?.isFile()) throw new PanelError('not_found');
  return path;
}

/** The most bytes that a backup may unpack to; the panel's own files and those of its command line have no limit. */
function maxUnpacked(files: BackupFolder, source: BackupSource): number {
  const found = 'name' in source && files.find(source.name) !== null ? files.describe(source.name) : null;
  if (found?.kind !== 'uploaded') return Number.POSITIVE_INFINITY;
  return Math.max(UNPACKED_BYTES, found.sizeBytes * UNPACKED_FACTOR);
}

/** Deletes incomplete files of earlier processes. */
export function createBackups(parts: BackupParts): Backups {
  const { folder, database, store, vault, clock, version } = parts;
  const files = openBackupFolder(join(folder, FILES.backups));
  const workFolder = join(folder, FILES.workshop);
  /** A path in the working folder, which is emptied after each task. */
  const at = (name: string) => join(workFolder, name);
  const oneAtATime = pLimit(1);
  const thread = openBackupThread();
  let running: Promise<unknown> | null = null;
  let isClosed = false;
  let checks = 0;
  files.sweep();
  rmSync(workFolder, { recursive: true, force: true });

  function runAlone<T>(work: () => Promise<T>): Promise<T> {
    return oneAtATime(async () => {
      if (isClosed) throw new PanelError('unavailable');
      mkdirSync(workFolder, { recursive: true, mode: 0o700 });
      const done = work();
      running = done;
      try {
        return await done;
      } catch (error) {
        // Closes files that a failed task may still have open.
        await thread.close();
        throw error;
      } finally {
        running = null;
        rmSync(workFolder, { recursive: true, force: true });
      }
    });
  }

  function readAuthority(withKey: boolean): BackupManifest['authority'] {
    const found = parts.certificates.authority();
    return found && { pem: found.pem, key: withKey ? found.key : null };
  }

  /**
   * Before the first sign-in no client trusts the present authority, so the backup's authority and other certificates replace it. Returns
   * whether clients of the backup's panel need to trust another authority.
   */
  async function restoreCertificates(
    { manifest }: GoodBackup,
    { origin }: BackupVerdict,
    isUsed: boolean,
  ): Promise<boolean> {
    const authority = manifest?.authority ?? null;
    const isTaken = !isUsed && origin === 'passphrase';
    if (isTaken && manifest !== null) parts.certificates.adoptOthers(manifest.certificates);
    if (authority === null || authority.pem === parts.certificates.authority()?.pem) return false;
    if (!isTaken || !isWholeAuthority(authority)) return true;
    await parts.certificates.adoptAuthority(authority);
    return false;
  }

  async function make(kind: BackupKind, passphrase: string | null): Promise<BackupFile> {
    if (!hasSpace(folder, store.sizeBytes() * SPACE_FACTOR)) throw new PanelError('storage_full');
    const createdAt = clock.now();
    const copy = at('copy.db');
    const isFormer = kind === 'before_restore';
    const { schema, counts, sealed } = await thread.run('copy', { database, target: copy, withSealed: isFormer });
    const database_bytes = statSync(copy).size;
    const fileKey = passphrase === null ? null : await newFileKey(passphrase, parts.passphraseCost);
    const travel = fileKey !== null ? 'inside' : isFormer ? 'this_machine' : 'left_out';
    const header: BackupHeader = {
      version,
      created_at: createdAt,
      database_bytes,
      key: fileKey?.sealed ?? null,
      secrets: sealed.length === 0 ? 'none' : travel,
    };
    const manifest = {
      schema,
      database_bytes,
      counts,
      links_at: parts.linksOrigin(),
      secrets: travel === 'inside' ? openAll(vault, sealed) : {},
      left_out: travel === 'left_out' ? sealed.map(({ place }) => place) : [],
      authority: readAuthority(travel === 'inside'),
      certificates: travel === 'inside' ? parts.certificates.others() : {},
    };
    const mark = await makeMark(vault, header, manifest, await thread.run('digest', copy));
    const { name, path, unfinished } = files.newPath(kind, createdAt);
    await thread.run('pack', {
      copy,
      path,
      unfinished,
      header,
      manifest: { ...manifest, mark },
      key: fileKey?.key ?? null,
    });
    return files.describe(name);
  }

  function openSource(source: BackupSource, passphrase: string | null, target: string) {
    const known = { vault, present: database, maxUnpacked: maxUnpacked(files, source) };
    return openBackup(thread, locate(files, source), passphrase, target, known);
  }

  async function restore(request: RestoreRequest): Promise<Restored> {
    const candidate = at('candidate.db');
    const ready = at('ready.db');
    // The swap checks this too; here it saves the work of preparing it.
    requireAlone(database);
    const { verdict, found } = await openSource(request.source, request.passphrase, candidate);
    if (found === null) return { verdict, former: null, needsNewCa: false };
    if (verdict.origin === 'unknown' && request.confirmed !== verdict.fingerprint) {
      const message = 'must be the fingerprint of a check: the backup may have been changed';
      throw new PanelError('backup_refused', [{ pointer: '#/confirm', code: 'unconfirmed', message }]);
    }
    const needed = statSync(candidate).size * 2 + store.sizeBytes() * SPACE_FACTOR;
    if (!hasSpace(folder, needed)) throw new PanelError('storage_full');
    const secrets = await sealAgain(found, parts.openEmptyVault);
    const fault = await thread.run('rebuild', { source: candidate, target: ready, schema: found.checked.schema });
    if (fault !== null) return { verdict: { ...verdict, problem: fault }, former: null, needsNewCa: false };
    // Set even if links have this origin already: an earlier restore may have set it.
    const publicUrl = readLinksOrigin(found);
    const done = await request.runAlone(async () => {
      const isUsed = store.administrator.get() !== undefined;
      const made = await make('before_restore', null);
      const { sessionId, acceptsKeys } = request;
      const doubt = verdict.origin === 'unknown' ? { at: clock.now(), acceptsKeys } : null;
      await thread.run('retainMachine', {
        target: ready,
        machine: {
          present: database,
          sessionId,
          publicUrl,
          doubt,
          lowestEpoch: (parts.supersededBy?.() ?? 0) + 1,
          ...secrets,
        },
      });
      await parts.releaseDatabase();
      // Before the database, which tells whether anyone has signed in here: after a crash in between, the next restore does both.
      const needsNewCa = await restoreCertificates(found, verdict, isUsed);
      parts.swap(ready);
      request.onSwapped();
      return { former: made, needsNewCa };
    });
    await vault.refresh();
    removeOld('before_restore', FORMER_RETAINED);
    return { verdict, ...done };
  }

  function removeOld(kind: BackupKind, count: number): void {
    const all = files.list().filter((file) => file.kind === kind);
    for (const { name } of all.slice(count)) files.remove(name);
  }

  return {
    folder: files.path,
    list: files.list,
    create: (kind, passphrase) => runAlone(() => make(kind, passphrase)),
    prune: removeOld,
    locate: (name) => locate(files, { name }),
    remove: files.remove,
    async check(source, passphrase) {
      if (checks >= MAX_CHECKS) throw new PanelError('rate_limited', undefined, CHECK_AGAIN_S);
      checks += 1;
      try {
        return await runAlone(async () => (await openSource(source, passphrase, at('candidate.db'))).verdict);
      } finally {
        checks -= 1;
      }
    },
    restore: (request) => runAlone(() => restore(request)),
    open(name) {
      const path = files.find(name);
      return path === null ? null : { sizeBytes: statSync(path).size, chunks: createReadStream(path) };
    },
    receive: (chunks) => files.receive(chunks, clock.now()),
    async close() {
      isClosed = true;
      const aborted = running;
      await thread.abort();
      await aborted?.catch(() => {});
    },
  };
}

/** The unsealed secrets by name, for an encrypted file. Throws PanelError `vault_unavailable`. */
function openAll(vault: Vault, rows: readonly SealedRow[]): Readonly<Record<string, string>> {
  return Object.fromEntries(rows.map((row) => [row.place, vault.open(row)]));
}

/**
 * Seals the secrets of a backup for this machine; `leftOut` lists those that it lacks or that were sealed on another machine. Rejects with
 * PanelError `vault_unavailable` if the secrets of an encrypted file cannot be sealed.
 */
async function sealAgain(
  { manifest, checked: judged }: GoodBackup,
  openVault: () => Promise<Vault>,
): Promise<Pick<Machine, 'sealed' | 'leftOut'>> {
  const inClear = Object.entries(manifest?.secrets ?? {});
  const leftOut = [...(manifest?.left_out ?? [])];
  if (inClear.length === 0 && judged.sealed.length === 0) return { sealed: [], leftOut };
  const vault = await openVault();
  if (inClear.length > 0) await vault.prepare();
  const own = judged.sealed.filter((row) => canOpen(vault, row));
  leftOut.push(...judged.sealed.filter((row) => !own.includes(row)).map(({ place }) => place));
  return { sealed: [...own, ...inClear.map(([place, secret]) => vault.seal(place, secret))], leftOut };
}

function canOpen(vault: Vault, row: SealedRow): boolean {
  try {
    vault.open(row);
    return true;
  } catch (error) {
    if (error instanceof PanelError) return false;
    throw error;
  }
}
