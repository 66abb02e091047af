// The machine's clocks: sleep, a clock that was set, and one that drifts.
import { describe, expect, it } from 'vitest';
import { createClockReader } from './clock.ts';

const HOUR = 3_600_000;

/** A machine with a settable clock; its steady clock stands still while it sleeps. */
function openMachine() {
  const at = { machine: 1_000_000, steady: 5000, uptime: 90_000 };
  const read = createClockReader(
    () => at.machine,
    () => at.steady,
    () => at.uptime,
  );
  const pass = (ms: number) => {
    at.machine += ms;
    at.steady += ms;
    at.uptime += ms;
  };
  return { at, read, pass };
}

describe('createClockReader', () => {
  it('counts a sleep', () => {
    const { at, read, pass } = openMachine();
    const before = read();
    pass(1000);
    at.machine += HOUR;
    at.uptime += HOUR;
    pass(1000);
    const after = read();
    expect(after.steady - before.steady).toBe(HOUR + 2000);
    expect(after.machine - before.machine).toBe(HOUR + 2000);
  });

  it('goes on steadily where the clock is set, forward and back', () => {
    const { at, read, pass } = openMachine();
    const before = read();
    for (const jump of [40 * HOUR, -80 * HOUR]) {
      at.machine += jump;
      pass(500);
    }
    expect(read().steady - before.steady).toBe(1000);
  });

  it('counts a sleep in which the clock is set', () => {
    const { at, read } = openMachine();
    const before = read();
    at.machine -= 24 * HOUR;
    at.uptime += HOUR;
    expect(read().steady - before.steady).toBe(HOUR);
  });
});
