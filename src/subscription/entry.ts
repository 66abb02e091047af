// One entry of a subscription: a connection, its address and the user's credentials, and what every format derives from them.
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

/** The part of a connection that a client needs. Types of the contract only: the pages preview links with the same code. */
export interface Inbound extends InboundShape {
  readonly port: number;
  readonly sni: string | null;
  /** With a web transport; left out or null: the server name. */
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
  /** As in `443,20000-30000`. */
  readonly hopPorts: string | null;
  /** As in `tlshello,100-200,10-20`. */
  readonly fragment: string | null;
  /** As in `3,50-100,10-20`. */
  readonly noise: string | null;
  /** How many streams share one connection. */
  readonly mux: number | null;
  readonly addressPool: string | null;
  readonly mtu: number | null;
}

export const NO_SECRETS: InboundSecrets = { serverKey: null, certificate: null, pin: null };

export interface Entry {
  /** What the user reads in the app; unique in the subscription. */
  readonly name: string;
  /** The name is of this user alone. */
  readonly hasOwnName?: boolean;
  readonly address: string;
  readonly inbound: Inbound;
  readonly credentials: Credentials;
  /** With WireGuard: the user's address inside the tunnel. */
  readonly tunnelAddress: string | null;
  readonly secrets: InboundSecrets;
}

/** Whose handshake the client imitates; null: its own choice. A client of REALITY must imitate some browser. */
export function selectFingerprint({ security, fingerprint }: Inbound): string | null {
  if (fingerprint !== null && canImitate(security, fingerprint)) return fingerprint;
  return security === 'reality' ? 'chrome' : null;
}

/**
 * Whether any client can be told of this connection. None can: shadowsocks over anything but plain tcp or without a method, vmess with
 * reality (its links have no place for the public key), reality without a public key or over ws and httpupgrade, hysteria2 over anything
 * but TLS and QUIC, which nothing else is over, wireguard without the key of its node or a pool.
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

/** The address without the brackets of IPv6, a name in ASCII. */
export function formatServer({ address }: Entry): string {
  return address.includes(':') ? address.replace(/^\[|\]$/g, '') : asciiHost(address);
}

/** The TLS server name: the configured one, else the address if that is a name. */
export function serverName({ inbound, address }: Entry): string | null {
  if (inbound.sni !== null) return asciiHost(inbound.sni);
  return isIpLiteral(address) ? null : asciiHost(address);
}

/** The Host header of a web transport: by default the TLS server name, because front servers route by it. Under REALITY the client chooses it. */
export function hostHeader(entry: Entry): string | null {
  if (entry.inbound.hostHeader != null) return asciiHost(entry.inbound.hostHeader);
  return entry.inbound.security === 'reality' ? null : serverName(entry);
}

/** The flow, where vision can run. */
export function selectFlow({ flow, network, security }: Inbound): string | null {
  return network === 'tcp' && security !== 'none' ? flow : null;
}

/**
 * The cipher of VMess in what sing-box and the apps around it read: of `auto` they make none under TLS, which Xray refuses since 26.7.11. Every app and every
 * engine knows this one.
 */
export function vmessCipher({ security }: Inbound): string {
  return security === 'tls' ? 'aes-128-gcm' : 'auto';
}

/** The ALPN of a client's configuration: null where the transport alone decides it, and any other one would break it. */
export function selectAlpn({ alpn, network, security }: Inbound): readonly string[] | null {
  const isOpen = network === 'tcp' || network === 'xhttp';
  return security === 'tls' && isOpen && alpn !== null && alpn.length > 0 ? alpn : null;
}

export interface WebPath {
  readonly path: string;
  /** Bytes that go out with the handshake; 0: none. */
  readonly earlyData: number;
}

/** The path of a web transport, apart from the `?ed=` by which Xray's own clients are told of early data, which only WebSocket has everywhere. */
export function parseWebPath({ path, network }: Inbound): WebPath {
  const [, plain = path ?? '/', bytes = '0'] = /^([^?]*)\?ed=(\d{1,6})$/.exec(path ?? '') ?? [];
  return { path: plain, earlyData: network === 'ws' ? Number(bytes) : 0 };
}

/** The path as Xray and applications that read links take it. Over HTTPUpgrade Xray itself loses a third of the connections with early data. */
export function getXrayPath(inbound: Inbound): string {
  return inbound.network === 'ws' ? (inbound.path ?? '/') : parseWebPath(inbound).path;
}

export function getServiceName({ serviceName }: Inbound): string {
  return serviceName ?? DEFAULT_SERVICE_NAME;
}

/** The password of Shadowsocks; since 2022 the server's key and the user's, each as long as the cipher's. */
function shadowsocksPassword({ inbound, credentials, secrets }: Entry): string {
  const { method } = inbound;
  if (method === null || !hasKeys(method)) return credentials.password;
  return `${keyFor(method, secrets.serverKey ?? '')}:${keyFor(method, credentials.key)}`;
}

/** The one thing in an entry that is the user's own: what the user's app presents to connect. */
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

/** Stands for the user's own secret while a text is made. Where a name contains it, its user reads the secret twice. */
const PLACE = '<secret of the user>';
/** Stands for a name that is of one user alone. Every format writes these characters as they are. */
const NAME_PLACE = 'name~of~the~entry~of~one~user';
/** Stands for the user's address inside the tunnel, which only WireGuard has. */
export const TUNNEL_ADDRESS = '<tunnel address of the user>';

interface Template {
  readonly name: string;
  readonly address: string;
  readonly pin: string | null;
  readonly parts: readonly string[];
}

/**
 * The text of an entry with what is the user's own in it: the secret, the address inside the tunnel, and a name with variables as `encodeName` writes
 * it. All but these is made once, and remembered as long as the connection is the very same one at the same address: for nearly all users it is equal.
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
