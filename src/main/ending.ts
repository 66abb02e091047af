// How the application ends: in good order when it is quit, at once and with a note when a defect was caught by nobody.
import type { App } from 'electron';
import type { Log } from '../core/ports/ports.ts';
import { leaveCrashNote } from './crash-note.ts';

export interface EndingParts {
  readonly app: Pick<App, 'on' | 'exit'>;
  readonly process: Pick<NodeJS.Process, 'on'>;
  readonly crashPath: string;
  now(): number;
  log(): Pick<Log, 'error'> | null;
  /** What is to be done before the process ends, in this order. */
  readonly steps: readonly (() => unknown)[];
}

export interface Ending {
  /** Whether it has begun: a window that closes now is not hidden. */
  hasBegun(): boolean;
  /** Runs the steps now, for an installer that then ends the process itself: quitting is no longer held up. */
  prepare(): Promise<void>;
}

/** From now on quitting runs the steps first; one that fails keeps none of the others from running. */
export function endInOrder({ app, process, crashPath, now, log, steps }: EndingParts): Ending {
  let hasBegun = false;
  let isPrepared = false;
  const note = (error: unknown) => leaveCrashNote(crashPath, error, new Date(now()).toISOString());

  const onDefect = (error: unknown) => {
    log()?.error('defect', { error });
    note(error);
    app.exit(1);
  };
  process.on('uncaughtException', onDefect);
  process.on('unhandledRejection', onDefect);

  /** The exit code. */
  async function runSteps(): Promise<number> {
    let code = 0;
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        code = 1;
        log()?.error('not ended in order', { error });
        note(error);
      }
    }
    return code;
  }

  app.on('before-quit', (event) => {
    if (isPrepared) return;
    event.preventDefault();
    if (hasBegun) return;
    hasBegun = true;
    void runSteps().then((code) => app.exit(code));
  });
  return {
    hasBegun: () => hasBegun,
    async prepare() {
      hasBegun = true;
      await runSteps();
      isPrepared = true;
    },
  };
}
