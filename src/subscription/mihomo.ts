// The format `mihomo`: a complete configuration in YAML for mihomo (Clash Meta) and apps built on it.
import { readRange, type XhttpExtra } from '../contract/xhttp.ts';
import { DEFAULT_MTU, TUNNEL_DNS, wireguardKey } from '../domain/nodes/wireguard.ts';
import {
  canShare,
  type Entry,
  formatServer,
  getServiceName,
  hostHeader,
  type Inbound,
  parseWebPath,
  perConnection,
  selectAlpn,
  selectFingerprint,
  selectFlow,
  selectSecret,
  serverName,
  TUNNEL_ADDRESS,
} from './entry.ts';
import type { FormatWriter } from './format.ts';
import type { MihomoTemplate } from './templates/template.ts';

const SELECTED = 'PROXY';
const AUTOMATIC = 'AUTO';

export const mihomo: FormatWriter = {
  type: 'text/yaml; charset=utf-8',
  core: 'mihomo',
  reserved: [SELECTED, AUTOMATIC, 'DIRECT', 'REJECT', 'REJECT-DROP', 'COMPATIBLE', 'PASS', 'DNS', 'GLOBAL'],
  canCarry: (inbound) =>
    canShare(inbound) &&
    (inbound.network !== 'xhttp' || (inbound.protocol === 'vless' && inbound.xhttpExtra?.uplinkHTTPMethod !== 'GET')),
  write: (entries) => documentText(entries, proxyText),
};

const TEST_URL = 'https://www.gstatic.com/generate_204';

/** The configuration, with one line for each proxy. */
export function documentText(entries: readonly Entry[], proxyLine: (entry: Entry, secret: string) => string): string {
  const names = entries.map(({ name }) => name);
  const hasChoice = names.length > 1;
  const groups: Members[] = [{ name: SELECTED, type: 'select', proxies: hasChoice ? [AUTOMATIC, ...names] : names }];
  if (hasChoice) groups.push({ name: AUTOMATIC, type: 'url-test', proxies: names, url: TEST_URL, interval: 300 });
  return [
    'mixed-port: 7890',
    'mode: rule',
    'log-level: warning',
    'ipv6: true',
    'proxies:',
    ...entries.map((entry) => proxyLine(entry, quote(selectSecret(entry)).slice(1, -1))),
    'proxy-groups:',
    ...groups.map((group) => `  - ${flow(group)}`),
    'rules:',
    `  - MATCH,${SELECTED}`,
    '',
  ].join('\n');
}

/** The same in an own document. */
export function withMihomoTemplate({ head, groups, names: reserved }: MihomoTemplate): FormatWriter {
  return {
    ...mihomo,
    reserved: [...mihomo.reserved, ...reserved],
    write(entries) {
      const proxies = entries.map((entry) => proxyText(entry, quote(selectSecret(entry)).slice(1, -1)));
      const names = entries.map(({ name }) => quote(name)).join(',');
      const lines = [
        'proxies:',
        ...proxies,
        'proxy-groups:',
        ...groups.map((pieces) => `  - ${pieces.join(names)}`),
        '',
      ];
      return head + lines.join('\n');
    },
  };
}

type Value = string | number | boolean | readonly string[] | Members | null | undefined;
/** Members that are null or undefined are left out. */
export interface Members {
  readonly [name: string]: Value;
}

/** A quoted name, without its quotes. */
export function quoteName({ name }: Entry): string {
  return quote(name).slice(1, -1);
}

const proxyText = perConnection((entry, secret) => formatLine(buildMembers(entry, secret)), quoteName);

export function formatLine(proxy: Members): string {
  return `  - ${flow(proxy)}`;
}

/** Members of a proxy. */
export function buildMembers(entry: Entry, secret: string): Members {
  return { ...buildProxy(entry, secret), ...buildStream(entry) };
}

function buildStream(entry: Entry): Members {
  switch (entry.inbound.protocol) {
    case 'shadowsocks':
    case 'wireguard':
      return {};
    case 'hysteria2':
      return buildHysteria(entry);
    default:
      return { ...buildTls(entry, entry.inbound.protocol === 'trojan' ? 'sni' : 'servername'), ...buildNetwork(entry) };
  }
}

/** Members of the protocol, without those of TLS and the transport. */
function buildProxy(entry: Entry, secret: string): Members {
  const { name, inbound } = entry;
  const common = { name, server: formatServer(entry), port: inbound.port, udp: true };
  switch (inbound.protocol) {
    case 'vless':
      return {
        ...common,
        type: 'vless',
        uuid: secret,
        flow: selectFlow(inbound),
        encryption: inbound.encryption,
        'packet-encoding': 'xudp',
      };
    case 'vmess':
      return {
        ...common,
        type: 'vmess',
        uuid: secret,
        alterId: 0,
        cipher: 'auto',
      };
    case 'trojan':
      return { ...common, type: 'trojan', password: secret };
    case 'hysteria2':
      return { name, server: formatServer(entry), port: inbound.port, type: 'hysteria2', password: secret };
    case 'wireguard':
      return {
        ...common,
        type: 'wireguard',
        'private-key': secret,
        'public-key': wireguardKey(inbound.publicKey ?? ''),
        ip: TUNNEL_ADDRESS,
        'allowed-ips': ['0.0.0.0/0', '::/0'],
        mtu: inbound.mtu ?? DEFAULT_MTU,
        // WireGuard carries addresses only, so names of sites are resolved through the tunnel.
        'remote-dns-resolve': true,
        dns: [TUNNEL_DNS],
      };
    case 'shadowsocks':
      return { ...common, type: 'ss', cipher: inbound.method, password: secret };
  }
}

