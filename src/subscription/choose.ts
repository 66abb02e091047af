// Which format a client gets. Whoever asks for what is not served gets `links`: every client reads it, and a link must never be dead.

export const FORMATS = ['links', 'plain'] as const;
export type Format = (typeof FORMATS)[number];

/** What a request says about what it can read. */
export interface Wish {
  /** The `format` of the query, as sent. */
  readonly format?: string | undefined;
  /** The Accept header. */
  readonly accept?: string | undefined;
  /** The User-Agent header. */
  readonly userAgent?: string | undefined;
}

/**
 * By `?format=`, then Accept, then User-Agent. A format that is unknown, or known to other panels and not served here, counts as
 * not asked for. `plain` goes to who accepts nothing but plain text and to a browser, where a person wants to read it;
 * Java's HTTP client accepts text/html too, so that alone makes no browser.
 */
export function chooseFormat({ format, accept, userAgent }: Wish): Format {
  const asked = FORMATS.find((known) => known === format);
  if (asked) return asked;
  if (accept !== undefined && /^\s*text\/plain\s*(;[^,]*)?$/i.test(accept)) return 'plain';
  return userAgent !== undefined && /^Mozilla\/5\.0 \(/.test(userAgent) ? 'plain' : 'links';
}
