// Who is at the other end: the peer of the connection, or behind a trusted proxy whom it names.
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';

const MAPPED = '::ffff:';

/** An address without the prefix that a dual-stack socket gives to IPv4. */
export function plainAddress(address: string | undefined): string {
  if (address === undefined) return '';
  return address.startsWith(MAPPED) && address.includes('.') ? address.slice(MAPPED.length) : address;
}

export type ClientAddress = (request: IncomingMessage) => string;

/**
 * `trustedProxies` are addresses and CIDR ranges, looked at on each request. X-Forwarded-For counts only where the peer
 * itself is trusted: from the right, the first that is not trusted is the client. Without one it is the peer.
 */
export function createClientAddress(
  trustedProxies: () => readonly string[],
  /** Called with the peer whose header does not count. */
  reportIgnored: (peer: string) => void = () => {},
): ClientAddress {
  const isTrusted = createTrust(trustedProxies);
  return (request) => {
    const peer = plainAddress(request.socket.remoteAddress);
    const forwarded = request.headers['x-forwarded-for'];
    if (forwarded === undefined) return peer;
    if (!isTrusted(peer)) {
      reportIgnored(peer);
      return peer;
    }
    return rightmostUntrusted(String(forwarded), peer, isTrusted);
  };
}

/** Whether an address is that of a trusted proxy. */
export function createTrust(trustedProxies: () => readonly string[]): (address: string) => boolean {
  let known: readonly string[] = [];
  let trusted = new BlockList();
  return (address) => {
    const proxies = trustedProxies();
    if (proxies !== known) {
      known = proxies;
      trusted = buildBlockList(proxies);
    }
    return isIP(address) !== 0 && trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  };
}

function rightmostUntrusted(header: string, peer: string, isTrusted: (address: string) => boolean): string {
  let client = peer;
  for (const part of header.split(',').reverse()) {
    const address = plainAddress(part.trim());
    if (isIP(address) === 0) return client;
    client = address;
    if (!isTrusted(address)) return client;
  }
  return client;
}

/** What cannot be read is left out: it must never widen the trust. */
function buildBlockList(proxies: readonly string[]): BlockList {
  const list = new BlockList();
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/');
    const family = isIP(address);
    if (family === 0) continue;
    const type = family === 6 ? 'ipv6' : 'ipv4';
    const prefix = Number(bits);
    if (bits === undefined) list.addAddress(address, type);
    else if (/^\d{1,3}$/.test(bits) && prefix <= (family === 6 ? 128 : 32)) list.addSubnet(address, prefix, type);
  }
  return list;
}
