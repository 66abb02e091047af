// The machine's clocks and timers behind the core's ports.
import { uptime } from 'node:os';
import type { Clock, Timers } from '../core/ports/ports.ts';
import type { ClockReading } from '../domain/panel-time.ts';

export const systemClock: Clock = { now: () => Date.now() };

/** If the clock moved by more than this against the steady one, it was set or the machine slept. */
const MOVED_MS = 2000;

/**
 * Reads both clocks. Node's steady clock stands still while Linux or macOS sleeps; the uptime does not. The uptime is read only when the
 * clocks have moved against each other, as on Linux it is a file.
 */
export function createClockReader(
  machine: () => number = Date.now,
  steady: () => number = performance.now.bind(performance),
  uptimeMs: () => number = () => uptime() * 1000,
): () => ClockReading {
  const startedBefore = uptimeMs() - steady();
  let sleptMs = 0;
  let offset = machine() - steady();
  return () => {
    const now = machine();
    const ticks = steady();
    if (Math.abs(now - ticks - offset) > MOVED_MS) {
      offset = now - ticks;
      sleptMs = Math.max(sleptMs, uptimeMs() - ticks - startedBefore);
    }
    return { machine: now, steady: ticks + sleptMs };
  };
}

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
