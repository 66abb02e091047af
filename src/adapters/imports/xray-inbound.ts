// An inbound of Xray's configuration as an inbound of this panel: its keys, ports and paths stay, what has no place is named.

import {
  DOCUMENT_LIMITS,
  type DocumentInbound,
  documentInbound,
  type ImportLoss,
  type ImportLossCode,
} from '../../contract/imports/document.ts';
import { FINGERPRINTS, METHODS } from '../../contract/inbounds.ts';
import { shapeFields } from '../../domain/nodes/inbound-shape.ts';
import { hasKeys } from '../../domain/nodes/shadowsocks.ts';
import { ImportRefusal } from './import-refusal.ts';
import { cleanText, findNamed, isOn, type Json, toArray, toInteger, toObject, toText } from './values.ts';

export interface XrayInbound {
  readonly id: string;
  readonly tag: string;
  readonly name: string;
  readonly listen: string;
  readonly port: number;
  readonly protocol: string;
  readonly settings: Json;
  readonly stream: Json;
  readonly enabled: boolean;
  /** Of Shadowsocks, where users have it and the inbound has not. */
  readonly method?: string | undefined;
  readonly losses?: readonly ImportLoss[];
}

export type MappedInbound = { readonly inbound: DocumentInbound } | { readonly reason: string };

const NETWORKS: Readonly<Record<string, DocumentInbound['network']>> = {
  tcp: 'tcp',
  raw: 'tcp',
  ws: 'ws',
  websocket: 'ws',
  grpc: 'grpc',
  gun: 'grpc',
  httpupgrade: 'httpupgrade',
  xhttp: 'xhttp',
  splithttp: 'xhttp',
  hysteria: 'quic',
};
const PROTOCOLS: Readonly<Record<string, DocumentInbound['protocol']>> = {
  vless: 'vless',
  vmess: 'vmess',
  trojan: 'trojan',
  shadowsocks: 'shadowsocks',
  hysteria: 'hysteria2',
  hysteria2: 'hysteria2',
};
const EVERYWHERE = ['', '0.0.0.0', '::', '::0'];
const X25519 = /^[A-Za-z0-9_-]{43}$/;
const SHORT_ID = /^(?:[0-9a-f]{2}){0,8}$/;
const MAX_TAG = 56;

/** A tag that engines and the panel take. `taken`: those of others. */
function makeTag(tag: string, taken: ReadonlySet<string>): string {
  const plain =
    tag
      .replace(/[^A-Za-z0-9_-]+/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, MAX_TAG) || 'inbound';
  let unique = plain;
  for (let number = 2; taken.has(unique); number += 1) unique = `${plain}-${number}`;
  return unique;
}

type Fields = Partial<Record<keyof DocumentInbound, unknown>>;

/** Collects what is lost of one inbound. */
type Lose = (code: ImportLossCode, detail?: string) => void;

class Unsupported extends Error {}

function refuse(reason: string): never {
  throw new Unsupported(reason);
}

/** The inbound, whose tag is added to those that are taken; or why the panel cannot have it. Throws ImportRefusal if there are too many. */
export function mapXrayInbound(given: XrayInbound, takenTags: Set<string>): MappedInbound {
  const losses: ImportLoss[] = [...(given.losses ?? [])];
  const lose: Lose = (code, detail = '') => losses.push({ code, detail: cleanText(detail, 200) });
  try {
    const fields = readFields(given, lose);
    const made = documentInbound.safeParse({
      id: given.id,
      node: null,
      tag: makeTag(given.tag, takenTags),
      name: cleanText(given.name, 100).trim() || cleanText(given.tag, 100).trim() || given.protocol,
      port: given.port,
      enabled: given.enabled,
      shares_port_of: null,
      ...fields,
      losses,
    });
    if (made.success) {
      takenTags.add(made.data.tag);
      // Before users are compared with each of them.
      if (takenTags.size > DOCUMENT_LIMITS.inbounds) throw new ImportRefusal('too_large', 'inbounds');
      return { inbound: made.data };
    }
    const [issue] = made.error.issues;
    return { reason: cleanText(`${issue?.path.join('.')}: ${issue?.message}`, 500) };
  } catch (error) {
    if (error instanceof Unsupported) return { reason: cleanText(error.message, 500) };
    throw error;
  }
}

