// The lease: the data that the panel leaves on a node's machine, so that it can act alone.
import type { EngineVersion } from '../../domain/nodes/engine-facts.ts';
import type { Leased, LeaseEventKind } from '../../domain/nodes/lease.ts';
import type { Credentials, InboundSecrets } from './credentials.ts';
import type { MachineInbound } from './inbounds.ts';
import type { LinkSettings, SettingValues } from './settings.ts';
import type { UpDown } from './traffic.ts';

/** A user of the lease, allowed or not. */
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
  /** By which connections may have hosts of their own. */
  readonly tariffId: number | null;
  readonly tags: readonly string[];
  readonly leased: Leased;
  readonly updatedAt: number;
}

/** The settings that machines need too. */
export type LeaseSettings = LinkSettings & Pick<SettingValues, 'restartToCutOff' | 'rateLimit' | 'subPath'>;

/** The part of the lease that all users share. */
export interface LeaseShared {
  readonly settings: LeaseSettings;
  /** The weight of traffic over this node, in hundredths. */
  readonly weight: number;
  /** The beginning of links, up to the token. */
  readonly linkBase: string;
  /** The connections in links, on all nodes. */
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
  /** Random id; a new one starts with a part that replaces everything. */
  readonly leaseId: string;
  /** Number of parts that the machine must have already; 0: this part replaces everything. */
  readonly base: number;
  /** When it was read, by the panel's clock, epoch ms. */
  readonly at: number;
  /** Up to which number the ledger had been counted: later entries are not in the users' counters. */
  readonly taken: number;
  /** null: unchanged. */
  readonly shared: LeaseShared | null;
  readonly users: readonly LeaseUser[];
  /** Ids of deleted users. */
  readonly gone: readonly number[];
  /** The machine uses the lease from here on; users that were in no part since `base` 0 are deleted. */
  readonly isLast: boolean;
}

/** How much of the lease a machine has, according to its answers. */
export interface LeaseProgress {
  readonly leaseId: string;
  /** Number of parts it has; 0: not complete yet. */
  readonly version: number;
  /** When the lease was read, and the last change at that time. */
  readonly at: number;
  readonly change: number;
  /** When users were last sent who had only moved bytes. */
  readonly movedAt: number;
  /** The machine's protocol version: another version may accept more. */
  readonly protocolVersion: string | null;
  /** SHA-256 of the shared part, hex. */
  readonly shared: string;
}

/** The version of the lease that a machine has. */
export interface LeaseHeld {
  readonly leaseId: string;
  /** Number of parts. */
  readonly version: number;
  /** When the panel read the last complete one; null: none is complete yet. */
  readonly at: number | null;
  readonly users: number;
}

/** An event on a machine at its own time, with the counters of the user at that time. */
export interface LedgerEvent extends UpDown {
  readonly seq: number;
  readonly kind: LeaseEventKind;
  readonly at: number;
  readonly userId: number;
  /** The start of the engine that the counters belong to; null: nothing was counted. */
  readonly boot: string | null;
}
