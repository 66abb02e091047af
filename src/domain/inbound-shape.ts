// Which protocol, network and security of a connection go together, and which settings each combination has. The form offers by these
// rules what the core accepts by them.
import type { NETWORKS, PROTOCOLS, SECURITIES } from '../contract/inbounds.ts';

export type Protocol = (typeof PROTOCOLS)[number];
export type Network = (typeof NETWORKS)[number];
export type Security = (typeof SECURITIES)[number];

export interface InboundShape {
  readonly protocol: Protocol;
  readonly network: Network;
  readonly security: Security;
}

/** Settings that only some shapes have, as the contract names them. */
export type ShapeField =
  | 'sni'
  | 'path'
  | 'service_name'
  | 'flow'
  | 'fingerprint'
  | 'alpn'
  | 'public_key'
  | 'private_key'
  | 'short_id'
  | 'method'
  | 'target'
  | 'min_client_version'
  | 'certificate'
  | 'certificate_key';

/** The networks over HTTP: they have a path and send a Host header. */
export const PATH_NETWORKS: readonly Network[] = ['ws', 'httpupgrade', 'xhttp'];
/** Xray's REALITY works over raw TCP, gRPC and XHTTP only. */
export const REALITY_NETWORKS: readonly Network[] = ['tcp', 'grpc', 'xhttp'];
const ALL_NETWORKS: readonly Network[] = ['tcp', 'ws', 'grpc', 'httpupgrade', 'xhttp'];

/** The securities that a protocol allows. Shadowsocks encrypts by itself; VMess has no REALITY; Trojan needs TLS or REALITY. */
export function allowedSecurities(protocol: Protocol): readonly Security[] {
  if (protocol === 'shadowsocks') return ['none'];
  if (protocol === 'vmess') return ['none', 'tls'];
  return protocol === 'trojan' ? ['tls', 'reality'] : ['none', 'tls', 'reality'];
}

/** The networks that a protocol under a security can run over. */
export function allowedNetworks({ protocol, security }: Omit<InboundShape, 'network'>): readonly Network[] {
  if (protocol === 'shadowsocks') return ['tcp'];
  return security === 'reality' ? REALITY_NETWORKS : ALL_NETWORKS;
}

/** The nearest shape that is allowed: the protocol stays, then the security, then the network. */
export function fitShape({ protocol, network, security }: InboundShape): InboundShape {
  const securities = allowedSecurities(protocol);
  const fitted = securities.includes(security) ? security : (securities.find((one) => one === 'tls') ?? 'none');
  const networks = allowedNetworks({ protocol, security: fitted });
  return { protocol, security: fitted, network: networks.includes(network) ? network : 'tcp' };
}

/** The settings that a shape has beyond those that every connection has. */
export function shapeFields({ protocol, network, security }: InboundShape): ReadonlySet<ShapeField> {
  const fields = new Set<ShapeField>();
  const hasPath = PATH_NETWORKS.includes(network);
  if (protocol === 'shadowsocks') return fields.add('method');
  if (security !== 'none' || hasPath) fields.add('sni');
  if (security !== 'none') fields.add('fingerprint');
  if (security === 'tls') fields.add('alpn').add('certificate').add('certificate_key');
  if (security === 'reality') {
    fields.add('public_key').add('private_key').add('short_id').add('target').add('min_client_version');
  }
  if (protocol === 'vless' && network === 'tcp' && security !== 'none') fields.add('flow');
  if (hasPath) fields.add('path');
  if (network === 'grpc') fields.add('service_name');
  return fields;
}
