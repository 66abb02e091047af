// Attempts to check and to start a local engine: how long each may take, and how all of them are given up.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EngineConfig, EngineError, type RunningEngine } from '../core/ports/engines.ts';
import { extractMessage, redact } from './engine-failure.ts';
import { type Current, environment } from './engine-process.ts';
import { buildArguments, type EngineProgram } from './engine-program.ts';
import type { State } from './engine-state.ts';

/**
 * Milliseconds. `ready`: until an engine that was started must answer, to which `readyPerUser` is added for each user; `probe`: until it must answer one
 * question meanwhile; `test`: until it must have judged a configuration. These are doubled with each try that was too short, up to `longest`.
 */
export const ATTEMPT_LIMITS = { ready: 15_000, readyPerUser: 2, probe: 500, test: 20_000, longest: 600_000 };
const STEP_MS = 25;

/** What an engine made of a configuration. */
interface Tested {
  readonly code: number | null;
  /** It was ended, as it took too long. */
  readonly isLate: boolean;
  readonly output: string;
}

interface AttemptParts {
  /** Where the engine runs. */
  readonly folder: string;
  readonly limits: typeof ATTEMPT_LIMITS;
  /** Reads which engine answers at a state's port, over a connection of its own that ends with `limit`. Null: none does in time. */
  probe(state: State, limit: Promise<null>): Promise<RunningEngine | null>;
}

export interface EngineAttempts {
  /** Throws where they were given up. */
  requireNotAbandoned(): void;
  /** Has the program check a configuration. Rejects with EngineError. */
  test(program: EngineProgram, config: EngineConfig, text: string): Promise<void>;
  /** Waits until an engine that was started with so many users answers with its boot. */
  awaitReady(engine: Current, boot: string, users: number): Promise<RunningEngine>;
  /** No process is started any more, and no start is waited for. */
  abandon(): void;
}

export function createEngineAttempts({ folder, limits, probe }: AttemptParts): EngineAttempts {
  /** How many tries in a row were too short. */
  let shortTries = 0;
  const abandonment = new AbortController();

  function requireNotAbandoned(): void {
    if (abandonment.signal.aborted) throw new EngineError('engine_unreachable', 'its start was given up');
  }

  /** A slow machine, or an engine with many users, needs more time than was thought: the next try has twice as much. */
  function computeTimeout(ms: number): number {
    return Math.min(limits.longest, ms * 2 ** shortTries);
  }

  function createTimeoutError(message: string): EngineError {
    shortTries += 1;
    return new EngineError('engine_unreachable', message);
  }

  /** Asks the program whether it would start. */
  async function test(program: EngineProgram, config: EngineConfig, text: string): Promise<void> {
    requireNotAbandoned();
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const limitMs = computeTimeout(limits.test);
    const { code, isLate, output } = await new Promise<Tested>((resolve) => {
      const child = spawn(program.path, buildArguments(program, true), {
        cwd: folder,
        env: environment(),
        timeout: limitMs,
        killSignal: 'SIGKILL',
        signal: abandonment.signal,
        windowsHide: true,
      });
      let output = '';
      const appendOutput = (chunk: Buffer) => {
        output = (output + chunk.toString('utf8')).slice(-65_536);
      };
      child.stdout.on('data', appendOutput);
      child.stderr.on('data', appendOutput);
      child.once('error', (error) => resolve({ code: null, isLate: false, output: error.message }));
      child.once('close', (code) => resolve({ code, isLate: child.killed, output }));
      child.stdin.on('error', () => {});
      child.stdin.end(text);
    });
    requireNotAbandoned();
    if (isLate) throw createTimeoutError(`it has not judged its configuration within ${limitMs / 1000} s`);
    if (code !== 0) throw new EngineError('config_refused', extractMessage(redact(config, output)));
  }

  /** Waits until it answers as the start that was asked for. */
  async function awaitReady(engine: Current, boot: string, users: number): Promise<RunningEngine> {
    const limitMs = computeTimeout(limits.ready + limits.readyPerUser * users);
    let end: EngineError | null = null;
    void engine.ended.then((error) => {
      end = error;
    });
    const startedAt = performance.now();
    for (let elapsed = 0; elapsed < limitMs; elapsed = performance.now() - startedAt) {
      // One that has long been busy answers late.
      const running = await probe(engine.state, sleep(Math.max(limits.probe, elapsed / 4), null, abandonment));
      if (end !== null) throw end;
      if (running?.boot === boot) {
        shortTries = 0;
        return running;
      }
      requireNotAbandoned();
      await sleep(STEP_MS);
    }
    throw createTimeoutError(`its API does not answer ${limitMs / 1000} s after the start`);
  }

  return { requireNotAbandoned, test, awaitReady, abandon: () => abandonment.abort() };
}
