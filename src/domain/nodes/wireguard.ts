// Addresses and keys of WireGuard: inside the tunnel each user has an address of the connection's pool, by which the node knows whose
// packet it is. The place of an address in the pool follows from the user's id, so that it is the same for ever and is never given twice.

/** A /10: more than four million users. */
export const DEFAULT_POOL = '10.64.0.0/10';
/** As WireGuard's own tools have it: what is left of 1500 bytes of Ethernet over IPv6. */
export const DEFAULT_MTU = 1420;

/** By whom apps look up names inside the tunnel. */
export const TUNNEL_DNS = '1.1.1.1';

/** The private networks: RFC 1918 and RFC 6598. */
const PRIVATE_POOLS = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'];
const SHORTEST_PREFIX = 8;
const LONGEST_PREFIX = 24;
/** Behind the address of the network itself comes that of the node. */
const NODE_PLACE = 1;

interface Pool {
  /** The address of the network as a number. */
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

/** A private network of /8 to /24; null: it is none. */
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

/** The highest id of a user that has an address of a pool; the last address of a network is none. */
export function lastUserInPool(pool: string): number {
  const read = readPool(pool);
  return read === null ? 0 : computeLastUserId(read);
}

function computeLastUserId({ size }: Pool): number {
  return size - NODE_PLACE - 2;
}

/** The address of a user inside the tunnel; null: the pool does not reach so far. */
export function userTunnelAddress(pool: string | null, userId: number): string | null {
  const read = pool === null ? null : readPool(pool);
  if (read === null || userId < 1 || userId > computeLastUserId(read)) return null;
  return formatIpv4(read.base + NODE_PLACE + userId);
}

/** A key as WireGuard writes it, in base64 with padding; the panel has those of connections in base64url without. */
export function wireguardKey(key: string): string {
  return `${key.replaceAll('-', '+').replaceAll('_', '/').replace(/=$/, '')}=`;
}