function readFields(given: XrayInbound, lose: Lose): Fields {
  const { settings, stream } = given;
  const protocol = findNamed(PROTOCOLS, given.protocol) ?? refuse(`protocol ${given.protocol}`);
  if (!EVERYWHERE.includes(given.listen)) lose('listens_locally', given.listen);
  if (protocol === 'vless' && !['', 'none'].includes(toText(settings.decryption))) refuse('VLESS encryption');
  if (protocol === 'shadowsocks') return readShadowsocks(given);
  const network = findNamed(NETWORKS, toText(stream.network) || 'tcp') ?? refuse(`network ${toText(stream.network)}`);
  const security = toText(stream.security) || 'none';
  if (protocol === 'trojan' && security === 'none') refuse('Trojan without TLS');
  const transport = readTransport(network, stream, lose);
  const secured = readSecurity(security, stream, lose);
  const hysteria: Fields = protocol === 'hysteria2' ? readHysteria(stream, lose) : {};
  const canHaveFallback =
    (security === 'tls' || security === 'reality') && shapeFields({ protocol, network, security }).has('fallback');
  const fallback = readFallback(settings, canHaveFallback, lose);
  const web = ['ws', 'httpupgrade', 'xhttp'].includes(network);
  const { host, ...path } = transport;
  const sni = secured.sni ?? (web ? host : null) ?? null;
  if (host && security !== 'reality' && host !== sni) lose('host_header', host);
  return { protocol, network, security, ...path, ...secured, sni, ...hysteria, ...fallback };
}

/** The web server for visitors who are no users: the one fallback without a condition. */
function readFallback(settings: Json, canHave: boolean, lose: Lose): Fields {
  const all = toArray(settings.fallbacks).map(toObject);
  const isPlain = ({ name, alpn, path }: Json) => [name, alpn, path].every((each) => toText(each) === '');
  const plain = all.find(isPlain);
  const dest = toText(plain?.dest);
  const fallback = /^\d+$/.test(dest) ? `127.0.0.1:${dest}` : dest;
  const isTaken = canHave && fallback !== '' && documentInbound.shape.fallback.safeParse(fallback).success;
  if (all.length > (isTaken ? 1 : 0)) lose('fallbacks', all.map((each) => toText(each.dest)).join(', '));
  if (!isTaken) return {};
  const version = toInteger(plain?.xver);
  return { fallback, fallback_proxy_protocol: version === 1 || version === 2 ? version : null };
}

function readShadowsocks({ settings, stream, method: ofUsers }: XrayInbound): Fields {
  const method = toText(settings.method) || ofUsers || '';
  if (!METHODS.some((each) => each === method)) refuse(`Shadowsocks with ${method || 'no method'}`);
  const network = toText(stream.network) || 'tcp';
  const security = toText(stream.security) || 'none';
  if (findNamed(NETWORKS, network) !== 'tcp' || security !== 'none')
    refuse(`Shadowsocks over ${network} and ${security}`);
  const server_key = hasKeys(method) ? toText(settings.password) : null;
  return { protocol: 'shadowsocks', network: 'tcp', security: 'none', method, server_key };
}

function readHysteria(stream: Json, lose: Lose): Fields {
  const { type, url } = toObject(toObject(stream.hysteriaSettings).masquerade);
  const isSite = toText(type) === 'proxy' && documentInbound.shape.masquerade.safeParse(url).success;
  const masquerade = isSite ? toText(url) : null;
  if (masquerade === null && toText(type) !== '') lose('other_settings', `masquerade ${toText(type)}`);
  return { alpn: null, fingerprint: null, obfs_password: readObfuscation(stream), masquerade };
}

function readObfuscation(stream: Json): string | null {
  const masks = toArray(toObject(stream.finalmask).udp).map(toObject);
  const salamander = masks.find(({ type }) => type === 'salamander');
  return salamander ? toText(toObject(salamander.settings).password) || null : null;
}

