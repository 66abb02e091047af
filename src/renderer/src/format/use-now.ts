// One clock for the whole page: distances of time stay true on screen without a timer for each of them.
import { useSyncExternalStore } from 'react';
import { panelNow } from '../state/connection.ts';

const TICK_MS = 15_000;
const listeners = new Set<() => void>();
let now = panelNow();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) {
    now = panelNow();
    timer = setInterval(() => {
      now = panelNow();
      for (const tell of listeners) tell();
    }, TICK_MS);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

/** The present moment by the panel's clock, epoch milliseconds; the component renders anew every 15 s. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}
