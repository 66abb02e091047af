// One writer at a time: while a worker thread writes, all others wait here and never in SQLite's busy handler.

export interface WriteQueue {
  /** Runs a synchronous write: at once if no other runs, else in its turn. */
  run<T>(work: () => T): Promise<T>;
  /** Runs an asynchronous write; no other begins before it has ended. */
  runAlone<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when nothing runs and nothing waits. */
  drained(): Promise<void>;
}

export function createWriteQueue(): WriteQueue {
  let tail: Promise<unknown> = Promise.resolve();
  let pending = 0;

  function append<T>(work: () => T | Promise<T>): Promise<T> {
    pending += 1;
    const result = tail.then(work);
    const settled = () => {
      pending -= 1;
    };
    tail = result.then(settled, settled);
    return result;
  }

  return {
    async run(work) {
      return pending === 0 ? work() : append(work);
    },
    runAlone: append,
    async drained() {
      while (pending > 0) await tail;
    },
  };
}
