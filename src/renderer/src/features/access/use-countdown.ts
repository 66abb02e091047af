// Counts whole seconds down to zero.
import { useCallback, useEffect, useState } from 'react';

export interface Countdown {
  /** Remaining seconds. */
  readonly left: number;
  /** Starts again with this many seconds. */
  begin(seconds: number): void;
}

export function useCountdown(): Countdown {
  const [end, setEnd] = useState(0);
  const [now, setNow] = useState(0);
  const left = Math.max(0, Math.ceil((end - now) / 1000));
  useEffect(() => {
    if (end === 0) return;
    const timer = setInterval(() => {
      setNow(Date.now());
      if (Date.now() >= end) clearInterval(timer);
    }, 250);
    return () => clearInterval(timer);
  }, [end]);
  const begin = useCallback((seconds: number) => {
    setNow(Date.now());
    setEnd(Date.now() + seconds * 1000);
  }, []);
  return { left, begin };
}
