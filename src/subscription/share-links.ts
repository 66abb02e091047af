// Share links in the formats of the clients: vless and trojan by the XTLS share-link standard, vmess as v2rayN defines it, ss by SIP002, hysteria2 by
// its own URI scheme, wireguard as v2rayN does.
import { hasKeys } from '../domain/nodes/shadowsocks.ts';
import { DEFAULT_MTU, wireguardKey } from '../domain/nodes/wireguard.ts';
import { selectClientExtra, withFormerNames } from '../domain/nodes/xhttp.ts';
import { asciiHost, jsonText, linkHost, percent, toBase64, toBase64Url } from './encoding.ts';
import {
  type Entry,
  getServiceName,
  getXrayPath,
  hostHeader,
  type Inbound,
  perConnection,
  selectFingerprint,
  selectFlow,
  selectSecret,
  serverName,
  TUNNEL_ADDRESS,
  vmessCipher,
} from './entry.ts';

/** One share link, a single line of ASCII. Only for connections that `canLink`. */
export function shareLink(entry: Entry): string {
  const secret = selectSecret(entry);
  switch (entry.inbound.protocol) {
    case 'vless':
    case 'trojan':
    case 'hysteria2':
    case 'wireguard':
      return linkText(entry, percent(secret));
    case 'vmess':
      return `vmess://${toBase64(linkText(entry, jsonText(secret)))}`;
    case 'shadowsocks':
      return linkText(entry, shadowsocksUser(entry.inbound, secret));
  }
}

/** The link; for vmess its content before base64. */
const linkText = perConnection(makeLinkText, encodeName);

function makeLinkText(entry: Entry, user: string): string {
  switch (entry.inbound.protocol) {
    case 'vless':
      return urlLink(entry, user, [
        ['encryption', entry.inbound.encryption ?? 'none'],
        ...flowParameters(entry.inbound),
      ]);
    case 'trojan':
      return urlLink(entry, user, []);
    case 'vmess':
      return JSON.stringify(vmessFields(entry, user));
    case 'shadowsocks':
      return `ss://${user}@${linkHost(entry.address)}:${entry.inbound.port}#${percent(entry.name)}`;
    case 'wireguard':
      return `wireguard://${user}@${linkHost(entry.address)}:${entry.inbound.port}?${wireguardQuery(entry)}#${percent(entry.name)}`;
    case 'hysteria2':
      return `hysteria2://${user}@${linkHost(entry.address)}:${entry.inbound.port}/${hysteriaQuery(entry)}#${percent(entry.name)}`;
  }
}

function encodeName({ name, inbound }: Entry): string {
  return inbound.protocol === 'vmess' ? jsonText(name.toWellFormed()) : percent(name);
}

type Parameter = readonly [name: string, value: string];

function urlLink(entry: Entry, user: string, own: readonly Parameter[]): string {
  const { name, address, inbound } = entry;
  const query = [...own, ...networkParameters(entry), ...securityParameters(entry), ...fragmentParameters(inbound)]
    .map(([parameter, value]) => `${parameter}=${percent(value)}`)
    .join('&');
  return `${inbound.protocol}://${user}@${linkHost(address)}:${inbound.port}?${query}#${percent(name)}`;
}

function flowParameters(inbound: Inbound): readonly Parameter[] {
  const flow = selectFlow(inbound);
  return flow === null ? [] : [['flow', flow]];
}

/** Fragmentation in Xray's format of `finalmask`, for apps that read it. */
function fragmentParameters({ fragment }: Inbound): readonly Parameter[] {
  if (fragment === null) return [];
  const [packets, length, delay] = fragment.split(',');
  return [['fm', JSON.stringify({ tcp: [{ type: 'fragment', settings: { packets, length, delay } }] })]];
}

function networkParameters(entry: Entry): readonly Parameter[] {
  const { network } = entry.inbound;
  const host = hostHeader(entry);
  const web: Parameter[] = [['path', getXrayPath(entry.inbound)]];
  if (host !== null) web.push(['host', host]);
  switch (network) {
    case 'tcp':
    case 'quic':
    case 'udp':
      return [['type', network]];
    case 'grpc':
      return [
        ['type', 'grpc'],
        ['serviceName', getServiceName(entry.inbound)],
        ['mode', 'gun'],
      ];
    case 'ws':
    case 'httpupgrade':
      return [['type', network], ...web];
    case 'xhttp':
      return [['type', 'xhttp'], ...web, ...xhttpParameters(entry.inbound)];
  }
}

