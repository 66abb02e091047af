// The ports of remote places for backups: their records, and the clients that transfer files.
import type { BackupPlaceError, BackupPlaceFieldName, BackupPlaceKind } from '../../contract/backup-places.ts';

/** A place as the administrator has added it. Credentials and passphrase are sealed separately. */
export interface BackupPlaceRow {
  readonly id: number;
  readonly kind: BackupPlaceKind;
  readonly name: string;
  /** Its settings, without credentials. */
  readonly fields: PlaceFields;
  readonly allowPrivate: boolean;
  readonly encrypted: boolean;
  /** null: only on request. */
  readonly everyHours: number | null;
  /** How many of this panel's own backups are kept there. */
  readonly keep: number;
  /** When a backup was last stored there, epoch ms; null: never. */
  readonly lastAt: number | null;
  /** Why storing has failed since then; null: it has not. */
  readonly error: BackupPlaceError | null;
  readonly errorAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type PlaceFields = Readonly<Partial<Record<BackupPlaceFieldName, string>>>;

export interface BackupPlaceStore {
  /** Returns its id. */
  insert(row: Omit<BackupPlaceRow, 'id'>): number;
  get(id: number): BackupPlaceRow | undefined;
  /** Oldest first. */
  all(): readonly BackupPlaceRow[];
  /** Saves everything but kind and creation time. */
  save(row: BackupPlaceRow): void;
  remove(id: number): void;
}

/** A place with its unsealed secrets; in memory only. */
export type PlaceAccess = FolderAccess | S3Access | SftpAccess;

export interface FolderAccess {
  readonly kind: 'folder';
  /** Absolute path of an existing folder. */
  readonly path: string;
}

export interface S3Access {
  readonly kind: 's3';
  /** Such as https://s3.example.com; path-style requests. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
  /** Whether private addresses and plain HTTP are allowed. */
  readonly allowPrivate: boolean;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface SftpAccess {
  readonly kind: 'sftp';
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** Path of an existing folder, relative to the home of the account. */
  readonly path: string;
  /** The accepted host key, as SHA256:… of OpenSSH; null: none, and the error contains the presented key. */
  readonly hostKey: string | null;
  readonly allowPrivate: boolean;
  readonly password: string | null;
  /** In OpenSSH format, without a passphrase. */
  readonly privateKey: string | null;
}

export interface PlacedFile {
  readonly name: string;
  readonly sizeBytes: number;
  /** Epoch ms. */
  readonly storedAt: number;
}

/** All methods reject with PanelError `place_failed`, which has the reason. */
export interface BackupPlace {
  /** Complete backups, newest first; partial uploads are not listed. */
  list(): Promise<readonly PlacedFile[]>;
  /** Stores the file at `path` under the name and verifies its size; it is listed only after that. */
  upload(name: string, path: string): Promise<void>;
  /** Writes the file to `target`, a new file (0600). */
  download(name: string, target: string): Promise<void>;
  remove(name: string): Promise<void>;
  close(): void;
}

/** A place whose work runs on a separate thread: a hanging disk or a large file does not block the panel. */
export interface OpenPlace extends BackupPlace {
  /** Stores a small file under the name, lists it, reads it back and deletes it. */
  test(name: string): Promise<void>;
}

export interface BackupPlaces {
  /** `close` aborts running work, which rejects with PanelError `unavailable`. */
  open(access: PlaceAccess): OpenPlace;
}

/** The result of storing a backup at a place. */
export interface StoredBackup {
  readonly name: string;
  readonly sizeBytes: number;
  readonly encrypted: boolean;
  /** Older backups of this panel that were deleted there. */
  readonly removed: readonly string[];
}
