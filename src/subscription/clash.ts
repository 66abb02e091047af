// The format `clash`: a configuration for apps with the original core of Clash, before mihomo: ClashX, Clash for Windows, Clash for Android. This
// core is no longer developed, and refuses a whole configuration because of one unknown proxy.
import type { Network, Protocol } from '../domain/nodes/inbound-shape.ts';
import { hasKeys } from '../domain/nodes/shadowsocks.ts';
import { canShare, type Entry, perConnection } from './entry.ts';
import type { FormatWriter } from './format.ts';
import { buildMembers, documentText, formatLine, type Members, mihomo, quoteName } from './mihomo.ts';

const STREAM = ['name', 'type', 'server', 'port', 'udp', 'network', 'ws-opts', 'grpc-opts'];

/** Supported protocols, and the members that are read for each. */
const MEMBERS: Readonly<Partial<Record<Protocol, readonly string[]>>> = {
  vmess: [...STREAM, 'uuid', 'alterId', 'cipher', 'tls', 'servername'],
  trojan: [...STREAM, 'password', 'sni', 'alpn'],
  shadowsocks: [...STREAM, 'cipher', 'password'],
};
const NETWORKS: readonly Network[] = ['tcp', 'ws', 'grpc'];

export const clash: FormatWriter = {
  type: mihomo.type,
  reserved: mihomo.reserved,
  needsAuthority: true,
  canCarry(inbound) {
    const { protocol, network, security, method } = inbound;
    if (MEMBERS[protocol] === undefined || !NETWORKS.includes(network)) return false;
    const isRefused = security === 'reality' || hasKeys(method) || (network === 'grpc' && security === 'none');
    return canShare(inbound) && !isRefused;
  },
  write: (entries) => documentText(entries, proxyText),
};

const proxyText = perConnection(
  (entry, secret) => formatLine(pickKnownMembers(entry, buildMembers(entry, secret))),
  quoteName,
);

function pickKnownMembers({ inbound }: Entry, proxy: Members): Members {
  const known = MEMBERS[inbound.protocol] ?? [];
  return Object.fromEntries(Object.entries(proxy).filter(([name]) => known.includes(name)));
}
