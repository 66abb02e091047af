// A machine's own store of its lease. Implemented in src/store.
import type { LeaseRefusal } from '../../domain/nodes/lease.ts';
import type { EngineConfig, EngineUser } from './engines.ts';
import type { LeaseHeld, LeasePart, LeaseShared, LeaseUser } from './lease.ts';

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

export interface NodeLease {
  /** Null: nothing was left here. */
  held(): LeaseHeld | null;
  shared(): LeaseShared | null;
  /** What the engine was started with last, and the panel's mark of that start; null: the panel has stopped it. */
  engine(): { readonly config: EngineConfig; readonly boot: string } | null;
  saveEngine(engine: { readonly config: EngineConfig; readonly boot: string } | null): void;
  /** Takes a part where it follows what is held. Returns what is held now. */
  take(part: LeasePart, now: number): LeaseHeld | null;
  /** Does what has come due: ends of terms, resets. */
  advance(now: number): void;
  /** Users behind an id, at most so many, of whom the engine has something else than holds now. */
  unapplied(after: number, limit: number): readonly LeaseMember[];
  /**
   * The engine has these users as said. A user whom the panel has removed stays out until it sends that user again: the lease may be of before.
   */
  noteApplied(applied: readonly { readonly userId: number; readonly isAllowed: boolean }[], by?: 'panel'): void;
  /** The engine was started with these users and no others; by the panel, which has left the others out. */
  noteStarted(userIds: Iterable<number>, by?: 'panel'): void;
  /** Everybody who may connect now. */
  members(): readonly LeaseMember[];
  /** The user behind a link, by the hash of its token, as of now. */
  findLink(tokenHash: string, now: number): LeaseLink | null;
  /** Forgets everything: another panel is joined. */
  forget(): void;
}
