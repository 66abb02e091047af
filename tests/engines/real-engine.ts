// What a test does with a real engine: it starts one that the suite has found, and moves bytes through it as a user.
import { once } from 'node:events';
import { createSecureServer } from 'node:http2';
import { connect, createServer, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { certificateMaker } from '../../src/adapters/certificates/connection-certificates.ts';
import {
  type Json,
  local,
  type RunningProgram,
  type ServerProgram,
  startEngineProcess,
} from '../support/engine-process.ts';
import { freePort } from '../support/free-port.ts';
import { getProgramPath } from './found.ts';

export function startProgram(program: ServerProgram, config: Json): Promise<RunningProgram> {
  return startEngineProcess(program, getProgramPath(program), config);
}

/** A client of one outbound, behind a SOCKS port. */
export function clientConfig(socksPort: number, outbound: Json): Json {
  return {
    log: { loglevel: 'warning' },
    inbounds: [{ ...local(socksPort), protocol: 'socks', settings: { auth: 'noauth' } }],
    outbounds: [outbound],
  };
}

const LOOPBACK = '127.0.0.1';

/** An address of this machine that is none of loopback, which WireGuard's packets cannot be for; loopback where it has no other. */
export function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? LOOPBACK;
}

/** Where a target is reached through an engine. */
export function targetHost(program: ServerProgram): string {
  return program === 'xray-new' ? ownAddress() : LOOPBACK;
}

/** The request of SOCKS for a connection to a place. */
export function socksConnect({ host, port }: { readonly host: string; readonly port: number }): Buffer {
  return Buffer.from([5, 1, 0, 1, ...host.split('.').map(Number), port >> 8, port & 255]);
}

export interface Target extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** Resolves when a connection brings its first byte. */
  reached(): Promise<void>;
  /** What it received and answered, by the first byte of the request. */
  moved(firstByte: number): { readonly up: number; readonly down: number };
}

/** A server that sends `answer` and ends as soon as it has so many bytes: engines do not pass on that one side has ended. */
export async function startTarget(requestBytes: number, answer: Buffer, host = LOOPBACK): Promise<Target> {
  let reached = Promise.withResolvers<void>();
  const all = new Map<number, { readonly up: number; readonly down: number }>();
  const moved = (firstByte: number) => all.get(firstByte) ?? { up: 0, down: 0 };
  const server = createServer((socket) => {
    let received = 0;
    let firstByte: number | undefined;
    socket.on('error', () => socket.destroy());
    socket.on('data', (part) => {
      firstByte ??= part[0] ?? 0;
      received += part.length;
      const isWhole = received === requestBytes;
      const { up, down } = moved(firstByte);
      all.set(firstByte, { up: up + part.length, down: down + (isWhole ? answer.length : 0) });
      reached.resolve();
      reached = Promise.withResolvers<void>();
      if (isWhole) socket.end(answer);
    });
  });
  const port = await freePort();
  await once(server.listen(port, host), 'listening');
  return {
    host,
    port,
    reached: () => reached.promise,
    moved,
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
}

/**
 * Sends `request` to a target through a SOCKS port and resolves to what comes back: all that is expected, or what came until the end, as not
 * every protocol passes that on; empty where it ends in an error, or is given up: engines hold connections that they refuse.
 *
 * `ahead`: so many bytes go ahead of the others. Clients of Shadowsocks 2022 remember what they have sent only after they have sent it, and drop
 * an answer that is faster (`writeRequest` of sing-shadowsocks2).
 */
export function fetchThrough(
  socksPort: number,
  target: Target,
  request: Buffer,
  expectedBytes: number,
  givenUp?: AbortSignal,
  ahead = 0,
): Promise<Buffer> {
  const socket = connect({ host: '127.0.0.1', port: socksPort });
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const sendRequest = () => {
    if (ahead === 0) return void socket.write(request);
    const reached = target.reached();
    socket.write(request.subarray(0, ahead));
    void reached.then(() => socket.write(request.subarray(ahead)));
  };
  // Each as soon as the one before has its reply, of which the lengths are.
  const replies = [2, 10];
  const steps = [() => socket.write(socksConnect(target)), sendRequest];
  let received = Buffer.alloc(0);
  socket.on('data', (part) => {
    received = Buffer.concat([received, part]);
    while (replies[0] !== undefined && received.length >= replies[0]) {
      received = received.subarray(replies.shift());
      steps.shift()?.();
    }
    if (replies.length === 0 && received.length >= expectedBytes) {
      resolve(received);
      socket.destroy();
    }
  });
  socket.on('error', () => resolve(Buffer.alloc(0)));
  const abortStart = () => {
    socket.destroy();
    resolve(Buffer.alloc(0));
  };
  givenUp?.addEventListener('abort', abortStart);
  // Else the answer stays in memory until then.
  void promise.then(() => givenUp?.removeEventListener('abort', abortStart));
  socket.on('end', () => resolve(received));
  socket.write(Buffer.from([5, 1, 0]));
  return promise;
}

const PATIENCE_MS = 30_000;
/** A request that is dropped may be held instead of ended. */
const ATTEMPT_MS = 10_000;

/**
 * Fetches for somebody who is let in. mihomo drops what comes before it forwards, and over VMess and Shadowsocks Xray 26.3.27 sends nothing
 * of one request in some hundreds where it has to wait for a core. As apps do, this tries again. A request that was given up may still arrive: what
 * has moved the target knows, not the client.
 */
export async function fetchAgain(fetch: (givenUp: AbortSignal) => Promise<Buffer>): Promise<Buffer> {
  const givenUp = AbortSignal.timeout(PATIENCE_MS);
  for (;;) {
    const got = await fetch(AbortSignal.any([givenUp, AbortSignal.timeout(ATTEMPT_MS)]));
    if (got.length > 0 || givenUp.aborted) return got;
  }
}

/** A site that REALITY can pretend to be: TLS 1.3 and HTTP/2. `certificates`: how many it sends; ML-DSA-65 needs some kilobytes of them. */
export async function startSite(certificates = 1) {
  const { key, served } = await certificateMaker.makeSelfSigned('a.example', Date.now());
  const server = createSecureServer({ key, cert: served.chain.repeat(certificates), minVersion: 'TLSv1.3' });
  const port = await freePort();
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return { port, [Symbol.asyncDispose]: async () => void server.close() };
}

/** A server that sends back what it gets. */
export async function startEcho() {
  const server = createServer((socket) => socket.on('error', () => socket.destroy()).pipe(socket));
  const port = await freePort();
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    port,
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
}

/** A connection through a SOCKS port that has come back from its target once, and stays open. Rejects where it is closed instead. */
export async function openThrough(socksPort: number, targetPort: number): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: socksPort }).on('error', () => {});
  const closed = once(socket, 'close').then(() => Promise.reject(new Error('the connection was closed')));
  closed.catch(() => {});
  socket.setTimeout(10_000, () => socket.destroy());
  const target = Buffer.from([5, 1, 0, 1, 127, 0, 0, 1, targetPort >> 8, targetPort & 255]);
  for (const request of [Buffer.from([5, 1, 0]), target, Buffer.from('hello')]) {
    socket.write(request);
    await Promise.race([once(socket, 'data'), closed]);
  }
  return socket.setTimeout(0);
}
