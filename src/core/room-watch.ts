// Looks after the room on the disk while the panel runs, and tells of it when that runs out and when it is there again.
import type { CoreParts } from './core.ts';

/** Returns what is to be called every second or so. */
export function createRoomWatch({ store: { room }, log }: Pick<CoreParts, 'store' | 'log'>): () => Promise<void> {
  let wasFull = false;
  const tell = () => {
    if (room.isFull() === wasFull) return;
    wasFull = !wasFull;
    if (wasFull) log.error('disk full: nothing is changed until there is room again');
    else log.info('disk has room again');
  };
  return async () => {
    tell();
    await room.regain();
    tell();
  };
}
