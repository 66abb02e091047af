// The time by which this machine enforces a lease. It follows the panel's clock, so that a wrong clock here neither ends terms early nor
// late. Without contact it continues by the machine's steady clock. After a restart without contact it is the machine's clock, corrected by
// its offset at the last contact.
import { readFileSync } from 'node:fs';
import { writePrivateFile } from '../adapters/private-file.ts';
import type { Clock, Log } from '../core/ports/ports.ts';
import type { ClockReading } from '../domain/panel-time.ts';

export interface LeaseClock extends Clock {
  /** Call this with each request that carries the panel's time, epoch ms. */
  follow(panelAt: number): void;
}

interface LeaseClockParts {
  readonly read: () => ClockReading;
  /** The file that stores the offset over a restart. */
  readonly file: string;
  readonly log: Pick<Log, 'warn'>;
}

/** The panel's time arrives late by the request's duration: a time that is behind by less than this changes nothing. */
const LATENCY_MS = 1000;
/** A smaller change of the offset is not stored: the time matters less after a restart. */
const STORED_WITHIN_MS = 1000;

export function createLeaseClock({ read, file, log }: LeaseClockParts): LeaseClock {
  /** The panel's time minus the machine's clock, ms. */
  let stored = readOffset(file);
  const first = read();
  /** The panel's time minus the steady clock, ms. */
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

/** 0 if none is stored. */
function readOffset(file: string): number {
  try {
    const offset = Number(readFileSync(file, 'utf8'));
    return Number.isSafeInteger(offset) ? offset : 0;
  } catch {
    return 0;
  }
}
