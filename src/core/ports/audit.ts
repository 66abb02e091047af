// The store's port for the audit log.
import type { AuditActorKind } from '../../contract/access/audit.ts';

export type ActorKind = AuditActorKind;

export interface AuditRow {
  readonly id: number;
  readonly at: number;
  readonly actorKind: ActorKind;
  readonly actorId: number | null;
  readonly actorName: string;
  readonly action: string;
  readonly outcome: 'done' | 'refused';
  readonly target: string | null;
  /** JSON object without secrets. */
  readonly detail: string;
  readonly address: string | null;
  readonly requestId: string;
}

/** A user who was changed by an operation on many users. */
export interface AuditUser {
  readonly id: number;
  /** Only if the operation deleted the user; else null. */
  readonly name: string | null;
}

export interface AuditQuery {
  readonly before?: number | undefined;
  readonly limit: number;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  /** Operations on this user, including those on many users. */
  readonly userId?: number | undefined;
  readonly actorKind?: ActorKind | undefined;
  readonly keyId?: number | undefined;
  readonly requestId?: string | undefined;
  /** Inclusive. */
  readonly since?: number | undefined;
  /** Exclusive. */
  readonly until?: number | undefined;
}

export interface AuditStore {
  append(entry: Omit<AuditRow, 'id'>): number;
  /** Replaces the detail of an operation that continues in another transaction. */
  amend(id: number, detail: string): void;
  /** Adds users that an operation on many users changed. */
  appendUsers(id: number, users: readonly AuditUser[]): void;
  /** The changed users by id, after `after`; the name is the current one, or that at the deletion. */
  users(id: number, after: number, limit: number): readonly (AuditUser & { readonly isPresent: boolean })[];
  countUsers(id: number): number;
  /** Those of `ids` that the operation changed. */
  usersAmong(id: number, ids: readonly number[]): readonly number[];
  /** Newest first. */
  page(query: AuditQuery): readonly AuditRow[];
  prune(before: number): void;
}
