// The engine of a node on this machine: a process of its own, which outlives a panel that is killed and is adopted by the next one.
//
// Its configuration, with every secret, goes to its standard input and is in no file. What the next panel must know is in a small
// state file: the process, when it started (ids of processes are used again), and where its API listens.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Engine,
  type EngineConfig,
  EngineError,
  type EngineName,
  type RunningEngine,
} from '../core/ports/engines.ts';
import type { Clock, Crypto, Timers } from '../core/ports/ports.ts';
import { transportsOf } from '../domain/nodes/inbound-shape.ts';
import { type EngineStart, engineConfigText, fingerprintOf, type StartUser } from './engine-config.ts';
import { createEngineLog } from './engine-log.ts';
import { argumentsOf, type EngineProgram, findProgram } from './engine-program.ts';
import { holderOf, identityOf } from './system-process.ts';

/** The API of a running engine. */
export interface EngineApi extends Pick<Engine, 'counters' | 'apply' | 'members' | 'connected' | 'close'> {
  identify(): Promise<{
    readonly name: EngineName;
    readonly mark: { readonly boot: string; readonly fingerprint: string } | null;
    /** Whole seconds since its start. */
    readonly uptime: number;
  }>;
}

export interface LocalEngineParts {
  readonly nodeId: number;
  /** Where its log and its state are. */
  readonly folder: string;
  /** The path of the program; null: `xray` or `v2ray` on PATH. */
  path(): string | null;
  connect(address: { readonly address: '127.0.0.1'; readonly port: number }): EngineApi;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly crypto: Pick<Crypto, 'randomBytes'>;
  /** For tests. */
  readonly limits?: Partial<typeof LIMITS>;
}

/** Null on Windows, which has no such average. */
function loadPercent(): number | null {
  const [minute = 0] = loadavg();
  return process.platform === 'win32' ? null : Math.round((minute * 100) / availableParallelism());
}

/** What the next panel must know of an engine that runs. */
interface State {
  readonly pid: number;
  /** `identityOf` it. */
  readonly identity: string | null;
  readonly apiPort: number;
  readonly version: string;
}

/** An engine that runs, or did at the last look. */
interface Current {
  readonly state: State;
  readonly api: EngineApi;
  /** Null: adopted. */
  readonly child: ChildProcess | null;
  /** Resolves with what an end means, however it came. */
  readonly ended: Promise<EngineError>;
  isAlive(): boolean;
  /** No longer of interest. */
  letGo(): void;
}

/** Milliseconds until an engine that was started must answer, and until one that was asked to end must have ended. */
const LIMITS = { ready: 15_000, term: 5000, kill: 3000 };
const STEP_MS = 25;
const PROBE_MS = 500;
const TEST_MS = 20_000;
const WATCH_MS = 1000;
const SHORTEN_EVERY_MS = 60_000;
/** Of an engine's words that are shown. */
const WORDS_LENGTH = 600;
/** Exit codes of both engines. */
const CONFIG_REFUSED = 23;
const START_FAILED = 255;

/** What an engine sees of the panel's environment. */
const ENVIRONMENT = /^(PATH|HOME|LANG|TMPDIR|TZ|SSL_CERT_(FILE|DIR)|(XRAY|V2RAY)_.*|xray\..*|v2ray\..*|SYSTEMROOT)$/i;

function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => ENVIRONMENT.test(name)));
}

function statePath(folder: string, nodeId: number): string {
  return join(folder, `node-${nodeId}.json`);
}

/** Where the engine of a node writes. */
export function logPath(folder: string, nodeId: number): string {
  return join(folder, `node-${nodeId}.log`);
}

