// An inbound on the wire. Unknown members are ignored: a later panel may send more.
import { z } from 'zod';
import { HOST_ORDERS, HOST_SECURITIES } from '../../contract/hosts.ts';
import { NETWORKS, PROTOCOLS, SECURITIES } from '../../contract/inbounds.ts';
import { XHTTP_MODES, type XhttpExtra, xhttpExtra } from '../../contract/xhttp.ts';
import type { EngineInbound } from '../../core/ports/engines.ts';
import type { MachineInbound } from '../../core/ports/inbounds.ts';
import type { Host } from '../../domain/subscription/hosts.ts';
import { amount, id, instant } from './wire-values.ts';

const textOrNull = z.string().nullable();
const port = z.int().min(1).max(65_535);

const host = z.object({
  name: textOrNull,
  address: textOrNull,
  port: port.nullable(),
  security: z.enum(HOST_SECURITIES).nullable(),
  sni: textOrNull,
  hostHeader: textOrNull,
  path: textOrNull,
  alpn: z.array(z.string()).nullable(),
  fingerprint: textOrNull,
  weight: amount,
  tariffs: z.array(id),
  tags: z.array(z.string()),
  enabled: z.boolean(),
});

/** One value: what a later panel adds to it is for the engine. */
const knownExtra = xhttpExtra.strip();
const extra = z.custom<XhttpExtra>((value) => knownExtra.safeParse(value).success);

export const inbound = z.object({
  id,
  nodeId: id,
  tag: z.string(),
  name: z.string(),
  protocol: z.enum(PROTOCOLS),
  network: z.enum(NETWORKS),
  security: z.enum(SECURITIES),
  host: textOrNull,
  port,
  sni: textOrNull,
  path: textOrNull,
  xhttpMode: z.enum(XHTTP_MODES).nullable(),
  xhttpExtra: extra.nullable(),
  serviceName: textOrNull,
  proxyHeader: textOrNull,
  flow: textOrNull,
  fingerprint: textOrNull,
  alpn: z.array(z.string()).nullable(),
  publicKey: textOrNull,
  encryption: textOrNull,
  mldsa65Verify: textOrNull,
  shortId: textOrNull,
  moreShortIds: z.array(z.string()),
  moreServerNames: z.array(z.string()),
  method: textOrNull,
  obfsPassword: textOrNull,
  hopPorts: textOrNull,
  masquerade: textOrNull,
  fragment: textOrNull,
  noise: textOrNull,
  mux: amount.nullable(),
  sharesPortOf: amount.nullable(),
  fallback: textOrNull,
  fallbackProxyProtocol: amount.nullable(),
  addressPool: textOrNull,
  mtu: amount.nullable(),
  target: textOrNull,
  minClientVersion: textOrNull,
  certificate: z
    .object({ chain: z.string(), isOwn: z.boolean(), isSelfSigned: z.boolean(), sha256: z.string(), endsAt: instant })
    .nullable(),
  hosts: z.array(host),
  hostOrder: z.enum(HOST_ORDERS),
  updatedAt: instant,
});
export const engineInbound = inbound.extend({
  privateKey: textOrNull,
  certificateKey: textOrNull,
  decryption: textOrNull,
  mldsa65Seed: textOrNull,
  serverKey: textOrNull,
});

type WireInbound = z.input<typeof inbound>;
type WireEngineInbound = z.input<typeof engineInbound>;

function certificateToWire({
  chain,
  isOwn,
  isSelfSigned,
  sha256,
  endsAt,
}: NonNullable<MachineInbound['certificate']>): NonNullable<WireInbound['certificate']> {
  return { chain, isOwn, isSelfSigned, sha256, endsAt };
}

function hostToWire({
  name,
  address,
  port,
  security,
  sni,
  hostHeader,
  path,
  alpn,
  fingerprint,
  weight,
  tariffs,
  tags,
  enabled,
}: Host): z.input<typeof host> {
  const place = { name, address, port, security, sni, hostHeader, path, alpn: alpn && [...alpn], fingerprint };
  return { ...place, weight, tariffs: [...tariffs], tags: [...tags], enabled };
}

export function inboundToWire(row: MachineInbound): WireInbound {
  return {
    id: row.id,
    nodeId: row.nodeId,
    tag: row.tag,
    name: row.name,
    protocol: row.protocol,
    network: row.network,
    security: row.security,
    host: row.host,
    port: row.port,
    sni: row.sni,
    path: row.path,
    xhttpMode: row.xhttpMode,
    xhttpExtra: row.xhttpExtra,
    serviceName: row.serviceName,
    proxyHeader: row.proxyHeader,
    flow: row.flow,
    fingerprint: row.fingerprint,
    alpn: row.alpn && [...row.alpn],
    publicKey: row.publicKey,
    encryption: row.encryption,
    mldsa65Verify: row.mldsa65Verify,
    shortId: row.shortId,
    moreShortIds: [...row.moreShortIds],
    moreServerNames: [...row.moreServerNames],
    method: row.method,
    obfsPassword: row.obfsPassword,
    hopPorts: row.hopPorts,
    masquerade: row.masquerade,
    fragment: row.fragment,
    noise: row.noise,
    mux: row.mux,
    sharesPortOf: row.sharesPortOf,
    fallback: row.fallback,
    fallbackProxyProtocol: row.fallbackProxyProtocol,
    addressPool: row.addressPool,
    mtu: row.mtu,
    target: row.target,
    minClientVersion: row.minClientVersion,
    certificate: row.certificate && certificateToWire(row.certificate),
    hosts: row.hosts.map(hostToWire),
    hostOrder: row.hostOrder,
    updatedAt: row.updatedAt,
  };
}

export function engineInboundToWire(row: EngineInbound): WireEngineInbound {
  const { privateKey, certificateKey, decryption, mldsa65Seed, serverKey } = row;
  return { ...inboundToWire(row), privateKey, certificateKey, decryption, mldsa65Seed, serverKey };
}
