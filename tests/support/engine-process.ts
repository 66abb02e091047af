// A real engine that a test or a bench runs, by a configuration that is no more than it needs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { bootTag } from '../../src/engines/connector-names.ts';
import type { EngineProgram } from './engines.ts';

export type ServerProgram = Extract<EngineProgram, 'xray' | 'xray-new' | 'v2ray'>;
/** With one whose connections are tried by clients only. */
export type RunnableServer = ServerProgram | 'xray-newest';
export type Json = Readonly<Record<string, unknown>>;

export interface RunningProgram extends AsyncDisposable {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  /** What it has written until now. */
  output(): string;
}

const ARGS: Readonly<Record<RunnableServer, readonly string[]>> = {
  xray: ['run', '-c', 'stdin:'],
  'xray-new': ['run', '-c', 'stdin:'],
  'xray-newest': ['run', '-c', 'stdin:'],
  v2ray: ['-config', 'stdin:'],
};

/** Starts a program and waits until it says so. Throws with its words where it ends instead. */
export async function startEngineProcess(program: RunnableServer, path: string, config: Json): Promise<RunningProgram> {
  const child = spawn(path, ARGS[program], { stdio: ['pipe', 'pipe', 'pipe'] });
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
    settings: { finalRules: [{ action: 'allow', ip: ['0.0.0.0/0'] }] },
  };
  return {
    log: { loglevel: 'warning' },
    stats: {},
    api: { tag: 'api', services },
    policy: {
      levels: { 0: { statsUserUplink: true, statsUserDownlink: true, statsUserOnline: true } },
      system: { statsOutboundUplink: true },
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

export const local = (port: number) => ({ listen: '127.0.0.1', port });
