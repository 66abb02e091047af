// The Host header's allow-list: a page of another site must not reach the panel under its own name (DNS rebinding).
import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import { countHeaders } from './authenticate.ts';

const HOST = /^(?:\[([\dA-Fa-f:.]+)\]|([^\s:[\]/@?#]+))(?::\d{1,5})?$/;

export type HostCheck = (request: IncomingMessage) => boolean;

/** Accepts any IP literal, `localhost` and `names` (lower case), looked at on each request; exactly one Host header. */
export function createHostCheck(names: () => ReadonlySet<string>): HostCheck {
  // Nearly every request of a connection names the same host.
  let lastHost = '';
  let lastNames: ReadonlySet<string> | null = null;
  return (request) => {
    const { host } = request.headers;
    if (host === undefined || countHeaders(request, 'host') !== 1) return false;
    const current = names();
    if (host === lastHost && current === lastNames) return true;
    if (!isHostAllowed(host, current)) return false;
    lastHost = host;
    lastNames = current;
    return true;
  };
}

export function isHostAllowed(host: string, names: ReadonlySet<string>): boolean {
  const match = HOST.exec(host);
  if (match === null) return false;
  const [, ipv6, name = ''] = match;
  if (ipv6 !== undefined) return isIPv6(ipv6);
  const lower = name.toLowerCase();
  return lower === 'localhost' || isIPv4(name) || names.has(lower);
}