function buildHysteria(entry: Entry): Members {
  const { obfsPassword, hopPorts } = entry.inbound;
  return {
    ports: hopPorts,
    sni: serverName(entry),
    alpn: ['h3'],
    fingerprint: formatPin(entry),
    obfs: obfsPassword === null ? null : 'salamander',
    'obfs-password': obfsPassword,
  };
}

function buildTls(entry: Entry, nameMember: 'servername' | 'sni'): Members {
  const { security, protocol } = entry.inbound;
  if (security === 'none') return {};
  const isReality = security === 'reality';
  return {
    // Trojan always uses TLS and has no such member.
    tls: protocol === 'trojan' ? null : true,
    [nameMember]: serverName(entry),
    alpn: selectAlpn(entry.inbound),
    'client-fingerprint': selectFingerprint(entry.inbound),
    fingerprint: isReality ? null : formatPin(entry),
    'reality-opts': isReality ? buildReality(entry.inbound) : null,
  };
}

/** Xray requires the handshake of the last member since 26.9.8; earlier versions accept both. */
function buildReality({ publicKey, shortId }: Inbound): Members {
  return { 'public-key': publicKey, 'short-id': shortId ?? '', 'support-x25519mlkem768': true };
}

/** The certificate's hash in mihomo's format: pairs of digits, separated by colons. */
function formatPin({ secrets }: Entry): string | null {
  return secrets.pin?.match(/../g)?.join(':') ?? null;
}

function buildNetwork(entry: Entry): Members {
  const { inbound } = entry;
  const { network } = inbound;
  if (network === 'tcp' || network === 'quic' || network === 'udp') return { network };
  if (network === 'grpc') return { network, 'grpc-opts': { 'grpc-service-name': getServiceName(inbound) } };
  const host = hostHeader(entry);
  const { path, earlyData } = parseWebPath(inbound);
  if (network === 'xhttp')
    return {
      network,
      'xhttp-opts': { path, host, mode: inbound.xhttpMode ?? 'auto', ...buildExtra(inbound.xhttpExtra) },
    };
  return {
    network: 'ws',
    'ws-opts': {
      path,
      headers: host === null ? null : { Host: host },
      'max-early-data': earlyData > 0 ? earlyData : null,
      'early-data-header-name': earlyData > 0 ? 'Sec-WebSocket-Protocol' : null,
      'v2ray-http-upgrade': network === 'httpupgrade' ? true : null,
    },
  };
}

/** In mihomo's own names. It chooses the ids of sessions itself, and takes one number of bytes for each request: the lowest fits every engine. */
function buildExtra(extra: XhttpExtra | null): Members {
  if (extra === null) return {};
  const { scMaxEachPostBytes: perPost } = extra;
  return {
    headers: extra.headers && quoteNames(extra.headers),
    'no-grpc-header': extra.noGRPCHeader,
    'x-padding-bytes': asText(extra.xPaddingBytes),
    'x-padding-obfs-mode': extra.xPaddingObfsMode,
    'x-padding-key': extra.xPaddingKey,
    'x-padding-header': extra.xPaddingHeader,
    'x-padding-placement': extra.xPaddingPlacement,
    'x-padding-method': extra.xPaddingMethod,
    'uplink-http-method': extra.uplinkHTTPMethod,
    'session-placement': extra.sessionIDPlacement,
    'session-key': extra.sessionIDKey,
    'seq-placement': extra.seqPlacement,
    'seq-key': extra.seqKey,
    'uplink-data-placement': extra.uplinkDataPlacement,
    'uplink-data-key': extra.uplinkDataKey,
    'uplink-chunk-size': asText(extra.uplinkChunkSize),
    'sc-max-each-post-bytes': perPost === undefined ? null : readRange(perPost).from,
    'sc-min-posts-interval-ms': asText(extra.scMinPostsIntervalMs),
    'reuse-settings': extra.xmux && {
      'max-concurrency': asText(extra.xmux.maxConcurrency),
      'max-connections': asText(extra.xmux.maxConnections),
      'c-max-reuse-times': asText(extra.xmux.cMaxReuseTimes),
      'h-max-request-times': asText(extra.xmux.hMaxRequestTimes),
      'h-max-reusable-secs': asText(extra.xmux.hMaxReusableSecs),
    },
  };
}

/** Names of headers may have characters that mean something else in YAML. */
function quoteNames(headers: Readonly<Record<string, string>>): Members {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [quote(name), value]));
}

/** mihomo takes a range as a text, also of one number. */
function asText(range: number | string | undefined): string | null {
  return range === undefined ? null : String(range);
}

/** Strings that need no escapes in JSON and YAML. */
const SIMPLE = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
/** Characters that YAML must escape, but JSON does not. */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** Writes a value as YAML on one line. Strings are written as JSON, whose escapes YAML supports. */
function flow(value: Value): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (isList(value)) return `[${value.map(quote).join(', ')}]`;
  let members = '';
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member === null || member === undefined) continue;
    members += `${members === '' ? '' : ', '}${name}: ${flow(member)}`;
  }
  return `{${members}}`;
}

function quote(text: string): string {
  if (SIMPLE.test(text)) return `"${text}"`;
  return JSON.stringify(text.toWellFormed()).replace(
    UNPRINTABLE,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function isList(value: readonly string[] | Members): value is readonly string[] {
  return Array.isArray(value);
}
