// Keeps other sites, and other ports of this machine, from acting with the administrator's cookie.
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';

/** Whether the connection itself is encrypted; behind a reverse proxy it is not, whatever the browser uses. */
export function isEncrypted(request: IncomingMessage): boolean {
  return (request.socket as Partial<TLSSocket>).encrypted === true;
}

/**
 * Whether a request that may change something comes from the panel's own pages, or was begun by the user (a navigation from
 * the address bar). Browsers say so in Sec-Fetch-Site; where that is missing, Origin must be the panel's own.
 */
export function isOwnRequest(request: IncomingMessage): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode } = request.headers;
  if (site !== undefined) return site === 'same-origin' || (site === 'none' && mode === 'navigate');
  return isOwnOrigin(request);
}

/** Whether what a browser reads here may be read by the page that asks. Programs that send neither header may. */
export function isOwnRead(request: IncomingMessage): boolean {
  const { 'sec-fetch-site': site, origin } = request.headers;
  return site === undefined && origin === undefined ? true : isOwnRequest(request);
}

/** The host has passed the allow-list. Over plain HTTP a reverse proxy may have taken the encryption off. */
function isOwnOrigin(request: IncomingMessage): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined || host === undefined) return false;
  const own = `://${host.toLowerCase()}`;
  return origin === `https${own}` || (origin === `http${own}` && !isEncrypted(request));
}
