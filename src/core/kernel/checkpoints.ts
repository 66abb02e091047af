// When the journal is written into the database: soon, on another thread, beside requests (docs/decisions/0011).
import type { Checkpointer } from '../ports/checkpointer.ts';
import type { Log, Store } from '../ports/ports.ts';
import type { WriteQueue } from './write-queue.ts';

/** So many pages are written into the database together. */
export const PAGES = 1000;
/**
 * A journal of so many pages begins again from its start, which it only does when everything in it is in the database: writes wait
 * for the last few pages.
 */
export const MAX_PAGES = 16_000;
/** An idle panel's journal is emptied if it is longer, bytes. */
export const IDLE_BYTES = 2 ** 20;

export interface CheckpointParts {
  readonly store: Store;
  readonly log: Log;
  readonly checkpointer: Checkpointer;
  runAlone: WriteQueue['runAlone'];
}

export interface Checkpoints {
  /** To be called after each turn of the queue. */
  countTurn(): void;
  /** To be called periodically: empties the journal if nothing was written since the last call. */
  tidy(): Promise<void>;
  /** Begins no other checkpoint; resolves when the running one has ended. */
  close(): Promise<void>;
}

export function createCheckpoints({ store, log, checkpointer, runAlone }: CheckpointParts): Checkpoints {
  let running: Promise<void> | null = null;
  let isClosed = false;
  let isUsed = false;
  /** At so many pending pages it is tried again: a backup that reads an old state keeps pages in the journal. */
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

  /** One at a time; a failure is logged. */
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
