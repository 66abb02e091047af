// Waits for a condition by polling, and says which page is meant.
import { setTimeout as pause } from 'node:timers/promises';
import type { Desktop, Snapshot } from './driver.ts';

const TIMEOUT_MS = 300_000;

/** Repeats until the result is not undefined; `what` names the condition in the error of a timeout. */
export async function poll<Found>(
  read: () => Promise<Found | undefined>,
  what: string | (() => string),
): Promise<Found> {
  const end = performance.now() + TIMEOUT_MS;
  for (;;) {
    const found = await read();
    if (found !== undefined) return found;
    if (performance.now() > end) {
      throw new Error(`${typeof what === 'string' ? what : what()}: not within ${TIMEOUT_MS} ms`);
    }
    await pause(50);
  }
}

/** Whether an address is that of a page at a place; without one that of the main window. */
export function isAt(url: string, place?: string): boolean {
  return url.startsWith('app://gatehouse/') && (place === undefined ? !url.includes('/?record') : url.includes(place));
}

/** Makes the `until` of a desktop from its `snapshot`. */
export const createUntil =
  (snapshot: () => Promise<Snapshot>): Desktop['until'] =>
  (passes) =>
    poll(async () => {
      const seen = await snapshot();
      return passes(seen) ? seen : undefined;
    }, `the desktop shows it (${passes})`);
