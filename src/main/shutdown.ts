// How the application ends: its steps in order when it quits, at once on an uncaught error, which the next start reports.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { App } from 'electron';
import type { Log } from '../core/ports/ports.ts';

export interface ShutdownParts {
  readonly app: Pick<App, 'on' | 'exit'>;
  readonly process: Pick<NodeJS.Process, 'on'>;
  /** Where the report of a crash is written. */
  readonly crashPath: string;
  now(): number;
  log(): Pick<Log, 'error'> | null;
  /** What must be done before the process ends, in this order. */
  readonly steps: readonly (() => unknown)[];
}

export interface Shutdown {
  /** Whether it has started: a window that closes now is not hidden. */
  hasStarted(): boolean;
  /** Runs the steps now, for an installer that ends the process itself: a later quit is no longer delayed. */
  prepare(): Promise<void>;
  /** After `prepare`, where the installer did not start: a later quit runs the steps again. False: the application is quitting. */
  resume(): boolean;
}

/** From now on quitting runs the steps first; a step that fails does not stop the others. */
export function createShutdown({ app, process, crashPath, now, log, steps }: ShutdownParts): Shutdown {
  let hasStarted = false;
  let isPrepared = false;
  let isQuitting = false;
  const report = (error: unknown) => writeCrashReport(crashPath, error, new Date(now()).toISOString());

  const onUncaught = (error: unknown) => {
    log()?.error('defect', { error });
    report(error);
    app.exit(1);
  };
  process.on('uncaughtException', onUncaught);
  process.on('unhandledRejection', onUncaught);

  /** Returns the exit code. */
  async function runSteps(): Promise<number> {
    let code = 0;
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        code = 1;
        log()?.error('shutdown step failed', { error });
        report(error);
      }
    }
    return code;
  }

  app.on('before-quit', (event) => {
    if (isPrepared) {
      isQuitting = true;
      return;
    }
    event.preventDefault();
    if (hasStarted) return;
    hasStarted = true;
    void runSteps().then((code) => app.exit(code));
  });
  return {
    hasStarted: () => hasStarted,
    async prepare() {
      hasStarted = true;
      await runSteps();
      isPrepared = true;
    },
    resume() {
      if (isQuitting) return false;
      hasStarted = false;
      isPrepared = false;
      return true;
    },
  };
}

export interface CrashReport {
  /** RFC 3339. */
  readonly at: string;
  /** The first line of the error; the log has the rest. */
  readonly message: string;
}

/** Synchronous, because the process is about to end. Never throws. */
export function writeCrashReport(path: string, error: unknown, at: string): void {
  const message = (error instanceof Error ? error.message : String(error)).split('\n')[0]?.slice(0, 300) ?? '';
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify({ at, message } satisfies CrashReport), { mode: 0o600 });
  } catch {
    // The log has it.
  }
}

/** Reads and deletes the report of the previous run; null if that ended normally. */
export function takeCrashReport(path: string): CrashReport | null {
  try {
    const { at, message } = JSON.parse(readFileSync(path, 'utf8')) as Partial<CrashReport>;
    rmSync(path);
    return { at: String(at), message: String(message) };
  } catch {
    return null;
  }
}
