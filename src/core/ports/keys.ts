// The store's port for API keys.
import type { Access } from '../../contract/operation.ts';

export interface KeyRow {
  readonly id: number;
  readonly name: string;
  readonly access: Access;
  readonly prefix: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** 1: the key came with a backup that may have been changed, and is revoked until the administrator confirms it. */
  readonly unconfirmed: 0 | 1;
  readonly lastUsedAt: number | null;
  readonly lastUsedFrom: string | null;
}

export interface KeyStore {
  insert(key: Omit<KeyRow, 'id'>, hash: string): number;
  byHash(hash: string): KeyRow | undefined;
  get(id: number): KeyRow | undefined;
  /** Newest first. */
  all(): readonly KeyRow[];
  /** Revokes a key for good, also an unconfirmed one; the first time of revocation stays. */
  revoke(id: number, at: number): void;
  /** Makes an unconfirmed key valid. */
  confirm(id: number): void;
  /** Revokes all keys, unconfirmed ones for good; returns how many were valid. */
  revokeAll(at: number): number;
  touch(id: number, at: number, from: string): void;
  /** Counts keys that are neither revoked nor expired. */
  countByAccess(now: number): Readonly<Record<Access, number>>;
}
