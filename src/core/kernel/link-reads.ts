// Records when links were read: collected in memory, written at most once a minute per user, outside requests.
import type { LinkRead } from '../ports/link-reads.ts';
import type { Clock, Store } from '../ports/ports.ts';
import type { WriteQueue } from './write-queue.ts';

const RECORD_EVERY_MS = 60_000;
/** Maximum number of remembered users. */
const MAX_REMEMBERED = 100_000;

export interface LinkReads {
  recordRead(userId: number, app: string | null): void;
  /** Includes reads that are not written yet. */
  get(userId: number): LinkRead | undefined;
  flush(): Promise<void>;
}

interface Parts {
  readonly store: Store;
  readonly clock: Clock;
  readonly queue: WriteQueue;
}

export function createLinkReads({ store, clock, queue }: Parts): LinkReads {
  const pending = new Map<number, LinkRead>();
  const written = new Map<number, LinkRead>();
  return {
    recordRead(userId, app) {
      const at = clock.now();
      const last = written.get(userId);
      const isNew = last === undefined || last.app !== app || Math.abs(at - last.at) >= RECORD_EVERY_MS;
      if (isNew) pending.set(userId, { at, app });
    },
    get: (userId) => pending.get(userId) ?? store.linkReads.get(userId),
    async flush() {
      if (pending.size === 0 || store.diskSpace.isFull()) return;
      const reads = [...pending];
      pending.clear();
      if (written.size > MAX_REMEMBERED) written.clear();
      await queue.run(() =>
        store.write(() => {
          for (const [userId, read] of reads) {
            store.linkReads.recordRead(userId, read);
            written.set(userId, read);
          }
        }),
      );
    },
  };
}
