// Converts a connection to the values of its form and back. Fields that the shape does not have are left out; empty texts become null.

import type { HOST_ORDERS } from '../../../../contract/hosts.ts';
import { type createInbound, type FINGERPRINTS, type Inbound, METHODS } from '../../../../contract/inbounds.ts';
import type { CallOf } from '../../../../contract/operation.ts';
import { type XhttpExtra, type XhttpMode, xhttpExtra } from '../../../../contract/xhttp.ts';
import type { MeasuredShape } from '../../../../domain/nodes/compatibility.ts';
import {
  adjustShape,
  canImitate,
  type InboundShape,
  type ShapeField,
  shapeFields,
} from '../../../../domain/nodes/inbound-shape.ts';
import { DEFAULT_POOL, userTunnelAddress } from '../../../../domain/nodes/wireguard.ts';
import { expandHosts, type Host, type Place } from '../../../../domain/subscription/hosts.ts';
import { expandVariables, type Variable, type VariableValues } from '../../../../domain/subscription/variables.ts';
import { canLink, NO_SECRETS } from '../../../../subscription/entry.ts';
import { shareLink } from '../../../../subscription/share-links.ts';
import { randomHex } from '../../state/random.ts';
import { buildHosts, type HostInput, type HostValues, toHostValues } from './host-values.ts';

/** Fields have the names of the contract. */
export type Values = {
  node_id: string;
  /** Further nodes of a new connection. */
  more_node_ids: string[];
  tag: string;
  name: string;
  protocol: InboundShape['protocol'];
  network: InboundShape['network'];
  security: InboundShape['security'];
  host: string;
  port: number | '';
  sni: string;
  path: string;
  service_name: string;
  xhttp_mode: string;
  /** JSON. */
  xhttp_extra: string;
  proxy_header: string;
  flow: '' | 'xtls-rprx-vision';
  fingerprint: string;
  alpn: string[];
  public_key: string;
  /** A new key, entered or generated; the panel never returns the stored one. */
  private_key: string;
  /** The half of apps; the other one is typed or just generated. */
  encryption: string;
  decryption: string;
  mldsa65_verify: string;
  mldsa65_seed: string;
  short_id: string;
  method: string;
  obfs_password: string;
  hop_ports: string;
  masquerade: string;
  fragment: string;
  noise: string;
  mux: number | '';
  shares_port_of: number | '';
  fallback: string;
  fallback_proxy_protocol: number | '';
  address_pool: string;
  mtu: number | '';
  target: string;
  min_client_version: string;
  /** The administrator's own certificate in PEM. */
  certificate: string;
  /** A new key; the panel never returns the stored one. */
  certificate_key: string;
  hosts: HostValues[];
  host_order: (typeof HOST_ORDERS)[number];
  note: string;
  enabled: boolean;
};

type Create = CallOf<typeof createInbound>;
type Changes = Omit<Create, 'node_id' | 'more_node_ids' | 'protocol'>;

const COMMON_METHOD = METHODS[2];

/** The shape that decides which engines serve it. */
export function pickServedShape(values: Values): MeasuredShape {
  const { protocol, network, security } = values;
  const changes = buildChanges(values);
  const { flow = null, method = null, fingerprint = null, fragment = null, noise = null, mux = null } = changes;
  const { obfs_password: obfsPassword = null, hop_ports: hopPorts = null } = changes;
  const { xhttp_mode: xhttpMode = null, mldsa65_verify: mldsa65Verify = null, encryption } = changes;
  return {
    protocol,
    network,
    security,
    flow,
    method,
    fingerprint,
    obfsPassword,
    hopPorts,
    fragment,
    noise,
    mux,
    xhttpMode,
    xhttpExtra: changes.xhttp_extra ?? null,
    encryption: encryption ?? changes.decryption ?? null,
    mldsa65Verify,
  };
}

