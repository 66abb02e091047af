// The format `xray`: a configuration in JSON for Xray itself, and for apps that import it.
import { isPrivateHost } from '../domain/host.ts';
import { DEFAULT_MTU, wireguardKey } from '../domain/nodes/wireguard.ts';
import { selectClientExtra, withFormerNames } from '../domain/nodes/xhttp.ts';
import { jsonMembers, jsonText, linkHost } from './encoding.ts';
import {
  canShare,
  type Entry,
  formatServer,
  getServiceName,
  getXrayPath,
  hostHeader,
  type Inbound,
  perConnection,
  selectAlpn,
  selectFingerprint,
  selectFlow,
  selectSecret,
  serverName,
  TUNNEL_ADDRESS,
} from './entry.ts';
import type { FormatWriter } from './format.ts';
import { FRAGMENTER_PREFIX, PROXY_PREFIX, type XrayTemplate } from './templates/template.ts';

/**
 * Since 26.7.11 Xray refuses a configuration as a whole in which vless without TLS and encryption leads to a public address, where the outbound names one server
 * in place of a list. What is written here has a list, but applications rewrite it, so such a connection is left out.
 */
export const xray: FormatWriter = {
  type: 'application/json; charset=utf-8',
  core: 'xray',
  reserved: [],
  canCarry: (inbound, address) =>
    canShare(inbound) &&
    (inbound.protocol !== 'vless' ||
      inbound.security !== 'none' ||
      inbound.encryption !== null ||
      isPrivateHost(address)),
  write(entries, title) {
    const [first] = entries;
    const hasChoice = entries.length > 1;
    const remarks = JSON.stringify((hasChoice ? title : (first?.name ?? title)).toWellFormed());
    const outbounds = writeOutbounds(entries);
    outbounds.push(JSON.stringify({ tag: 'direct', protocol: 'freedom' }));
    outbounds.push(JSON.stringify({ tag: 'block', protocol: 'blackhole' }));
    const choice = hasChoice && first ? `,${jsonMembers(buildBalancer(formatTag(first)))}` : '';
    return `{"remarks":${remarks},${COMMON},"outbounds":[${outbounds.join(',')}]${choice}}`;
  },
};

/** The connections, and what splits the handshakes of some. */
function writeOutbounds(entries: readonly Entry[]): string[] {
  const outbounds = entries.map((entry) => outboundText(entry, jsonText(selectSecret(entry))));
  for (const fragment of new Set(entries.flatMap(({ inbound }) => inbound.fragment ?? [])))
    outbounds.push(JSON.stringify(buildFragmenter(fragment)));
  return outbounds;
}

/** The same in an own document. */
export function withXrayTemplate(template: XrayTemplate): FormatWriter {
  return {
    ...xray,
    write(entries, title) {
      const [first] = entries;
      const hasChoice = entries.length > 1;
      const remarks = JSON.stringify((hasChoice ? title : (first?.name ?? title)).toWellFormed());
      const members = [
        `"remarks":${remarks}`,
        template.members,
        `"outbounds":[${[...writeOutbounds(entries), ...template.outbounds].join(',')}]`,
        (hasChoice ? template.several : template.single).join(first ? jsonText(formatTag(first)) : ''),
      ];
      return `{${members.filter((one) => one !== '').join(',')}}`;
    },
  };
}

const INBOUNDS = [
  {
    tag: 'socks',
    listen: '127.0.0.1',
    port: 10808,
    protocol: 'socks',
    settings: { udp: true },
    sniffing: { enabled: true, destOverride: ['http', 'tls'] },
  },
  {
    tag: 'http',
    listen: '127.0.0.1',
    port: 10809,
    protocol: 'http',
    sniffing: { enabled: true, destOverride: ['http', 'tls'] },
  },
];

const COMMON = jsonMembers({ log: { loglevel: 'warning' }, inbounds: INBOUNDS });

/** Selects the fastest connection; the first one until that is measured. */
function buildBalancer(fallbackTag: string): object {
  return {
    routing: {
      domainStrategy: 'AsIs',
      balancers: [{ tag: 'fastest', selector: [PROXY_PREFIX], strategy: { type: 'leastPing' }, fallbackTag }],
      rules: [{ type: 'field', network: 'tcp,udp', balancerTag: 'fastest' }],
    },
    observatory: {
      subjectSelector: [PROXY_PREFIX],
      probeUrl: 'https://www.gstatic.com/generate_204',
      probeInterval: '5m',
      enableConcurrency: true,
    },
  };
}

function formatTag({ name }: Entry): string {
  return PROXY_PREFIX + name.toWellFormed();
}

const outboundText = perConnection(
  (entry, secret) => JSON.stringify(buildOutbound(entry, secret)),
  ({ name }) => jsonText(name.toWellFormed()),
);

function buildOutbound(entry: Entry, secret: string): object {
  const { inbound } = entry;
  const server = { address: formatServer(entry), port: inbound.port };
  const vnext = (user: object) => ({ vnext: [{ ...server, users: [{ id: secret, ...user }] }] });
  const out = (settings: object) => ({
    tag: formatTag(entry),
    protocol: inbound.protocol,
    settings,
    streamSettings: buildStream(entry),
    mux: buildMux(inbound),
  });
  switch (inbound.protocol) {
    case 'vless':
      return out(vnext({ encryption: inbound.encryption ?? 'none', flow: selectFlow(inbound) ?? undefined }));
    case 'vmess':
      return out(vnext({ alterId: 0, security: 'auto' }));
    case 'trojan':
      return out({ servers: [{ ...server, password: secret }] });
    case 'hysteria2':
      return buildHysteria(entry, secret);
    case 'wireguard':
      return buildWireguard(entry, secret);
    case 'shadowsocks':
      return out({ servers: [{ ...server, method: inbound.method, password: secret }] });
  }
}

