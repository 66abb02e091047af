// The port of backups: creates, checks and restores files without blocking the panel.
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
/** The total, and the first `NAMED_DIFFERENCES` items. */
interface Counted<Item> {
  readonly count: number;
  readonly items: readonly Item[];
}
/** What a backup of unknown origin would change. */
export interface BackupDifferences {
  /** Valid keys that are unknown to the panel. */
  readonly keys: Counted<{ readonly name: string; readonly access: Access; readonly prefix: string }>;
  /** Settings that would change, as JSON; null: the default. */
  readonly settings: readonly { readonly name: string; readonly here: string | null; readonly there: string | null }[];
  /** Values that would be added or changed; of secrets, only the first characters. */
  readonly values: readonly BackupValues[];
}
export interface BackupValues
  extends Counted<{ readonly record: string; readonly here: string | null; readonly there: string | null }> {
  readonly kind: BackupDifferenceKind;
}

export interface BackupFile {
  readonly name: string;
  readonly kind: BackupKind;
  /** Time of its data, epoch ms. */
  readonly createdAt: number;
  readonly sizeBytes: number;
  readonly encrypted: boolean;
  /** null: the file does not say. */
  readonly secrets: BackupSecrets | null;
}

export interface BackupFacts {
  /** Version of the panel that created it; null: the file does not say. */
  readonly version: string | null;
  readonly createdAt: number | null;
  readonly users: number | null;
  readonly keys: number | null;
  readonly secrets: BackupSecrets | null;
}

/** The result of a check. `problem` null: it can be restored. */
export interface BackupVerdict extends BackupFacts {
  readonly problem: BackupProblem | null;
  /** The foreign or damaged part, if known. */
  readonly detail: string | null;
  /** null: it cannot be restored. */
  readonly origin: BackupOrigin | null;
  /** Only for an unknown origin. */
  readonly differences: BackupDifferences | null;
  /** Fingerprint of the contents; null: it cannot be restored. */
  readonly fingerprint: string | null;
}

/** A name in the list of backups, or the absolute path of any file on this machine. */
export type BackupSource = { readonly name: string } | { readonly path: string };

export interface RestoreRequest {
  readonly source: BackupSource;
  readonly passphrase: string | null;
  /** The confirmed fingerprint; required for an unknown origin. */
  readonly confirmed: string | null;
  /** For an unknown origin: whether keys that this panel does not know stay valid. */
  readonly acceptsKeys: boolean;
  /** The only session that stays valid. */
  readonly sessionId: number | null;
  /** Runs the final part, during which no other write may run. */
  runAlone<T>(work: () => Promise<T>): Promise<T>;
  /** Called synchronously after the swap: caches of the old data are invalid. */
  onSwapped(): void;
}

export interface Restored {
  readonly verdict: BackupVerdict;
  /** The backup of the previous data; null if the verdict has a problem and nothing was restored. */
  readonly former: BackupFile | null;
  /** Whether clients that trust the CA of the backup's panel need the CA file of this one. */
  readonly needsNewCa: boolean;
}

/** The bytes of a backup file. */
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
   * Copies everything committed before the call, checks the copy and writes it; the file is listed only after that. With a passphrase it is encrypted
   * and contains the vault's secrets (PanelError `vault_unavailable`). PanelError `backup_failed` if it could not be restored, for example because of
   * a foreign table.
   */
  create(kind: 'manual' | 'scheduled' | 'outgoing' | 'chat', passphrase: string | null): Promise<BackupFile>;
  /** Removes all of a kind but the newest `count`. */
  prune(kind: BackupKind, count: number): void;
  /** The absolute path of a backup. PanelError `not_found`. */
  locate(name: string): string;
  /** false: there is no such file. */
  remove(name: string): boolean;
  /** Changes nothing. PanelError `not_found`; `rate_limited` if one check runs and another waits. */
  check(source: BackupSource, passphrase: string | null): Promise<BackupVerdict>;
  /**
   * Checks the backup first; a problem changes nothing. Then the current data is backed up and swapped in one step: a crash leaves the old or the new
   * database, complete. PanelError `not_found`, `vault_unavailable`, `database_in_use`, or `backup_refused` if the origin is unknown and the contents
   * were not confirmed.
   */
  restore(request: RestoreRequest): Promise<Restored>;
  /** The file's bytes; null: no such file. */
  open(name: string): BackupBytes | null;
  /** Stores an uploaded file under a new name. PanelError `backup_refused` for a file without a backup's header. */
  receive(chunks: AsyncIterable<Uint8Array>): Promise<BackupFile>;
  /** Cancels the running call, which rejects with PanelError `unavailable` and leaves no file; refuses later calls. */
  close(): Promise<void>;
}
