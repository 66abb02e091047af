// Which combinations of protocol, network and security are valid, and which fields each of them has. The form and the core use the same rules.
import type { NETWORKS, PROTOCOLS, SECURITIES } from '../../contract/inbounds.ts';

export type Protocol = (typeof PROTOCOLS)[number];
export type Network = (typeof NETWORKS)[number];
export type Security = (typeof SECURITIES)[number];

export interface InboundShape {
  readonly protocol: Protocol;
  readonly network: Network;
  readonly security: Security;
}

/** Fields that only some shapes have, with their names in the contract. */
export type ShapeField =
  | 'sni'
  | 'path'
  | 'proxy_header'
  | 'xhttp_mode'
  | 'xhttp_extra'
  | 'service_name'
  | 'flow'
  | 'fingerprint'
  | 'alpn'
  | 'public_key'
  | 'private_key'
  | 'encryption'
  | 'decryption'
  | 'mldsa65_seed'
  | 'mldsa65_verify'
  | 'short_id'
  | 'method'
  | 'obfs_password'
  | 'hop_ports'
  | 'masquerade'
  | 'fragment'
  | 'noise'
  | 'mux'
  | 'shares_port_of'
  | 'fallback'
  | 'fallback_proxy_protocol'
  | 'address_pool'
  | 'mtu'
  | 'target'
  | 'min_client_version'
  | 'certificate'
  | 'certificate_key';

/** The networks over HTTP: they have a path and send a Host header. */
export const PATH_NETWORKS: readonly Network[] = ['ws', 'httpupgrade', 'xhttp'];
/** The default service name of gRPC: mihomo uses it when none is set. */
export const DEFAULT_SERVICE_NAME = 'GunService';
/** Xray's REALITY works over raw TCP, gRPC and XHTTP only. */
export const REALITY_NETWORKS: readonly Network[] = ['tcp', 'grpc', 'xhttp'];
const STREAM_NETWORKS: readonly Network[] = ['tcp', 'ws', 'grpc', 'httpupgrade', 'xhttp'];

/** gRPC and XHTTP send many streams through one connection by themselves. */
const MUX_NETWORKS: readonly Network[] = ['tcp', 'ws', 'httpupgrade'];

/** Whether a client can imitate this fingerprint with a security: the `android` handshake has no TLS 1.3, which REALITY needs. */
export function canImitate(security: Security, fingerprint: string): boolean {
  return security !== 'reality' || fingerprint !== 'android';
}

/** The transport protocol that a connection listens on: a port can be used once for each. */
export type Transport = 'tcp' | 'udp';

interface ProtocolRule {
  readonly securities: readonly Security[];
  readonly networks: readonly Network[];
  readonly transports: readonly Transport[];
}

/** Shadowsocks and WireGuard encrypt by themselves; VMess has no REALITY; Trojan needs TLS or REALITY; Hysteria2 is TLS over QUIC. */
const PROTOCOL_RULES: Readonly<Record<Protocol, ProtocolRule>> = {
  vless: { securities: ['none', 'tls', 'reality'], networks: STREAM_NETWORKS, transports: ['tcp'] },
  vmess: { securities: ['none', 'tls'], networks: STREAM_NETWORKS, transports: ['tcp'] },
  trojan: { securities: ['tls', 'reality'], networks: STREAM_NETWORKS, transports: ['tcp'] },
  shadowsocks: { securities: ['none'], networks: ['tcp'], transports: ['tcp', 'udp'] },
  hysteria2: { securities: ['tls'], networks: ['quic'], transports: ['udp'] },
  wireguard: { securities: ['none'], networks: ['udp'], transports: ['udp'] },
};

/** The securities that a protocol allows. */
export function allowedSecurities(protocol: Protocol): readonly Security[] {
  return PROTOCOL_RULES[protocol].securities;
}

/** The networks that a protocol under a security can run over. */
export function allowedNetworks({ protocol, security }: Omit<InboundShape, 'network'>): readonly Network[] {
  const { networks } = PROTOCOL_RULES[protocol];
  return security === 'reality' ? networks.filter((network) => REALITY_NETWORKS.includes(network)) : networks;
}

export function listTransports(protocol: Protocol): readonly Transport[] {
  return PROTOCOL_RULES[protocol].transports;
}

/** Transports that two protocols would both use on the same port of a node. */
export function sharedTransports(one: Protocol, other: Protocol): readonly Transport[] {
  return listTransports(one).filter((transport) => listTransports(other).includes(transport));
}

