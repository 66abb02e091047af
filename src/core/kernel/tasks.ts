// Background tasks of the core. Stopping waits for them, and nothing runs after a stop, so that the store can be closed.

import type { Log, Timers } from '../ports/ports.ts';
import { PanelError } from './panel-error.ts';

export interface Tasks {
  /** Timers that do nothing after the core was stopped. */
  readonly timers: Timers;
  /** Multi-step tasks must end after the current step. */
  isStopping(): boolean;
  /** Runs work that a stop waits for. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Runs work whose result is not awaited. A failure is logged, unless the stop caused it. */
  start(name: string, work: () => Promise<unknown>): void;
  /** Awaits an external result at most until a stop begins; then rejects with PanelError `unavailable`. */
  untilStop<T>(outcome: Promise<T>): Promise<T>;
  /** Wraps functions so that a stop waits for their promises. After a stop they throw PanelError `unavailable`. */
  track<Part extends object>(part: Part): Part;
  beginStop(): void;
  /** Resolves when no task runs. */
  idle(): Promise<void>;
  /** Refuses new tasks; must be called when none runs. */
  end(): void;
}

export function createTasks({ timers: given, log }: { readonly timers: Timers; readonly log: Log }): Tasks {
  const running = new Set<Promise<unknown>>();
  const timers = createEndingTimers(given);
  /** Cancels what waits for external results. */
  const waiting = new Set<() => void>();
  let isStopping = false;
  let isEnded = false;

  function add<T>(outcome: T): T {
    if (!(outcome instanceof Promise)) return outcome;
    const remove = () => running.delete(ended);
    const ended: Promise<unknown> = outcome.then(remove, remove);
    running.add(ended);
    return outcome;
  }

  function requireOpen(): void {
    if (isEnded) throw new PanelError('unavailable');
  }

  async function run<T>(work: () => Promise<T>): Promise<T> {
    requireOpen();
    return add(work());
  }

  return {
    timers,
    isStopping: () => isStopping,
    run,
    start(name, work) {
      run(work).catch((error: unknown) => {
        if (isStopping && error instanceof PanelError && error.code === 'unavailable') return;
        log.error(`${name} failed`, { error: String(error) });
      });
    },
    untilStop: (outcome) =>
      new Promise((resolve, reject) => {
        const rejectWaiting = () => reject(new PanelError('unavailable'));
        if (isStopping) rejectWaiting();
        else waiting.add(rejectWaiting);
        outcome.then(resolve, reject).finally(() => waiting.delete(rejectWaiting));
      }),
    track(part) {
      const tracked = Object.entries(part).map(([name, member]) => {
        if (typeof member !== 'function') return [name, member];
        const call = (...input: unknown[]) => {
          requireOpen();
          return add(member(...input));
        };
        return [name, call];
      });
      return Object.fromEntries(tracked);
    },
    beginStop() {
      isStopping = true;
      for (const rejectWaiting of waiting) rejectWaiting();
    },
    async idle() {
      do {
        await Promise.all(running);
        // Continuations run first and may start other tasks.
        await new Promise<void>((resolve) => given.soon(resolve));
      } while (running.size > 0);
    },
    end() {
      isEnded = true;
      timers.end();
    },
  };
}

/** Timers that can be stopped together. */
function createEndingTimers(timers: Timers): Timers & { end(): void } {
  const cancels = new Set<() => void>();
  let isEnded = false;
  const cancelable = (cancel: () => void) => {
    const cancelOnce = () => {
      cancels.delete(cancelOnce);
      cancel();
    };
    cancels.add(cancelOnce);
    return cancelOnce;
  };
  return {
    every: (ms, work) => (isEnded ? () => {} : cancelable(timers.every(ms, work))),
    after(ms, work) {
      if (isEnded) return () => {};
      const cancel = cancelable(
        timers.after(ms, () => {
          cancel();
          work();
        }),
      );
      return cancel;
    },
    soon: (work) =>
      timers.soon(() => {
        if (!isEnded) work();
      }),
    end() {
      isEnded = true;
      for (const cancel of cancels) cancel();
    },
  };
}
