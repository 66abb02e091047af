// The configuration that an engine is started with, written from the records. Xray and v2ray read one form of JSON; what only one of
// them knows the other passes over, or is refused here.
import { createHash } from 'node:crypto';
import {
  type EngineConfig,
  EngineError,
  type EngineInbound,
  type EngineName,
  type EngineUser,
} from '../core/ports/engines.ts';
import { neededFacts } from '../domain/nodes/engine-facts.ts';
import { credentialsOn, flowOn } from '../domain/nodes/inbound-credentials.ts';
import { DEFAULT_SERVICE_NAME, PATH_NETWORKS } from '../domain/nodes/inbound-shape.ts';
import { hasKeys, keyFor } from '../domain/nodes/shadowsocks.ts';
import { getSharedPath, isOverHttp2 } from '../domain/nodes/shared-port.ts';
import { DEFAULT_MTU, nodeTunnelAddress, userTunnelAddress } from '../domain/nodes/wireguard.ts';
import { withFormerNames } from '../domain/nodes/xhttp.ts';
import { bootTag, userKey } from './connector-names.ts';
import { wireguardPeer } from './wireguard-key.ts';

/** A user and the ids of the inbounds to be let in to. */
export type StartUser = EngineUser & { readonly inbounds: readonly number[] };

/** What one start of an engine has of its own. */
export interface EngineStart {
  readonly name: EngineName;
  /** Where its API listens, on loopback. */
  readonly apiPort: number;
  /** Where inbounds listen that share the port of another, on loopback, by their ids. */
  readonly innerPorts: ReadonlyMap<number, number>;
  readonly boot: string;
  readonly fingerprint: string;
  /** 32 random bytes in base64, which no user gets: see `placeholder`. */
  readonly spareKey: string;
}

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json | undefined };
type JsonObject = { readonly [name: string]: Json | undefined };

// A colon is in no tag of an inbound.
const API = 'panel:api';
const DIRECT = 'panel:direct';
const BLOCKED = 'panel:blocked';

/** Loopback, private, link-local, shared (RFC 6598), documentation, benchmarking, multicast and reserved addresses. */
const PRIVATE_NETWORKS = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '::/127',
  '64:ff9b:1::/48',
  '100::/64',
  '2001:db8::/32',
  'fc00::/7',
  'fe80::/10',
  'ff00::/8',
];
const EVERYWHERE = ['0.0.0.0/0', '::/0'];

/** Lets in every client: without it Xray has a default of its own, which changes between versions. */
const ANY_VERSION = '0.0.0';

/** The configuration as the engine reads it from its standard input. Throws EngineError `config_refused`, which names the inbound. */
export function engineConfigText(config: EngineConfig, users: Iterable<StartUser>, start: EngineStart): string {
  const clients = buildClients(config.inbounds, users);
  return JSON.stringify(buildTree(config, clients, start));
}

/** Any user: which members of one an inbound needs is part of what an engine serves. */
const SAMPLE_USER: EngineUser = {
  userId: 1,
  credentials: { uuid: '', password: '', key: btoa('k'.repeat(32)), wireguard: btoa('w'.repeat(32)) },
};
const SAMPLE_START: EngineStart = {
  name: 'xray',
  apiPort: 1,
  innerPorts: new Map(),
  boot: '',
  fingerprint: '',
  spareKey: btoa('s'.repeat(32)),
};

/** Identifies what an engine serves, without its users: another one only where the engine reads something else, which needs another start. */
export function computeFingerprint(config: EngineConfig): string {
  const inbounds = config.inbounds.map((inbound) => [inbound.id, buildSample(inbound, config.inbounds)]);
  const tree = buildTree({ ...config, inbounds: [] }, new Map(), SAMPLE_START);
  return createHash('sha256')
    .update(JSON.stringify([tree, inbounds]))
    .digest('hex')
    .slice(0, 16);
}

