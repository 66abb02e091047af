// The panel's time, computed from the machine's clocks (domain/panel-time.ts). Each reading compares both clocks, so that a jump is noticed
// before anything uses the time.
import type { Log } from '../core/ports/ports.ts';
import type { PanelClock } from '../core/ports/time.ts';
import {
  addClockEvidence,
  type ClockReading,
  computeClockError,
  computePanelTime,
  confirmClock,
  observeClocks,
  type PanelTime,
  startPanelTime,
} from '../domain/panel-time.ts';

interface PanelClockParts {
  readonly read: () => ClockReading;
  /** The last time that this panel knew, epoch ms; null: it never ran. */
  readonly knownAt: number | null;
  /** When this version was built; null: unknown. */
  readonly builtAt: number | null;
  readonly log: Log;
}

export function createPanelClock({ read, knownAt, builtAt, log }: PanelClockParts): PanelClock {
  let time: PanelTime = startPanelTime(read(), knownAt, builtAt);
  logState(log, time, read());

  function change(next: PanelTime, reading: ClockReading): void {
    const { state } = time;
    time = next;
    if (next.state !== state) logState(log, next, reading);
  }

  function observe(): ClockReading {
    const reading = read();
    change(observeClocks(time, reading), reading);
    return reading;
  }

  return {
    now: () => Math.round(computePanelTime(time, observe())),
    status() {
      const { machine } = observe();
      const { state } = time;
      if (time.state === 'followed') return { state, doubt: null, since: null, machineAt: machine };
      return { state, doubt: time.doubt, since: Math.round(time.since), machineAt: machine };
    },
    addEvidence(at) {
      if (time.state === 'followed') return;
      const reading = observe();
      change(addClockEvidence(time, reading, at), reading);
    },
    confirm() {
      const reading = read();
      change(confirmClock(reading), reading);
    },
  };
}

function logState(log: Log, time: PanelTime, reading: ClockReading): void {
  const clock = new Date(reading.machine).toISOString();
  const error_s = Math.round(computeClockError(time, reading) / 1000);
  if (time.state === 'doubted') log.error('clock in doubt', { doubt: time.doubt, clock, error_s });
  else if (time.state === 'kept') log.error('clock is wrong: others confirm the time of the panel', { clock, error_s });
  else log.info('clock followed', { clock });
}
