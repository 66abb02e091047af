// Share links in the formats of the clients: vless and trojan by the XTLS share-link standard, vmess as v2rayN defines it, ss by SIP002.
import { type InboundShape, REALITY_NETWORKS } from '../domain/inbound-shape.ts';
import { asciiHost, isIpLiteral, linkHost, percent, toBase64, toBase64Url } from './encoding.ts';

/** The part of a connection that a client needs. Types of the contract only: the pages preview links with the same code. */
export interface Inbound extends InboundShape {
  readonly port: number;
  readonly sni: string | null;
  readonly path: string | null;
  readonly serviceName: string | null;
  readonly flow: string | null;
  readonly fingerprint: string | null;
  readonly alpn: readonly string[] | null;
  readonly publicKey: string | null;
  readonly shortId: string | null;
  readonly method: string | null;
}

export interface Entry {
  /** What the user reads in the app; unique in the subscription. */
  readonly name: string;
  readonly address: string;
  readonly inbound: Inbound;
  readonly credentials: { readonly uuid: string; readonly password: string };
}

/** A REALITY client must imitate some browser. */
const DEFAULT_FINGERPRINT = 'chrome';

/**
 * Whether a share link can represent this connection. Not represented: shadowsocks over anything but plain tcp or without a
 * method, vmess with reality (its format has no place for the public key), reality without a public key or over ws and httpupgrade.
 */
export function canShare(inbound: Inbound): boolean {
  const { protocol, network, security, method, publicKey } = inbound;
  if (protocol === 'shadowsocks') return network === 'tcp' && security === 'none' && method !== null;
  if (security !== 'reality') return true;
  return protocol !== 'vmess' && publicKey !== null && REALITY_NETWORKS.includes(network);
}

/** One share link, a single line of ASCII. Only for connections that `canShare`. */
export function shareLink(entry: Entry): string {
  switch (entry.inbound.protocol) {
    case 'vless':
      return urlLink('vless', entry, entry.credentials.uuid, [
        ['encryption', 'none'],
        ...flowParameters(entry.inbound),
      ]);
    case 'trojan':
      return urlLink('trojan', entry, entry.credentials.password, []);
    case 'vmess':
      return vmessLink(entry);
    case 'shadowsocks':
      return shadowsocksLink(entry);
  }
}

type Parameter = readonly [name: string, value: string];

function urlLink(scheme: string, entry: Entry, user: string, own: readonly Parameter[]): string {
  const parameters = [...own, ...networkParameters(entry), ...securityParameters(entry)];
  const query = parameters.map(([name, value]) => `${name}=${percent(value)}`).join('&');
  const { name, address, inbound } = entry;
  return `${scheme}://${percent(user)}@${linkHost(address)}:${inbound.port}?${query}#${percent(name)}`;
}

function flowParameters({ flow, network, security }: Inbound): readonly Parameter[] {
  return flow !== null && network === 'tcp' && security !== 'none' ? [['flow', flow]] : [];
}

function networkParameters(entry: Entry): readonly Parameter[] {
  const { network, path, serviceName } = entry.inbound;
  const host = hostHeader(entry);
  const web: Parameter[] = [['path', path ?? '/']];
  if (host !== null) web.push(['host', host]);
  switch (network) {
    case 'tcp':
      return [['type', 'tcp']];
    case 'grpc':
      return [
        ['type', 'grpc'],
        ['serviceName', serviceName ?? ''],
        ['mode', 'gun'],
      ];
    case 'ws':
    case 'httpupgrade':
      return [['type', network], ...web];
    case 'xhttp':
      return [['type', 'xhttp'], ...web, ['mode', 'auto']];
  }
}

function securityParameters(entry: Entry): readonly Parameter[] {
  const { security, fingerprint, alpn, publicKey, shortId } = entry.inbound;
  if (security === 'none') return [['security', 'none']];
  const parameters: Parameter[] = [['security', security]];
  const sni = serverName(entry);
  if (sni !== null) parameters.push(['sni', sni]);
  if (security === 'reality') {
    parameters.push(['fp', fingerprint ?? DEFAULT_FINGERPRINT], ['pbk', publicKey ?? '']);
    if (shortId !== null && shortId !== '') parameters.push(['sid', shortId]);
    return parameters;
  }
  if (fingerprint !== null) parameters.push(['fp', fingerprint]);
  if (alpn !== null && alpn.length > 0) parameters.push(['alpn', alpn.join(',')]);
  return parameters;
}

/** The TLS server name: the configured one, else the address if that is a name. */
function serverName({ inbound, address }: Entry): string | null {
  if (inbound.sni !== null) return asciiHost(inbound.sni);
  return isIpLiteral(address) ? null : asciiHost(address);
}

/** The Host header of a web transport: the TLS server name, because front servers route by it. Under REALITY the client chooses it. */
function hostHeader(entry: Entry): string | null {
  return entry.inbound.security === 'reality' ? null : serverName(entry);
}

function vmessLink(entry: Entry): string {
  const { name, address, inbound, credentials } = entry;
  const { network } = inbound;
  const isWeb = network !== 'tcp' && network !== 'grpc';
  const isTls = inbound.security === 'tls';
  const types: Partial<Record<Inbound['network'], string>> = { grpc: 'gun', xhttp: 'auto' };
  const fields = {
    v: '2',
    ps: name.toWellFormed(),
    add: address.includes(':') ? address : asciiHost(address),
    port: String(inbound.port),
    id: credentials.uuid,
    aid: '0',
    scy: 'auto',
    net: network,
    type: types[network] ?? 'none',
    host: isWeb ? (hostHeader(entry) ?? '') : '',
    path: isWeb ? (inbound.path ?? '/') : network === 'grpc' ? (inbound.serviceName ?? '') : '',
    tls: isTls ? 'tls' : '',
    sni: isTls ? (serverName(entry) ?? '') : '',
    alpn: isTls ? (inbound.alpn ?? []).join(',') : '',
    fp: isTls ? (inbound.fingerprint ?? '') : '',
  };
  return `vmess://${toBase64(JSON.stringify(fields))}`;
}

function shadowsocksLink({ name, address, inbound, credentials }: Entry): string {
  const user = toBase64Url(`${inbound.method}:${credentials.password}`);
  return `ss://${user}@${linkHost(address)}:${inbound.port}#${percent(name)}`;
}
