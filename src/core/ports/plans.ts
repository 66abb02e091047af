// The store's ports for plans, connections and nodes.
import type { Uses } from '../../contract/errors.ts';
import type { TargetFinding } from '../../contract/inbounds.ts';
import type { NodeErrorCode, NodeRestartReason } from '../../contract/nodes/nodes.ts';
import type { AcmeFailureCode } from '../../contract/settings/acme.ts';
import type { Account } from '../../domain/users/account.ts';

export interface TariffRow {
  readonly id: number;
  readonly name: string;
  readonly trafficLimit: number | null;
  readonly duration: { readonly days: number } | { readonly months: number } | null;
  readonly deviceLimit: number | null;
  readonly concurrentLimit: number | null;
  readonly resetStrategy: Account['resetStrategy'];
  readonly starts: 'on_creation' | 'on_first_use';
  readonly inbounds: readonly number[] | null;
  readonly price: { readonly amount: number; readonly currency: string } | null;
  readonly archived: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly version: number;
}

export interface TariffStore {
  insert(tariff: Omit<TariffRow, 'id'>): number;
  get(id: number): TariffRow | undefined;
  save(tariff: TariffRow): void;
  remove(id: number): void;
  /** By id. `after`: only those behind this id. */
  page(
    conditions: { archived?: boolean | undefined },
    limit: number,
    offset: number,
    after?: number,
  ): readonly TariffRow[];
  count(conditions: { archived?: boolean | undefined }): number;
  /** Plans that name a connection. */
  usesOfInbound(inboundId: number): Uses;
}

/** The certificate of a connection with TLS; its key is sealed. */
export interface ServedCertificate {
  /** PEM, the server's first. */
  readonly chain: string;
  /** Given by the administrator; else the panel made it, and renews it. */
  readonly isOwn: boolean;
  readonly isSelfSigned: boolean;
  /** Of the server's certificate, lower-case hex. */
  readonly sha256: string;
  readonly endsAt: number;
}

export interface InboundRow {
  readonly id: number;
  readonly nodeId: number;
  /** Shared by connections of one definition on several nodes: the id of the first. Null: it is on its own. */
  readonly groupId: number | null;
  readonly tag: string;
  readonly name: string;
  readonly protocol: 'vless' | 'vmess' | 'trojan' | 'shadowsocks' | 'hysteria2' | 'wireguard';
  readonly network: 'tcp' | 'ws' | 'grpc' | 'httpupgrade' | 'xhttp' | 'quic' | 'udp';
  readonly security: 'none' | 'tls' | 'reality';
  readonly host: string | null;
  readonly port: number;
  readonly sni: string | null;
  readonly path: string | null;
  readonly serviceName: string | null;
  readonly flow: string | null;
  readonly fingerprint: string | null;
  readonly alpn: readonly string[] | null;
  readonly publicKey: string | null;
  readonly shortId: string | null;
  readonly method: string | null;
  /** Of Hysteria2's obfuscation; in the links of all its users. */
  readonly obfsPassword: string | null;
  /** Of WireGuard: the network of which users have addresses, and the most bytes of a packet (null: as usual). */
  readonly addressPool: string | null;
  readonly mtu: number | null;
  readonly target: string | null;
  readonly minClientVersion: string | null;
  /** What the target of REALITY lacked when it was last asked. Null: it was not, as with any other security. */
  readonly targetFindings: readonly TargetFinding[] | null;
  /** Null without TLS, and until the panel made one. */
  readonly certificate: ServedCertificate | null;
  /** The administrator's own words. */
  readonly note: string;
  readonly enabled: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly version: number;
}

/** An enabled connection of an enabled node. */
export interface OfferedInbound {
  readonly inbound: InboundRow;
  /** Where users connect: the connection's own host, or the node. */
  readonly address: string;
  /** Whether its node is being left by its users. */
  readonly isDraining: boolean;
}

export interface InboundStore {
  insert(inbound: Omit<InboundRow, 'id'>): number;
  get(id: number): InboundRow | undefined;
  save(inbound: InboundRow): void;
  remove(id: number): void;
  /** By id. `after`: only those behind this id. */
  page(
    conditions: { nodeId?: number | undefined },
    limit: number,
    offset: number,
    after?: number,
  ): readonly InboundRow[];
  count(conditions: { nodeId?: number | undefined }): number;
  /** What subscriptions consist of, by id; the very same rows as long as none is changed. */
  offered(): readonly OfferedInbound[];
  byTag(nodeId: number, tag: string): InboundRow | undefined;
  /** By id. */
  ofGroup(groupId: number): readonly InboundRow[];
  /** One for TCP and one for UDP at most. */
  atPort(nodeId: number, port: number): readonly InboundRow[];
  /** Which of these ids do not exist. */
  missing(ids: readonly number[]): readonly number[];
}

/** That the panel restarted an engine. */
export interface NodeRestart {
  readonly at: number;
  readonly reason: NodeRestartReason;
  /** The users who were to be cut off by it. */
  readonly userIds: readonly number[];
}

export interface NodeRow {
  readonly id: number;
  readonly name: string;
  readonly kind: 'local' | 'remote';
  /** What links point at unless a connection names its own host. */
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
