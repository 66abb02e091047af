// The port to a machine's stored lease. Implemented in agent/store.

import type { EngineConfig, EngineUser } from '../../core/ports/engines.ts';
import type { LeaseHeld, LeasePart, LeaseShared, LeaseUser } from '../../core/ports/lease.ts';
import type { LeaseRefusal } from '../../domain/nodes/lease.ts';

/** A user as the engine should have it. */
export interface LeaseMember extends EngineUser {
  readonly inbounds: readonly number[] | null;
  readonly leftOut: readonly number[];
  readonly isAllowed: boolean;
}

/** A user's data for a link. */
export interface LeaseLink {
  readonly user: LeaseUser;
  readonly refusal: LeaseRefusal | null;
}

/** The last start of the engine. */
export interface StartedEngine {
  /** The configuration that the panel wants. */
  readonly config: EngineConfig;
  /** Ids of inbounds that were left out because the engine did not serve them. */
  readonly leftOut: readonly number[];
  /** The panel's id of the start. */
  readonly boot: string;
}

export interface NodeLease {
  /** null: the panel has left no lease. */
  held(): LeaseHeld | null;
  shared(): LeaseShared | null;
  /** null: the panel has stopped the engine. */
  engine(): StartedEngine | null;
  saveEngine(engine: StartedEngine | null): void;
  /** Stores a part of a lease if it continues the stored version. Returns the version that is stored afterwards. */
  acceptPart(part: LeasePart, now: number): LeaseHeld | null;
  /** Applies ends of terms and resets that are due by `now`. */
  advance(now: number): void;
  /** Users with an id above `after`, at most `limit`, whose state in the engine differs from the lease. */
  unapplied(after: number, limit: number): readonly LeaseMember[];
  /**
   * Records that the engine has these users as given. A user whom the panel removed stays blocked until it sends that user again: the lease
   * may be older.
   */
  markApplied(applied: readonly { readonly userId: number; readonly isAllowed: boolean }[], by?: 'panel'): void;
  /** Records that the engine was started with exactly these users. `by`: the panel decided to leave the others out. */
  markStarted(userIds: Iterable<number>, by?: 'panel'): void;
  /** All users who may connect now. */
  members(): readonly LeaseMember[];
  /** The user of a link, by the hash of its token, at `now`. */
  findLink(tokenHash: string, now: number): LeaseLink | null;
  /** Forgets the lease, because another panel has joined. */
  forget(): void;
}
