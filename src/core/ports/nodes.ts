// Nodes as the store has them.
import type { NodeErrorCode, NodeRestartReason } from '../../contract/nodes/nodes.ts';
import type { AcmeFailureCode } from '../../contract/settings/acme.ts';

/** An inbound that the engine of its node does not serve as the records say: it is left out, or is as it was before. */
export interface UnservedInbound {
  readonly inboundId: number;
  readonly code: NodeErrorCode;
  /** In the engine's own words, where it gave any. */
  readonly message: string;
}

/** That the panel restarted an engine, or reopened one of its inbounds. */
export interface NodeRestart {
  readonly at: number;
  readonly reason: NodeRestartReason;
  /** The inbound that alone was reopened; null: the engine was restarted. */
  readonly inboundId: number | null;
  /** The users who were to be cut off by it. */
  readonly userIds: readonly number[];
}

export interface NodeRow {
  readonly id: number;
  readonly name: string;
  readonly kind: 'local' | 'remote';
  /** What links point at unless an inbound names its own host. */
  readonly address: string;
  readonly enabled: boolean;
  /** Whether users may reach private and local addresses through it. */
  readonly allowsPrivate: boolean;
  /** It serves on, but is left out of links. */
  readonly draining: boolean;
  /** What traffic over it counts for, in hundredths. */
  readonly weight: number;
  readonly note: string;
  readonly status: 'up' | 'down' | 'unknown';
  readonly coreName: string | null;
  readonly coreVersion: string | null;
  /** When the engine started, by its own uptime. */
  readonly engineStartedAt: number | null;
  readonly usersOnline: number;
  readonly lastSeenAt: number | null;
  readonly errorCode: NodeErrorCode | null;
  /** For a Full key and the panel only. */
  readonly errorText: string | null;
  /** In the order of inbounds. */
  readonly unserved: readonly UnservedInbound[];
  /** The last one; null: none yet. */
  readonly restart: NodeRestart | null;
  /** Where a remote node's machine listens for the panel; null: it was not joined. */
  readonly agentPort: number | null;
  /** SHA-256 of the public key of that machine, hex. */
  readonly agentPin: string | null;
  /** The version of the protocol that it spoke last, as in `1.1`. */
  readonly agentProtocol: string | null;
  /** As MachineFacts of the last poll. */
  readonly load: number | null;
  readonly clockOffset: number | null;
  readonly agentVersion: string | null;
  /** As MachineCertificate of the last poll; `linksLate` null: it serves no links, or does not say. */
  readonly linksEndsAt: number | null;
  readonly linksLate: boolean | null;
  readonly linksFailure: AcmeFailureCode | null;
  /** As LedgerWaiting of the last poll, before it was taken; `waitingSince`: the poll before that. */
  readonly waitingEntries: number | null;
  readonly waitingBytes: number | null;
  readonly waitingSince: number | null;
  /** When it was last found to be restored from an old copy. */
  readonly restoredAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NodeStore {
  insert(node: Omit<NodeRow, 'id'>): number;
  get(id: number): NodeRow | undefined;
  save(node: NodeRow): void;
  /** Its traffic stays in the totals. */
  remove(id: number): void;
  /** By id. `after`: only those behind this id. */
  page(limit: number, offset: number, after?: number): readonly NodeRow[];
  count(): number;
}
