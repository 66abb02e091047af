// The format `sing-box`: a complete configuration in JSON for sing-box 1.12 and newer.
import { isIpLiteral } from '../domain/host.ts';
import { isOlder } from '../domain/nodes/engine-facts.ts';
import { DEFAULT_MTU, wireguardKey } from '../domain/nodes/wireguard.ts';
import { jsonMembers, jsonText } from './encoding.ts';
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
  vmessCipher,
} from './entry.ts';
import type { FormatWriter } from './format.ts';
import type { SingBoxTemplate } from './templates/template.ts';

const SELECTED = 'proxy';
const AUTOMATIC = 'auto';
const DIRECT = 'direct';

/** A `%` without a valid escape. */
const LONE_PERCENT = /%(?![0-9A-Fa-f]{2})/;

/** sing-box has no XHTTP and no VLESS encryption, and refuses a configuration as a whole in which a path has a lone `%`. */
export const singBox: FormatWriter = {
  type: 'application/json; charset=utf-8',
  core: 'sing-box',
  reserved: [SELECTED, AUTOMATIC, DIRECT],
  canCarry: (inbound) =>
    canShare(inbound) &&
    inbound.network !== 'xhttp' &&
    inbound.encryption === null &&
    !(hasPath(inbound) && LONE_PERCENT.test(inbound.path ?? '')),
  write(entries) {
    const tags = entries.map(({ name }) => name);
    const hasChoice = tags.length > 1;
    const outbounds: string[] = [
      JSON.stringify({ type: 'selector', tag: SELECTED, outbounds: hasChoice ? [AUTOMATIC, ...tags] : tags }),
    ];
    if (hasChoice) outbounds.push(JSON.stringify({ type: 'urltest', tag: AUTOMATIC, outbounds: tags }));
    const endpoints: string[] = [];
    writeEntries(entries, outbounds, endpoints);
    outbounds.push(JSON.stringify({ type: 'direct', tag: DIRECT }));
    const more = endpoints.length === 0 ? '' : `"endpoints":[${endpoints.join(',')}],`;
    return `{${BEFORE},"outbounds":[${outbounds.join(',')}],${more}${AFTER}}`;
  },
};

function writeEntries(entries: readonly Entry[], outbounds: string[], endpoints: string[]): void {
  for (const entry of entries) {
    const list = entry.inbound.protocol === 'wireguard' ? endpoints : outbounds;
    list.push(outboundText(entry, jsonText(selectSecret(entry))));
  }
}

/** The same in an own document. */
export function withSingBoxTemplate(writer: FormatWriter, template: SingBoxTemplate): FormatWriter {
  return {
    ...writer,
    reserved: [...writer.reserved, ...template.names],
    write(entries) {
      const tags = entries.map(({ name }) => JSON.stringify(name.toWellFormed())).join(',');
      const outbounds = template.outbounds.map((pieces) => pieces.join(tags));
      const endpoints = [...template.endpoints];
      writeEntries(entries, outbounds, endpoints);
      const members = [
        template.members,
        `"outbounds":[${outbounds.join(',')}]`,
        endpoints.length === 0 ? '' : `"endpoints":[${endpoints.join(',')}]`,
      ];
      return `{${members.filter((one) => one !== '').join(',')}}`;
    },
  };
}

/** The first version that resolves the host of WireGuard only when it is used. */
const RESOLVES_LATER = '1.14';

/**
 * Whether this version resolves the host of WireGuard at its start, and does not start if that fails. `version` null: unknown, so it may be such a
 * version.
 */
export function resolvesAtStart(version: string | null): boolean {
  return version === null || isOlder(version, RESOLVES_LATER);
}

/** For versions with `resolvesAtStart`: WireGuard only with an IP address. */
export const olderSingBox: FormatWriter = {
  ...singBox,
  canCarry: (inbound, address) =>
    singBox.canCarry(inbound, address) && (inbound.protocol !== 'wireguard' || isIpLiteral(address)),
};

