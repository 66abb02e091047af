// An entry of a subscription: a connection, its address and the user's credentials, with values that all formats derive from them.
import type { XhttpExtra, XhttpMode } from '../contract/xhttp.ts';
import type { Credentials, InboundSecrets } from '../core/ports/credentials.ts';
import { isIpLiteral } from '../domain/host.ts';
import {
  canImitate,
  DEFAULT_SERVICE_NAME,
  type InboundShape,
  REALITY_NETWORKS,
} from '../domain/nodes/inbound-shape.ts';
import { hasKeys, keyFor } from '../domain/nodes/shadowsocks.ts';
import { selectClientExtra } from '../domain/nodes/xhttp.ts';
import { asciiHost } from './encoding.ts';

/** The members of a connection that clients need. With types of the contract only, because the pages preview links with the same code. */
export interface Inbound extends InboundShape {
  readonly port: number;
  readonly sni: string | null;
  /** Host header of a web transport; left out or null: the server name. */
  readonly hostHeader?: string | null;
  readonly path: string | null;
  readonly xhttpMode: XhttpMode | null;
  readonly xhttpExtra: XhttpExtra | null;
  readonly serviceName: string | null;
  readonly flow: string | null;
  readonly fingerprint: string | null;
  readonly alpn: readonly string[] | null;
  readonly publicKey: string | null;
  /** The half of VLESS encryption that clients have. */
  readonly encryption: string | null;
  readonly mldsa65Verify: string | null;
  readonly shortId: string | null;
  readonly method: string | null;
  readonly obfsPassword: string | null;
  /** Ports, such as `443,20000-30000`. */
  readonly hopPorts: string | null;
  /** Packets, bytes and milliseconds, such as `tlshello,100-200,10-20`. */
  readonly fragment: string | null;
  /** Number of packets, bytes and milliseconds, such as `3,50-100,10-20`. */
  readonly noise: string | null;
  /** Number of streams that share one connection. */
  readonly mux: number | null;
  readonly addressPool: string | null;
  readonly mtu: number | null;
}

export const NO_SECRETS: InboundSecrets = { serverKey: null, certificate: null, pin: null };

export interface Entry {
  /** The name in the app; unique in the subscription. */
  readonly name: string;
  /** Whether the name is different for each user. */
  readonly hasOwnName?: boolean;
  readonly address: string;
  readonly inbound: Inbound;
  readonly credentials: Credentials;
  /** The user's address inside the tunnel of WireGuard. */
  readonly tunnelAddress: string | null;
  readonly secrets: InboundSecrets;
}

/** The browser whose handshake the client imitates; null: chosen by the client. REALITY requires one. */
export function selectFingerprint({ security, fingerprint }: Inbound): string | null {
  if (fingerprint !== null && canImitate(security, fingerprint)) return fingerprint;
  return security === 'reality' ? 'chrome' : null;
}

/**
 * Whether the connection can be in a subscription at all. Not possible: shadowsocks over anything but plain tcp or without a method, vmess with
 * reality (its links have no member for the public key), reality without a public key or over ws and httpupgrade, hysteria2 without TLS or
 * QUIC and others with QUIC, and wireguard without the node's key or a pool.
 */
export function canShare(inbound: Inbound): boolean {
  const { protocol, network, security, method, publicKey, addressPool } = inbound;
  if (protocol === 'shadowsocks') return network === 'tcp' && security === 'none' && method !== null;
  if (protocol === 'hysteria2') return network === 'quic' && security === 'tls';
  if (protocol === 'wireguard')
    return network === 'udp' && security === 'none' && publicKey !== null && addressPool !== null;
  if (network === 'quic' || network === 'udp') return false;
  if (security !== 'reality') return true;
  return protocol !== 'vmess' && publicKey !== null && REALITY_NETWORKS.includes(network);
}

/** Whether a share link has room for it: that of VMess has none for the `extra` of XHTTP. */
export function canLink(inbound: Inbound): boolean {
  const { protocol, network, xhttpExtra } = inbound;
  const isLost = protocol === 'vmess' && network === 'xhttp' && selectClientExtra(xhttpExtra) !== null;
  return canShare(inbound) && !isLost;
}

/** The address: IPv6 without brackets, names in ASCII. */
export function formatServer({ address }: Entry): string {
  return address.includes(':') ? address.replace(/^\[|\]$/g, '') : asciiHost(address);
}

/** The TLS server name: the configured one, else the address if it is a name. */
export function serverName({ inbound, address }: Entry): string | null {
  if (inbound.sni !== null) return asciiHost(inbound.sni);
  return isIpLiteral(address) ? null : asciiHost(address);
}

