// Looks after the diskSpace on the disk while the panel runs, and tells of it when that runs out and when it is there again.
import type { CoreParts } from './core.ts';

/** Returns what is to be called every second or so. */
export function watchDiskSpace({ store: { diskSpace }, log }: Pick<CoreParts, 'store' | 'log'>): () => Promise<void> {
  let wasFull = false;
  const tell = () => {
    if (diskSpace.isFull() === wasFull) return;
    wasFull = !wasFull;
    if (wasFull) log.error('disk full: nothing is changed until there is space again');
    else log.info('disk has space again');
  };
  return async () => {
    tell();
    await diskSpace.recover();
    tell();
  };
}