function buildSample(inbound: EngineInbound, all: readonly EngineInbound[]): Json {
  try {
    return buildInbound(inbound, [buildClient(inbound, SAMPLE_USER)], SAMPLE_START, all);
  } catch (error) {
    if (error instanceof EngineError) return error.message;
    throw error;
  }
}

/** A configuration of one inbound alone, as the engine that runs takes another inbound. */
export function inboundConfigText(inbound: EngineInbound, users: readonly EngineUser[], start: EngineStart): string {
  const clients = users.filter((user) => canServe(inbound, user)).map((user) => buildClient(inbound, user));
  // None that others share the port of: reopening does not end what is open over TCP, so it is not done.
  return JSON.stringify({ inbounds: [buildInbound(inbound, clients, start, [])] });
}

type Clients = ReadonlyMap<number, readonly JsonObject[]>;

function buildClients(inbounds: readonly EngineInbound[], users: Iterable<StartUser>): Clients {
  const clients = new Map<number, JsonObject[]>(inbounds.map(({ id }) => [id, []]));
  const byId = new Map(inbounds.map((inbound) => [inbound.id, inbound]));
  for (const user of users) {
    for (const id of user.inbounds) {
      const inbound = byId.get(id);
      if (inbound && canServe(inbound, user)) clients.get(id)?.push(buildClient(inbound, user));
    }
  }
  return clients;
}

/** Whom an inbound has no place for is left out: the engine would refuse the configuration as a whole. */
function canServe(inbound: EngineInbound, { userId, credentials }: EngineUser): boolean {
  if (inbound.protocol !== 'wireguard') return true;
  return credentials.wireguard !== '' && userTunnelAddress(inbound.addressPool, userId) !== null;
}

function buildClient(inbound: EngineInbound, user: EngineUser): JsonObject {
  const { userId } = user;
  const credentials = credentialsOn(inbound, user.credentials);
  const email = userKey(userId, inbound.tag);
  const method = inbound.method ?? '';
  switch (inbound.protocol) {
    case 'vless':
      return { email, id: credentials.uuid, flow: flowOn(inbound, credentials) ?? '' };
    case 'vmess':
      return { email, id: credentials.uuid, alterId: 0 };
    case 'trojan':
      return { email, password: credentials.password };
    case 'hysteria2':
      return { email, auth: credentials.password };
    case 'wireguard': {
      const { publicKey, allowedIps } = wireguardPeer(inbound, { ...user, credentials });
      return { email, publicKey, allowedIPs: allowedIps };
    }
    case 'shadowsocks':
      return hasKeys(method)
        ? { email, password: keyFor(method, credentials.key) }
        : { email, method, password: credentials.password };
  }
}

function buildTree(config: EngineConfig, clients: Clients, start: EngineStart): JsonObject {
  const own = config.inbounds.map((inbound) =>
    buildInbound(inbound, clients.get(inbound.id) ?? [], start, config.inbounds),
  );
  return {
    log: { access: 'none', loglevel: 'warning' },
    api: { tag: API, services: ['HandlerService', 'StatsService'] },
    stats: {},
    policy: {
      levels: { '0': { statsUserUplink: true, statsUserDownlink: true, statsUserOnline: true } },
      system: { statsOutboundUplink: true },
    },
    inbounds: [apiInbound(start.apiPort), ...own],
    // The first is where everything goes that no rule names.
    outbounds: [directOutbound(config), blackhole(BLOCKED), blackhole(bootTag(start.boot, start.fingerprint))],
    routing: buildRouting(config),
  };
}

function apiInbound(port: number): JsonObject {
  const settings = { address: '127.0.0.1' };
  return { tag: API, listen: '127.0.0.1', port, protocol: 'dokodemo-door', settings };
}

function blackhole(tag: string): JsonObject {
  return { tag, protocol: 'blackhole' };
}

