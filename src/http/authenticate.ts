// Finds out who calls the API door: the key, from the Authorization header and from nowhere else.
import type { IncomingMessage } from 'node:http';

const SCHEME = 'bearer ';

/**
 * The key that a request carries; null where there is none or more than one header, or another scheme. The scheme may be
 * written in any case (RFC 9110 section 11.1). Neither the query nor a cookie is ever looked at.
 */
export function bearerKey(request: IncomingMessage): string | null {
  const header = request.headers.authorization;
  if (header === undefined || header.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return null;
  if (countHeaders(request, 'authorization') !== 1) return null;
  const key = header.slice(SCHEME.length).trim();
  return key === '' || key.includes(' ') ? null : key;
}

/** How often a header stands in the request; `name` in lower case. Node itself keeps only the first of some. */
export function countHeaders(request: IncomingMessage, name: string): number {
  const { rawHeaders } = request;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index];
    if (header !== undefined && header.length === name.length && header.toLowerCase() === name) count += 1;
  }
  return count;
}