function xhttpParameters({ xhttpMode, xhttpExtra }: Inbound): readonly Parameter[] {
  const extra = selectClientExtra(xhttpExtra);
  const mode: Parameter = ['mode', xhttpMode ?? 'auto'];
  return extra === null ? [mode] : [mode, ['extra', JSON.stringify(withFormerNames(extra))]];
}

function securityParameters(entry: Entry): readonly Parameter[] {
  const { security, alpn, publicKey, shortId, mldsa65Verify } = entry.inbound;
  const fingerprint = selectFingerprint(entry.inbound);
  if (security === 'none') return [['security', 'none']];
  const parameters: Parameter[] = [['security', security]];
  const sni = serverName(entry);
  if (sni !== null) parameters.push(['sni', sni]);
  if (fingerprint !== null) parameters.push(['fp', fingerprint]);
  if (security === 'reality') {
    parameters.push(['pbk', publicKey ?? '']);
    if (shortId !== null && shortId !== '') parameters.push(['sid', shortId]);
    if (mldsa65Verify !== null) parameters.push(['pqv', mldsa65Verify]);
    return parameters;
  }
  if (alpn !== null && alpn.length > 0) parameters.push(['alpn', alpn.join(',')]);
  if (entry.secrets.pin !== null) parameters.push(['pcs', entry.secrets.pin]);
  return parameters;
}

function vmessFields(entry: Entry, id: string): object {
  const { name, address, inbound, secrets } = entry;
  const { network } = inbound;
  const isWeb = network !== 'tcp' && network !== 'grpc';
  const isTls = inbound.security === 'tls';
  const types: Partial<Record<Inbound['network'], string>> = { grpc: 'gun', xhttp: inbound.xhttpMode ?? 'auto' };
  return {
    v: '2',
    ps: name.toWellFormed(),
    add: address.includes(':') ? address : asciiHost(address),
    port: String(inbound.port),
    id,
    aid: '0',
    scy: vmessCipher(inbound),
    net: network,
    type: types[network] ?? 'none',
    host: isWeb ? (hostHeader(entry) ?? '') : '',
    path: isWeb ? getXrayPath(inbound) : network === 'grpc' ? getServiceName(inbound) : '',
    tls: isTls ? 'tls' : '',
    sni: isTls ? (serverName(entry) ?? '') : '',
    alpn: isTls ? (inbound.alpn ?? []).join(',') : '',
    fp: isTls ? (selectFingerprint(inbound) ?? '') : '',
    // An addition to v2rayN's definition, which has no member for it.
    pcs: (isTls && secrets.pin) || undefined,
  };
}

/** User info by SIP002: base64url, but not for ciphers of 2022 (SIP022). */
function shadowsocksUser({ method }: Inbound, password: string): string {
  return hasKeys(method) ? `${method}:${percent(password)}` : toBase64Url(`${method}:${password}`);
}

/** Parameters as v2rayN defines them. */
function wireguardQuery({ inbound }: Entry): string {
  const publicKey = percent(wireguardKey(inbound.publicKey ?? ''));
  return `publickey=${publicKey}&address=${TUNNEL_ADDRESS}%2F32&mtu=${inbound.mtu ?? DEFAULT_MTU}`;
}

/** Never contains `insecure`, with which an app would trust any server. */
function hysteriaQuery(entry: Entry): string {
  const { obfsPassword, hopPorts } = entry.inbound;
  const parameters: Parameter[] = [];
  const sni = serverName(entry);
  if (sni !== null) parameters.push(['sni', sni]);
  if (obfsPassword !== null) parameters.push(['obfs', 'salamander'], ['obfs-password', obfsPassword]);
  // Not as the port, as the scheme defines it: apps without port hopping would refuse the link.
  if (hopPorts !== null) parameters.push(['mport', hopPorts]);
  if (entry.secrets.pin !== null) parameters.push(['pinSHA256', entry.secrets.pin]);
  const pairs = parameters.map(([name, value]) => `${name}=${percent(value)}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