/** Newer versions of Xray check the address once more when they connect, by rules of their own unless there are these. */
function directOutbound({ blocksPrivate }: EngineConfig): JsonObject {
  const rule = blocksPrivate ? { action: 'block', ip: PRIVATE_NETWORKS } : { action: 'allow', ip: EVERYWHERE };
  return { tag: DIRECT, protocol: 'freedom', settings: { finalRules: [rule] } };
}

function buildRouting({ blocksPrivate }: EngineConfig): JsonObject {
  const api = { type: 'field', inboundTag: [API], outboundTag: API };
  if (!blocksPrivate) return { domainStrategy: 'AsIs', rules: [api] };
  // Names are resolved for the rule: one may lead to a private address.
  const blocked = { type: 'field', ip: PRIVATE_NETWORKS, outboundTag: BLOCKED };
  return { domainStrategy: 'IPOnDemand', rules: [api, blocked] };
}

/** `all`: of the configuration, for those that share its port. */
function buildInbound(
  inbound: EngineInbound,
  clients: readonly JsonObject[],
  start: EngineStart,
  all: readonly EngineInbound[],
): JsonObject {
  if (start.name === 'v2ray') requireV2ray(inbound);
  const { tag } = inbound;
  const sharers = all.filter(({ sharesPortOf }) => sharesPortOf === inbound.id);
  const isInner = inbound.sharesPortOf !== null;
  const port = isInner ? getInnerPort(inbound, start) : inbound.port;
  const protocol = inbound.protocol === 'hysteria2' ? 'hysteria' : inbound.protocol;
  if (inbound.protocol === 'wireguard')
    return { tag, listen: '0.0.0.0', port, protocol, settings: buildWireguard(inbound, clients) };
  const settings = { ...buildSettings(inbound, clients, start), fallbacks: buildFallbacks(inbound, sharers, start) };
  const streamSettings = isInner ? buildInnerStream(inbound, start) : buildStream(inbound, sharers, start);
  return { tag, listen: isInner ? '127.0.0.1' : '0.0.0.0', port, protocol, settings, streamSettings };
}

/** Where no port is known it is only checked. */
function getInnerPort({ id }: EngineInbound, { innerPorts }: EngineStart): number {
  return innerPorts.get(id) ?? 1;
}

/** The version of the PROXY protocol by which connections that share a port learn where a client is. */
const INNER_PROXY_PROTOCOL = 2;

/**
 * Where those go who are no users of an inbound: to others by the path of a request, or by HTTP/2, whose paths are not read; with REALITY to the only
 * other one, since it does not say whether it is HTTP/2; all others to the web server.
 */
function buildFallbacks(
  inbound: EngineInbound,
  sharers: readonly EngineInbound[],
  start: EngineStart,
): readonly JsonObject[] | undefined {
  const fallbacks: JsonObject[] = sharers.map((sharer) => {
    const way = isOverHttp2(sharer.network) ? { alpn: 'h2' } : { path: getSharedPath(sharer) };
    const dest = `127.0.0.1:${getInnerPort(sharer, start)}`;
    return { ...(inbound.security === 'reality' ? {} : way), dest, xver: INNER_PROXY_PROTOCOL };
  });
  const { fallback, fallbackProxyProtocol } = inbound;
  if (fallback !== null) fallbacks.push({ dest: fallback, xver: fallbackProxyProtocol ?? 0 });
  return fallbacks.length === 0 ? undefined : fallbacks;
}

/** Without TLS, which ends where the port is; the address of the client comes ahead of each connection. */
function buildInnerStream(inbound: EngineInbound, start: EngineStart): JsonObject {
  const stream = buildStream({ ...inbound, security: 'none' }, [], start);
  const name = inbound.network === 'ws' ? 'wsSettings' : 'sockopt';
  // Of WebSocket v2ray knows it here only.
  return { ...stream, [name]: { ...(stream[name] as JsonObject | undefined), acceptProxyProtocol: true } };
}

function refuse({ tag }: EngineInbound, reason: string): never {
  throw new EngineError('config_refused', `${tag}: ${reason}`);
}

