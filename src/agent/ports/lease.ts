// A machine's own store of its lease. Implemented in src/store.

import type { EngineConfig, EngineUser } from '../../core/ports/engines.ts';
import type { LeaseHeld, LeasePart, LeaseShared, LeaseUser } from '../../core/ports/lease.ts';
import type { LeaseRefusal } from '../../domain/nodes/lease.ts';

/** A user as the engine should have it. */
export interface LeaseMember extends EngineUser {
  readonly inbounds: readonly number[] | null;
  readonly leftOut: readonly number[];
  readonly isAllowed: boolean;
}

/** A user as a link shows it. */
export interface LeaseLink {
  readonly user: LeaseUser;
  readonly refusal: LeaseRefusal | null;
}

/** What an engine was started with last. */
export interface StartedEngine {
  /** As the panel wants it. */
  readonly config: EngineConfig;
  /** Ids of inbounds that the machine has left out, as its engine did not serve them. */
  readonly leftOut: readonly number[];
  /** The panel's mark of the start. */
  readonly boot: string;
}

export interface NodeLease {
  /** Null: nothing was left here. */
  held(): LeaseHeld | null;
  shared(): LeaseShared | null;
  /** Null: the panel has stopped it. */
  engine(): StartedEngine | null;
  saveEngine(engine: StartedEngine | null): void;
  /** Takes a part where it follows what is held. Returns what is held now. */
  acceptPart(part: LeasePart, now: number): LeaseHeld | null;
  /** Does what has come due: ends of terms, resets. */
  advance(now: number): void;
  /** Users behind an id, at most so many, of whom the engine has something else than holds now. */
  unapplied(after: number, limit: number): readonly LeaseMember[];
  /**
   * The engine has these users as said. A user whom the panel has removed stays out until it sends that user again: the lease may be of before.
   */
  markApplied(applied: readonly { readonly userId: number; readonly isAllowed: boolean }[], by?: 'panel'): void;
  /** The engine was started with these users and no others; by the panel, which has left the others out. */
  markStarted(userIds: Iterable<number>, by?: 'panel'): void;
  /** Everybody who may connect now. */
  members(): readonly LeaseMember[];
  /** The user behind a link, by the hash of its token, as of now. */
  findLink(tokenHash: string, now: number): LeaseLink | null;
  /** Forgets everything: another panel is joined. */
  forget(): void;
}
