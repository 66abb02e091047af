// The port of backups: files that are made, checked and restored without blocking the panel.
import type {
  BACKUP_KINDS,
  BACKUP_ORIGINS,
  BACKUP_PROBLEMS,
  BACKUP_SECRETS,
  Backup,
  BackupDifferenceKind,
} from '../../contract/backups.ts';
import type { Access } from '../../contract/operation.ts';
import type { Call } from './call.ts';

export type BackupKind = (typeof BACKUP_KINDS)[number];
export type BackupProblem = (typeof BACKUP_PROBLEMS)[number];
export type BackupSecrets = (typeof BACKUP_SECRETS)[number];

export type BackupOrigin = (typeof BACKUP_ORIGINS)[number];
/** How many there are, and the first `NAMED_DIFFERENCES`. */
interface Counted<Item> {
  readonly count: number;
  readonly items: readonly Item[];
}
/** What a backup of unknown origin would bring. */
export interface BackupDifferences {
  /** Valid keys that the panel does not know. */
  readonly keys: Counted<{ readonly name: string; readonly access: Access; readonly prefix: string }>;
  /** Settings that would change, as JSON; null: the default. */
  readonly settings: readonly { readonly name: string; readonly here: string | null; readonly there: string | null }[];
  /** Values that would be added or changed; of secrets the first characters. */
  readonly values: readonly BackupValues[];
}
export interface BackupValues
  extends Counted<{ readonly record: string; readonly here: string | null; readonly there: string | null }> {
  readonly kind: BackupDifferenceKind;
}

export interface BackupFile {
  readonly name: string;
  readonly kind: BackupKind;
  /** The moment of its data. */
  readonly createdAt: number;
  readonly sizeBytes: number;
  readonly encrypted: boolean;
  /** null: the file has no information. */
  readonly secrets: BackupSecrets | null;
}

export interface BackupFacts {
  /** Of the panel that created it; null where the file has no information. */
  readonly version: string | null;
  readonly createdAt: number | null;
  readonly users: number | null;
  readonly keys: number | null;
  readonly secrets: BackupSecrets | null;
}

/** The result of a check. `problem` null: it can be restored. */
export interface BackupVerdict extends BackupFacts {
  readonly problem: BackupProblem | null;
  /** What in it is foreign or damaged, where that is known. */
  readonly detail: string | null;
  /** null: it cannot be restored. */
  readonly origin: BackupOrigin | null;
  /** Where the origin is unknown. */
  readonly differences: BackupDifferences | null;
  /** Of the contents; null: it cannot be restored. */
  readonly fingerprint: string | null;
}

/** By its name among the backups, or a file anywhere on this machine (absolute path). */
export type BackupSource = { readonly name: string } | { readonly path: string };

export interface RestoreRequest {
  readonly source: BackupSource;
  readonly passphrase: string | null;
  /** The fingerprint that was checked; needed where the origin is unknown. */
  readonly confirmed: string | null;
  /** Whether keys that this panel does not know stay valid where the origin is unknown. */
  readonly acceptsKeys: boolean;
  /** The one session that stays valid. */
  readonly sessionId: number | null;
  /** Runs the last part, during which nothing may be written. */
  runAlone<T>(work: () => Promise<T>): Promise<T>;
  /** Called in the same turn of the event loop as the swap: caches of the former data are invalid now. */
  onSwapped(): void;
}

export interface Restored {
  readonly verdict: BackupVerdict;
  /** The backup of the former data; null where the verdict names a problem and nothing was restored. */
  readonly former: BackupFile | null;
  /** Whether clients that trust the own authority of the backup's panel need the CA file of this one. */
  readonly needsNewCa: boolean;
}

/** A backup's bytes as on the disk. */
export interface BackupBytes {
  readonly sizeBytes: number;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Download and upload of backup files. */
export interface BackupFiles {
  /** PanelError `not_found`. */
  open(name: string, call: Call): Promise<BackupBytes>;
  /** Stores an uploaded file under a new name. PanelError `backup_refused`, `storage_full`. */
  receive(chunks: AsyncIterable<Uint8Array>, call: Call): Promise<Backup>;
}

/** One call at a time; others wait. Each throws PanelError `storage_full` on a full disk. */
export interface Backups {
  /** Absolute path. */
  readonly folder: string;
  /** Newest first. */
  list(): readonly BackupFile[];
  /**
   * Copies everything committed before the call, checks the copy and writes it; only then it is in the list. With a
   * passphrase all of it is encrypted, and the vault's secrets are inside (PanelError `vault_unavailable`). PanelError `backup_failed` where it
   * could not be restored, as with a table in the database that the panel did not make.
   */
  create(kind: 'manual' | 'scheduled' | 'outgoing' | 'chat', passphrase: string | null): Promise<BackupFile>;
  /** Removes all of a kind but the newest `count`. */
  prune(kind: BackupKind, count: number): void;
  /** The absolute path of a backup. PanelError `not_found`. */
  locate(name: string): string;
  /** false: there is no such file. */
  remove(name: string): boolean;
  /** Changes nothing. PanelError `not_found`; `rate_limited` where one runs and another one waits. */
  check(source: BackupSource, passphrase: string | null): Promise<BackupVerdict>;
  /**
   * Checks first; where there is a problem nothing was touched. Then the present data are backed up and swapped in one
   * step: a crash leaves the old or the new database, complete. PanelError `not_found`, `vault_unavailable`, `database_in_use`, `backup_refused` where the
   * origin is unknown and these contents were not confirmed.
   */
  restore(request: RestoreRequest): Promise<Restored>;
  /** The file's bytes; null: there is no such file. */
  open(name: string): BackupBytes | null;
  /** Stores an uploaded file under a new name. PanelError `backup_refused` for a file without a backup's header. */
  receive(chunks: AsyncIterable<Uint8Array>): Promise<BackupFile>;
  /** Cancels what runs, which rejects with PanelError `unavailable` and leaves nothing in the list; later calls do not run. */
  close(): Promise<void>;
}
