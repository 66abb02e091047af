// The panel's time: the machine's clock as long as it can be trusted. A jump of the clock is ignored until another source confirms it.
//
//              the clock jumps                       other sources agree with the panel's time
//   followed ──────────────────▶ doubted ────────────────────────────────────────────▶ kept
//      ▲  ▲                         │                                                    │
//      │  └─────────────────────────┘ the clock jumps back, sources agree with it,       │
//      │                              or the administrator confirms it                   │
//      └─────────────────────────────────────────────────────────────────────────────────┘ the same
//
// In all three states the panel's time follows a monotonic clock. Only `followed` also adopts the drift of the machine's clock.
import { DAY_MS, MINUTE_MS } from './limits.ts';

/** Both clocks of a machine at one moment, in ms. */
export interface ClockReading {
  /** The system time, epoch ms. */
  readonly machine: number;
  /** A monotonic clock that includes sleep; its zero is arbitrary. */
  readonly steady: number;
}

/** Why the machine's clock is in doubt. */
export type ClockDoubt =
  /** It moved while the panel was running. */
  | 'jumped'
  /** At the start it was earlier than the last known time or than the build. */
  | 'behind'
  /** At the start it was far later than the last known time. */
  | 'ahead';

/** Evidence that has agreed with one of the two times without interruption. */
interface Agreement {
  readonly with: 'machine' | 'panel';
  /** Monotonic time of the first agreeing evidence. */
  readonly since: number;
  /** System time minus monotonic time; the agreement is void after another jump. */
  readonly machineOffset: number;
}

/** `offset`: the panel's time minus the monotonic clock, ms. `since`: the panel's time when the doubt began. */
export type PanelTime =
  | { readonly state: 'followed'; readonly offset: number }
  | {
      readonly state: 'doubted' | 'kept';
      readonly offset: number;
      readonly doubt: ClockDoubt;
      readonly since: number;
      readonly agreement: Agreement | null;
    };

/** A larger difference is a jump; NTP corrects a clock in smaller steps. */
export const JUMP_MS = 30_000;
/** After a longer stop the clock is in doubt at the start: a failed clock battery is more likely than a machine that was off for so long. */
export const AHEAD_MS = 7 * DAY_MS;
/** Tolerance: a reply takes time, and `Date` headers have whole seconds. */
const AGREES_WITHIN_MS = 90_000;
/** How long evidence must agree before it decides. */
export const AGREES_FOR_MS = 2 * MINUTE_MS;

/** The panel's time, epoch ms. */
export function computePanelTime({ offset }: PanelTime, { steady }: ClockReading): number {
  return steady + offset;
}

/** The machine's clock minus the panel's time, ms. */
export function computeClockError(time: PanelTime, reading: ClockReading): number {
  return reading.machine - computePanelTime(time, reading);
}

function follow({ machine, steady }: ClockReading): PanelTime {
  return { state: 'followed', offset: machine - steady };
}

/** The state at the start. `knownAt`: the last time the panel stored, null: none. `builtAt`: when this version was built, null: unknown. Epoch ms. */
export function startPanelTime(reading: ClockReading, knownAt: number | null, builtAt: number | null): PanelTime {
  const earliest = Math.max(knownAt ?? Number.NEGATIVE_INFINITY, builtAt ?? Number.NEGATIVE_INFINITY);
  const doubt = (since: number, why: ClockDoubt): PanelTime => ({
    state: 'doubted',
    offset: since - reading.steady,
    doubt: why,
    since,
    agreement: null,
  });
  if (reading.machine < earliest - JUMP_MS) return doubt(earliest, 'behind');
  if (knownAt !== null && reading.machine > knownAt + AHEAD_MS) return doubt(Math.max(knownAt, earliest), 'ahead');
  return follow(reading);
}

/** Updates the state from a reading of both clocks. */
export function observeClocks(time: PanelTime, reading: ClockReading): PanelTime {
  if (Math.abs(computeClockError(time, reading)) <= JUMP_MS) return follow(reading);
  if (time.state !== 'followed') return time;
  const since = computePanelTime(time, reading);
  return { state: 'doubted', offset: time.offset, doubt: 'jumped', since, agreement: null };
}

/** Updates the state from another source: a node's machine, or the `Date` header of a verified HTTPS reply. `at`: epoch ms. */
export function addClockEvidence(time: PanelTime, reading: ClockReading, at: number): PanelTime {
  if (time.state === 'followed') return time;
  const machineOffset = reading.machine - reading.steady;
  const agreesWith =
    Math.abs(at - reading.machine) <= AGREES_WITHIN_MS
      ? 'machine'
      : Math.abs(at - computePanelTime(time, reading)) <= AGREES_WITHIN_MS
        ? 'panel'
        : null;
  if (agreesWith === null) return { ...time, agreement: null };
  const { agreement } = time;
  const goesOn =
    agreement !== null && agreement.with === agreesWith && Math.abs(agreement.machineOffset - machineOffset) <= JUMP_MS;
  if (!goesOn) return { ...time, agreement: { with: agreesWith, since: reading.steady, machineOffset } };
  if (reading.steady - agreement.since < AGREES_FOR_MS) return time;
  return agreesWith === 'machine' ? follow(reading) : { ...time, state: 'kept' };
}

/** The administrator confirmed that the machine's clock is right. */
export function confirmClock(reading: ClockReading): PanelTime {
  return follow(reading);
}
