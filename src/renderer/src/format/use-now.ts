// One clock for the whole page: relative times stay correct without a timer for each.
import { useEffect } from 'react';
import { create } from 'zustand';
import { panelNow } from '../state/connection.ts';

const TICK_MS = 15_000;

const useClock = create<{ readonly now: number }>()(() => ({ now: panelNow() }));

function tick(): void {
  useClock.setState({ now: panelNow() });
}

/** Runs the clock while the component is on screen. */
export function useRunningClock(): void {
  useEffect(() => {
    tick();
    const timer = setInterval(tick, TICK_MS);
    return () => clearInterval(timer);
  }, []);
}

/** The present time by the panel's clock, epoch milliseconds; the component renders again every 15 s. */
export function useNow(): number {
  return useClock(({ now }) => now);
}
