// Whole seconds until a moment of the panel's clock, counted down on screen.
import { useEffect, useState } from 'react';
import { panelNow } from '../../../state/connection.ts';

/** `at`: epoch milliseconds; null: nothing to wait for. 0: over. */
export function useSecondsLeft(at: number | null): number {
  const [now, setNow] = useState(panelNow);
  useEffect(() => {
    if (at === null) return;
    setNow(panelNow());
    const timer = setInterval(() => setNow(panelNow()), 250);
    return () => clearInterval(timer);
  }, [at]);
  return at === null ? 0 : Math.max(0, Math.ceil((at - now) / 1000));
}
