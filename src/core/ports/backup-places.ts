// The port of places outside of the panel's machine where backups are stored.

/** A place with its secrets in clear: in memory only. */
export type PlaceAccess = FolderAccess | S3Access | SftpAccess;

export interface FolderAccess {
  readonly kind: 'folder';
  /** Absolute; it must be there. */
  readonly path: string;
}

export interface S3Access {
  readonly kind: 's3';
  /** As in https://s3.example.com; the bucket is the first part of each path. */
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
  /** Of the folder, which must be there; relative to that of the account. */
  readonly path: string;
  /** The only accepted key of the host, as in SHA256:… of OpenSSH; null: none is, and the failure names the one that was shown. */
  readonly hostKey: string | null;
  readonly allowPrivate: boolean;
  readonly password: string | null;
  /** As OpenSSH stores it, without a passphrase. */
  readonly privateKey: string | null;
}

export interface PlacedFile {
  readonly name: string;
  readonly sizeBytes: number;
  /** Epoch ms. */
  readonly storedAt: number;
}

/** Rejects with PanelError `place_failed`, whose errors name the reason. */
export interface BackupPlace {
  /** Whole backups, the newest first; what is on its way is not among them. */
  list(): Promise<readonly PlacedFile[]>;
  /** Stores the file at `path` under the name, and asserts that the place has all of it; only then it is in the list. */
  upload(name: string, path: string): Promise<void>;
  /** Writes the file of that name to `target`, a new file (0600). */
  download(name: string, target: string): Promise<void>;
  remove(name: string): Promise<void>;
  close(): void;
}
