// What a serving child tells about itself: the time its process took, its memory, and how long its event loop was held.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Child } from './child.ts';

const US_PER_MS = 1000;
const NS_PER_MS = 1_000_000;

/** To be put among the answers of a child. */
export function usageAnswers() {
  let delay: ReturnType<typeof monitorEventLoopDelay> | null = null;
  return {
    cpu: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / US_PER_MS;
    },
    rss: () => process.memoryUsage.rss(),
    watchLoop: () => {
      delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
    },
    heldLoop: () => {
      delay?.disable();
      return (delay?.max ?? 0) / NS_PER_MS;
    },
  };
}

/** CPU of the child's process so far, all its threads together, ms. */
export const readCpu = (child: Child) => child.call<number>('cpu');
/** Resident memory, bytes. */
export const readRss = (child: Child) => child.call<number>('rss');
/** From now on the child notes how long its event loop is held. */
export const watchLoop = (child: Child) => child.call<void>('watchLoop');
/** The longest time that the loop was held since `watchLoop`, ms. */
export const readLoopDelay = (child: Child) => child.call<number>('heldLoop');
