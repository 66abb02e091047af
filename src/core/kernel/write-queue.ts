// Serializes writes. Waiting writes share one transaction, and so one fsync (docs/decisions/0011).

import type { Outcome } from '../ports/ports.ts';
import { PanelError } from './panel-error.ts';

export interface WriteQueue {
  /** Runs a synchronous write in queue order; resolves after the commit. */
  run<T>(work: () => T): Promise<T>;
  /** Runs an asynchronous write exclusively. */
  runAlone<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when the queue is empty and idle. */
  drained(): Promise<void>;
  /** Waits like `drained`; later writes reject with PanelError `unavailable`. */
  close(): Promise<void>;
}

export interface QueueParts {
  /** Runs writes in one transaction; throws if none was committed. */
  commit(works: readonly (() => unknown)[]): readonly Outcome[];
  /** Runs `work` after the current task queue, so that requests that arrived together share a commit. */
  soon(work: () => void): void;
  /** Called after each turn. */
  onTurnEnd(): void;
}

/** Maximum writes per transaction, since reads wait for it. */
export const MAX_TOGETHER = 32;

interface Job {
  readonly work: () => unknown;
  readonly isAlone: boolean;
  readonly result: PromiseWithResolvers<unknown>;
}

export function createWriteQueue({ commit, soon, onTurnEnd: turned }: QueueParts): WriteQueue {
  const waiting: Job[] = [];
  let ended = Promise.resolve();
  let isRunning = false;
  let isClosed = false;

  function append<T>(work: () => T | Promise<T>, isAlone: boolean): Promise<T> {
    if (isClosed) return Promise.reject(new PanelError('unavailable'));
    const result = Promise.withResolvers<unknown>();
    waiting.push({ work, isAlone, result });
    if (!isRunning) {
      isRunning = true;
      ended = runAll();
    }
    return result.promise as Promise<T>;
  }

  async function runAll(): Promise<void> {
    while (waiting.length > 0) {
      // Lets other tasks run between two transactions.
      await new Promise<void>((resolve) => soon(resolve));
      const [first] = waiting;
      if (first?.isAlone) await runJobAlone(first);
      else runTogether();
      turned();
    }
    isRunning = false;
  }

  async function runJobAlone({ work, result }: Job): Promise<void> {
    waiting.shift();
    try {
      result.resolve(await work());
    } catch (error) {
      result.reject(error);
    }
  }

  function runTogether(): void {
    const next = waiting.findIndex(({ isAlone }) => isAlone);
    const jobs = waiting.splice(0, Math.min(MAX_TOGETHER, next < 0 ? waiting.length : next));
    try {
      const outcomes = commit(jobs.map(({ work }) => work));
      for (const [index, { result }] of jobs.entries()) {
        const outcome = outcomes[index];
        if (outcome && 'value' in outcome) result.resolve(outcome.value);
        else result.reject(outcome?.error);
      }
    } catch (error) {
      for (const { result } of jobs) result.reject(error);
    }
  }

  async function drained(): Promise<void> {
    while (isRunning) await ended;
  }

  return {
    run: (work) => append(work, false),
    runAlone: (work) => append(work, true),
    drained,
    async close() {
      await drained();
      isClosed = true;
    },
  };
}
