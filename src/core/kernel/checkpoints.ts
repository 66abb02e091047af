// Decides when SQLite's write-ahead log is copied into the database: soon, on another thread, without blocking requests (docs/decisions/0011).
import type { Checkpointer } from '../ports/checkpointer.ts';
import type { Log, Store } from '../ports/ports.ts';
import type { WriteQueue } from './write-queue.ts';

/** Pages that trigger a checkpoint. */
export const PAGES = 1000;
/** At this size the log is truncated, which is only possible when all of its pages are in the database: writes wait for the last few pages. */
export const MAX_PAGES = 16_000;
/** The log of an idle panel is truncated if it is longer than this, bytes. */
export const IDLE_BYTES = 2 ** 20;

export interface CheckpointParts {
  readonly store: Store;
  readonly log: Log;
  readonly checkpointer: Checkpointer;
  runAlone: WriteQueue['runAlone'];
}

export interface Checkpoints {
  /** Must be called after each turn of the write queue. */
  countTurn(): void;
  /** Must be called periodically: truncates the log if nothing was written since the last call. */
  tidy(): Promise<void>;
  /** Starts no more checkpoints; resolves when the running one has ended. */
  close(): Promise<void>;
}

export function createCheckpoints({ store, log, checkpointer, runAlone }: CheckpointParts): Checkpoints {
  let running: Promise<void> | null = null;
  let isClosed = false;
  let isUsed = false;
  /** Pending pages at which the next attempt starts: a backup that reads an old snapshot keeps pages in the log. */
  let nextAt = PAGES;
  let lastPages = 0;

  async function checkpoint(mode: 'passive' | 'truncate'): Promise<void> {
    if (store.diskSpace.isFull()) return;
    if ((await checkpointer.checkpoint(mode)) === 'full') store.diskSpace.markFull();
  }

  async function run(): Promise<void> {
    await checkpoint('passive');
    const { pages, pending } = store.journal();
    if (pages >= MAX_PAGES && pending < PAGES && !isClosed) await runAlone(() => checkpoint('passive'));
    nextAt = store.journal().pending + PAGES;
  }

  /** Runs one checkpoint at a time; failures are logged. */
  function runExclusively(work: () => Promise<void>): Promise<void> {
    return work()
      .catch((error: unknown) => log.warn('journal not written into the database', { error: String(error) }))
      .finally(() => {
        running = null;
      });
  }

  return {
    countTurn() {
      isUsed = true;
      if (running || isClosed || store.diskSpace.isFull()) return;
      const { pages, pending } = store.journal();
      if (pages < lastPages) nextAt = PAGES;
      lastPages = pages;
      if (pending >= nextAt) running = runExclusively(run);
    },
    async tidy() {
      const wasUsed = isUsed;
      isUsed = false;
      if (wasUsed || running || isClosed || store.diskSpace.isFull() || store.journal().bytes <= IDLE_BYTES) return;
      running = runExclusively(() => runAlone(() => checkpoint('truncate')));
      await running;
      isUsed = false;
    },
    async close() {
      isClosed = true;
      await running;
    },
  };
}