const fragmenterTag = (fragment: string) => `${FRAGMENTER_PREFIX}${fragment}`;

/** The outbound that fragments connections. All versions support it, unlike `fragment` of a connection. */
function buildFragmenter(fragment: string): object {
  const [packets, length, interval] = fragment.split(',');
  // Newer versions need a rule for private addresses, such as a node in the local network.
  const finalRules = [{ action: 'allow', ip: ['0.0.0.0/0', '::/0'] }];
  const settings = { fragment: { packets, length, interval }, finalRules };
  return { tag: fragmenterTag(fragment), protocol: 'freedom', settings };
}

/** Rejects QUIC, which is slow inside TCP, so that browsers use TCP at once. */
function buildMux({ mux }: Inbound): object | undefined {
  return mux === null ? undefined : { enabled: true, concurrency: mux, xudpProxyUDP443: 'reject' };
}

/** Without a network interface of the system, which would need administrator rights. */
function buildWireguard(entry: Entry, secret: string): object {
  const { publicKey, mtu, port, noise } = entry.inbound;
  return {
    tag: formatTag(entry),
    protocol: 'wireguard',
    streamSettings: noise === null ? undefined : { finalmask: { udp: [buildNoise(noise)] } },
    settings: {
      secretKey: secret,
      address: [`${TUNNEL_ADDRESS}/32`],
      peers: [{ publicKey: wireguardKey(publicKey ?? ''), endpoint: `${linkHost(entry.address)}:${port}` }],
      mtu: mtu ?? DEFAULT_MTU,
      noKernelTun: true,
    },
  };
}

/** Xray expects the credentials of Hysteria2 in the transport settings, unlike those of other protocols. */
function buildHysteria(entry: Entry, secret: string): object {
  const { inbound } = entry;
  const version = 2;
  return {
    tag: formatTag(entry),
    protocol: 'hysteria',
    settings: { version, address: formatServer(entry), port: inbound.port },
    streamSettings: {
      network: 'hysteria',
      hysteriaSettings: { version, auth: secret },
      security: 'tls',
      tlsSettings: { ...buildTls(entry), alpn: ['h3'] },
      finalmask: buildMask(inbound),
    },
  };
}

/** Interval in seconds; Xray has no default. */
const HOP_INTERVAL = 30;

function buildMask({ obfsPassword: password, hopPorts: ports, noise }: Inbound): object | undefined {
  if (password === null && ports === null && noise === null) return undefined;
  const udp = [
    ...(noise === null ? [] : [buildNoise(noise)]),
    ...(password === null ? [] : [{ type: 'salamander', settings: { password } }]),
  ];
  return {
    udp: udp.length === 0 ? undefined : udp,
    quicParams: ports === null ? undefined : { udpHop: { ports, interval: HOP_INTERVAL } },
  };
}

function buildNoise(noise: string): object {
  const [count, rand, delay] = noise.split(',');
  return { type: 'noise', settings: { noise: Array.from({ length: Number(count) }, () => ({ rand, delay })) } };
}

/** Members that are undefined are left out by JSON. */
function buildStream(entry: Entry): object {
  const { network, security, fragment } = entry.inbound;
  const host = hostHeader(entry) ?? undefined;
  const web = { path: getXrayPath(entry.inbound), host };
  return {
    network,
    security,
    wsSettings: network === 'ws' ? web : undefined,
    httpupgradeSettings: network === 'httpupgrade' ? web : undefined,
    xhttpSettings: network === 'xhttp' ? { ...web, ...buildXhttp(entry) } : undefined,
    grpcSettings: network === 'grpc' ? { serviceName: getServiceName(entry.inbound) } : undefined,
    tlsSettings: security === 'tls' ? buildTls(entry) : undefined,
    realitySettings: security === 'reality' ? buildReality(entry) : undefined,
    sockopt: fragment === null ? undefined : { dialerProxy: fragmenterTag(fragment) },
  };
}

function buildXhttp({ inbound }: Entry): object {
  const extra = selectClientExtra(inbound.xhttpExtra);
  return { mode: inbound.xhttpMode ?? 'auto', extra: extra === null ? undefined : withFormerNames(extra) };
}

/** Includes the hash of a self-signed certificate, and for versions without pins the certificate as an authority. */
function buildTls(entry: Entry): object {
  const { certificate, pin } = entry.secrets;
  return {
    serverName: serverName(entry) ?? undefined,
    fingerprint: selectFingerprint(entry.inbound) ?? undefined,
    alpn: selectAlpn(entry.inbound) ?? undefined,
    pinnedPeerCertSha256: pin ?? undefined,
    certificates: certificate === null ? undefined : [{ usage: 'verify', certificate: certificate.trim().split('\n') }],
  };
}

function buildReality(entry: Entry): object {
  const { publicKey, shortId, mldsa65Verify } = entry.inbound;
  return {
    serverName: serverName(entry) ?? undefined,
    fingerprint: selectFingerprint(entry.inbound),
    publicKey,
    shortId: shortId ?? '',
    mldsa65Verify: mldsa65Verify ?? undefined,
  };
}