/** Initial values of a new connection: VLESS with REALITY, the most common settings. */
export function blankValues(nodeId: number | null, port: number): Values {
  return {
    node_id: nodeId === null ? '' : String(nodeId),
    more_node_ids: [],
    tag: '',
    name: '',
    protocol: 'vless',
    network: 'tcp',
    security: 'reality',
    host: '',
    port,
    sni: '',
    path: '',
    service_name: '',
    xhttp_mode: '',
    xhttp_extra: '',
    proxy_header: '',
    flow: 'xtls-rprx-vision',
    fingerprint: 'chrome',
    alpn: [],
    public_key: '',
    private_key: '',
    encryption: '',
    decryption: '',
    mldsa65_verify: '',
    mldsa65_seed: '',
    short_id: '',
    method: COMMON_METHOD,
    obfs_password: '',
    hop_ports: '',
    masquerade: '',
    fragment: '',
    noise: '',
    mux: '',
    shares_port_of: '',
    fallback: '',
    fallback_proxy_protocol: '',
    address_pool: '',
    mtu: '',
    target: '',
    min_client_version: '',
    certificate: '',
    certificate_key: '',
    hosts: [],
    host_order: 'listed',
    note: '',
    enabled: true,
  };
}

export function toFormValues(inbound: Inbound): Values {
  return {
    node_id: String(inbound.node_id),
    more_node_ids: [],
    tag: inbound.tag,
    name: inbound.name,
    protocol: inbound.protocol,
    network: inbound.network,
    security: inbound.security,
    host: inbound.host ?? '',
    port: inbound.port ?? '',
    sni: inbound.sni ?? '',
    path: inbound.path ?? '',
    service_name: inbound.service_name ?? '',
    xhttp_mode: inbound.xhttp_mode ?? '',
    xhttp_extra: inbound.xhttp_extra ? writeExtra(inbound.xhttp_extra) : '',
    proxy_header: inbound.proxy_header ?? '',
    flow: inbound.flow === 'xtls-rprx-vision' ? inbound.flow : '',
    fingerprint: inbound.fingerprint ?? '',
    alpn: inbound.alpn ?? [],
    public_key: inbound.public_key ?? '',
    private_key: '',
    encryption: inbound.encryption ?? '',
    decryption: '',
    mldsa65_verify: inbound.mldsa65_verify ?? '',
    mldsa65_seed: '',
    short_id: inbound.short_id ?? '',
    method: inbound.method ?? COMMON_METHOD,
    obfs_password: inbound.obfs_password ?? '',
    hop_ports: inbound.hop_ports ?? '',
    masquerade: inbound.masquerade ?? '',
    fragment: inbound.fragment ?? '',
    noise: inbound.noise ?? '',
    mux: inbound.mux ?? '',
    shares_port_of: inbound.shares_port_of ?? '',
    fallback: inbound.fallback ?? '',
    fallback_proxy_protocol: inbound.fallback_proxy_protocol ?? '',
    address_pool: inbound.address_pool ?? '',
    mtu: inbound.mtu ?? '',
    target: inbound.target ?? '',
    min_client_version: inbound.min_client_version ?? '',
    certificate: inbound.certificate ?? '',
    certificate_key: '',
    // The same keys for the same record, so that an untouched form counts as unchanged.
    hosts: (inbound.hosts ?? []).map((host, index) => toHostValues(host, String(index))),
    host_order: inbound.host_order ?? 'listed',
    note: inbound.note ?? '',
    enabled: inbound.enabled,
  };
}

/** Changes protocol, network or security, and adjusts the others to it. */
export function reshaped(values: Values, change: Partial<InboundShape>): Values {
  const next = { ...values, ...adjustShape({ ...values, ...change }) };
  const fields = shapeFields(next);
  const before = shapeFields(values);
  return {
    ...next,
    // Set fingerprint and Vision when they become possible; they can be removed.
    flow: fields.has('flow') ? (before.has('flow') ? next.flow : flowFor(next)) : '',
    fingerprint: needsFingerprint(next, before) ? 'chrome' : next.fingerprint,
  };
}

function needsFingerprint(next: Values, before: ReadonlySet<ShapeField>): boolean {
  if (!shapeFields(next).has('fingerprint')) return false;
  return !before.has('fingerprint') || !canImitate(next.security, next.fingerprint);
}

