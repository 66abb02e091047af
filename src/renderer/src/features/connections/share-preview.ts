// What a user's share link will look like, from what stands in the form. The panel writes the real ones; tests hold the two alike.
import { changesOf, type Values } from './values.ts';

/** A made-up user: the link shows its form and opens nothing. */
export const SAMPLE = { uuid: '00000000-0000-4000-8000-000000000000', password: 'password-of-the-user' } as const;

interface Parts {
  readonly values: Values;
  readonly address: string;
  readonly user: { readonly uuid: string; readonly password: string };
}

type Parameter = readonly [name: string, value: string];
type Fields = ReturnType<typeof changesOf>;

/** One line of ASCII; null while something that it needs is missing. `nodeAddress`: where it has no host of its own. */
export function sharePreview(
  values: Values,
  nodeAddress: string,
  user: { readonly uuid: string; readonly password: string } = SAMPLE,
): string | null {
  const address = values.host.trim() || nodeAddress;
  if (address === '' || values.port === '') return null;
  if (values.security === 'reality' && values.public_key.trim() === '') return null;
  const parts: Parts = { values, address, user };
  switch (values.protocol) {
    case 'vless':
      return urlLink(parts, user.uuid, [['encryption', 'none'], ...flowOf(changesOf(values))]);
    case 'trojan':
      return urlLink(parts, user.password, []);
    case 'vmess':
      return vmessLink(parts);
    case 'shadowsocks':
      return shadowsocksLink(parts);
  }
}

function urlLink(parts: Parts, user: string, own: readonly Parameter[]): string {
  const { values, address } = parts;
  const query = [...own, ...networkOf(parts), ...securityOf(parts)].map(([name, value]) => `${name}=${percent(value)}`);
  return `${values.protocol}://${percent(user)}@${linkHost(address)}:${values.port}?${query.join('&')}#${percent(values.name)}`;
}

function flowOf({ flow }: Fields): readonly Parameter[] {
  return flow ? [['flow', flow]] : [];
}

function networkOf(parts: Parts): readonly Parameter[] {
  const { network, path, service_name } = changesOf(parts.values);
  if (network === 'tcp' || network === undefined) return [['type', 'tcp']];
  if (network === 'grpc') {
    return [
      ['type', 'grpc'],
      ['serviceName', service_name ?? ''],
      ['mode', 'gun'],
    ];
  }
  const host = hostHeader(parts);
  const web: Parameter[] = [
    ['type', network],
    ['path', path ?? '/'],
  ];
  if (host !== null) web.push(['host', host]);
  return network === 'xhttp' ? [...web, ['mode', 'auto']] : web;
}

function securityOf(parts: Parts): readonly Parameter[] {
  const { security, fingerprint, alpn, public_key, short_id } = changesOf(parts.values);
  if (security === 'none' || security === undefined) return [['security', 'none']];
  const parameters: Parameter[] = [['security', security]];
  const sni = serverName(parts);
  if (sni !== null) parameters.push(['sni', sni]);
  if (security === 'reality') {
    parameters.push(['fp', fingerprint ?? 'chrome'], ['pbk', public_key ?? '']);
    return short_id ? [...parameters, ['sid', short_id]] : parameters;
  }
  if (fingerprint) parameters.push(['fp', fingerprint]);
  if (alpn && alpn.length > 0) parameters.push(['alpn', alpn.join(',')]);
  return parameters;
}

/** The name that TLS asks for: its own, else the address where that is a name. */
function serverName({ values, address }: Parts): string | null {
  const { sni } = changesOf(values);
  if (sni) return asciiHost(sni);
  return isIpLiteral(address) ? null : asciiHost(address);
}

function hostHeader(parts: Parts): string | null {
  return parts.values.security === 'reality' ? null : serverName(parts);
}

function vmessLink(parts: Parts): string {
  const { values, address, user } = parts;
  const { network, path, service_name, fingerprint, alpn } = changesOf(values);
  const isWeb = network !== 'tcp' && network !== 'grpc';
  const isTls = values.security === 'tls';
  const fields = {
    v: '2',
    ps: values.name,
    add: address.includes(':') ? address : asciiHost(address),
    port: String(values.port),
    id: user.uuid,
    aid: '0',
    scy: 'auto',
    net: network,
    type: network === 'grpc' ? 'gun' : network === 'xhttp' ? 'auto' : 'none',
    host: isWeb ? (hostHeader(parts) ?? '') : '',
    path: isWeb ? (path ?? '/') : network === 'grpc' ? (service_name ?? '') : '',
    tls: isTls ? 'tls' : '',
    sni: isTls ? (serverName(parts) ?? '') : '',
    alpn: isTls ? (alpn ?? []).join(',') : '',
    fp: isTls ? (fingerprint ?? '') : '',
  };
  return `vmess://${toBase64(JSON.stringify(fields))}`;
}

function shadowsocksLink({ values, address, user }: Parts): string {
  const secret = toBase64(`${values.method}:${user.password}`)
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '');
  return `ss://${secret}@${linkHost(address)}:${values.port}#${percent(values.name)}`;
}

function toBase64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function percent(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function linkHost(address: string): string {
  return address.includes(':') ? `[${address}]` : asciiHost(address);
}

/** A name in its ASCII (`xn--`) form. */
function asciiHost(name: string): string {
  if (/^[\x21-\x7e]*$/.test(name)) return name;
  return URL.parse(`https://${percent(name)}/`)?.hostname ?? percent(name);
}

function isIpLiteral(address: string): boolean {
  return address.includes(':') || /^\d{1,3}(\.\d{1,3}){3}$/.test(address);
}