export function createLocalEngine(parts: LocalEngineParts): Engine {
  const { nodeId, folder, clock, timers, crypto } = parts;
  const limits = { ...LIMITS, ...parts.limits };
  const file = statePath(folder, nodeId);
  const log = createEngineLog(logPath(folder, nodeId));
  const listeners: ((error: EngineError) => void)[] = [];
  let current: Current | null = null;
  let isStopping = false;
  const stopShortening = timers.every(SHORTEN_EVERY_MS, () => log.shorten());

  function follow(next: Omit<Current, 'letGo'>, stopWatching: () => void): Current {
    let isOurs = true;
    const followed: Current = {
      ...next,
      letGo() {
        isOurs = false;
        stopWatching();
        next.api.close();
      },
    };
    void next.ended.then((error) => {
      if (!isOurs) return;
      followed.letGo();
      if (current === followed) current = null;
      rmSync(file, { force: true });
      if (!isStopping) for (const listener of listeners) listener(error);
    });
    return followed;
  }

  /** Takes over what an earlier panel left. */
  function adopt(): Current | null {
    const state = readState(file);
    if (state === null) return null;
    if (!isSame(state)) {
      rmSync(file, { force: true });
      return null;
    }
    let stopWatching = () => {};
    const ended = new Promise<EngineError>((resolve) => {
      stopWatching = timers.every(WATCH_MS, () => {
        if (!isSame(state)) resolve(new EngineError('engine_crashed', 'it ended by itself'));
      });
    });
    const api = parts.connect({ address: '127.0.0.1', port: state.apiPort });
    return follow({ state, api, child: null, ended, isAlive: () => isSame(state) }, () => stopWatching());
  }

  function present(): Current | null {
    if (current !== null && !current.isAlive()) {
      current.letGo();
      current = null;
      rmSync(file, { force: true });
    }
    current ??= adopt();
    return current;
  }

  function requirePresent(): Current {
    const engine = present();
    if (engine === null) throw new EngineError('engine_unreachable', 'it does not run');
    return engine;
  }

  async function describe({ api, state }: Pick<Current, 'api' | 'state'>): Promise<RunningEngine> {
    const { name, mark, uptime } = await api.identify();
    return {
      name,
      version: state.version,
      boot: mark?.boot ?? null,
      fingerprint: mark?.fingerprint ?? null,
      startedAt: clock.now() - uptime * 1000,
    };
  }

  /** Another program on a port is said by name, before an engine fails on it. */
  async function requireFreePorts({ inbounds }: EngineConfig, ownPid: number | null): Promise<void> {
    for (const { tag, port, protocol } of inbounds) {
      const holder = await holderOf(port, transportsOf(protocol));
      if (holder === null || (ownPid !== null && holder.pid === ownPid)) continue;
      throw new EngineError('port_taken', `${tag}: port ${port} is taken by ${nameOf(holder)}`);
    }
  }

  function launch(program: EngineProgram, config: EngineConfig, text: string, apiPort: number): Current {
    log.shorten();
    const descriptor = log.open();
    const begin = log.size();
    const child = spawn(program.path, argumentsOf(program, false), {
      cwd: folder,
      env: environment(),
      // A group of its own: what ends the panel's group, such as Ctrl+C in a terminal, does not end it.
      detached: true,
      stdio: ['pipe', descriptor, descriptor],
      windowsHide: true,
    });
    closeSync(descriptor);
    const ended = new Promise<EngineError>((resolve) => {
      child.once('error', (error) => resolve(new EngineError('engine_missing', `${program.path}: ${error.message}`)));
      child.once('exit', (code, signal) => resolve(endOf(code, signal, redact(config, log.since(begin)))));
    });
    const state = { pid: child.pid ?? 0, identity: identityOf(child.pid ?? 0), apiPort, version: program.version };
    // Before it has its configuration: one that runs is always in the file.
    if (child.pid !== undefined) writeState(file, state);
    // It may end before it has read everything; `ended` says why.
    child.stdin?.on('error', () => {});
    child.stdin?.end(text);
    child.unref();
    const api = parts.connect({ address: '127.0.0.1', port: apiPort });
    const isAlive = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
    return follow({ state, api, child, ended, isAlive }, () => {});
  }

  /** One that is just starting may accept a call and never answer it: each attempt has a connection of its own. */
  async function probe(state: State): Promise<RunningEngine | null> {
    const api = parts.connect({ address: '127.0.0.1', port: state.apiPort });
    const running = describe({ api, state }).catch(() => null);
    try {
      return await Promise.race([running, sleep(PROBE_MS, null)]);
    } finally {
      api.close();
    }
  }

  /** Waits until it answers as the start that was asked for. */
  async function awaitReady(engine: Current, boot: string): Promise<RunningEngine> {
    let end: EngineError | null = null;
    void engine.ended.then((error) => {
      end = error;
    });
    for (const giveUpAt = performance.now() + limits.ready; performance.now() < giveUpAt; ) {
      const running = await probe(engine.state);
      if (end !== null) throw end;
      if (running?.boot === boot) return running;
      await sleep(STEP_MS);
    }
    throw new EngineError('engine_unreachable', `its API does not answer ${limits.ready / 1000} s after the start`);
  }

  async function stop(): Promise<void> {
    const engine = present();
    if (engine === null) return;
    isStopping = true;
    // v2ray waits for the calls of its API before it ends.
    engine.api.close();
    try {
      for (const [signal, limitMs] of [
        ['SIGTERM', limits.term],
        ['SIGKILL', limits.kill],
      ] as const) {
        kill(engine.state.pid, signal);
        if (await hasEnded(engine, limitMs)) break;
      }
      if (engine.isAlive()) throw new EngineError('engine_unreachable', `process ${engine.state.pid} cannot be ended`);
      engine.letGo();
      current = null;
      rmSync(file, { force: true });
    } finally {
      isStopping = false;
    }
  }

  return {
    async running() {
      const engine = present();
      return engine === null ? null : describe(engine);
    },
    fingerprint: fingerprintOf,
    async check(config) {
      const program = await findProgram(parts.path());
      const start: EngineStart = {
        name: program.name,
        apiPort: 1,
        boot: '0',
        fingerprint: '0',
        spareKey: spareKey(crypto),
      };
      await test(program, config, engineConfigText(config, [], start), folder);
      await requireFreePorts(config, present()?.state.pid ?? null);
    },
    async start(config, users, boot) {
      if (present() !== null) throw new EngineError('engine_refused', 'it runs already');
      const program = await findProgram(parts.path());
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      await requireFreePorts(config, null);
      const apiPort = await freePort();
      const fingerprint = fingerprintOf(config);
      const start = { name: program.name, apiPort, boot, fingerprint, spareKey: spareKey(crypto) };
      const everybody: StartUser[] = [...users];
      const engine = launch(program, config, engineConfigText(config, everybody, start), apiPort);
      isStopping = true;
      try {
        current = engine;
        return await awaitReady(engine, boot);
      } catch (error) {
        await stop();
        throw error;
      } finally {
        isStopping = false;
      }
    },
    stop,
    counters: async () => requirePresent().api.counters(),
    take: async () => null,
    lease: async () => null,
    leaseKind: () => null,
    protocol: () => null,
    machine: () => ({ load: loadPercent(), clockOffset: null, version: null, certificate: null, waiting: null }),
    apply: async (changes) => requirePresent().api.apply(changes),
    members: async (inbound) => requirePresent().api.members(inbound),
    connected: async () => requirePresent().api.connected(),
    log: () => log.lines(),
    onExit: (listener) => void listeners.push(listener),
    close() {
      stopShortening();
      current?.letGo();
      current = null;
    },
  };
}