function flowFor({ security }: InboundShape): Values['flow'] {
  return security === 'reality' ? 'xtls-rprx-vision' : '';
}

/** Fields of the form for these values; fewer if another connection's port is shared. */
export function listFormFields(values: Values): ReadonlySet<ShapeField> {
  const fields = shapeFields(values);
  return fields.has('shares_port_of') ? shapeFields(values, values.shares_port_of !== '') : fields;
}

/** Whether VLESS encryption is on: then the engine passes nobody on, to a site or to other connections. */
export function hasEncryption(values: Values): boolean {
  const isSet = values.encryption.trim() !== '' || values.decryption.trim() !== '';
  return isSet && shapeFields(values).has('encryption');
}

/** The input of a change. Keys are included only if entered or generated. */
export function buildChanges(values: Values): Changes {
  const fields = listFormFields(values);
  const text = (name: ShapeField, value: string) => (fields.has(name) && value.trim() !== '' ? value.trim() : null);
  const { tag, name, network, security, host, port, alpn, note, enabled } = values;
  const privateKey = text('private_key', values.private_key);
  const decryption = text('decryption', values.decryption);
  const mldsa65Seed = text('mldsa65_seed', values.mldsa65_seed);
  const certificateKey = text('certificate_key', values.certificate_key);
  const fallback = hasEncryption(values) ? null : text('fallback', values.fallback);
  return {
    tag: tag.trim(),
    name,
    network,
    security,
    host: host.trim() === '' ? null : host.trim(),
    // undefined if empty, so that validation reports it as missing.
    port: port === '' ? (undefined as unknown as number) : port,
    sni: text('sni', values.sni),
    path: text('path', values.path),
    service_name: text('service_name', values.service_name),
    xhttp_mode: text('xhttp_mode', values.xhttp_mode) as XhttpMode | null,
    xhttp_extra: fields.has('xhttp_extra') ? readExtra(values.xhttp_extra).extra : null,
    proxy_header: text('proxy_header', values.proxy_header),
    flow: text('flow', values.flow) as Create['flow'],
    fingerprint: text('fingerprint', values.fingerprint) as (typeof FINGERPRINTS)[number] | null,
    alpn: fields.has('alpn') && alpn.length > 0 ? (alpn as NonNullable<Create['alpn']>) : null,
    public_key: text('public_key', values.public_key),
    ...(privateKey !== null && { private_key: privateKey }),
    encryption: text('encryption', values.encryption),
    ...(decryption !== null && { decryption }),
    mldsa65_verify: text('mldsa65_verify', values.mldsa65_verify),
    ...(mldsa65Seed !== null && { mldsa65_seed: mldsa65Seed }),
    short_id: text('short_id', values.short_id),
    method: text('method', values.method) as (typeof METHODS)[number] | null,
    obfs_password: text('obfs_password', values.obfs_password),
    hop_ports: text('hop_ports', values.hop_ports.replaceAll(' ', '')),
    masquerade: text('masquerade', values.masquerade),
    fragment: text('fragment', values.fragment.replaceAll(' ', '')),
    noise: text('noise', values.noise.replaceAll(' ', '')),
    mux: fields.has('mux') && values.flow === '' && values.mux !== '' ? values.mux : null,
    shares_port_of: fields.has('shares_port_of') && values.shares_port_of !== '' ? values.shares_port_of : null,
    fallback,
    fallback_proxy_protocol:
      fallback !== null && values.fallback_proxy_protocol !== '' ? values.fallback_proxy_protocol : null,
    address_pool: fields.has('address_pool') ? (text('address_pool', values.address_pool) ?? DEFAULT_POOL) : null,
    mtu: fields.has('mtu') && values.mtu !== '' ? values.mtu : null,
    target: text('target', values.target),
    min_client_version: text('min_client_version', values.min_client_version),
    // Not trimmed: a certificate ends with a line feed.
    certificate: fields.has('certificate') && values.certificate.trim() !== '' ? values.certificate : null,
    ...(certificateKey !== null && { certificate_key: certificateKey }),
    hosts: buildHosts(values, values.hosts),
    host_order: values.host_order,
    note,
    enabled,
  };
}

