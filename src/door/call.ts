// What crosses a door: a request as plain data goes in, a reply as plain data comes out. Adapters (HTTP, IPC, the control socket) translate.
import { randomFillSync } from 'node:crypto';
import type { Budget, RateVerdict } from '../domain/rate-limiter.ts';
import { MAX_BODY_BYTES, type RequestHeaders } from './headers.ts';

/** A body that arrives over a network, read only after the headers were accepted. */
export interface BodySource {
  /** All of it. Rejects with PanelError `body_too_large`, `bad_json` (incomplete), `unavailable` (too much is held for others). */
  bytes(maxBytes: number): Promise<Uint8Array>;
  /** Its chunks as they arrive, without a limit. Throws PanelError `bad_json` where it breaks off. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** Text is JSON of a caller inside the process, which needs no media type. Empty bytes: there is no body. */
export type RequestBody = string | Uint8Array | BodySource;

export const NO_BODY = new Uint8Array(0);

export function isEmpty(body: RequestBody): boolean {
  return typeof body !== 'string' && 'length' in body && body.length === 0;
}

/** The whole body. */
export function readBytes(body: RequestBody, maxBytes = MAX_BODY_BYTES): Uint8Array | Promise<Uint8Array> {
  if (typeof body === 'string') return Buffer.from(body);
  return 'length' in body ? body : body.bytes(maxBytes);
}

/** The body in chunks. */
export function readChunks(body: RequestBody): AsyncIterable<Uint8Array> {
  return typeof body === 'string' || 'length' in body ? onlyChunk(readBytes(body)) : body.chunks();
}

async function* onlyChunk(bytes: Uint8Array | Promise<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield await bytes;
}

interface Request {
  /** The request id (newRequestId). */
  readonly id: string;
  readonly method: string;
  /** Raw, without the query. */
  readonly path: string;
  /** Raw, without its `?`. */
  readonly query: string;
  readonly headers: RequestHeaders;
  readonly body: RequestBody;
}

/** A call of the REST API; `path` is below base_url. */
export interface ApiRequest extends Request {
  readonly door: 'api';
  /** The client's address. */
  readonly address: string;
  /** Calls the listener when the connection of the request ends; left out where a request has none. */
  onGone?(listener: () => void): void;
}

/**
 * A call of the administrator's door; `path` is below `panel`: `/<operation id>` with POST and the input as one JSON object, or
 * `/backups` and `/backups/<name>` for backup files.
 */
export interface PanelRequest extends Request {
  readonly door: 'panel';
  /** The session token; null: signed out. */
  readonly session: string | null;
  /** What the browser stored when the administrator last signed in there; null: nothing. */
  readonly browserToken: string | null;
  /** null over IPC. */
  readonly address: string | null;
  /** What the list of sessions calls the client. */
  readonly device: string;
  /** Whether another site's page sent it (cross-site request forgery). */
  readonly isForeign: boolean;
  /** Whether it came by a listening address that is being tried. */
  readonly isOnTrial: boolean;
}

/** Header names and values by turns, in the order in which they are sent. */
export type HeaderList = readonly string[];

export interface DoorReply {
  readonly status: number;
  /** All headers but those of the connection itself. */
  readonly headers: HeaderList;
  /** null: none. */
  readonly body: string | AsyncIterable<Uint8Array> | null;
  /** The route's template, for metrics: never a raw path. */
  readonly route: string;
  /** It waited for something to happen: its duration says nothing of the panel. */
  readonly hasWaited?: true;
  /**
   * How an adapter may compress the body, whose length then tells what is repeated in it (docs/security.md). `padded`: by gzip with
   * a random length added. Left out: not at all.
   */
  readonly compression?: 'any' | 'padded';
  /** A session began, or (null) ended: the adapter stores its token, HTTP in a cookie, IPC in memory. */
  readonly sessionToken?: string | null;
  /** What the browser is to store, for longer than the session. */
  readonly browserToken?: string;
}

/** The route label of requests that match no route. */
export const UNMATCHED = 'unmatched';

/** What is known of a call while it is judged; its replies, failures too, are made from it. */
export interface CallState {
  readonly id: string;
  readonly method: string;
  route: string;
  /** The caller's budget; null where there is no limit. */
  rate: RateVerdict | null;
  /** The methods of the route, once it is known. */
  allow: string | null;
  /** Whether the reply waits for something to happen. */
  hasWaited: boolean;
  /** Who calls, as the log names it: `key 3`; null until it is known, and at the panel door. */
  caller: string | null;
}

export function newCallState(id: string, method: string): CallState {
  return { id, method, route: UNMATCHED, rate: null, allow: null, hasWaited: false, caller: null };
}

/** A reply to a call. `type` null: no body. `extra`: further headers, names and values by turns. */
export function makeReply(
  state: CallState,
  status: number,
  type: string | null,
  body: string,
  extra: HeaderList = [],
): DoorReply {
  const headers = commonHeaders(state.id);
  if (!extra.includes(POLICY)) headers.push(POLICY, LOCKED_POLICY);
  const { rate } = state;
  if (rate !== null) {
    headers.push('RateLimit-Policy', `${formatPolicy('burst', rate.burst)}, ${formatPolicy('minute', rate.minute)}`);
    headers.push('RateLimit', `${formatRemaining('burst', rate.burst)}, ${formatRemaining('minute', rate.minute)}`);
  }
  for (const part of extra) headers.push(part);
  if (type !== null) headers.push('Content-Type', type, 'Content-Length', String(Buffer.byteLength(body)));
  else if (status !== 204 && status !== 304) headers.push('Content-Length', '0');
  const reply = { status, headers, body: type === null ? null : body, route: state.route };
  return state.hasWaited ? { ...reply, hasWaited: true } : reply;
}

function formatPolicy(name: string, { quota, windowSeconds }: Budget): string {
  return `"${name}";q=${quota};w=${windowSeconds}`;
}

function formatRemaining(name: string, { remaining, resetSeconds }: Budget): string {
  return `"${name}";r=${remaining};t=${resetSeconds}`;
}

const POLICY = 'Content-Security-Policy';
/** Of everything but pages: opened as a document it loads nothing, runs nothing and is in no frame. */
export const LOCKED_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** What every reply inside the secret path carries. `cache`: the Cache-Control header. */
export function commonHeaders(id: string, cache = 'no-store'): string[] {
  return [
    'X-Request-Id',
    id,
    'Cache-Control',
    cache,
    'X-Content-Type-Options',
    'nosniff',
    'Referrer-Policy',
    'no-referrer',
  ];
}

const ID_BYTES = 16;
// One call to the generator serves many requests.
const pool = Buffer.allocUnsafe(ID_BYTES * 256);
let used = pool.length;

/** A request id: 128 random bits as 32 hexadecimal digits. */
export function newRequestId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_BYTES;
  return pool.toString('hex', used - ID_BYTES, used);
}
