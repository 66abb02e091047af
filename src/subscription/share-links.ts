// Share links in the formats of the clients: vless and trojan by the XTLS share-link standard, vmess as v2rayN defines it, ss by SIP002.
import { hasKeys } from '../domain/shadowsocks.ts';
import { asciiHost, linkHost, percent, toBase64, toBase64Url } from './encoding.ts';
import {
  type Entry,
  flowOf,
  hostHeader,
  type Inbound,
  perConnection,
  REALITY_FINGERPRINT,
  serverName,
  shadowsocksPassword,
} from './entry.ts';

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
  const rest = own.map(([name, value]) => `${name}=${percent(value)}&`).join('') + streamQuery(entry);
  const { name, address, inbound } = entry;
  return `${scheme}://${percent(user)}@${linkHost(address)}:${inbound.port}?${rest}#${percent(name)}`;
}

const streamQuery = perConnection((entry) =>
  [...networkParameters(entry), ...securityParameters(entry)]
    .map(([name, value]) => `${name}=${percent(value)}`)
    .join('&'),
);

function flowParameters(inbound: Inbound): readonly Parameter[] {
  const flow = flowOf(inbound);
  return flow === null ? [] : [['flow', flow]];
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
    parameters.push(['fp', fingerprint ?? REALITY_FINGERPRINT], ['pbk', publicKey ?? '']);
    if (shortId !== null && shortId !== '') parameters.push(['sid', shortId]);
    return parameters;
  }
  if (fingerprint !== null) parameters.push(['fp', fingerprint]);
  if (alpn !== null && alpn.length > 0) parameters.push(['alpn', alpn.join(',')]);
  if (entry.secrets.pin !== null) parameters.push(['pcs', entry.secrets.pin]);
  return parameters;
}

function vmessLink(entry: Entry): string {
  const { name, address, inbound, credentials, secrets } = entry;
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
    // Not in v2rayN's definition, which has no place for it.
    pcs: (isTls && secrets.pin) || undefined,
  };
  return `vmess://${toBase64(JSON.stringify(fields))}`;
}

/** SIP002; the user is base64url, and since 2022 (SIP022) must not be. */
function shadowsocksLink(entry: Entry): string {
  const { name, address, inbound } = entry;
  const password = shadowsocksPassword(entry);
  const is2022 = hasKeys(inbound.method);
  const user = is2022 ? `${inbound.method}:${percent(password)}` : toBase64Url(`${inbound.method}:${password}`);
  return `ss://${user}@${linkHost(address)}:${inbound.port}#${percent(name)}`;
}