export function buildCreateInput(values: Values): Create {
  const nodeId = values.node_id === '' ? (undefined as unknown as number) : Number(values.node_id);
  const more = values.more_node_ids.filter((id) => id !== values.node_id).map(Number);
  return {
    node_id: nodeId,
    ...(more.length > 0 && { more_node_ids: more }),
    protocol: values.protocol,
    ...buildChanges(values),
  };
}

/** Missing fields that depend on the shape, which the schema does not check. */
export function listMissingFields(values: Values): readonly ('sni' | 'public_key' | 'method')[] {
  const fields = listFormFields(values);
  const { sni, public_key, private_key, method } = buildChanges(values);
  const missing: ('sni' | 'public_key' | 'method')[] = [];
  const needsKeys = values.security === 'reality' && fields.has('public_key');
  if (needsKeys && sni === null) missing.push('sni');
  // The public key is derived from a private one.
  if (needsKeys && public_key === null && private_key === undefined) missing.push('public_key');
  if (fields.has('method') && method === null) missing.push('method');
  return missing;
}

export const writeExtra = (extra: XhttpExtra): string => JSON.stringify(extra, null, 2);

/** What is typed, and the member that is wrong; an empty one: it is no JSON. */
export function readExtra(text: string): { readonly extra: XhttpExtra | null; readonly wrong: string | null } {
  if (text.trim() === '') return { extra: null, wrong: null };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { extra: null, wrong: '' };
  }
  const { data, error } = xhttpExtra.safeParse(value);
  if (data) return { extra: Object.keys(data).length === 0 ? null : data, wrong: null };
  const [issue] = error.issues;
  const names = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  return { extra: null, wrong: [...(issue?.path ?? []), ...names].join('.') };
}

/** What most operators set: padding of another length than usual, and some requests in each connection. */
const USUAL_EXTRA: XhttpExtra = {
  xPaddingBytes: '100-1000',
  xmux: { maxConcurrency: '16-32', hMaxRequestTimes: '600-900', hMaxReusableSecs: '1800-3000' },
};

/** With names of its own for padding, sessions and numbers, so that no filter knows them. */
export function newExtra(hasObfuscation: boolean): XhttpExtra {
  if (!hasObfuscation) return USUAL_EXTRA;
  const makeName = () => `x${randomHex(3)}`;
  return {
    ...USUAL_EXTRA,
    xPaddingObfsMode: true,
    xPaddingKey: makeName(),
    xPaddingHeader: makeName(),
    xPaddingPlacement: 'queryInHeader',
    xPaddingMethod: 'tokenish',
    sessionIDPlacement: 'cookie',
    sessionIDKey: makeName(),
    seqPlacement: 'query',
    seqKey: makeName(),
  };
}

/** A free tag on the node: the name of the shape, with a number if it is in use. */
export function freeTag({ protocol, network, security }: InboundShape, taken: ReadonlySet<string>): string {
  const base = [protocol, security === 'reality' ? security : network === 'tcp' ? security : network]
    .filter((part) => part !== 'none' && part !== 'quic' && part !== 'udp')
    .join('-');
  for (let number = 1; ; number += 1) {
    const tag = number === 1 ? base : `${base}-${number}`;
    if (!taken.has(tag)) return tag;
  }
}

/** Sixteen random bytes in hex. */
export function newObfsPassword(): string {
  return randomHex(16);
}

/** Eight random bytes in hex, which distinguish the clients of connections. */
export function newShortId(): string {
  return randomHex(8);
}

/** Values of the sample user; the link does not work. */
const SAMPLE_USER = {
  uuid: '00000000-0000-4000-8000-000000000000',
  password: 'password-of-the-user',
  key: 'MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA=',
  wireguard: 'MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA=',
} as const;

const SAMPLE_ID = 1;

