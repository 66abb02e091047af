// The reply to a subscription link: the format that the client can read, and the headers that it shows.
import type { Subscription } from '../core/core.ts';
import type { SettingValues } from '../core/ports/settings.ts';
import { toBase64 } from './encoding.ts';
import { listEntries } from './entries.ts';
import { subscriptionHeaders } from './headers.ts';
import { canShare, shareLink } from './share-links.ts';

export const FORMATS = ['links', 'plain'] as const;
export type Format = (typeof FORMATS)[number];

/** What a request reveals about the formats that its client can read. */
export interface FormatRequest {
  /** The `format` of the query, as sent. */
  readonly format?: string | undefined;
  /** The Accept header. */
  readonly accept?: string | undefined;
  /** The User-Agent header. */
  readonly userAgent?: string | undefined;
}

export interface RenderedSubscription {
  readonly status: number;
  /** Lower-case names, printable ASCII values. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The reply to `GET /<sub path>/<token>`; never an empty body. For a user who cannot connect, the name of the only entry says why. */
export function renderSubscription(
  sub: Subscription,
  settings: SettingValues,
  request: FormatRequest,
): RenderedSubscription {
  // One share link per line.
  const lines = listEntries(sub, settings, canShare).map(shareLink).join('\n');
  return {
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8', ...subscriptionHeaders(sub, settings) },
    body: chooseFormat(request) === 'plain' ? lines : toBase64(lines),
  };
}

/**
 * By `?format=`, then Accept, then User-Agent; otherwise `links`, which every client reads: a link must never fail. A format that is
 * unknown, or served only by other panels, is ignored. `plain` is for clients that accept nothing but plain text and for browsers,
 * where a person reads it; Java's HTTP client accepts text/html too, so that alone does not mean a browser.
 */
export function chooseFormat({ format, accept, userAgent }: FormatRequest): Format {
  const requested = FORMATS.find((known) => known === format);
  if (requested) return requested;
  if (accept !== undefined && /^\s*text\/plain\s*(;[^,]*)?$/i.test(accept)) return 'plain';
  return userAgent !== undefined && /^Mozilla\/5\.0 \(/.test(userAgent) ? 'plain' : 'links';
}
