// What a core does beside its callers. A stop waits for it, and after a stop nothing runs any more: the store can be closed.

import type { Log, Timers } from '../ports/ports.ts';
import { PanelError } from './panel-error.ts';

export interface Tasks {
  /** Timers that do nothing once the core has stopped. */
  readonly timers: Timers;
  /** Work in several steps ends after the present one. */
  isStopping(): boolean;
  /** Runs work that a stop waits for. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Runs work whose outcome nobody waits for. A failure is logged, unless the stop is its cause. */
  start(name: string, work: () => Promise<unknown>): void;
  /** Waits for something outside, at most until a stop begins: rejects with PanelError `unavailable` then. */
  untilStop<T>(outcome: Promise<T>): Promise<T>;
  /** The same functions: a stop waits for what they return. Once the core has stopped they throw PanelError `unavailable`. */
  track<Part extends object>(part: Part): Part;
  beginStop(): void;
  /** Resolves when nothing runs. */
  idle(): Promise<void>;
  /** From now on nothing begins. To be called when nothing runs. */
  end(): void;
}

export function createTasks({ timers: given, log }: { readonly timers: Timers; readonly log: Log }): Tasks {
  const running = new Set<Promise<unknown>>();
  const timers = createEndingTimers(given);
  /** How to end what waits for something outside. */
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
        // What waited for them goes on before, and may begin something else.
        await new Promise<void>((resolve) => given.soon(resolve));
      } while (running.size > 0);
    },
    end() {
      isEnded = true;
      timers.end();
    },
  };
}

/** Timers that all end together. */
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
