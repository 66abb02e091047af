// The time of a lease follows the panel's clock, whatever the machine's clock shows.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLeaseClock } from './lease-clock.ts';

const NOW = Date.UTC(2026, 4, 1);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ERRORS = [HOUR, -HOUR, 30 * DAY, -30 * DAY];

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-lease-clock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A machine whose clock is wrong by `error` ms, `passed` ms after NOW. */
function openMachine(error: number) {
  const machine = { passed: 0, error, boot: 0 };
  const read = () => ({ machine: NOW + machine.passed + machine.error, steady: machine.passed - machine.boot });
  const start = () => createLeaseClock({ read, file: join(folder, 'clock-offset'), log: { warn() {} } });
  return { machine, start };
}

describe('createLeaseClock', () => {
  it('is the clock of the machine before the first contact', () => {
    expect(openMachine(HOUR).start().now()).toBe(NOW + HOUR);
  });

  it.each(ERRORS)('follows the panel in contact and goes on from the last contact: off by %d ms', (error) => {
    const { machine, start } = openMachine(error);
    const clock = start();
    clock.follow(NOW);
    expect(clock.now()).toBe(NOW);
    machine.passed = 10 * 60_000;
    expect(clock.now()).toBe(NOW + machine.passed);
    // The machine's clock is set: the lease's time does not change.
    machine.error = error / 2;
    expect(clock.now()).toBe(NOW + machine.passed);
  });

  it.each(ERRORS)('knows the offset after a restart without contact: off by %d ms', (error) => {
    const { machine, start } = openMachine(error);
    start().follow(NOW);
    machine.passed = HOUR;
    machine.boot = HOUR;
    expect(start().now()).toBe(NOW + HOUR);
  });

  it('is not set back by a request that took long, and follows a panel whose time is another', () => {
    const { start } = openMachine(0);
    const clock = start();
    clock.follow(NOW);
    clock.follow(NOW - 900);
    expect(clock.now()).toBe(NOW);
    clock.follow(NOW - 6 * DAY);
    expect(clock.now()).toBe(NOW - 6 * DAY);
  });

  it.each(['', 'rubbish', '1e999', '99999999999999999999'])('reads no offset from %j', (text) => {
    writeFileSync(join(folder, 'clock-offset'), text);
    expect(openMachine(0).start().now()).toBe(NOW);
  });
});
