// The time by which this machine enforces a lease: the panel's, so that a wrong clock here neither ends terms early nor lets users stay.
// In contact it follows the panel; without contact it goes on by the machine's steady clock from the last contact. After a restart
// without contact it is the machine's clock, corrected by how far that was off at the last contact.
import { readFileSync } from 'node:fs';
import { writePrivateFile } from '../adapters/private-file.ts';
import type { Clock, Log } from '../core/ports/ports.ts';
import type { ClockReading } from '../domain/panel-time.ts';

export interface LeaseClock extends Clock {
  /** With each request that says what the panel's time is, epoch ms. */
  follow(panelAt: number): void;
}

interface LeaseClockParts {
  readonly read: () => ClockReading;
  /** Where the offset is stored over a restart. */
  readonly file: string;
  readonly log: Pick<Log, 'warn'>;
}

/** A request that took longer says an older time: a time that is behind by less is not believed. */
const LATENCY_MS = 1000;
/** The stored offset is for a restart, which takes longer. */
const STORED_WITHIN_MS = 1000;

export function createLeaseClock({ read, file, log }: LeaseClockParts): LeaseClock {
  /** How far the panel's time is ahead of the machine's clock, ms. */
  let stored = readOffset(file);
  const first = read();
  /** The same to the steady clock. */
  let offset = first.machine - first.steady + stored;

  function store({ machine }: ClockReading, panelAt: number): void {
    const next = Math.round(panelAt - machine);
    if (Math.abs(next - stored) <= STORED_WITHIN_MS) return;
    stored = next;
    try {
      writePrivateFile(file, `${next}\n`);
    } catch (error) {
      log.warn('clock offset not stored', { error: String(error) });
    }
  }

  return {
    now: () => Math.round(read().steady + offset),
    follow(panelAt) {
      const reading = read();
      const next = panelAt - reading.steady;
      if (next > offset || next < offset - LATENCY_MS) offset = next;
      store(reading, panelAt);
    },
  };
}

/** 0 where there is none. */
function readOffset(file: string): number {
  try {
    const offset = Number(readFileSync(file, 'utf8'));
    return Number.isSafeInteger(offset) ? offset : 0;
  } catch {
    return 0;
  }
}
