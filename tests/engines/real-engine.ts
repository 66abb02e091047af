// A real engine for one test, by a configuration that is no more than its test needs, and what a user moves through it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { bootTag } from '../../src/nodes/connector-names.ts';
import type { EngineProgram } from '../support/engines.ts';
import { freePort } from '../support/free-port.ts';
import { pathOf } from './found.ts';

export type ServerProgram = Extract<EngineProgram, 'xray' | 'v2ray'>;
export type Json = Readonly<Record<string, unknown>>;

export interface RunningProgram extends AsyncDisposable {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  /** What it has written until now. */
  output(): string;
}

const ARGS: Readonly<Record<ServerProgram, readonly string[]>> = {
  xray: ['run', '-c', 'stdin:'],
  v2ray: ['-config', 'stdin:'],
};

/** Starts a program and waits until it says so. Throws with its words where it ends instead. */
export async function startProgram(program: ServerProgram, config: Json): Promise<RunningProgram> {
  const child = spawn(pathOf(program), ARGS[program], { stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  const started = Promise.withResolvers<void>();
  const onText = (text: string) => {
    output += text;
    if (/(Xray|V2Ray) [\d.]+ started/.test(output)) started.resolve();
  };
  child.stdout.setEncoding('utf8').on('data', onText);
  child.stderr.setEncoding('utf8').on('data', onText);
  const ended = once(child, 'close');
  void ended.then(() => started.reject(new Error(`${program} ended: ${output}`)));
  child.stdin.end(JSON.stringify(config));
  await started.promise;
  return {
    pid: child.pid ?? 0,
    kill: (signal) => void child.kill(signal),
    output: () => output,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

export interface ServerOptions {
  readonly inbounds: readonly Json[];
  readonly apiPort: number;
  readonly services?: readonly string[];
  /** Null: it is not started by a panel. */
  readonly mark?: { readonly boot: string; readonly fingerprint: string } | null;
}

/** An engine with its API on a port, counters of everything, and a mark of its start. */
export function serverConfig({ inbounds, apiPort, services = BOTH, mark = TEST_MARK }: ServerOptions): Json {
  const direct = {
    tag: 'direct',
    protocol: 'freedom',
    settings: { finalRules: [{ action: 'allow', ip: ['127.0.0.0/8'] }] },
  };
  return {
    log: { loglevel: 'warning' },
    stats: {},
    api: { tag: 'api', services },
    policy: {
      levels: { 0: { statsUserUplink: true, statsUserDownlink: true, statsUserOnline: true } },
      system: { statsInboundUplink: true, statsInboundDownlink: true, statsOutboundUplink: true },
    },
    inbounds: [
      { tag: 'api-in', ...local(apiPort), protocol: 'dokodemo-door', settings: { address: '127.0.0.1' } },
      ...inbounds,
    ],
    outbounds:
      mark === null ? [direct] : [direct, { tag: bootTag(mark.boot, mark.fingerprint), protocol: 'blackhole' }],
    routing: { rules: [{ type: 'field', inboundTag: ['api-in'], outboundTag: 'api' }] },
  };
}

const BOTH = ['HandlerService', 'StatsService'];
export const TEST_MARK = { boot: '0123abcd', fingerprint: 'fedc9876' };

const local = (port: number) => ({ listen: '127.0.0.1', port });

/** A client of one outbound, behind a SOCKS port. */
export function clientConfig(socksPort: number, outbound: Json): Json {
  return {
    log: { loglevel: 'warning' },
    inbounds: [{ ...local(socksPort), protocol: 'socks', settings: { auth: 'noauth' } }],
    outbounds: [outbound],
  };
}

/** A server that sends `answer` and ends as soon as it has so many bytes: engines do not pass on that one side has ended. */
export async function startTarget(requestBytes: number, answer: Buffer) {
  const server = createServer((socket) => {
    let received = 0;
    socket.on('error', () => socket.destroy());
    socket.on('data', (part) => {
      received += part.length;
      if (received === requestBytes) socket.end(answer);
    });
  });
  const port = await freePort();
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    port,
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
}

/**
 * Sends `request` to a port of this machine through a SOCKS port and resolves to what comes back: all that is expected, or what came until the
 * end, as not every protocol passes that on; empty where it ends in an error, or is given up: engines hold connections that they refuse.
 */
export function fetchThrough(
  socksPort: number,
  targetPort: number,
  request: Buffer,
  expectedBytes: number,
  givenUp?: AbortSignal,
): Promise<Buffer> {
  const socket = connect({ host: '127.0.0.1', port: socksPort });
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  // To be sent next, each as soon as the one before has its reply, of which the lengths are.
  const replies = [2, 10];
  const requests = [Buffer.from([5, 1, 0, 1, 127, 0, 0, 1, targetPort >> 8, targetPort & 255]), request];
  let received = Buffer.alloc(0);
  socket.on('data', (part) => {
    received = Buffer.concat([received, part]);
    while (replies[0] !== undefined && received.length >= replies[0]) {
      received = received.subarray(replies.shift());
      socket.write(requests.shift() ?? '');
    }
    if (replies.length === 0 && received.length >= expectedBytes) {
      resolve(received);
      socket.destroy();
    }
  });
  socket.on('error', () => resolve(Buffer.alloc(0)));
  givenUp?.addEventListener('abort', () => {
    socket.destroy();
    resolve(Buffer.alloc(0));
  });
  socket.on('end', () => resolve(received));
  socket.write(Buffer.from([5, 1, 0]));
  return promise;
}
