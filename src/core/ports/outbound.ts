// The port of requests to URLs that somebody typed.

export interface OutboundRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** Whether private addresses and plain HTTP are allowed. */
  readonly allowPrivate: boolean;
  /** URL of a proxy, with name and password; left out: no proxy. */
  readonly proxy?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export type OutboundFailure =
  | 'timeout'
  | 'host_unknown'
  | 'address_refused'
  | 'connection'
  | 'certificate'
  | 'too_long'
  | 'stopped';

/** A reply's status, Retry-After header and text, or why there was none. */
export type OutboundOutcome =
  | { readonly status: number; readonly retryAfter: string | null; readonly text: string }
  | { readonly error: OutboundFailure };

/** Sends requests. It follows no redirects, and connects only to checked addresses or to the given proxy. */
export interface OutboundClient {
  /** Never rejects. */
  send(request: OutboundRequest): Promise<OutboundOutcome>;
  /** Aborts running requests, whose outcome is `stopped`. */
  close(): void;
}
