// Addresses and keys of WireGuard. Inside the tunnel each user has an address of the connection's pool, by which the node identifies the sender of a
// packet. It is computed from the user's id, so it never changes and is never reused.

/** A /10 has more than four million users. */
export const DEFAULT_POOL = '10.64.0.0/10';
/** As in WireGuard's own tools: 1500 bytes of Ethernet less the overhead over IPv6. */
export const DEFAULT_MTU = 1420;

/** The DNS server for apps inside the tunnel. */
export const TUNNEL_DNS = '1.1.1.1';

/** Private networks of RFC 1918 and RFC 6598. */
const PRIVATE_POOLS = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'];
const SHORTEST_PREFIX = 8;
const LONGEST_PREFIX = 24;
/** The node has the first address after that of the network. */
const NODE_PLACE = 1;

interface Pool {
  /** The network address as a number. */
  readonly base: number;
  readonly size: number;
}

function parse(text: string): Pool | null {
  const [, quad = '', length = ''] = /^(\d{1,3}(?:\.\d{1,3}){3})\/(\d{1,2})$/.exec(text) ?? [];
  const bytes = quad.split('.').map(Number);
  const prefix = Number(length);
  if (length === '' || prefix > 32 || bytes.some((byte) => byte > 255)) return null;
  const base = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  const size = 2 ** (32 - prefix);
  return base % size === 0 ? { base, size } : null;
}

/** Parses a private network of /8 to /24; null: invalid. */
export function readPool(text: string): Pool | null {
  const pool = parse(text);
  if (pool === null || pool.size > 2 ** (32 - SHORTEST_PREFIX) || pool.size < 2 ** (32 - LONGEST_PREFIX)) return null;
  const isPrivate = PRIVATE_POOLS.some((network) => {
    const around = parse(network);
    return around !== null && pool.base >= around.base && pool.base + pool.size <= around.base + around.size;
  });
  return isPrivate ? pool : null;
}

function formatIpv4(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}

/** The address of the node inside the tunnel. */
export function nodeTunnelAddress(pool: string | null): string | null {
  const read = pool === null ? null : readPool(pool);
  return read === null ? null : formatIpv4(read.base + NODE_PLACE);
}

/** The highest user id with an address in a pool; the broadcast address is not used. */
export function lastUserInPool(pool: string): number {
  const read = readPool(pool);
  return read === null ? 0 : computeLastUserId(read);
}

function computeLastUserId({ size }: Pool): number {
  return size - NODE_PLACE - 2;
}

/** The address of a user inside the tunnel; null: the pool is too small. */
export function userTunnelAddress(pool: string | null, userId: number): string | null {
  const read = pool === null ? null : readPool(pool);
  if (read === null || userId < 1 || userId > computeLastUserId(read)) return null;
  return formatIpv4(read.base + NODE_PLACE + userId);
}

/** A key in WireGuard's format, base64 with padding; the panel stores keys of connections in base64url without padding. */
export function wireguardKey(key: string): string {
  return `${key.replaceAll('-', '+').replaceAll('_', '/').replace(/=$/, '')}=`;
}
