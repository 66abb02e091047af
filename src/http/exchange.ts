// One request inside the secret path and its one reply: what every reply carries is written here and nowhere else.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { endGently } from './closing.ts';
import type { RateVerdict } from './rate-limit.ts';
import { newRequestId } from './request-id.ts';

/** What the exchanges of a server have in common. */
export interface ExchangeHost {
  /** Notes a reply for the metrics: route template, method, status, duration in seconds. */
  observe(route: string, method: string, status: number, seconds: number): void;
  /** Whether the server is stopping, so that no connection is kept. */
  isClosing(): boolean;
}

export interface Exchange {
  readonly host: ExchangeHost;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** 32 hexadecimal digits. */
  readonly id: string;
  readonly startedAt: number;
  /** The template of the route once it is known. */
  route: string;
  /** The caller's budget; null where there is no limit. */
  rate: RateVerdict | null;
  /** The methods of the route, once it is known. */
  allow: string | null;
}

/** The route label of requests that match no route. */
export const UNMATCHED = 'unmatched';

export function openExchange(host: ExchangeHost, request: IncomingMessage, response: ServerResponse): Exchange {
  const startedAt = performance.now();
  return { host, request, response, id: newRequestId(), startedAt, route: UNMATCHED, rate: null, allow: null };
}

/** Header names and values by turns. */
export type HeaderList = readonly string[];

const NO_HEADERS: HeaderList = [];

/**
 * Sends the one reply. `type` null: no body. `extra` are header names and values by turns. HEAD gets the headers alone.
 * A request with much of its body still to come has its connection closed.
 */
export function send(exchange: Exchange, status: number, type: string | null, body: string, extra = NO_HEADERS): void {
  const { host, request, response, rate } = exchange;
  if (response.headersSent || response.destroyed) return;
  const headers = [
    'X-Request-Id',
    exchange.id,
    'Cache-Control',
    'no-store',
    'X-Content-Type-Options',
    'nosniff',
    'Referrer-Policy',
    'no-referrer',
  ];
  if (rate !== null) {
    headers.push(
      'RateLimit-Policy',
      `"default";q=${rate.rule.perMinute};w=60`,
      'RateLimit',
      `"default";r=${rate.remaining};t=${rate.resetSeconds}`,
    );
  }
  for (const part of extra) headers.push(part);
  if (type !== null) headers.push('Content-Type', type, 'Content-Length', String(Buffer.byteLength(body)));
  else if (status !== 204) headers.push('Content-Length', '0');
  if (isWorthClosing(request)) {
    headers.push('Connection', 'close');
    endGently(request.socket);
  } else if (host.isClosing()) {
    headers.push('Connection', 'close');
  }
  response.writeHead(status, headers);
  if (type === null || request.method === 'HEAD') response.end();
  else response.end(body);
  host.observe(exchange.route, request.method ?? '', status, (performance.now() - exchange.startedAt) / 1000);
}

/** Bodies of at most this many bytes that nobody wants are read to their end and thrown away; for more the connection goes. */
const WORTH_KEEPING = 65_536;

/** Whether so much of the request is still to come that closing costs less than reading it. */
function isWorthClosing({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  if (headers['transfer-encoding'] !== undefined || headers.expect !== undefined) return true;
  const length = headers['content-length'];
  return length !== undefined && Number(length) > WORTH_KEEPING;
}