/** It passes over what it does not know, so that an inbound would be served without it. Nothing is asked of it that its oldest version lacks. */
function requireV2ray(inbound: EngineInbound): void {
  const [fact] = neededFacts(inbound);
  if (fact) refuse(inbound, `v2ray does not know ${fact.title}; use Xray`);
}

function buildSettings(inbound: EngineInbound, clients: readonly JsonObject[], start: EngineStart): JsonObject {
  if (inbound.protocol === 'vless') return { clients, decryption: selectDecryption(inbound) };
  if (inbound.protocol === 'hysteria2') return { version: HYSTERIA, clients };
  if (inbound.protocol !== 'shadowsocks') return { clients };
  const method = inbound.method ?? '';
  const network = 'tcp,udp';
  if (!hasKeys(method)) return { network, clients: [placeholder(method, start.spareKey), ...clients] };
  if (inbound.serverKey === null) refuse(inbound, 'the key of its server is missing');
  return { network, method, password: inbound.serverKey, clients: [placeholder(method, start.spareKey), ...clients] };
}

function selectDecryption(inbound: EngineInbound): string {
  if (inbound.encryption === null) return 'none';
  return inbound.decryption ?? refuse(inbound, 'its decryption is missing');
}

function buildWireguard(inbound: EngineInbound, peers: readonly JsonObject[]): JsonObject {
  const { privateKey, addressPool, mtu } = inbound;
  const address = nodeTunnelAddress(addressPool);
  if (privateKey === null) refuse(inbound, 'its private key is missing');
  if (address === null) refuse(inbound, 'its address pool is missing');
  return { secretKey: privateKey, address: [address], mtu: mtu ?? DEFAULT_MTU, peers };
}

/** A user that no person has: with shadowsocks an empty list would mean one key for all, to which no user can be added. */
function placeholder(method: string, spareKey: string): JsonObject {
  const email = 'placeholder';
  return hasKeys(method) ? { email, password: keyFor(method, spareKey) } : { email, method, password: spareKey };
}

/**
 * The header with which Xray believes X-Forwarded-For. Before 26.6.22 it believes every client where none is named, and one forged address hides from
 * how many a user is connected: without a proxy it is a name that no client knows.
 */
function trustProxy({ proxyHeader }: EngineInbound, { spareKey }: EngineStart): JsonObject {
  const unknown = createHash('sha256').update(`trusted proxy ${spareKey}`).digest('hex').slice(0, 32);
  return { trustedXForwardedFor: [proxyHeader ?? `x-${unknown}`] };
}

function buildStream(inbound: EngineInbound, sharers: readonly EngineInbound[], start: EngineStart): JsonObject {
  const { security } = inbound;
  const network = inbound.network === 'quic' ? 'hysteria' : inbound.network;
  const sockopt = PATH_NETWORKS.includes(inbound.network) ? trustProxy(inbound, start) : undefined;
  return { network, security, ...buildTransport(inbound), ...buildSecurity(inbound, sharers), sockopt };
}

/** The version of the protocol, which its name has in links only. Xray refuses any other. */
const HYSTERIA = 2;

function buildTransport(inbound: EngineInbound): JsonObject {
  const { network, path, serviceName, obfsPassword, masquerade, xhttpMode, xhttpExtra } = inbound;
  switch (network) {
    case 'quic':
      return {
        hysteriaSettings: { version: HYSTERIA, masquerade: buildMasquerade(masquerade) },
        finalmask: salamander(obfsPassword),
      };
    case 'tcp':
    case 'udp':
      return {};
    case 'ws':
      return { wsSettings: { path: path ?? '/' } };
    case 'httpupgrade':
      return { httpupgradeSettings: { path: path ?? '/' } };
    case 'xhttp':
      return { xhttpSettings: { path: path ?? '/', mode: xhttpMode ?? 'auto', extra: buildExtra(xhttpExtra) } };
    case 'grpc':
      return { grpcSettings: { serviceName: serviceName ?? DEFAULT_SERVICE_NAME } };
  }
}

