// One HTTP request and its reply: the request in the door's format, and the only place that writes response heads.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { PanelError } from '../core/kernel/panel-error.ts';
import { type BodySource, type DoorReply, NO_BODY, newRequestId, type RequestBody } from '../door/call.ts';
import type { RequestHeaders } from '../door/headers.ts';
import { clearBrokenHandler, closeGracefully, cutIfBroken, onBroken } from './connections.ts';
import { countHeaders } from './guards.ts';
import { heldBodies } from './held-bodies.ts';

/** Shared state of a server's exchanges. */
export interface ExchangeHost {
  /** Records a reply for metrics: route template, method, status, duration in seconds. */
  observe(route: string, method: string, status: number, seconds: number): void;
  /** Whether the server is stopping, so that connections must be closed. */
  isClosing(): boolean;
}

export interface Exchange {
  readonly host: ExchangeHost;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The request id. */
  readonly id: string;
  /** performance.now() at the start. */
  readonly startedAt: number;
}

export function openExchange(host: ExchangeHost, request: IncomingMessage, response: ServerResponse): Exchange {
  const startedAt = performance.now();
  return { host, request, response, id: newRequestId(), startedAt };
}

/** Headers in the door's format: Node drops repeated single-value headers, the door refuses them. */
export function readHeaders(request: IncomingMessage): RequestHeaders {
  const { headers } = request;
  const repeated = (['authorization', 'idempotency-key'] as const).filter(
    (name) => headers[name] !== undefined && countHeaders(request, name) !== 1,
  );
  if (repeated.length === 0) return headers;
  return { ...headers, ...Object.fromEntries(repeated.map((name) => [name, null])) };
}

/** The URL below the prefix that Express removed. */
export function splitUrl(url: string): { readonly path: string; readonly query: string } {
  const mark = url.indexOf('?');
  return mark < 0 ? { path: url, query: '' } : { path: url.slice(0, mark), query: url.slice(mark + 1) };
}

/** A reply to send, possibly compressed. */
export interface SentReply extends Omit<DoorReply, 'body'> {
  readonly body: DoorReply['body'] | Uint8Array;
}

/** Sends the reply of the door. */
export function answer(exchange: Exchange, call: () => SentReply | Promise<SentReply>): void {
  const { socket } = exchange.request;
  cutIfBroken(socket);
  const outcome = call();
  const finish = (reply: SentReply) => {
    clearBrokenHandler(socket);
    send(exchange, reply);
  };
  if (outcome instanceof Promise) void outcome.then(finish);
  else finish(outcome);
}

/** Sends the reply. HEAD gets headers only. If much of the request body is still to come, the connection is closed. */
export function send(exchange: Exchange, reply: SentReply): void {
  const { host, request, response, startedAt } = exchange;
  const { status, headers, body, route, hasWaited } = reply;
  if (response.headersSent || response.destroyed) return;
  const isClosing = isWorthClosing(request);
  if (isClosing) closeGracefully(request.socket);
  response.writeHead(
    status,
    isClosing || host.isClosing() ? [...headers, 'Connection', 'close'] : (headers as string[]),
  );
  if (body === null || request.method === 'HEAD') response.end();
  else if (typeof body === 'string') response.end(body, isAscii(body) ? 'latin1' : 'utf8');
  else if (body instanceof Uint8Array) response.end(body);
  // The client has disconnected, and the head was sent, so nothing else can be reported.
  else pipeline(body, response).catch(() => response.destroy());
  if (!hasWaited) host.observe(route, request.method ?? '', status, (performance.now() - startedAt) / 1000);
}

/** Node writes ASCII much faster with the latin1 encoding. */
function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

/** Unread bodies up to this size are discarded; for larger ones the connection is closed. */
const WORTH_READING = 65_536;

/** Whether closing the connection costs less than reading the rest of the request. */
function isWorthClosing({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  if (headers['transfer-encoding'] !== undefined || headers.expect !== undefined) return true;
  const length = headers['content-length'];
  return length !== undefined && Number(length) > WORTH_READING;
}

/** The body of a request, read when the door asks for it. */
export function getRequestBody(exchange: Exchange): RequestBody {
  const { headers } = exchange.request;
  if (headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0') return NO_BODY;
  const source: BodySource = { bytes: (maxBytes) => readAll(exchange, maxBytes), chunks: () => readChunks(exchange) };
  return source;
}

/** Retry-After for a client whose body was aborted in favour of others. */
const COME_AGAIN_S = 5;

const incomplete = () =>
  new PanelError('bad_json', [{ pointer: '#', code: 'incomplete', message: 'must arrive whole and in time' }]);

/** Never settles if the client has disconnected. */
function readAll({ request, response }: Exchange, maxBytes: number): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const { socket } = request;
  const chunks: Buffer[] = [];
  let size = 0;
  const stop = () => {
    held.release();
    request.removeAllListeners('data');
    request.removeAllListeners('end');
    cutIfBroken(socket);
  };
  const held = heldBodies.open(() => {
    stop();
    chunks.length = 0;
    reject(new PanelError('unavailable', undefined, COME_AGAIN_S));
  });
  // Also if the client has disconnected.
  request.once('close', held.release);
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) {
      stop();
      reject(new PanelError('body_too_large'));
    } else {
      chunks.push(chunk);
      held.add(chunk.length);
    }
  });
  request.on('end', () => {
    stop();
    resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size));
  });
  onBroken(socket, () => {
    stop();
    response.shouldKeepAlive = false;
    closeGracefully(socket);
    reject(incomplete());
  });
  if (request.headers.expect !== undefined) response.writeContinue();
  return promise;
}

/**
 * Without a time limit: the server's request timeout, which is reported every few seconds, closes it only if no data arrived since the last report.
 */
async function* readChunks({ request, response }: Exchange): AsyncGenerator<Uint8Array> {
  const { socket } = request;
  let bytes = 0;
  let bytesBefore = 0;
  const checkProgress = () => {
    if (bytes === bytesBefore) return void request.destroy();
    bytesBefore = bytes;
    onBroken(socket, checkProgress);
  };
  onBroken(socket, checkProgress);
  if (request.headers.expect !== undefined) response.writeContinue();
  try {
    for await (const chunk of request) {
      bytes += chunk.length;
      yield chunk;
    }
  } catch {
    throw incomplete();
  } finally {
    cutIfBroken(socket);
  }
}
