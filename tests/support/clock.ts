// Time that a test moves by hand: the panel's clock, and its timers, whose work runs when the test says so.
import type { Clock, Timers } from '../../src/core/ports/ports.ts';

export interface TestClock extends Clock {
  /** Sets the time (epoch ms); returns it. */
  set(ms: number): number;
  advance(ms: number): number;
}

export function createTestClock(start: number): TestClock {
  let at = start;
  return {
    now: () => at,
    set: (ms) => {
      at = ms;
      return at;
    },
    advance: (ms) => {
      at += ms;
      return at;
    },
  };
}

export interface TestTimers extends Timers {
  /** Runs everything that is run periodically, once. What it starts goes on by itself. */
  tick(): void;
  /** Runs everything that waits for a time limit. */
  expire(): void;
  /** Lets `ms` pass for the timers that run once. */
  pass(ms: number): void;
  /** How many timers that run once have yet to run. */
  pending(): number;
}

export function createTestTimers(): TestTimers {
  const works = new Set<() => void>();
  const once = new Set<{ readonly at: number; readonly work: () => void }>();
  let present = 0;
  return {
    every: (_ms, work) => {
      works.add(work);
      return () => works.delete(work);
    },
    after: (ms, work) => {
      const timer = { at: present + ms, work };
      once.add(timer);
      return () => once.delete(timer);
    },
    pass: (ms) => {
      present += ms;
      for (const timer of once) {
        if (timer.at > present) continue;
        once.delete(timer);
        timer.work();
      }
    },
    pending: () => once.size,
    soon: (work) => void setImmediate(work),
    expire: () => {
      const due = [...once];
      once.clear();
      for (const { work } of due) work();
    },
    tick: () => {
      for (const work of works) work();
    },
  };
}
