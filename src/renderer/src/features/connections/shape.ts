// Which settings of a connection go together: the form shows only what its protocol, network and security need. The panel judges by the
// same rules when it is saved.
import type { NETWORKS, PROTOCOLS, SECURITIES } from '../../../../contract/inbounds.ts';

export type Protocol = (typeof PROTOCOLS)[number];
export type Network = (typeof NETWORKS)[number];
export type Security = (typeof SECURITIES)[number];

export interface Shape {
  readonly protocol: Protocol;
  readonly network: Network;
  readonly security: Security;
}

/** Fields that only some shapes have. */
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
  | 'method';

/** Those over HTTP: they have a path and name a host. */
const WEB: readonly Network[] = ['ws', 'httpupgrade', 'xhttp'];
/** Xray's REALITY works over raw TCP, gRPC and XHTTP only. */
const UNDER_REALITY: readonly Network[] = ['tcp', 'grpc', 'xhttp'];
const ALL_NETWORKS: readonly Network[] = ['tcp', 'ws', 'grpc', 'httpupgrade', 'xhttp'];

/** What a protocol can be protected by. Shadowsocks encrypts by itself; vmess has no REALITY. */
export function securitiesOf(protocol: Protocol): readonly Security[] {
  if (protocol === 'shadowsocks') return ['none'];
  if (protocol === 'vmess') return ['none', 'tls'];
  return protocol === 'trojan' ? ['tls', 'reality'] : ['none', 'tls', 'reality'];
}

/** What a protocol under a security can run over. */
export function networksOf({ protocol, security }: Omit<Shape, 'network'>): readonly Network[] {
  if (protocol === 'shadowsocks') return ['tcp'];
  return security === 'reality' ? UNDER_REALITY : ALL_NETWORKS;
}

/** The nearest shape that works: the protocol stays, then the security, then the network. */
export function fitted({ protocol, network, security }: Shape): Shape {
  const securities = securitiesOf(protocol);
  const kept = securities.includes(security) ? security : (securities.find((one) => one === 'tls') ?? 'none');
  const networks = networksOf({ protocol, security: kept });
  return { protocol, security: kept, network: networks.includes(network) ? network : 'tcp' };
}

/** The fields that a shape needs beyond those that all have. */
export function fieldsOf({ protocol, network, security }: Shape): ReadonlySet<ShapeField> {
  const fields = new Set<ShapeField>();
  const isWeb = WEB.includes(network);
  if (protocol === 'shadowsocks') return fields.add('method');
  if (security !== 'none' || isWeb) fields.add('sni');
  if (security !== 'none') fields.add('fingerprint');
  if (security === 'tls') fields.add('alpn');
  if (security === 'reality') fields.add('public_key').add('private_key').add('short_id');
  if (protocol === 'vless' && network === 'tcp' && security !== 'none') fields.add('flow');
  if (isWeb) fields.add('path');
  if (network === 'grpc') fields.add('service_name');
  return fields;
}
