// The store's port for what the panel knows of the engines of nodes: how far users were brought to them, and what they had counted.
import type { LineAllowance } from '../../domain/nodes/line-allowance.ts';
import type { EngineUser, LedgerTaken } from './engines.ts';
import type { LeaseProgress } from './lease.ts';
import type { TrafficSlot, UpDown } from './traffic.ts';

/** A user who may connect, and to which inbounds by id; null: to all. */
export interface Member extends EngineUser {
  readonly inbounds: readonly number[] | null;
}

/** A user of whom something changed that engines must know. */
export interface NodeChange {
  /** Its place in the log; ids grow. */
  readonly id: number;
  readonly userId: number;
}

export interface NodeSync {
  /** The start of the engine that the counters belong to; null: none yet, or of another panel's data. */
  readonly boot: string | null;
  /** The last change that the engine was told of; null: it has to be started with everybody. */
  readonly position: number | null;
  /** Changes up to this one are told one by one, as one of them ended with a crash; 0: none. */
  readonly cautiousUntil: number;
}

/** A user who is left out of an inbound, as the engine crashed or refused. */
export interface Quarantined {
  readonly userId: number;
  readonly inboundId: number;
  /** The engine's own words. */
  readonly message: string;
}

export interface Counted extends UpDown {
  readonly userId: number;
}

/** What a user moved, and what it counts for by the weight of the node. */
export interface Moved extends Counted {
  readonly charged: UpDown;
}

/** What the line of a node can have carried, and what was reported beyond that. */
export interface NodeLine {
  readonly allowance: LineAllowance;
  /** Since the node was added. */
  readonly implausible: UpDown;
  /** When there was some last; null: never. */
  readonly implausibleAt: number | null;
}

export interface SyncStore {
  get(nodeId: number): NodeSync;
  /** A new start of the node's engine. What its engine had counted before is forgotten, unless its machine has a ledger. */
  begin(nodeId: number, sync: NodeSync): void;
  savePosition(nodeId: number, position: number | null): void;
  saveCaution(nodeId: number, until: number): void;
  /** The last change that was there when counters were read that have been counted; 0: none since the node's start. */
  countedChange(nodeId: number): number;
  /** Of counters of this start only. */
  saveCountedChange(nodeId: number, boot: string, change: number): void;
  /** The last change of all; 0: there was none. */
  latest(): number;
  /** Whether all changes behind the position are still there. */
  hasAfter(position: number): boolean;
  /** Behind a position, in order. */
  changes(after: number, limit: number): readonly NodeChange[];
  /**
   * Users in the log behind a position, and those who were changed or moved bytes from a moment on; null: moving bytes says nothing. `movedSmall`: the
   * same of users with a limit below `SMALL_LIMIT`. Also deleted ones.
   */
  changedUsers(
    after: number,
    since: { readonly changed: number; readonly moved: number | null; readonly movedSmall: number | null },
  ): readonly number[];
  /** Drops changes that every node was told of, and of the others all but the latest. */
  prune(most: number): void;
  /** Those of the users who may connect to the node by their stored state. */
  members(nodeId: number, userIds: readonly number[]): readonly Member[];
  /** Everybody who may connect to the node by their stored state, by id, in pages. */
  membersAfter(nodeId: number, userId: number, limit: number): readonly Member[];
  /** Ids of users, in pages. */
  userIdsAfter(userId: number, limit: number): readonly number[];
  /** Those of the users who may not connect only because they were connected from too many addresses. */
  cutOffForNow(userIds: readonly number[]): readonly number[];
  /** What was counted of a start of the engine; of those of the users it had counted anything for. */
  userCounters(nodeId: number, boot: string, userIds: readonly number[]): ReadonlyMap<number, UpDown>;
  saveUserCounters(nodeId: number, boot: string, counters: readonly Counted[]): void;
  inboundCounters(nodeId: number, boot: string): ReadonlyMap<string, UpDown>;
  saveInboundCounter(nodeId: number, boot: string, tag: string, counter: UpDown): void;
  /** Null: its machine has none, or it was not taken yet. */
  ledger(nodeId: number): LedgerTaken | null;
  saveLedger(nodeId: number, taken: LedgerTaken): void;
  /** Null: nothing was counted yet. */
  line(nodeId: number): NodeLine | null;
  saveLine(nodeId: number, line: NodeLine): void;
  /** How far its machine was brought; null: it was sent nothing yet. */
  leaseProgress(nodeId: number): LeaseProgress | null;
  /** Of a node that is deleted nothing is saved. */
  saveLeaseProgress(nodeId: number, progress: LeaseProgress): void;
  /** Starts of the node's engine by this panel, and those that have ended and were counted to their end. */
  boots(nodeId: number): ReadonlyMap<string, 'known' | 'ended'>;
  /** Forgets what was counted of a start: no more of it will be. */
  endBoot(nodeId: number, boot: string): void;
  /** Starts of which something was counted. */
  countedBoots(nodeId: number): readonly string[];
  /**
   * Counts what users moved over a node, to whom nothing else happens by it: no held term begins, no grant is spent, no state and nothing that is
   * announced changes. Returns the others' ids, who are left as they are; of those that do not exist none.
   */
  countPlainly(nodeId: number, moved: readonly Moved[], slot: TrafficSlot, now: number): readonly number[];
  /** Ids of all nodes. */
  nodeIds(): readonly number[];
  /** Another one after any change of the node's inbounds. */
  configKey(nodeId: number): string;
  /** Another one after any change of nodes, of their inbounds, and of users that engines must know. */
  workKey(): string;
  quarantine(entry: Quarantined, now: number): void;
  /** Of a node, by user. */
  quarantined(nodeId: number): readonly Quarantined[];
}
