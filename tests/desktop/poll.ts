// Waits for what comes in its own time.
import { setTimeout as pause } from 'node:timers/promises';
import type { Desktop, Look } from './driver.ts';

const PATIENCE_MS = 300_000;

/** Asks again and again until there is something else than undefined; `what` is what was waited for in vain. */
export async function poll<Found>(
  look: () => Promise<Found | undefined>,
  what: string | (() => string),
): Promise<Found> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > end) {
      throw new Error(`${typeof what === 'string' ? what : what()}: not within ${PATIENCE_MS} ms`);
    }
    await pause(50);
  }
}

/** `until` of a desktop that is looked at by this. */
export const untilOver =
  (look: () => Promise<Look>): Desktop['until'] =>
  (passes) =>
    poll(async () => {
      const seen = await look();
      return passes(seen) ? seen : undefined;
    }, `the desktop shows it (${passes})`);
