// Requests and replies of the doors as plain data. Adapters (HTTP, IPC, control socket) translate them.
import { randomFillSync } from 'node:crypto';
import type { Budget, RateVerdict } from '../domain/rate-limiter.ts';
import { MAX_BODY_BYTES, type RequestHeaders } from './headers.ts';

/** A body that arrives over a network, read only after the headers were accepted. */
export interface BodySource {
  /** The whole body. Rejects with PanelError `body_too_large`, `bad_json` (incomplete), `unavailable` (aborted in favour of others). */
  bytes(maxBytes: number): Promise<Uint8Array>;
  /** The chunks as they arrive, without a limit. Throws PanelError `bad_json` if it is incomplete. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** A string is JSON from inside the process and needs no media type. Empty bytes: no body. */
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
  /** Calls the listener when the client disconnects; absent if requests have no connection. */
  onGone?(listener: () => void): void;
}

/**
 * A call of the panel door; `path` is below `panel`: `/<operation id>` with POST and the input as one JSON object, or `/backups` and
 * `/backups/<name>` for backup files.
 */
export interface PanelRequest extends Request {
  readonly door: 'panel';
  /** The session token; null: signed out. */
  readonly session: string | null;
  /** Token of the known browser; null: none. */
  readonly browserToken: string | null;
  /** null over IPC. */
  readonly address: string | null;
  /** Device name in the list of sessions. */
  readonly device: string;
  /** Whether another site's page sent it (CSRF). */
  readonly isForeign: boolean;
  /** Whether it arrived at a listening address on trial. */
  readonly isOnTrial: boolean;
}

/** Alternating header names and values, in sending order. */
export type HeaderList = readonly string[];

export interface DoorReply {
  readonly status: number;
  /** All headers except those of the connection. */
  readonly headers: HeaderList;
  /** null: none. */
  readonly body: string | AsyncIterable<Uint8Array> | null;
  /** The route template for metrics, never a raw path. */
  readonly route: string;
  /** The reply waited for an event, so its duration is not measured. */
  readonly hasWaited?: true;
  /**
   * Allowed compression, since the length of a compressed body reveals repetitions (docs/security.md). `padded`: gzip with random padding. Default:
   * none.
   */
  readonly compression?: 'any' | 'padded';
  /** A session started, or (null) ended: the adapter stores its token, HTTP in a cookie, IPC in memory. */
  readonly sessionToken?: string | null;
  /** Browser token to store beyond the session. */
  readonly browserToken?: string;
}

/** Route label of unmatched requests. */
export const UNMATCHED = 'unmatched';

/** The state of a call during its checks; replies and failures are created from it. */
export interface CallState {
  readonly id: string;
  readonly method: string;
  route: string;
  /** The caller's budget; null: unlimited. */
  rate: RateVerdict | null;
  /** The methods of the route, if known. */
  allow: string | null;
  /** Whether the reply waits for an event. */
  hasWaited: boolean;
  /** The caller as logged: `key 3`; null if unknown, and at the panel door. */
  caller: string | null;
}

export function newCallState(id: string, method: string): CallState {
  return { id, method, route: UNMATCHED, rate: null, allow: null, hasWaited: false, caller: null };
}

/** A reply to a call. `type` null: no body. `extra`: further headers, alternating names and values. */
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
/** The policy of all replies except pages: as a document it loads and runs nothing and cannot be framed. */
export const LOCKED_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Headers of every reply inside the secret path. `cache`: the Cache-Control header. */
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
// One random call serves many requests.
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
