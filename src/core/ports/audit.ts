// The audit log as the store has it.
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
  /** JSON object; never a secret. */
  readonly detail: string;
  readonly address: string | null;
  readonly requestId: string;
}

/** A user whom an act on many changed. */
export interface AuditUser {
  readonly id: number;
  /** Where the act deleted the user; else null. */
  readonly name: string | null;
}

export interface AuditQuery {
  readonly before?: number | undefined;
  readonly limit: number;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  /** The acts on this user, also those on many. */
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
  /** Sets the detail of an act that goes on in another transaction. */
  amend(id: number, detail: string): void;
  /** Adds to the users whom the act on many changed. */
  appendUsers(id: number, users: readonly AuditUser[]): void;
  /** Whom it changed, by id, behind `after`; the name is that of now, or that at the deletion. */
  users(id: number, after: number, limit: number): readonly (AuditUser & { readonly isPresent: boolean })[];
  countUsers(id: number): number;
  /** Those of `ids` whom it changed. */
  usersAmong(id: number, ids: readonly number[]): readonly number[];
  /** Newest first. */
  page(query: AuditQuery): readonly AuditRow[];
  prune(before: number): void;
}
