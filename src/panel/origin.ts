// How the panel's addresses begin: `https://<address>:<port>`.
import { isIP, isIPv6 } from 'node:net';
import { lanAddress } from '../adapters/addresses.ts';

export type Place = {
  readonly scheme: 'http' | 'https';
  /** What is listened on. */
  readonly host: string;
  readonly port: number;
  /** What the administrator says it is reached by; null: found out. */
  readonly publicAddress: string | null;
};

/** The public address if set, else the one listened on; of all addresses the LAN's, and without a network 127.0.0.1. */
export function originOf({ scheme, host, port, publicAddress }: Place, lan = lanAddress): string {
  const address = publicAddress ?? (isEverywhere(host) ? (lan() ?? '127.0.0.1') : host);
  const isDefault = port === (scheme === 'https' ? 443 : 80);
  return `${scheme}://${isIPv6(address) ? `[${address}]` : address}${isDefault ? '' : `:${port}`}`;
}

/** Whether listening there means listening on every address. */
export function isEverywhere(host: string): boolean {
  return host === '0.0.0.0' || (isIPv6(host) && /^[0:]+$/.test(host));
}

export function isLoopback(host: string): boolean {
  if (isIP(host) === 0) return host.toLowerCase() === 'localhost';
  return host.startsWith('127.') || /^[0:]+1$/.test(host);
}
