// Inbounds as the store has them.
import type { TargetFinding } from '../../contract/inbounds.ts';
import type { EngineVersion } from '../../domain/nodes/engine-facts.ts';

/** The certificate of an inbound with TLS; its key is sealed. */
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
  /** Shared by inbounds of one definition on several nodes: the id of the first. Null: it is on its own. */
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
  /** Of HTTP, in requests of a proxy in front of the node: with it X-Forwarded-For is believed. */
  readonly proxyHeader: string | null;
  readonly flow: string | null;
  readonly fingerprint: string | null;
  readonly alpn: readonly string[] | null;
  readonly publicKey: string | null;
  readonly shortId: string | null;
  /** Of REALITY: what else the node accepts, but no link contains. */
  readonly moreShortIds: readonly string[];
  readonly moreServerNames: readonly string[];
  readonly method: string | null;
  /** Of Hysteria2's obfuscation; in the links of all its users. */
  readonly obfsPassword: string | null;
  /** The ports between which apps over Hysteria2 hop, as in `20000-30000`. */
  readonly hopPorts: string | null;
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

/** An inbound as machines of nodes have it: without what is for the panel alone. */
export type MachineInbound = Omit<
  InboundRow,
  'groupId' | 'targetFindings' | 'note' | 'enabled' | 'createdAt' | 'version'
>;

/** An enabled inbound of an enabled node. */
export interface OfferedInbound {
  readonly inbound: InboundRow;
  /** Where users connect: the inbound's own host, or the node. */
  readonly address: string;
  /** Whether its node is being left by its users. */
  readonly isDraining: boolean;
  /** The engine of its node, as it last answered; null: it never did. */
  readonly engine: EngineVersion | null;
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
  listOffered(): readonly OfferedInbound[];
  byTag(nodeId: number, tag: string): InboundRow | undefined;
  /** By id. */
  ofGroup(groupId: number): readonly InboundRow[];
  /** One for TCP and one for UDP at most. */
  atPort(nodeId: number, port: number): readonly InboundRow[];
  /** Which of these ids do not exist. */
  missing(ids: readonly number[]): readonly number[];
}
