// One HTTP request and its one reply: the request as the door takes it, and the only place that writes a reply's head.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { PanelError } from '../core/kernel/panel-error.ts';
import { type BodySource, type DoorReply, NO_BODY, newRequestId, type RequestBody } from '../door/call.ts';
import type { RequestHeaders } from '../door/headers.ts';
import { clearBrokenHandler, closeGracefully, cutIfBroken, onBroken } from './connections.ts';
import { countHeaders } from './guards.ts';
import { heldBodies } from './held-bodies.ts';

/** What the exchanges of a server have in common. */
export interface ExchangeHost {
  /** Notes a reply for the metrics: route template, method, status, duration in seconds. */
  observe(route: string, method: string, status: number, seconds: number): void;
  /** Whether the server is stopping, so that no connection stays open. */
  isClosing(): boolean;
}

export interface Exchange {
  readonly host: ExchangeHost;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The request id. */
  readonly id: string;
  /** performance.now() at its beginning. */
  readonly startedAt: number;
}

export function openExchange(host: ExchangeHost, request: IncomingMessage, response: ServerResponse): Exchange {
  const startedAt = performance.now();
  return { host, request, response, id: newRequestId(), startedAt };
}

/** The headers as the door takes them: Node drops repeated ones that must be single, the door refuses them. */
export function readHeaders(request: IncomingMessage): RequestHeaders {
  const { headers } = request;
  const repeated = (['authorization', 'idempotency-key'] as const).filter(
    (name) => headers[name] !== undefined && countHeaders(request, name) !== 1,
  );
  if (repeated.length === 0) return headers;
  return { ...headers, ...Object.fromEntries(repeated.map((name) => [name, null])) };
}

/** The URL of a request, below the prefix that Express has cut off. */
export function splitUrl(url: string): { readonly path: string; readonly query: string } {
  const mark = url.indexOf('?');
  return mark < 0 ? { path: url, query: '' } : { path: url.slice(0, mark), query: url.slice(mark + 1) };
}

/** A reply as it goes out: maybe compressed. */
export interface SentReply extends Omit<DoorReply, 'body'> {
  readonly body: DoorReply['body'] | Uint8Array;
}

/** Sends what the door replies. */
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

/**
 * Sends the one reply. HEAD gets the headers alone. A request with much of its body still to come has its connection closed.
 */
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
  // A client that leaves in the middle knows it; the head is out, so nothing else can be said.
  else pipeline(body, response).catch(() => response.destroy());
  if (!hasWaited) host.observe(route, request.method ?? '', status, (performance.now() - startedAt) / 1000);
}

/** Node writes what is ASCII far faster when it is told so. */
function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

/** Unread bodies of at most this many bytes are read to their end and discarded; for more the connection is closed. */
const WORTH_READING = 65_536;

/** Whether so much of the request is still to come that closing costs less than reading it. */
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

/** When a client whose body was given up for others may send it again. */
const COME_AGAIN_S = 5;

const incomplete = () =>
  new PanelError('bad_json', [{ pointer: '#', code: 'incomplete', message: 'must arrive whole and in time' }]);

/** Never settles when the client has gone: nothing can be said to it. */
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
  // Also where the client has gone.
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
 * However long it takes: the server's time limit for requests, which is reported every few seconds once it is over, ends it only
 * where nothing arrived since.
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
