// The client address: the peer, or the client that a trusted proxy reports.
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';

const MAPPED = '::ffff:';

/** An address without the IPv4-mapped prefix of dual-stack sockets. */
export function plainAddress(address: string | undefined): string {
  if (address === undefined) return '';
  return address.startsWith(MAPPED) && address.includes('.') ? address.slice(MAPPED.length) : address;
}

export type ClientAddress = (request: IncomingMessage) => string;

/**
 * `trustedProxies`: addresses and CIDR ranges, read on each request. X-Forwarded-For is used only if the peer is trusted: the first untrusted address
 * from the right is the client; without one, the peer.
 */
export function createClientAddress(
  trustedProxies: () => readonly string[],
  /** Called with a peer whose header is ignored. */
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

/** Invalid entries are skipped, so that they cannot extend the trust. */
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
