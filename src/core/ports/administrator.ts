// The store's ports for access: the administrator, keys, sessions, the second factor, sealed secrets.
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

export interface SessionRow {
  readonly id: number;
  readonly address: string;
  readonly device: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
}

export interface NewSession extends Omit<SessionRow, 'id'> {
  /** In which known browser it begins; null: in none. */
  readonly browserId: number | null;
}

export interface SessionStore {
  insert(session: NewSession, hash: string): number;
  byHash(hash: string): SessionRow | undefined;
  /** Newest first. */
  all(): readonly SessionRow[];
  touch(id: number, at: number): void;
  /** When the administrator last proved in this session who he is; null: not yet. */
  provenAt(id: number): number | null;
  /** null: a former proof no longer holds. */
  prove(id: number, at: number | null): void;
  remove(id: number): boolean;
  removeOfBrowser(browserId: number): void;
  /** All, or all but one; how many. */
  removeAll(exceptId: number | null): number;
  /** Those idle since before `idleBefore` or created before `madeBefore`. */
  removeOld(idleBefore: number, madeBefore: number): void;
}

export interface AdministratorRow {
  readonly name: string;
  readonly passwordHash: string;
  readonly createdAt: number;
  readonly passwordChangedAt: number;
}

export interface AdministratorStore {
  get(): AdministratorRow | undefined;
  /** There is one administrator at most: the row is inserted or replaced. */
  put(administrator: AdministratorRow): void;
  /** Failed attempts of a scope since its last success, and the time of the last one; shared by all factors. */
  attempts(scope: string): { readonly failed: number; readonly lastAt: number };
  /** `failed` 0: the scope is forgotten. */
  setAttempts(scope: string, failed: number, lastAt: number): void;
  clearAttempts(): void;
  /**
   * Drops those whose last failure was before `before`, and where there are more than `most`, the oldest of networks (scopes `network:` and
   * `around:`): an attacker has as many as he likes, so that they must not push out the others, of which there are few.
   */
  dropOldAttempts(before: number, most: number): void;
  /** The one-time setup token's hash and end; null if there is none. */
  setupToken(): { readonly hash: string; readonly endsAt: number } | null;
  setSetupToken(token: { readonly hash: string; readonly endsAt: number } | null): void;
}

/** A browser in which the administrator has signed in. */
export interface BrowserRow {
  readonly id: number;
  readonly signedInAt: number;
}

export interface BrowserStore {
  /** Returns its id. */
  insert(hash: string, signedInAt: number): number;
  byHash(hash: string): BrowserRow | undefined;
  touch(id: number, signedInAt: number): void;
  /** All, or all but one. */
  removeAll(exceptId: number | null): void;
  /** Drops those that signed in before `before`, and the oldest beyond `most`. */
  dropOld(before: number, most: number): void;
}

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
  put(row: SealedRow): void;
  remove(place: string): void;
  /** All, by place: for a backup's passphrase. */
  all(): readonly SealedRow[];
  /** The id of the master key that this database's secrets were sealed with; null while there are none. */
  keyId(): string | null;
}

export interface TwoFactorRow {
  readonly enabledAt: number;
  /** The last time step that was accepted; no step up to it is accepted again. */
  readonly lastStep: number;
}

/** The state of the second factor; its secret is sealed, recovery codes are hashes. */
export interface TwoFactorStore {
  /** null: off. */
  get(): TwoFactorRow | null;
  /** Turns it on, or with null off, which drops the recovery codes. */
  put(row: TwoFactorRow | null): void;
  /** Moves `lastStep` on; false if it is not before `step`, which is then used already. */
  spendStep(step: number): boolean;
  /** Replaces all former recovery codes with these. */
  replaceCodes(hashes: readonly string[]): void;
  /** Uses a recovery code up; false if there is no such unused one. */
  spendCode(hash: string): boolean;
  countCodes(): number;
  /** Until when an enrolment that was begun may be confirmed; null if none is. */
  pending(): { readonly sessionId: number; readonly endsAt: number } | null;
  setPending(pending: { readonly sessionId: number; readonly endsAt: number } | null): void;
}