function readTransport(
  network: DocumentInbound['network'],
  stream: Json,
  lose: Lose,
): { readonly host?: string; readonly path?: string; readonly service_name?: string } {
  const own = (name: string) => toObject(stream[`${name}Settings`]);
  if (Object.keys(toObject(stream.sockopt)).length > 0) lose('other_settings', 'sockopt');
  switch (network) {
    case 'tcp': {
      const settings = { ...own('tcp'), ...own('raw') };
      if (toText(toObject(settings.header).type) === 'http') refuse('TCP with HTTP headers');
      if (isOn(settings.acceptProxyProtocol)) lose('proxy_protocol');
      return {};
    }
    case 'grpc': {
      const settings = own('grpc');
      if (isOn(settings.multiMode)) lose('other_settings', 'multiMode');
      return { service_name: toText(settings.serviceName) || refuse('gRPC without a service name') };
    }
    case 'ws':
    case 'httpupgrade':
    case 'xhttp': {
      const settings = network === 'xhttp' ? { ...own('splithttp'), ...own('xhttp') } : own(network);
      if (isOn(settings.acceptProxyProtocol)) lose('proxy_protocol');
      const { Host, host: lower, ...headers } = toObject(settings.headers);
      if (Object.keys(headers).length > 0) lose('headers', Object.keys(headers).join(', '));
      const mode = toText(settings.mode);
      if (network === 'xhttp' && !['', 'auto'].includes(mode)) lose('other_settings', `mode ${mode}`);
      const host = toText(settings.host) || toText(Host) || toText(lower);
      return { path: toText(settings.path) || '/', ...(host !== '' && { host }) };
    }
    default:
      return {};
  }
}

function pickFingerprint(value: unknown): string | null {
  return FINGERPRINTS.find((each) => each === toText(value)) ?? null;
}

function readSecurity(security: string, stream: Json, lose: Lose): Fields & { readonly sni?: string | null } {
  if (security === 'none') return {};
  if (security === 'tls') return readTls(toObject(stream.tlsSettings), lose);
  if (security === 'reality') return readReality(toObject(stream.realitySettings), lose);
  return refuse(`security ${security}`);
}

function readLines(value: unknown): string {
  return typeof value === 'string' ? value : toArray(value).map(toText).join('\n');
}

function readTls(tls: Json, lose: Lose): Fields & { readonly sni: string | null } {
  const [first] = toArray(tls.certificates).map(toObject);
  const certificate = readLines(first?.certificate);
  const key = readLines(first?.key);
  const isThere = certificate !== '' && key !== '';
  if (!isThere) lose('certificate_missing', toText(first?.certificateFile));
  const alpn = toArray(tls.alpn)
    .map(toText)
    .filter((each) => ['h2', 'http/1.1', 'h3'].includes(each));
  return {
    sni: toText(tls.serverName) || null,
    alpn: alpn.length > 0 ? alpn : null,
    fingerprint: pickFingerprint(toObject(tls.settings).fingerprint),
    certificate: isThere ? certificate : null,
    certificate_key: isThere ? key : null,
  };
}

function readReality(reality: Json, lose: Lose): Fields & { readonly sni: string } {
  const privateKey = toText(reality.privateKey);
  if (!X25519.test(privateKey)) refuse('REALITY without a private key');
  const [sni, ...more_server_names] = toArray(reality.serverNames)
    .map(toText)
    .filter((name) => name !== '');
  if (sni === undefined) return refuse('REALITY without a server name');
  const ids = toArray(reality.shortIds).map((id) => toText(id).toLowerCase());
  const shortIds = ids.filter((id) => SHORT_ID.test(id));
  if (shortIds.length < ids.length) lose('other_settings', 'shortIds');
  // A link has one that is not empty, if there is any.
  const short_id = shortIds.find((id) => id !== '') ?? shortIds[0] ?? null;
  if (toText(reality.mldsa65Seed) !== '') lose('other_settings', 'mldsa65Seed');
  if (toInteger(reality.xver) !== 0) lose('proxy_protocol');
  const target = toText(reality.target) || toText(reality.dest);
  const version = toText(reality.minClientVer);
  const settings = toObject(reality.settings);
  return {
    sni,
    more_server_names,
    private_key: privateKey,
    short_id,
    more_short_ids: shortIds.filter((id) => id !== short_id),
    target: target === '' ? null : /^\d+$/.test(target) ? `127.0.0.1:${target}` : target,
    min_client_version: /^\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(version) ? version : null,
    fingerprint: pickFingerprint(settings.fingerprint),
  };
}
