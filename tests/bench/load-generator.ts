// A child that puts load on a server over kept connections: raw sockets, one request at a time on each, nothing parsed but what
// ends a reply. Its own time is not measured; it only has to be quick enough to keep a server busy.
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { answerParent } from './child.ts';
import { quantile } from './statistics.ts';
import type { Amount, Load, Target } from './target.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH = /\r\ncontent-length: (\d+)/i;

interface Run {
  readonly requests: readonly Buffer[];
  next: number;
  left: number;
  until: number;
  readonly latencies: number[];
}

function buildRequests({ origin, method, paths, headers, body }: Target): Buffer[] {
  const all = { Host: new URL(origin).host, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  if (body !== undefined) lines.push(`Content-Length: ${Buffer.byteLength(body)}\r\n`);
  return paths.map((path) => Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`));
}

function open(origin: string): Promise<Socket> {
  const { protocol, hostname, port } = new URL(origin);
  const place = { host: hostname, port: Number(port), noDelay: true };
  return new Promise((resolve, reject) => {
    const ready = (socket: Socket) => resolve(socket.off('error', reject));
    const socket: Socket =
      protocol === 'https:'
        ? connectTls({ ...place, rejectUnauthorized: false }, () => ready(socket))
        : connect(place, () => ready(socket));
    socket.on('error', reject);
  });
}

/** The length of the reply at the beginning of `bytes`; 0 while that is not known. Throws for what is not 2xx. */
function replyLength(bytes: Buffer): number {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return 0;
  const head = bytes.toString('latin1', 0, end);
  if (head.charCodeAt(9) !== 0x32)
    throw new Error(`${head.split('\r\n')[0]}: ${bytes.toString('utf8', end, end + 500)}`);
  return end + HEAD_END.length + Number(LENGTH.exec(head)?.[1] ?? 0);
}

/** Sends requests until the run is over. */
function drive(socket: Socket, run: Run): Promise<void> {
  return new Promise((resolve, reject) => {
    let got: Buffer[] = [];
    let size = 0;
    let expected = 0;
    let sentAt = 0;
    const send = () => {
      if (run.left <= 0 || performance.now() >= run.until) {
        resolve();
        socket.destroy();
        return;
      }
      run.left -= 1;
      const request = run.requests[run.next++ % run.requests.length] ?? HEAD_END;
      sentAt = performance.now();
      socket.write(request);
    };
    socket.on('data', (chunk: Buffer) => {
      got.push(chunk);
      size += chunk.length;
      try {
        if (expected === 0) expected = replyLength(got.length === 1 ? chunk : Buffer.concat(got));
      } catch (error) {
        reject(error);
        socket.destroy();
        return;
      }
      if (expected === 0 || size < expected) return;
      run.latencies.push(performance.now() - sentAt);
      [got, size, expected] = [[], 0, 0];
      send();
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a connection')));
    send();
  });
}

async function load({ target, amount }: { target: Target; amount: Amount }): Promise<Load> {
  const sockets = await Promise.all(Array.from({ length: amount.connections }, () => open(target.origin)));
  const began = performance.now();
  const run: Run = {
    requests: buildRequests(target),
    next: Math.floor(began * 1000) % target.paths.length,
    left: amount.requests ?? Number.POSITIVE_INFINITY,
    until: began + (amount.ms ?? Number.POSITIVE_INFINITY),
    latencies: [],
  };
  await Promise.all(sockets.map((socket) => drive(socket, run)));
  const ms = performance.now() - began;
  const sorted = Float64Array.from(run.latencies).sort();
  return { requests: sorted.length, ms, p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) };
}

answerParent({ load, stop() {} });