/** The shape if neither network nor security is given: the only one that the protocol has, else plain TCP. */
export function defaultShape(protocol: Protocol): InboundShape {
  const { securities, networks } = PROTOCOL_RULES[protocol];
  return { protocol, security: pickOnly(securities) ?? 'none', network: pickOnly(networks) ?? 'tcp' };
}

function pickOnly<T>(all: readonly T[]): T | undefined {
  return all.length === 1 ? all[0] : undefined;
}

/** The nearest valid shape: keeps the protocol, then the security, then the network. */
export function adjustShape({ protocol, network, security }: InboundShape): InboundShape {
  const securities = allowedSecurities(protocol);
  const fitted = securities.includes(security) ? security : (securities.find((one) => one === 'tls') ?? 'none');
  const networks = allowedNetworks({ protocol, security: fitted });
  return { protocol, security: fitted, network: networks.includes(network) ? network : (networks[0] ?? 'tcp') };
}

/** The protocols that pass on who is not a user: to a web server, or to another connection. */
const FALLBACK_PROTOCOLS: readonly Protocol[] = ['vless', 'trojan'];
const SHARING_PROTOCOLS: readonly Protocol[] = ['vless', 'vmess', 'trojan'];
const SHARING_NETWORKS: readonly Network[] = ['ws', 'httpupgrade', 'grpc', 'xhttp'];

/** A connection with what decides whether it can pass on who is not a user. */
export interface PortOwner extends InboundShape {
  readonly encryption: string | null;
}

/** Whether others can share the port of a connection. Xray refuses VLESS encryption with fallbacks, by which a connection passes on. */
export function canOfferPort({ protocol, network, security, encryption }: PortOwner): boolean {
  return FALLBACK_PROTOCOLS.includes(protocol) && network === 'tcp' && security !== 'none' && encryption === null;
}

/** What a connection has of its own only if its port is its own: that of another has them. */
const PORT_FIELDS: readonly ShapeField[] = [
  'alpn',
  'certificate',
  'certificate_key',
  'public_key',
  'private_key',
  'mldsa65_seed',
  'mldsa65_verify',
  'short_id',
  'target',
  'min_client_version',
];

/** The fields of a connection besides those that every one has. `sharesPort`: it is reached through the port of another. */
export function shapeFields(shape: InboundShape, sharesPort = false): ReadonlySet<ShapeField> {
  const fields = listFields(shape);
  if (sharesPort) for (const field of PORT_FIELDS) fields.delete(field);
  return fields;
}

function listFields({ protocol, network, security }: InboundShape): Set<ShapeField> {
  const fields = new Set<ShapeField>();
  const hasPath = PATH_NETWORKS.includes(network);
  if (protocol === 'shadowsocks') return fields.add('method');
  if (protocol === 'wireguard')
    return fields.add('public_key').add('private_key').add('address_pool').add('mtu').add('noise');
  if (protocol === 'hysteria2')
    return fields
      .add('sni')
      .add('certificate')
      .add('certificate_key')
      .add('obfs_password')
      .add('hop_ports')
      .add('masquerade')
      .add('noise');
  if (security !== 'none' || hasPath) fields.add('sni');
  if (security !== 'none') fields.add('fingerprint').add('fragment');
  if (MUX_NETWORKS.includes(network)) fields.add('mux');
  if (security === 'tls') fields.add('alpn').add('certificate').add('certificate_key');
  if (security === 'reality') {
    fields.add('public_key').add('private_key').add('short_id').add('target').add('min_client_version');
    fields.add('mldsa65_seed').add('mldsa65_verify');
  }
  if (protocol === 'vless') fields.add('encryption').add('decryption');
  if (protocol === 'vless' && network === 'tcp' && security !== 'none') fields.add('flow');
  if (SHARING_PROTOCOLS.includes(protocol) && SHARING_NETWORKS.includes(network) && security !== 'none')
    fields.add('shares_port_of');
  if (FALLBACK_PROTOCOLS.includes(protocol) && network === 'tcp' && security === 'tls')
    fields.add('fallback').add('fallback_proxy_protocol');
  if (hasPath) fields.add('path').add('proxy_header');
  if (network === 'xhttp') fields.add('xhttp_mode').add('xhttp_extra');
  if (network === 'grpc') fields.add('service_name');
  return fields;
}
