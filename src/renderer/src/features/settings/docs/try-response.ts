// Turns what the panel tells of a tried request into the Response that swagger-ui expects of a fetch.
import type { Output } from '../../../../../contract/table.ts';

/** Statuses that may have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** The path below the API's address that a URL means; null where it leads elsewhere. */
export function pathBelow(baseUrl: string, url: string): string | null {
  if (!url.startsWith(baseUrl)) return null;
  const path = url.slice(baseUrl.length);
  return path.startsWith('/') ? path : null;
}

export function responseOf({ status, headers, body }: Output<'tryApi'>): Response {
  return new Response(BODILESS.has(status) ? null : body, { status, headers });
}
