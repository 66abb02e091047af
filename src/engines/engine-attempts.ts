// Attempts to check and start a local engine: their time limits, and how they are abandoned.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EngineConfig, EngineError, type RunningEngine } from '../core/ports/engines.ts';
import { extractMessage, redact } from './engine-failure.ts';
import { type Current, environment } from './engine-process.ts';
import { buildArguments, type EngineProgram } from './engine-program.ts';
import type { State } from './engine-state.ts';

/**
 * Limits in ms. `ready`: for a started engine to answer; `readyPerUser` is added for each user. `probe`: for one of its answers meanwhile.
 * `test`: for checking a configuration. Each attempt that was too short doubles them, up to `longest`.
 */
export const ATTEMPT_LIMITS = { ready: 15_000, readyPerUser: 2, probe: 500, test: 20_000, longest: 600_000 };
const STEP_MS = 25;

/** The outcome of checking a configuration. */
interface Tested {
  readonly code: number | null;
  /** The check was killed because it took too long. */
  readonly isLate: boolean;
  readonly output: string;
}

interface AttemptParts {
  /** The engine's working directory. */
  readonly folder: string;
  readonly limits: typeof ATTEMPT_LIMITS;
  /** Reads which engine answers at a state's port, over a separate connection that ends with `limit`; null: none answers in time. */
  probe(state: State, limit: Promise<null>): Promise<RunningEngine | null>;
}

export interface EngineAttempts {
  /** Throws EngineError if attempts were abandoned. */
  requireNotAbandoned(): void;
  /** Makes the program check a configuration. Rejects with EngineError. */
  test(program: EngineProgram, config: EngineConfig, text: string): Promise<void>;
  /** Waits until a started engine with this many users answers with its boot id. Rejects with EngineError. */
  awaitReady(engine: Current, boot: string, users: number): Promise<RunningEngine>;
  /** Prevents further processes, and ends waits for a start. */
  abandon(): void;
}

export function createEngineAttempts({ folder, limits, probe }: AttemptParts): EngineAttempts {
  /** Consecutive attempts that were too short. */
  let shortTries = 0;
  const abandonment = new AbortController();

  function requireNotAbandoned(): void {
    if (abandonment.signal.aborted) throw new EngineError('engine_unreachable', 'its start was given up');
  }

  /** A slow machine, or an engine with many users, needs more time than expected: each retry doubles the limit. */
  function computeTimeout(ms: number): number {
    return Math.min(limits.longest, ms * 2 ** shortTries);
  }

  function createTimeoutError(message: string): EngineError {
    shortTries += 1;
    return new EngineError('engine_unreachable', message);
  }

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

  /** Waits until the engine answers with the boot id of this start. */
  async function awaitReady(engine: Current, boot: string, users: number): Promise<RunningEngine> {
    const limitMs = computeTimeout(limits.ready + limits.readyPerUser * users);
    let end: EngineError | null = null;
    void engine.ended.then((error) => {
      end = error;
    });
    const startedAt = performance.now();
    for (let elapsed = 0; elapsed < limitMs; elapsed = performance.now() - startedAt) {
      // A busy engine answers late: the limit grows with the time waited.
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
