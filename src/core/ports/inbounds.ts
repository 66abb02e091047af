// The store's port for inbounds.
import type { TargetFinding } from '../../contract/inbounds.ts';
import type { XhttpExtra, XhttpMode } from '../../contract/xhttp.ts';
import type { EngineVersion } from '../../domain/nodes/engine-facts.ts';
import type { Host, HostOrder } from '../../domain/subscription/hosts.ts';

/** The certificate of an inbound with TLS; its key is sealed. */
export interface ServedCertificate {
  /** PEM, the leaf first. */
  readonly chain: string;
  /** Whether the administrator imported it; otherwise the panel made it and renews it. */
  readonly isOwn: boolean;
  readonly isSelfSigned: boolean;
  /** SHA-256 of the leaf, lower-case hex. */
  readonly sha256: string;
  readonly endsAt: number;
}

export interface InboundRow {
  readonly id: number;
  readonly nodeId: number;
  /** The id of the first inbound of a group (one definition on several nodes). null: no group. */
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
  readonly xhttpMode: XhttpMode | null;
  readonly xhttpExtra: XhttpExtra | null;
  readonly serviceName: string | null;
  /** Name of an HTTP header of the proxy in front of the node: requests with it have a trusted X-Forwarded-For. */
  readonly proxyHeader: string | null;
  readonly flow: string | null;
  readonly fingerprint: string | null;
  readonly alpn: readonly string[] | null;
  readonly publicKey: string | null;
  /** The half of VLESS encryption that clients have; the other one is sealed. */
  readonly encryption: string | null;
  /** The ML-DSA-65 key by which clients verify REALITY; its seed is sealed. */
  readonly mldsa65Verify: string | null;
  readonly shortId: string | null;
  /** REALITY: further ids that the node accepts, but no link contains. */
  readonly moreShortIds: readonly string[];
  readonly moreServerNames: readonly string[];
  readonly method: string | null;
  /** Hysteria2: password of the obfuscation, which is in all users' links. */
  readonly obfsPassword: string | null;
  /** Hysteria2: the port range between which apps hop, such as `20000-30000`. */
  readonly hopPorts: string | null;
  /** Hysteria2: the site that visitors who are not users see; null: 404 for every page. */
  readonly masquerade: string | null;
  /** How apps split the start of a connection: packets, bytes, milliseconds, as in `tlshello,100-200,10-20`. */
  readonly fragment: string | null;
  /** Random packets that apps send first: number, bytes, milliseconds, as in `3,50-100,10-20`. */
  readonly noise: string | null;
  /** How many streams apps send through one connection; null: one. */
  readonly mux: number | null;
  /** The id of the inbound on the same node whose port and TLS it uses; null: it has its own port. */
  readonly sharesPortOf: number | null;
  /** Host and port of the web server for visitors who are not users; null: they are disconnected. */
  readonly fallback: string | null;
  /** The version of the PROXY protocol that tells that web server a visitor's address; null: none. */
  readonly fallbackProxyProtocol: number | null;
  /** WireGuard: the network of users' addresses, and the largest packet in bytes (null: the default). */
  readonly addressPool: string | null;
  readonly mtu: number | null;
  readonly target: string | null;
  readonly minClientVersion: string | null;
  /** REALITY: faults of the target when it was last probed. null: not probed, or another kind of security. */
  readonly targetFindings: readonly TargetFinding[] | null;
  /** null without TLS, and until the panel has made one. */
  readonly certificate: ServedCertificate | null;
  /** Where apps reach it; empty: at `host` or its node. */
  readonly hosts: readonly Host[];
  readonly hostOrder: HostOrder;
  /** The administrator's note. */
  readonly note: string;
  readonly enabled: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly version: number;
}

/** An inbound without the fields that only the panel needs. */
export type MachineInbound = Omit<
  InboundRow,
  'groupId' | 'targetFindings' | 'note' | 'enabled' | 'createdAt' | 'version'
>;

/** An enabled inbound of an enabled node. */
export interface OfferedInbound {
  readonly inbound: InboundRow;
  /** The address that users connect to: the inbound's own host, or the node's. */
  readonly address: string;
  /** Whether its node is drained. */
  readonly isDraining: boolean;
  /** The engine of its node, from its last answer; null: never answered. */
  readonly engine: EngineVersion | null;
}

export interface InboundStore {
  insert(inbound: Omit<InboundRow, 'id'>): number;
  get(id: number): InboundRow | undefined;
  save(inbound: InboundRow): void;
  remove(id: number): void;
  /** By id. `after`: only those after this id. */
  page(
    conditions: { nodeId?: number | undefined },
    limit: number,
    offset: number,
    after?: number,
  ): readonly InboundRow[];
  count(conditions: { nodeId?: number | undefined }): number;
  /** The inbounds of subscriptions, by id; returns the same objects until one changes. */
  listOffered(): readonly OfferedInbound[];
  byTag(nodeId: number, tag: string): InboundRow | undefined;
  /** By id. */
  ofGroup(groupId: number): readonly InboundRow[];
  /** Those that share the port of this one, by id. */
  sharing(id: number): readonly InboundRow[];
  /** One for TCP and one for UDP at most, and those that share it. */
  /** WireGuard: the network of users' addresses, and the largest packet in bytes (null: the default). */
  atPort(nodeId: number, port: number): readonly InboundRow[];
  /** The ids that do not exist. */
  missing(ids: readonly number[]): readonly number[];
}