function buildExtra(extra: EngineInbound['xhttpExtra']): JsonObject | undefined {
  return extra === null ? undefined : withFormerNames(extra);
}

function salamander(password: string | null): JsonObject | undefined {
  return password === null ? undefined : { udp: [{ type: 'salamander', settings: { password } }] };
}

/** The site gets its own name as Host: by that of the node it would not know which of its sites is wanted. */
function buildMasquerade(url: string | null): JsonObject | undefined {
  return url === null ? undefined : { type: 'proxy', url, rewriteHost: true };
}

function buildSecurity(inbound: EngineInbound, sharers: readonly EngineInbound[]): JsonObject {
  switch (inbound.security) {
    case 'none':
      return {};
    case 'tls':
      return { tlsSettings: buildTls(inbound, sharers) };
    case 'reality':
      return { realitySettings: buildReality(inbound, sharers) };
  }
}

function buildTls(inbound: EngineInbound, sharers: readonly EngineInbound[]): JsonObject {
  const { certificate, certificateKey } = inbound;
  if (certificate === null || certificateKey === null) refuse(inbound, 'its certificate is missing');
  const own = { certificate: splitLines(certificate.chain), key: splitLines(certificateKey) };
  const minVersion = inbound.network === 'quic' ? '1.3' : '1.2';
  return { minVersion, certificates: [own], alpn: buildAlpn(inbound, sharers) };
}

/** With what those that share the port need, whose clients ask for it. A web server behind it may not know HTTP/2. */
function buildAlpn(inbound: EngineInbound, sharers: readonly EngineInbound[]): readonly string[] {
  const base = inbound.alpn ?? (inbound.fallback === null ? defaultAlpn(inbound) : ['http/1.1']);
  const needed = sharers.map(({ network }) => (isOverHttp2(network) ? 'h2' : 'http/1.1'));
  // The first that a client offers too is agreed on. Clients over HTTP/1.1 offer nothing else, those over HTTP/2 may offer both.
  return [...new Set([...needed.filter((one) => one === 'h2'), ...base, ...needed])];
}

/** Transports that begin with HTTP/1.1 must not agree on HTTP/2 with a client that offers both. */
function defaultAlpn({ network }: EngineInbound): readonly string[] {
  if (network === 'quic') return ['h3'];
  if (network === 'ws' || network === 'httpupgrade') return ['http/1.1'];
  return network === 'grpc' ? ['h2'] : ['h2', 'http/1.1'];
}

function splitLines(pem: string): readonly string[] {
  return pem.trim().split('\n');
}

/** Also those of hosts that are off, so that switching one on restarts no engine. */
function listServerNames({ sni, moreServerNames, hosts }: EngineInbound): readonly string[] {
  return [sni, ...moreServerNames, ...hosts.map((host) => host.sni)].flatMap((name) => name ?? []);
}

function buildReality(inbound: EngineInbound, sharers: readonly EngineInbound[]): JsonObject {
  const { sni, target, privateKey, shortId, moreShortIds, minClientVersion } = inbound;
  const { mldsa65Verify, mldsa65Seed } = inbound;
  if (privateKey === null) refuse(inbound, 'its private key is missing');
  if (sni === null) refuse(inbound, 'its server name is missing');
  if (mldsa65Verify !== null && mldsa65Seed === null) refuse(inbound, 'its ML-DSA-65 seed is missing');
  return {
    target: target ?? `${sni.includes(':') ? `[${sni}]` : sni}:443`,
    serverNames: [...new Set([inbound, ...sharers].flatMap(listServerNames))],
    privateKey,
    shortIds: [...new Set([shortId ?? '', ...moreShortIds])],
    minClientVer: minClientVersion ?? ANY_VERSION,
    mldsa65Seed: mldsa65Verify === null ? undefined : mldsa65Seed,
  };
}
