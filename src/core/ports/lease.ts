// The lease: what the panel leaves with the machine of a node, so that it can act alone.
import type { EngineVersion } from '../../domain/nodes/engine-facts.ts';
import type { Leased, LeaseEventKind } from '../../domain/nodes/lease.ts';
import type { Credentials, InboundSecrets } from './credentials.ts';
import type { MachineInbound } from './inbounds.ts';
import type { LinkSettings, SettingValues } from './settings.ts';
import type { UpDown } from './traffic.ts';

/** A user, also one who may not connect. */
export interface LeaseUser {
  readonly id: number;
  readonly name: string;
  readonly credentials: Credentials;
  /** Inbounds by id; null: all. */
  readonly inbounds: readonly number[] | null;
  /** Inbounds that the engine refused the user on. */
  readonly leftOut: readonly number[];
  /** SHA-256 of the link's token, hex. */
  readonly tokenHash: string;
  readonly deviceLimit: number | null;
  readonly leased: Leased;
  readonly updatedAt: number;
}

/** What of the settings holds on machines too. */
export type LeaseSettings = LinkSettings & Pick<SettingValues, 'restartToCutOff' | 'rateLimit' | 'subPath'>;

/** What holds for all users. */
export interface LeaseShared {
  readonly settings: LeaseSettings;
  /** What traffic over this node counts for, in hundredths. */
  readonly weight: number;
  /** What links begin with, up to the token. */
  readonly linkBase: string;
  /** What links offer, over all nodes. */
  readonly connections: readonly {
    readonly inbound: MachineInbound;
    readonly address: string;
    readonly isDraining: boolean;
    readonly engine: EngineVersion | null;
    readonly secrets: InboundSecrets;
  }[];
}

/** A part of the lease as the panel sends it. */
export interface LeasePart {
  /** Random: of all parts from one in which everything begins. */
  readonly leaseId: string;
  /** How many parts of it the machine must have; 0: everything begins with this one. */
  readonly base: number;
  /** When it was read, by the panel's clock. */
  readonly at: number;
  /** How far the ledger was taken before: what is behind that is not in the users' counters. */
  readonly taken: number;
  /** Null: as before. */
  readonly shared: LeaseShared | null;
  readonly users: readonly LeaseUser[];
  /** Ids of deleted ones. */
  readonly gone: readonly number[];
  /** The machine acts by it from here on; who was in no part since `base` 0 is gone. */
  readonly isLast: boolean;
}

/** How far a machine was brought, by what it has answered. */
export interface LeaseProgress {
  readonly leaseId: string;
  /** How many parts it has; 0: it is not whole yet. */
  readonly version: number;
  /** When it was read, and the last change that was there. */
  readonly at: number;
  readonly change: number;
  /** When users who have only moved bytes were sent. */
  readonly movedAt: number;
  /** The version that its machine spoke: another one may take more. */
  readonly protocolVersion: string | null;
  /** SHA-256 of what holds for all users, hex. */
  readonly shared: string;
}

/** What a machine holds. */
export interface LeaseHeld {
  readonly leaseId: string;
  /** Of how many parts. */
  readonly version: number;
  /** When the last whole one was read by the panel; null: none is whole yet. */
  readonly at: number | null;
  readonly users: number;
}

/** Something that happened on a machine at a moment of its own: what had been counted of the user by then. */
export interface LedgerEvent extends UpDown {
  readonly seq: number;
  readonly kind: LeaseEventKind;
  readonly at: number;
  readonly userId: number;
  /** The start of the engine that had counted it; null: none had counted anything. */
  readonly boot: string | null;
}
