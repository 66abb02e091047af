// The store's port for secrets sealed by the vault.

/** A secret as stored: it opens only with the master key, and only at its own `place`. */
export interface SealedRow {
  readonly place: string;
  /** Id of the master key that sealed it. */
  readonly keyId: string;
  readonly nonce: Uint8Array;
  /** Followed by the authentication tag. */
  readonly ciphertext: Uint8Array;
}

export interface SealedStore {
  get(place: string): SealedRow | undefined;
  save(row: SealedRow): void;
  remove(place: string): void;
  /** All, by place: for backups with a passphrase. */
  all(): readonly SealedRow[];
  /** The id of the master key of this database's secrets; null: there are none. */
  keyId(): string | null;
}
