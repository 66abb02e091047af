// The format `xray`: one configuration in JSON that Xray itself starts with, and that applications around it import.
import { isPrivateHost } from '../domain/host.ts';
import { DEFAULT_MTU, wireguardKey } from '../domain/nodes/wireguard.ts';
import { jsonMembers, jsonText, linkHost } from './encoding.ts';
import {
  alpnOf,
  canShare,
  type Entry,
  flowOf,
  hostHeader,
  perConnection,
  REALITY_FINGERPRINT,
  secretOf,
  serverName,
  serverOf,
  TUNNEL_ADDRESS,
} from './entry.ts';
import type { FormatWriter } from './format.ts';

/** In front of each tag: the balancer chooses by it. */
const PREFIX = 'proxy: ';

/**
 * Since 26.7.11 Xray refuses a configuration as a whole in which vless without TLS leads to a public address, where the outbound names one server
 * in place of a list. What is written here has a list, but applications rewrite it, so such a connection is left out.
 */
export const xray: FormatWriter = {
  type: 'application/json; charset=utf-8',
  reserved: [],
  canCarry: (inbound, address) =>
    canShare(inbound) && (inbound.protocol !== 'vless' || inbound.security !== 'none' || isPrivateHost(address)),
  write(entries, title) {
    const [first] = entries;
    const hasChoice = entries.length > 1;
    const remarks = JSON.stringify((hasChoice ? title : (first?.name ?? title)).toWellFormed());
    const outbounds = entries.map((entry) => outboundText(entry, jsonText(secretOf(entry))));
    outbounds.push(JSON.stringify({ tag: 'direct', protocol: 'freedom' }));
    outbounds.push(JSON.stringify({ tag: 'block', protocol: 'blackhole' }));
    const choice = hasChoice && first ? `,${jsonMembers(choiceOf(tagOf(first)))}` : '';
    return `{"remarks":${remarks},${COMMON},"outbounds":[${outbounds.join(',')}]${choice}}`;
  },
};

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

/** The connection that answers soonest; the first until that is known. */
function choiceOf(fallbackTag: string): object {
  return {
    routing: {
      domainStrategy: 'AsIs',
      balancers: [{ tag: 'fastest', selector: [PREFIX], strategy: { type: 'leastPing' }, fallbackTag }],
      rules: [{ type: 'field', network: 'tcp,udp', balancerTag: 'fastest' }],
    },
    observatory: {
      subjectSelector: [PREFIX],
      probeUrl: 'https://www.gstatic.com/generate_204',
      probeInterval: '5m',
      enableConcurrency: true,
    },
  };
}

function tagOf({ name }: Entry): string {
  return PREFIX + name.toWellFormed();
}

const outboundText = perConnection((entry, secret) => JSON.stringify(outboundOf(entry, secret)));

function outboundOf(entry: Entry, secret: string): object {
  const { inbound } = entry;
  const server = { address: serverOf(entry), port: inbound.port };
  const vnext = (user: object) => ({ vnext: [{ ...server, users: [{ id: secret, ...user }] }] });
  const out = (settings: object) => ({
    tag: tagOf(entry),
    protocol: inbound.protocol,
    settings,
    streamSettings: streamOf(entry),
  });
  switch (inbound.protocol) {
    case 'vless':
      return out(vnext({ encryption: 'none', flow: flowOf(inbound) ?? undefined }));
    case 'vmess':
      return out(vnext({ alterId: 0, security: 'auto' }));
    case 'trojan':
      return out({ servers: [{ ...server, password: secret }] });
    case 'hysteria2':
      return hysteriaOf(entry, secret);
    case 'wireguard':
      return wireguardOf(entry, secret);
    case 'shadowsocks':
      return out({ servers: [{ ...server, method: inbound.method, password: secret }] });
  }
}

/** Packets are made in the program itself: an interface of the system would need the rights of an administrator. */
function wireguardOf(entry: Entry, secret: string): object {
  const { publicKey, mtu, port } = entry.inbound;
  return {
    tag: tagOf(entry),
    protocol: 'wireguard',
    settings: {
      secretKey: secret,
      address: [`${TUNNEL_ADDRESS}/32`],
      peers: [{ publicKey: wireguardKey(publicKey ?? ''), endpoint: `${linkHost(entry.address)}:${port}` }],
      mtu: mtu ?? DEFAULT_MTU,
      noKernelTun: true,
    },
  };
}

/** Xray has the credentials in what carries the protocol, where all other protocols have nothing of the user. */
function hysteriaOf(entry: Entry, secret: string): object {
  const { inbound } = entry;
  const { obfsPassword } = inbound;
  const version = 2;
  return {
    tag: tagOf(entry),
    protocol: 'hysteria',
    settings: { version, address: serverOf(entry), port: inbound.port },
    streamSettings: {
      network: 'hysteria',
      hysteriaSettings: { version, auth: secret },
      security: 'tls',
      tlsSettings: { ...tlsOf(entry), alpn: ['h3'] },
      finalmask: obfsPassword === null ? undefined : salamander(obfsPassword),
    },
  };
}

function salamander(password: string): object {
  return { udp: [{ type: 'salamander', settings: { password } }] };
}

/** Members that are undefined are left out by JSON. */
function streamOf(entry: Entry): object {
  const { network, security, path, serviceName } = entry.inbound;
  const host = hostHeader(entry) ?? undefined;
  const web = { path: path ?? '/', host };
  return {
    network,
    security,
    wsSettings: network === 'ws' ? web : undefined,
    httpupgradeSettings: network === 'httpupgrade' ? web : undefined,
    xhttpSettings: network === 'xhttp' ? { ...web, mode: 'auto' } : undefined,
    grpcSettings: network === 'grpc' ? { serviceName: serviceName ?? '' } : undefined,
    tlsSettings: security === 'tls' ? tlsOf(entry) : undefined,
    realitySettings: security === 'reality' ? realityOf(entry) : undefined,
  };
}

/** A certificate that no authority has signed goes by its hash, and for versions that do not know that, as an authority. */
function tlsOf(entry: Entry): object {
  const { certificate, pin } = entry.secrets;
  return {
    serverName: serverName(entry) ?? undefined,
    fingerprint: entry.inbound.fingerprint ?? undefined,
    alpn: alpnOf(entry.inbound) ?? undefined,
    pinnedPeerCertSha256: pin ?? undefined,
    certificates: certificate === null ? undefined : [{ usage: 'verify', certificate: certificate.trim().split('\n') }],
  };
}

function realityOf(entry: Entry): object {
  const { fingerprint, publicKey, shortId } = entry.inbound;
  return {
    serverName: serverName(entry) ?? undefined,
    fingerprint: fingerprint ?? REALITY_FINGERPRINT,
    publicKey,
    shortId: shortId ?? '',
  };
}