/** An entry of the sample user's subscription. */
interface PreviewedLink {
  /** Its position, from 1. */
  readonly place: number;
  /** Name with the sample user's variables. */
  readonly name: string;
  /** The link: one line of ASCII. */
  readonly link: string;
}

/**
 * The links for the sample user; null while required fields are missing. `nodeAddress` is used if the connection has no host; `owner`: the
 * connection whose port it shares.
 */
export function previewLinks(
  values: Values,
  nodeAddress: string,
  owner: Inbound | null = null,
): readonly PreviewedLink[] | null {
  const fields = buildChanges(values);
  const address = fields.host ?? owner?.host ?? nodeAddress;
  if (address === '' || values.port === '') return null;
  const inbound = {
    name: values.name,
    protocol: values.protocol,
    network: values.network,
    security: values.security,
    port: values.port,
    sni: fields.sni ?? owner?.sni ?? null,
    path: fields.path ?? null,
    serviceName: fields.service_name ?? null,
    xhttpMode: fields.xhttp_mode ?? null,
    xhttpExtra: fields.xhttp_extra ?? null,
    flow: fields.flow ?? null,
    fingerprint: fields.fingerprint ?? owner?.fingerprint ?? null,
    alpn: fields.alpn ?? null,
    publicKey: fields.public_key ?? owner?.public_key ?? null,
    encryption: fields.encryption ?? null,
    mldsa65Verify: fields.mldsa65_verify ?? owner?.mldsa65_verify ?? null,
    shortId: fields.short_id ?? owner?.short_id ?? null,
    method: fields.method ?? null,
    obfsPassword: fields.obfs_password ?? null,
    hopPorts: fields.hop_ports ?? null,
    fragment: fields.fragment ?? null,
    noise: fields.noise ?? null,
    mux: fields.mux ?? null,
    addressPool: fields.address_pool ?? null,
    mtu: fields.mtu ?? null,
    hosts: buildHosts(values, values.hosts).map(toPreviewHost),
    hostOrder: 'listed' as const,
  };
  if (!canLink(inbound)) return null;
  const user = { credentials: SAMPLE_USER, tunnelAddress: userTunnelAddress(inbound.addressPool, SAMPLE_ID) };
  const places = expandHosts([{ inbound, address, engine: null, secrets: NO_SECRETS }], {
    id: SAMPLE_ID,
    tariffId: null,
    tags: [],
  });
  return places.map((place, index) => {
    const name = expandVariables(place.inbound.name, sampleVariables(place)) || place.address;
    return { place: index + 1, name, link: shareLink({ ...place, ...user, name }) };
  });
}

/** A host for all users, because the preview shows all hosts. */
function toPreviewHost({ host_header: hostHeader, ...host }: HostInput): Host {
  return { ...host, hostHeader, tariffs: [], tags: [] };
}

const SAMPLE_VALUES: Readonly<Partial<Record<Variable, string>>> = {
  USERNAME: 'anna',
  ID: String(SAMPLE_ID),
  STATUS: 'ACTIVE',
  STATUS_TEXT: 'Active',
  STATUS_EMOJI: '✅',
  DAYS_LEFT: '12',
  TIME_LEFT: '12 days',
  EXPIRE_DATE: '2026-12-10',
  JALALI_EXPIRE_DATE: '1405/09/19',
  EXPIRE_UNIX: '1796889600',
  TRAFFIC_USED: '1.4 GB',
  TRAFFIC_LEFT: '48.6 GB',
  TOTAL_TRAFFIC: '50 GB',
  TRAFFIC_USED_BYTES: '1400000000',
  TRAFFIC_LEFT_BYTES: '48600000000',
  TOTAL_TRAFFIC_BYTES: '50000000000',
  USAGE_PERCENTAGE: '2',
};

function sampleVariables({ inbound, address }: Place<InboundShape>): VariableValues {
  const own: Partial<Record<Variable, string>> = {
    PROTOCOL: inbound.protocol,
    TRANSPORT: inbound.network,
    SECURITY: inbound.security,
    SERVER_IP: address,
  };
  return (variable) => own[variable] ?? SAMPLE_VALUES[variable] ?? '';
}
