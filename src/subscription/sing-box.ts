// The format `sing-box`: a whole configuration in JSON for sing-box 1.12 and newer.
import { DEFAULT_MTU, wireguardKey } from '../domain/nodes/wireguard.ts';
import { jsonMembers, jsonText } from './encoding.ts';
import {
  alpnOf,
  canShare,
  type Entry,
  flowOf,
  hostHeader,
  type Inbound,
  perConnection,
  REALITY_FINGERPRINT,
  secretOf,
  serverName,
  serverOf,
  TUNNEL_ADDRESS,
  vmessCipher,
  webPathOf,
} from './entry.ts';
import type { FormatWriter } from './format.ts';

const SELECTED = 'proxy';
const AUTOMATIC = 'auto';
const DIRECT = 'direct';

/** A `%` that escapes nothing. */
const LONE_PERCENT = /%(?![0-9A-Fa-f]{2})/;

/** sing-box has no XHTTP, and refuses a configuration as a whole in which a path has a lone `%`. */
export const singBox: FormatWriter = {
  type: 'application/json; charset=utf-8',
  reserved: [SELECTED, AUTOMATIC, DIRECT],
  canCarry: (inbound) =>
    canShare(inbound) && inbound.network !== 'xhttp' && !(hasPath(inbound) && LONE_PERCENT.test(inbound.path ?? '')),
  write(entries) {
    const tags = entries.map(({ name }) => name);
    const hasChoice = tags.length > 1;
    const outbounds: string[] = [
      JSON.stringify({ type: 'selector', tag: SELECTED, outbounds: hasChoice ? [AUTOMATIC, ...tags] : tags }),
    ];
    if (hasChoice) outbounds.push(JSON.stringify({ type: 'urltest', tag: AUTOMATIC, outbounds: tags }));
    const endpoints: string[] = [];
    for (const entry of entries) {
      const list = entry.inbound.protocol === 'wireguard' ? endpoints : outbounds;
      list.push(outboundText(entry, jsonText(secretOf(entry))));
    }
    outbounds.push(JSON.stringify({ type: 'direct', tag: DIRECT }));
    const more = endpoints.length === 0 ? '' : `"endpoints":[${endpoints.join(',')}],`;
    return `{${BEFORE},"outbounds":[${outbounds.join(',')}],${more}${AFTER}}`;
  },
};

function hasPath({ network }: Inbound): boolean {
  return network === 'ws' || network === 'httpupgrade';
}

/** Names of sites are looked up through the proxy, those of nodes by the system. */
const DNS = {
  servers: [
    { type: 'https', tag: 'remote', server: '1.1.1.1', detour: SELECTED },
    { type: 'local', tag: 'local' },
  ],
  final: 'remote',
};
const TUN = {
  type: 'tun',
  tag: 'tun-in',
  address: ['172.19.0.1/30', 'fdfe:dcba:9876::1/126'],
  auto_route: true,
  strict_route: true,
};
const ROUTE = {
  rules: [{ action: 'sniff' }, { protocol: 'dns', action: 'hijack-dns' }],
  final: SELECTED,
  auto_detect_interface: true,
  default_domain_resolver: 'local',
};

const BEFORE = jsonMembers({ log: { level: 'warn' }, dns: DNS, inbounds: [TUN] });
const AFTER = jsonMembers({ route: ROUTE });

const outboundText = perConnection((entry, secret) => JSON.stringify(outboundOf(entry, secret)));

/** Members that are undefined are left out by JSON. */
function outboundOf(entry: Entry, secret: string): object {
  const { name, inbound } = entry;
  const common = { tag: name.toWellFormed(), server: serverOf(entry), server_port: inbound.port };
  const stream = { tls: tlsOf(entry), transport: transportOf(entry) };
  switch (inbound.protocol) {
    case 'vless':
      return {
        type: 'vless',
        ...common,
        uuid: secret,
        flow: flowOf(inbound) ?? undefined,
        packet_encoding: 'xudp',
        ...stream,
      };
    case 'vmess':
      return { type: 'vmess', ...common, uuid: secret, security: vmessCipher(inbound), ...stream };
    case 'trojan':
      return { type: 'trojan', ...common, password: secret, ...stream };
    case 'hysteria2':
      return { type: 'hysteria2', ...common, password: secret, ...hysteriaOf(entry) };
    case 'wireguard':
      return endpointOf(entry, secret);
    case 'shadowsocks':
      return { type: 'shadowsocks', ...common, method: inbound.method, password: secret };
  }
}

/** WireGuard is an endpoint, which is chosen among the outbounds by its tag. */
function endpointOf(entry: Entry, secret: string): object {
  const { publicKey, mtu, port } = entry.inbound;
  const peer = {
    address: serverOf(entry),
    port,
    public_key: wireguardKey(publicKey ?? ''),
    allowed_ips: ['0.0.0.0/0', '::/0'],
  };
  return {
    type: 'wireguard',
    tag: entry.name.toWellFormed(),
    mtu: mtu ?? DEFAULT_MTU,
    address: [`${TUNNEL_ADDRESS}/32`],
    private_key: secret,
    peers: [peer],
  };
}

function hysteriaOf(entry: Entry): object {
  const { obfsPassword } = entry.inbound;
  const tls = {
    enabled: true,
    server_name: serverName(entry) ?? undefined,
    alpn: ['h3'],
    certificate: entry.secrets.certificate ?? undefined,
  };
  return { obfs: obfsPassword === null ? undefined : { type: 'salamander', password: obfsPassword }, tls };
}

function tlsOf(entry: Entry): object | undefined {
  const { security, fingerprint, publicKey, shortId } = entry.inbound;
  if (security === 'none') return undefined;
  const isReality = security === 'reality';
  const imitated = fingerprint ?? (isReality ? REALITY_FINGERPRINT : null);
  return {
    enabled: true,
    server_name: serverName(entry) ?? undefined,
    alpn: alpnOf(entry.inbound) ?? undefined,
    certificate: isReality ? undefined : (entry.secrets.certificate ?? undefined),
    utls: imitated === null ? undefined : { enabled: true, fingerprint: imitated },
    reality: isReality ? { enabled: true, public_key: publicKey, short_id: shortId ?? '' } : undefined,
  };
}

function transportOf(entry: Entry): object | undefined {
  const { inbound } = entry;
  const { network, serviceName } = inbound;
  const host = hostHeader(entry) ?? undefined;
  const { path, earlyData } = webPathOf(inbound);
  if (network === 'grpc') return { type: 'grpc', service_name: serviceName ?? '' };
  if (network === 'httpupgrade') return { type: 'httpupgrade', host, path };
  if (network !== 'ws') return undefined;
  const early = { max_early_data: earlyData, early_data_header_name: 'Sec-WebSocket-Protocol' };
  return { type: 'ws', path, headers: host && { Host: host }, ...(earlyData > 0 && early) };
}
