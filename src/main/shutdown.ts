// How the application ends: its steps in order when it quits, at once on an uncaught error, which the next start reports.
import type { App } from 'electron';
import type { Log } from '../core/ports/ports.ts';
import type { RunRecord } from './last-run.ts';

export interface ShutdownParts {
  readonly app: Pick<App, 'on' | 'exit'>;
  readonly process: Pick<NodeJS.Process, 'on'>;
  readonly record: Pick<RunRecord, 'start' | 'end' | 'fail'>;
  readonly log: Pick<Log, 'error'>;
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
export function createShutdown({ app, process, record, log, steps }: ShutdownParts): Shutdown {
  let hasStarted = false;
  let isPrepared = false;
  let isQuitting = false;
  /** The steps, while they run and afterwards; null: they run at the next end. */
  let running: Promise<number> | null = null;
  const report = (event: string, error: unknown) => {
    log.error(event, { error });
    record.fail(error);
  };

  const onUncaught = (error: unknown) => {
    report('defect', error);
    app.exit(1);
  };
  process.on('uncaughtException', onUncaught);
  process.on('unhandledRejection', onUncaught);

  /** Runs the steps once, even if the end is announced repeatedly. */
  function runOnce(): Promise<number> {
    running ??= runSteps();
    return running;
  }

  /** Returns the exit code. */
  async function runSteps(): Promise<number> {
    let code = 0;
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        code = 1;
        report('shutdown step failed', error);
      }
    }
    record.end();
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
    void runOnce().then((code) => app.exit(code));
  });
  return {
    hasStarted: () => hasStarted,
    async prepare() {
      hasStarted = true;
      await runOnce();
      isPrepared = true;
    },
    resume() {
      if (isQuitting) return false;
      hasStarted = false;
      isPrepared = false;
      running = null;
      record.start();
      return true;
    },
  };
}
