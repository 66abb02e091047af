// Secrets as the vault has sealed them.

/** A secret as stored: it opens only with the master key, and only at its own `place`. */
export interface SealedRow {
  readonly place: string;
  /** Which master key sealed it. */
  readonly keyId: string;
  readonly nonce: Uint8Array;
  /** With the authentication tag behind it. */
  readonly ciphertext: Uint8Array;
}

export interface SealedStore {
  get(place: string): SealedRow | undefined;
  save(row: SealedRow): void;
  remove(place: string): void;
  /** All, by place: for a backup's passphrase. */
  all(): readonly SealedRow[];
  /** The id of the master key that this database's secrets were sealed with; null while there are none. */
  keyId(): string | null;
}
