// The machine's clock and timers behind the core's ports.
import type { Clock, Timers } from '../core/ports/ports.ts';

export const systemClock: Clock = { now: () => Date.now() };

export const systemTimers: Timers = {
  every(ms, work) {
    const timer = setInterval(work, ms).unref();
    return () => clearInterval(timer);
  },
  after(ms, work) {
    const timer = setTimeout(work, ms).unref();
    return () => clearTimeout(timer);
  },
  soon: (work) => void setImmediate(work),
};
