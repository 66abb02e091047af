// API keys as the store has them.
import type { Access } from '../../contract/operation.ts';

export interface KeyRow {
  readonly id: number;
  readonly name: string;
  readonly access: Access;
  readonly prefix: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** 1: it came with a backup that may have been changed, and is revoked until the administrator confirms it. */
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
  /** For good, also where it waited to be confirmed; it keeps the time at which it was first revoked. */
  revoke(id: number, at: number): void;
  /** Makes an unconfirmed one valid. */
  confirm(id: number): void;
  /** Revokes all that are not revoked, and for good those that wait to be confirmed; how many were valid. */
  revokeAll(at: number): number;
  touch(id: number, at: number, from: string): void;
  /** Neither revoked nor expired. */
  countByAccess(now: number): Readonly<Record<Access, number>>;
}