/** The Host header of a web transport: by default the TLS server name, because front servers route by it. Under REALITY the client chooses it. */
export function hostHeader(entry: Entry): string | null {
  if (entry.inbound.hostHeader != null) return asciiHost(entry.inbound.hostHeader);
  return entry.inbound.security === 'reality' ? null : serverName(entry);
}

/** The flow if the connection supports vision; else null. */
export function selectFlow({ flow, network, security }: Inbound): string | null {
  return network === 'tcp' && security !== 'none' ? flow : null;
}

/**
 * The cipher of VMess for sing-box and apps built on it. Under TLS they treat `auto` as no encryption, which Xray refuses since 26.7.11. All apps
 * and engines support this one.
 */
export function vmessCipher({ security }: Inbound): string {
  return security === 'tls' ? 'aes-128-gcm' : 'auto';
}

/** The ALPN for clients; null: the transport determines it, and any other value would break it. */
export function selectAlpn({ alpn, network, security }: Inbound): readonly string[] | null {
  const isOpen = network === 'tcp' || network === 'xhttp';
  return security === 'tls' && isOpen && alpn !== null && alpn.length > 0 ? alpn : null;
}

export interface WebPath {
  readonly path: string;
  /** Bytes that are sent with the handshake; 0: none. */
  readonly earlyData: number;
}

/** Splits the path of a web transport from `?ed=`, which sets early data in Xray's clients. Only WebSocket supports it everywhere. */
export function parseWebPath({ path, network }: Inbound): WebPath {
  const [, plain = path ?? '/', bytes = '0'] = /^([^?]*)\?ed=(\d{1,6})$/.exec(path ?? '') ?? [];
  return { path: plain, earlyData: network === 'ws' ? Number(bytes) : 0 };
}

/** The path for Xray and for links. Without early data over HTTPUpgrade, where Xray loses a third of the connections with it. */
export function getXrayPath(inbound: Inbound): string {
  return inbound.network === 'ws' ? (inbound.path ?? '/') : parseWebPath(inbound).path;
}

export function getServiceName({ serviceName }: Inbound): string {
  return serviceName ?? DEFAULT_SERVICE_NAME;
}

/** The password of Shadowsocks; for ciphers of 2022 the keys of server and user, in the cipher's length. */
function shadowsocksPassword({ inbound, credentials, secrets }: Entry): string {
  const { method } = inbound;
  if (method === null || !hasKeys(method)) return credentials.password;
  return `${keyFor(method, secrets.serverKey ?? '')}:${keyFor(method, credentials.key)}`;
}

/** The user's secret in an entry. */
export function selectSecret(entry: Entry): string {
  const { inbound, credentials } = entry;
  switch (inbound.protocol) {
    case 'vless':
    case 'vmess':
      return credentials.uuid;
    case 'trojan':
    case 'hysteria2':
      return credentials.password;
    case 'wireguard':
      return credentials.wireguard;
    case 'shadowsocks':
      return shadowsocksPassword(entry);
  }
}

/** Placeholder of the user's secret in cached texts. If a name contains it, that user sees the secret twice. */
const PLACE = '<secret of the user>';
/** Placeholder of a user's own name. No format escapes these characters. */
const NAME_PLACE = 'name~of~the~entry~of~one~user';
/** Placeholder of the user's address inside the tunnel of WireGuard. */
export const TUNNEL_ADDRESS = '<tunnel address of the user>';

interface Template {
  readonly name: string;
  readonly address: string;
  readonly pin: string | null;
  readonly parts: readonly string[];
}

/**
 * Builds the text of an entry from a cached one, in which it replaces the user's secret, tunnel address and own name (encoded by `encodeName`).
 * The rest is the same for nearly all users, and cached by the connection's object and address.
 */
export function perConnection(
  make: (entry: Entry, secret: string) => string,
  encodeName: (entry: Entry) => string,
): (entry: Entry, secret: string) => string {
  const known = new WeakMap<Inbound, Template>();
  return (entry, secret) => {
    const { hasOwnName = false, inbound, address, secrets } = entry;
    const name = hasOwnName ? NAME_PLACE : entry.name;
    let found = known.get(inbound);
    if (found?.name !== name || found.address !== address || found.pin !== secrets.pin) {
      const parts = make(hasOwnName ? { ...entry, name } : entry, PLACE).split(PLACE);
      found = { name, address, pin: secrets.pin, parts };
      known.set(inbound, found);
    }
    let text = found.parts.join(secret);
    if (inbound.protocol === 'wireguard') text = text.replaceAll(TUNNEL_ADDRESS, entry.tunnelAddress ?? '');
    return hasOwnName ? text.replaceAll(NAME_PLACE, () => encodeName(entry)) : text;
  };
}
