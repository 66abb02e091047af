// The store's port for the state of nodes' engines: the position of each in the log of changes, and the counters read.
import type { LineAllowance } from '../../domain/nodes/line-allowance.ts';
import type { EngineUser, LedgerTaken } from './engines.ts';
import type { LeaseProgress } from './lease.ts';
import type { TrafficSlot, UpDown } from './traffic.ts';

/** A user who may connect, with the ids of the allowed inbounds; null: all. */
export interface Member extends EngineUser {
  readonly inbounds: readonly number[] | null;
}

/** A change of a user that engines must know. */
export interface NodeChange {
  /** Its position in the log; ids increase. */
  readonly id: number;
  readonly userId: number;
}

export interface NodeSync {
  /** The start of the engine that the counters belong to; null: none yet, or it has another panel's users. */
  readonly boot: string | null;
  /** The last change that was pushed to the engine; null: it must be started with all users. */
  readonly position: number | null;
  /** Changes up to this one are pushed one by one, because one of them crashed the engine; 0: none. */
  readonly cautiousUntil: number;
}

/** A user who is left out of an inbound, because the engine crashed or refused. */
export interface Quarantined {
  readonly userId: number;
  readonly inboundId: number;
  /** The engine's own message. */
  readonly message: string;
}

export interface Counted extends UpDown {
  readonly userId: number;
}

/** A user's bytes, and the bytes charged by the node's weight. */
export interface Moved extends Counted {
  readonly charged: UpDown;
}

/** The most that a node's line can have carried, and reports beyond that. */
export interface NodeLine {
  readonly allowance: LineAllowance;
  /** Bytes reported beyond that since the node was added. */
  readonly implausible: UpDown;
  /** When that happened last; null: never. */
  readonly implausibleAt: number | null;
}

export interface SyncStore {
  get(nodeId: number): NodeSync;
  /** Records a new start of the node's engine. Its former counters are deleted, unless its machine has a ledger. */
  begin(nodeId: number, sync: NodeSync): void;
  savePosition(nodeId: number, position: number | null): void;
  saveCaution(nodeId: number, until: number): void;
  /** The last change at the time of the last counted reading; 0: none since the node's start. */
  countedChange(nodeId: number): number;
  /** Only for counters of this start. */
  saveCountedChange(nodeId: number, boot: string, change: number): void;
  /** The last change in the log; 0: none. */
  latest(): number;
  /** Whether all changes after the position are still in the log. */
  hasAfter(position: number): boolean;
  /** Changes after a position, in order. */
  changes(after: number, limit: number): readonly NodeChange[];
  /**
   * Ids of users in the log after a position, and of users who were changed or moved bytes from the given times on; null: moved bytes do
   * not matter. `movedSmall`: the same for users with a limit below `SMALL_LIMIT`. Includes deleted users.
   */
  changedUsers(
    after: number,
    since: { readonly changed: number; readonly moved: number | null; readonly movedSmall: number | null },
  ): readonly number[];
  /** Deletes changes that were pushed to every node, and all but the latest of the others. */
  prune(most: number): void;
  /** Those of the users who may connect to the node, by their stored state. */
  members(nodeId: number, userIds: readonly number[]): readonly Member[];
  /** All users who may connect to the node, by their stored state; in pages by id. */
  membersAfter(nodeId: number, userId: number, limit: number): readonly Member[];
  /** Ids of users, in pages. */
  userIdsAfter(userId: number, limit: number): readonly number[];
  /** Those of the users who are blocked only because of too many addresses. */
  cutOffForNow(userIds: readonly number[]): readonly number[];
  /** The counters of a start, of those of the users who have some. */
  userCounters(nodeId: number, boot: string, userIds: readonly number[]): ReadonlyMap<number, UpDown>;
  saveUserCounters(nodeId: number, boot: string, counters: readonly Counted[]): void;
  inboundCounters(nodeId: number, boot: string): ReadonlyMap<string, UpDown>;
  saveInboundCounter(nodeId: number, boot: string, tag: string, counter: UpDown): void;
  /** null: its machine has no ledger, or it was not read yet. */
  ledger(nodeId: number): LedgerTaken | null;
  saveLedger(nodeId: number, taken: LedgerTaken): void;
  /** null: nothing was counted yet. */
  line(nodeId: number): NodeLine | null;
  saveLine(nodeId: number, line: NodeLine): void;
  /** How much of the lease its machine has; null: nothing was sent yet. */
  leaseProgress(nodeId: number): LeaseProgress | null;
  /** Ignored for a deleted node. */
  saveLeaseProgress(nodeId: number, progress: LeaseProgress): void;
  /** Starts of the node's engine by this panel; `ended` ones are completely counted. */
  boots(nodeId: number): ReadonlyMap<string, 'known' | 'ended'>;
  /** Records that a start has ended, and deletes its counters. */
  endBoot(nodeId: number, boot: string): void;
  /** Starts with counters. */
  countedBoots(nodeId: number): readonly string[];
  /**
   * Counts users' traffic over a node, if nothing else changes by it: no held term begins, no grant is spent, no state changes and no event
   * follows. Returns the ids of the other users, who stay unchanged, without unknown ones.
   */
  countPlainly(nodeId: number, moved: readonly Moved[], slot: TrafficSlot, now: number): readonly number[];
  /** Ids of all nodes. */
  nodeIds(): readonly number[];
  /** Differs after any change of the node's inbounds. */
  configKey(nodeId: number): string;
  /** Differs after any change of nodes, of their inbounds, and of users that engines must know. */
  workKey(): string;
  quarantine(entry: Quarantined, now: number): void;
  /** The quarantined users of a node, by user. */
  quarantined(nodeId: number): readonly Quarantined[];
}
