// The process of a local engine: starts or adopts it, follows it until it exits, and stops it.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EngineConfig, EngineError } from '../core/ports/engines.ts';
import type { Timers } from '../core/ports/ports.ts';
import type { EngineApi } from './connector.ts';
import { classifyExit, redact } from './engine-failure.ts';
import type { EngineOutput } from './engine-output.ts';
import { buildArguments, type EngineProgram } from './engine-program.ts';
import { isSame, kill, readState, type State, writeState } from './engine-state.ts';
import { readIdentity } from './system-process.ts';

/** An engine that runs, or ran when it was last checked. */
export interface Current {
  readonly state: State;
  readonly api: EngineApi;
  /** null: the process was adopted. */
  readonly child: ChildProcess | null;
  /** Resolves with the error that the exit means, whoever caused it. */
  readonly ended: Promise<EngineError>;
  isAlive(): boolean;
  /** Stops following the process. */
  detach(): void;
}

interface ProcessParts {
  /** The engine's working directory. */
  readonly folder: string;
  /** The state file. */
  readonly file: string;
  readonly output: EngineOutput;
  readonly timers: Timers;
  connect(address: { readonly address: '127.0.0.1'; readonly port: number }): EngineApi;
  /** Limits in ms: until a process exits after SIGTERM, and after SIGKILL. */
  readonly limits: { readonly term: number; readonly kill: number };
}

export interface EngineProcess {
  /** The running engine, or one that an earlier panel left; null: none. */
  present(): Current | null;
  /** Starts a program; `text`: its configuration, sent to its standard input. */
  launch(
    program: EngineProgram,
    config: EngineConfig,
    text: string,
    ports: Pick<State, 'apiPort' | 'innerPorts'>,
  ): Current;
  /** Runs work during which exits are not reported to `onExit`. */
  withoutReports<T>(work: () => Promise<T>): Promise<T>;
  /** Called when the engine exits without `stop`. */
  onExit(listener: (error: EngineError) => void): void;
  stop(): Promise<void>;
  /** Stops following the engine, which runs on. */
  release(): void;
}

const STEP_MS = 25;
const WATCH_MS = 1000;

/** Environment variables of the panel that the engine inherits. */
const ENVIRONMENT = /^(PATH|HOME|LANG|TMPDIR|TZ|SSL_CERT_(FILE|DIR)|(XRAY|V2RAY)_.*|xray\..*|v2ray\..*|SYSTEMROOT)$/i;

export function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => ENVIRONMENT.test(name)));
}

export function createEngineProcess({ folder, file, output, timers, connect, limits }: ProcessParts): EngineProcess {
  const listeners: ((error: EngineError) => void)[] = [];
  let current: Current | null = null;
  let isStopping = false;

  function follow(next: Omit<Current, 'detach'>, stopWatching: () => void): Current {
    let isOurs = true;
    const followed: Current = {
      ...next,
      detach() {
        isOurs = false;
        stopWatching();
        next.api.close();
      },
    };
    void next.ended.then((error) => {
      if (!isOurs) return;
      followed.detach();
      if (current === followed) current = null;
      rmSync(file, { force: true });
      if (!isStopping) for (const listener of listeners) listener(error);
    });
    return followed;
  }

  /** Adopts an engine that an earlier panel left. */
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
    const api = connect({ address: '127.0.0.1', port: state.apiPort });
    output.follow();
    return follow({ state, api, child: null, ended, isAlive: () => isSame(state) }, () => stopWatching());
  }

  function present(): Current | null {
    if (current !== null && !current.isAlive()) {
      current.detach();
      current = null;
      rmSync(file, { force: true });
    }
    current ??= adopt();
    return current;
  }

  function launch(
    program: EngineProgram,
    config: EngineConfig,
    text: string,
    ports: Pick<State, 'apiPort' | 'innerPorts'>,
  ): Current {
    const outputFile = output.open();
    const child = spawn(program.path, buildArguments(program, false), {
      cwd: folder,
      env: environment(),
      // A process group of its own: signals to the panel's group, such as Ctrl+C in a terminal, do not end it.
      detached: true,
      stdio: ['pipe', outputFile, outputFile],
      windowsHide: true,
    });
    if (typeof outputFile === 'number') closeSync(outputFile);
    output.follow(child);
    const ended = new Promise<EngineError>((resolve) => {
      child.once('error', (error) => resolve(new EngineError('engine_missing', `${program.path}: ${error.message}`)));
      child.once('exit', (code, signal) =>
        resolve(classifyExit(config, code, signal, redact(config, output.recent()))),
      );
    });
    const pid = child.pid ?? 0;
    const state = { pid, identity: readIdentity(pid), ...ports, version: program.version };
    // Written before the engine gets its configuration, so that every running engine is in the file.
    try {
      if (child.pid !== undefined) writeState(file, state);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
    // The process may exit before it has read everything; `ended` has the reason.
    child.stdin?.on('error', () => {});
    child.stdin?.end(text);
    child.unref();
    const api = connect({ address: '127.0.0.1', port: ports.apiPort });
    const isAlive = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
    current = follow({ state, api, child, ended, isAlive }, () => {});
    return current;
  }

  async function withoutReports<T>(work: () => Promise<T>): Promise<T> {
    isStopping = true;
    try {
      return await work();
    } finally {
      isStopping = false;
    }
  }

  async function stop(): Promise<void> {
    const engine = present();
    if (engine === null) return;
    isStopping = true;
    // v2ray does not exit while API calls are open.
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
      engine.detach();
      current = null;
      rmSync(file, { force: true });
    } finally {
      isStopping = false;
    }
  }

  return {
    present,
    launch,
    withoutReports,
    onExit: (listener) => void listeners.push(listener),
    stop,
    release() {
      current?.detach();
      current = null;
    },
  };
}

async function hasEnded(engine: Current, limitMs: number): Promise<boolean> {
  for (let waited = 0; waited < limitMs; waited += STEP_MS) {
    if (!engine.isAlive()) return true;
    await sleep(STEP_MS);
  }
  return !engine.isAlive();
}
