// The store's port for nodes.
import type { NodeErrorCode, NodeRestartReason } from '../../contract/nodes/nodes.ts';
import type { AcmeFailureCode } from '../../contract/settings/acme.ts';

/** An inbound that the engine of its node does not serve as recorded: it is left out, or serves the former settings. */
export interface UnservedInbound {
  readonly inboundId: number;
  readonly code: NodeErrorCode;
  /** The engine's own message, if it gave one. */
  readonly message: string;
}

/** A restart of an engine by the panel, or the reopening of an inbound. */
export interface NodeRestart {
  readonly at: number;
  readonly reason: NodeRestartReason;
  /** The only inbound that was reopened; null: the whole engine was restarted. */
  readonly inboundId: number | null;
  /** The users whose connections it should end. */
  readonly userIds: readonly number[];
}

export interface NodeRow {
  readonly id: number;
  readonly name: string;
  readonly kind: 'local' | 'remote';
  /** The host in links, unless an inbound has its own. */
  readonly address: string;
  readonly enabled: boolean;
  /** Whether users may reach private and local addresses through it. */
  readonly allowsPrivate: boolean;
  /** Whether it is drained: still serving, but left out of links. */
  readonly draining: boolean;
  /** The weight of its traffic, in hundredths. */
  readonly weight: number;
  readonly note: string;
  readonly status: 'up' | 'down' | 'unknown';
  readonly coreName: string | null;
  readonly coreVersion: string | null;
  /** When the engine started, epoch ms, computed from its uptime. */
  readonly engineStartedAt: number | null;
  readonly usersOnline: number;
  readonly lastSeenAt: number | null;
  readonly errorCode: NodeErrorCode | null;
  /** Visible to Full keys and the administrator only. */
  readonly errorText: string | null;
  /** In the order of inbounds. */
  readonly unserved: readonly UnservedInbound[];
  /** The last restart; null: none yet. */
  readonly restart: NodeRestart | null;
  /** The port at which a remote node's machine listens for the panel; null: not joined. */
  readonly agentPort: number | null;
  /** SHA-256 of that machine's public key, hex. */
  readonly agentPin: string | null;
  /** Its protocol version in the last answer, such as `1.1`. */
  readonly agentProtocol: string | null;
  /** MachineFacts of the last poll. */
  readonly load: number | null;
  readonly clockOffset: number | null;
  readonly agentVersion: string | null;
  /** MachineCertificate of the last poll; `linksLate` null: it serves no links, or does not report it. */
  readonly linksEndsAt: number | null;
  readonly linksLate: boolean | null;
  readonly linksFailure: AcmeFailureCode | null;
  /** LedgerWaiting of the last poll, before it was read; `waitingSince`: the time of the poll before. */
  readonly waitingEntries: number | null;
  readonly waitingBytes: number | null;
  readonly waitingSince: number | null;
  /** When its machine was last found to be restored from an old copy. */
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
  /** By id. `after`: only those after this id. */
  page(limit: number, offset: number, after?: number): readonly NodeRow[];
  count(): number;
}