/** Ends the engines of nodes that are no more: a panel that was killed may have left them. */
export async function stopStrays(folder: string, nodeIds: ReadonlySet<number>): Promise<void> {
  for (const name of listIfThere(folder)) {
    const nodeId = Number(/^node-(\d+)\.json$/.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(nodeId) || nodeIds.has(nodeId)) continue;
    const state = readState(join(folder, name));
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (state === null || !isSame(state)) break;
      kill(state.pid, signal);
      for (let waited = 0; waited < LIMITS.term && isSame(state); waited += STEP_MS) await sleep(STEP_MS);
    }
    rmSync(join(folder, name), { force: true });
  }
}

function listIfThere(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isSame({ pid, identity }: State): boolean {
  return identity !== null && identityOf(pid) === identity;
}

function readState(file: string): State | null {
  try {
    const { pid, identity, apiPort, version } = JSON.parse(readFileSync(file, 'utf8')) as Partial<State>;
    if (typeof pid !== 'number' || typeof apiPort !== 'number' || typeof identity !== 'string') return null;
    return { pid, identity, apiPort, version: String(version) };
  } catch {
    return null;
  }
}

function writeState(file: string, state: State): void {
  writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function kill(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

async function hasEnded(engine: Current, limitMs: number): Promise<boolean> {
  for (let waited = 0; waited < limitMs; waited += STEP_MS) {
    if (!engine.isAlive()) return true;
    await sleep(STEP_MS);
  }
  return !engine.isAlive();
}

function spareKey(crypto: Pick<Crypto, 'randomBytes'>): string {
  return Buffer.from(crypto.randomBytes(32)).toString('base64');
}

function nameOf({ name, pid }: { readonly name: string | null; readonly pid: number | null }): string {
  if (pid === process.pid) return 'the panel itself';
  if (pid === null) return 'another program';
  return `${name ?? 'a program'} (process ${pid})`;
}

/** A port of loopback that is free at the moment. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

/** Asks the program whether it would start. */
async function test(program: EngineProgram, config: EngineConfig, text: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { code, output } = await new Promise<{ code: number | null; output: string }>((resolve) => {
    const child = spawn(program.path, argumentsOf(program, true), {
      cwd: folder,
      env: environment(),
      timeout: TEST_MS,
      killSignal: 'SIGKILL',
      windowsHide: true,
    });
    let output = '';
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-65_536);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', (error) => resolve({ code: null, output: error.message }));
    child.once('close', (code) => resolve({ code, output }));
    child.stdin.on('error', () => {});
    child.stdin.end(text);
  });
  if (code !== 0) throw new EngineError('config_refused', wordsOf(redact(config, output)));
}

/** What an end means: both engines end with 23 where they refuse the configuration, and with 255 where they cannot start with it. */
function endOf(code: number | null, signal: NodeJS.Signals | null, output: string): EngineError {
  const words = wordsOf(output);
  if (code === CONFIG_REFUSED) return new EngineError('config_refused', words);
  const isPort = /address already in use|bind: Only one usage/i.test(output);
  if (code === START_FAILED && isPort) return new EngineError('port_taken', words);
  const how = signal === null ? `with code ${code}` : `by ${signal}`;
  return new EngineError('engine_crashed', `it ended ${how}: ${words}`);
}

/** The last of what it said; its first lines are its name and its version. */
function wordsOf(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(Xray|V2Ray) \d|^A unified platform|^(\S+ )?\S* ?\[Info\]/.test(line));
  return lines.slice(-3).join(' / ').slice(-WORDS_LENGTH) || 'it said nothing';
}

/** Engines repeat a key that they refuse. */
function redact({ inbounds }: EngineConfig, output: string): string {
  const secrets = inbounds.flatMap(({ privateKey, serverKey, certificateKey }) => [
    privateKey,
    serverKey,
    ...(certificateKey?.split('\n').filter((line) => line.length > 20) ?? []),
  ]);
  let text = output;
  for (const secret of secrets) if (secret) text = text.replaceAll(secret, '***');
  return text;
}