function hasPath({ network }: Inbound): boolean {
  return network === 'ws' || network === 'httpupgrade';
}

/** Names of sites are resolved through the proxy, those of nodes by the system. */
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

const outboundText = perConnection(
  (entry, secret) => JSON.stringify(buildOutbound(entry, secret)),
  ({ name }) => jsonText(name.toWellFormed()),
);

/** Members that are undefined are left out by JSON. */
function buildOutbound(entry: Entry, secret: string): object {
  const { name, inbound } = entry;
  const common = { tag: name.toWellFormed(), server: formatServer(entry), server_port: inbound.port };
  const stream = { tls: buildTls(entry), transport: buildTransport(entry) };
  switch (inbound.protocol) {
    case 'vless':
      return {
        type: 'vless',
        ...common,
        uuid: secret,
        flow: selectFlow(inbound) ?? undefined,
        packet_encoding: 'xudp',
        ...stream,
      };
    case 'vmess':
      return { type: 'vmess', ...common, uuid: secret, security: vmessCipher(inbound), ...stream };
    case 'trojan':
      return { type: 'trojan', ...common, password: secret, ...stream };
    case 'hysteria2':
      return { type: 'hysteria2', ...common, password: secret, ...buildHysteria(entry) };
    case 'wireguard':
      return buildEndpoint(entry, secret);
    case 'shadowsocks':
      return { type: 'shadowsocks', ...common, method: inbound.method, password: secret };
  }
}

/** WireGuard is an endpoint, which is chosen among the outbounds by its tag. */
function buildEndpoint(entry: Entry, secret: string): object {
  const { publicKey, mtu, port } = entry.inbound;
  const peer = {
    address: formatServer(entry),
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

function buildHysteria(entry: Entry): object {
  const { obfsPassword, hopPorts } = entry.inbound;
  const tls = {
    enabled: true,
    server_name: serverName(entry) ?? undefined,
    alpn: ['h3'],
    certificate: entry.secrets.certificate ?? undefined,
  };
  return {
    server_ports: hopPorts?.split(',').map(formatPortRange),
    obfs: obfsPassword === null ? undefined : { type: 'salamander', password: obfsPassword },
    tls,
  };
}

/** A port or a range of ports in sing-box's format, which only has ranges. */
function formatPortRange(text: string): string {
  const [from = '', to = from] = text.split('-');
  return `${from}:${to}`;
}

function buildTls(entry: Entry): object | undefined {
  const { security, publicKey, shortId, fragment } = entry.inbound;
  if (security === 'none') return undefined;
  const isReality = security === 'reality';
  const imitated = selectFingerprint(entry.inbound);
  return {
    enabled: true,
    server_name: serverName(entry) ?? undefined,
    alpn: selectAlpn(entry.inbound) ?? undefined,
    certificate: isReality ? undefined : (entry.secrets.certificate ?? undefined),
    // Only the handshake; sing-box chooses the sizes.
    fragment: fragment?.startsWith('tlshello') || undefined,
    utls: imitated === null ? undefined : { enabled: true, fingerprint: imitated },
    reality: isReality ? { enabled: true, public_key: publicKey, short_id: shortId ?? '' } : undefined,
  };
}

function buildTransport(entry: Entry): object | undefined {
  const { inbound } = entry;
  const { network } = inbound;
  const host = hostHeader(entry) ?? undefined;
  const { path, earlyData } = parseWebPath(inbound);
  if (network === 'grpc') return { type: 'grpc', service_name: getServiceName(inbound) };
  if (network === 'httpupgrade') return { type: 'httpupgrade', host, path };
  if (network !== 'ws') return undefined;
  const early = { max_early_data: earlyData, early_data_header_name: 'Sec-WebSocket-Protocol' };
  return { type: 'ws', path, headers: host && { Host: host }, ...(earlyData > 0 && early) };
}
