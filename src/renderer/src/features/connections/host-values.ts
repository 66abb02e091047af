// Converts the hosts of a connection to the values of the form and back. Members that the shape does not have are left out; empty texts become null.
import type { createInbound, FINGERPRINTS, Inbound } from '../../../../contract/inbounds.ts';
import type { CallOf } from '../../../../contract/operation.ts';
import { type InboundShape, PATH_NETWORKS, shapeFields } from '../../../../domain/nodes/inbound-shape.ts';
import { randomHex } from '../../state/random.ts';

type GivenHost = NonNullable<CallOf<typeof createInbound>['hosts']>[number];
/** A host with every member. */
export type HostInput = { [Member in keyof GivenHost]-?: Exclude<GivenHost[Member], undefined> };
type HostView = NonNullable<Inbound['hosts']>[number];

export type HostValues = {
  /** Key of its row, which can move. */
  key: string;
  name: string;
  address: string;
  port: number | '';
  security: '' | 'none' | 'tls';
  sni: string;
  host_header: string;
  path: string;
  alpn: string[];
  fingerprint: string;
  weight: number | '';
  tariffs: string[];
  tags: string[];
  enabled: boolean;
};

/** Members that hosts share with their connection. */
export type HostField = 'security' | 'sni' | 'host_header' | 'path' | 'alpn' | 'fingerprint';

export function blankHost(): HostValues {
  return {
    key: randomHex(8),
    name: '',
    address: '',
    port: '',
    security: '',
    sni: '',
    host_header: '',
    path: '',
    alpn: [],
    fingerprint: '',
    weight: 1,
    tariffs: [],
    tags: [],
    enabled: true,
  };
}

export function toHostValues(host: HostView, key: string): HostValues {
  return {
    key,
    name: host.name ?? '',
    address: host.address ?? '',
    port: host.port ?? '',
    security: host.security ?? '',
    sni: host.sni ?? '',
    host_header: host.host_header ?? '',
    path: host.path ?? '',
    alpn: host.alpn ?? [],
    fingerprint: host.fingerprint ?? '',
    weight: host.weight,
    tariffs: host.tariffs.map(String),
    tags: host.tags,
    enabled: host.enabled,
  };
}

/** The shape of the connection at a host, for apps. */
export function hostShape(shape: InboundShape, { security }: Pick<HostValues, 'security'>): InboundShape {
  return security === '' || !canReplaceSecurity(shape) ? shape : { ...shape, security };
}

/** Whether a proxy before the node can have its own TLS, or none. */
function canReplaceSecurity({ protocol, security }: InboundShape): boolean {
  return security !== 'reality' && (protocol === 'vless' || protocol === 'vmess');
}

export function hostFields(shape: InboundShape, host: Pick<HostValues, 'security'>): ReadonlySet<HostField> {
  const fields = new Set<HostField>();
  const own = shapeFields(hostShape(shape, host));
  if (canReplaceSecurity(shape)) fields.add('security');
  if (PATH_NETWORKS.includes(shape.network)) fields.add('host_header');
  for (const field of ['sni', 'path', 'alpn', 'fingerprint'] as const) if (own.has(field)) fields.add(field);
  return fields;
}

export function buildHosts(shape: InboundShape, hosts: readonly HostValues[]): HostInput[] {
  return hosts.map((host) => {
    const fields = hostFields(shape, host);
    const text = (field: 'sni' | 'host_header' | 'path' | 'fingerprint') =>
      fields.has(field) && host[field].trim() !== '' ? host[field].trim() : null;
    return {
      name: host.name.trim() === '' ? null : host.name.trim(),
      address: host.address.trim() === '' ? null : host.address.trim(),
      port: host.port === '' ? null : host.port,
      security: fields.has('security') && host.security !== '' ? host.security : null,
      sni: text('sni'),
      host_header: text('host_header'),
      path: text('path'),
      alpn: fields.has('alpn') && host.alpn.length > 0 ? (host.alpn as NonNullable<HostInput['alpn']>) : null,
      fingerprint: text('fingerprint') as (typeof FINGERPRINTS)[number] | null,
      // null if empty, so that validation reports it.
      weight: host.weight === '' ? (null as unknown as number) : host.weight,
      tariffs: host.tariffs.map(Number),
      tags: host.tags,
      enabled: host.enabled,
    };
  });
}
