// The panel's time: the machine's clock as long as it can be trusted. A clock that jumps moves nothing until something else confirms it.
//
//              the clock jumps                       others agree with the panel's time
//   followed ──────────────────▶ doubted ────────────────────────────────────────────▶ kept
//      ▲  ▲                         │                                                    │
//      │  └─────────────────────────┘ the clock jumps back, others agree with it,        │
//      │                              or the administrator confirms it                   │
//      └─────────────────────────────────────────────────────────────────────────────────┘ the same
//
// In all three the panel's time goes on by a steady clock, which nobody sets. Only `followed` also takes over how the machine's clock drifts.
import { DAY_MS, MINUTE_MS } from './limits.ts';

/** Both clocks of a machine at one moment, ms. */
export interface ClockReading {
  /** What the machine takes for the time, epoch ms. */
  readonly machine: number;
  /** Goes on also while the machine sleeps; its zero means nothing. */
  readonly steady: number;
}

/** Why the machine's clock is in doubt. */
export type ClockDoubt =
  /** It moved while the panel was running. */
  | 'jumped'
  /** At the start it was before the last known time or before the build. */
  | 'behind'
  /** At the start it was far after the last known time. */
  | 'ahead';

/** Evidence that agrees with one of the two times without a break. */
interface Agreement {
  readonly with: 'machine' | 'panel';
  /** Steady time of the first of it. */
  readonly since: number;
  /** How far the machine's clock is from the steady one: after another jump the agreement is void. */
  readonly machineOffset: number;
}

/** `offset`: what the panel's time is ahead of the steady clock, ms. `since`: the panel's time when the doubt began. */
export type PanelTime =
  | { readonly state: 'followed'; readonly offset: number }
  | {
      readonly state: 'doubted' | 'kept';
      readonly offset: number;
      readonly doubt: ClockDoubt;
      readonly since: number;
      readonly agreement: Agreement | null;
    };

/** A larger difference is a jump; less than that is how NTP corrects a clock. */
export const JUMP_MS = 30_000;
/** After a longer stop the clock is in doubt at the start: a machine that is off for longer is rare, a battery that fails is not. */
export const AHEAD_MS = 7 * DAY_MS;
/** Evidence arrives late: a reply takes a while, and `Date` has whole seconds. */
const AGREES_WITHIN_MS = 90_000;
/** How long evidence must agree. */
export const AGREES_FOR_MS = 2 * MINUTE_MS;

/** The panel's time, epoch ms. */
export function computePanelTime({ offset }: PanelTime, { steady }: ClockReading): number {
  return steady + offset;
}

/** How far the machine's clock is ahead of the panel's time, ms. */
export function computeClockError(time: PanelTime, reading: ClockReading): number {
  return reading.machine - computePanelTime(time, reading);
}

function follow({ machine, steady }: ClockReading): PanelTime {
  return { state: 'followed', offset: machine - steady };
}

/** At the start. `knownAt`: the last time that the panel knew, null: none yet. `builtAt`: when this version was built, null: unknown. Epoch ms. */
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

/** After a look at both clocks. */
export function observeClocks(time: PanelTime, reading: ClockReading): PanelTime {
  if (Math.abs(computeClockError(time, reading)) <= JUMP_MS) return follow(reading);
  if (time.state !== 'followed') return time;
  const since = computePanelTime(time, reading);
  return { state: 'doubted', offset: time.offset, doubt: 'jumped', since, agreement: null };
}

/** After somebody else said what the time is: a node's machine, or the `Date` of a verified HTTPS reply. `at`: epoch ms. */
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

/** The administrator says that the machine's clock is right. */
export function confirmClock(reading: ClockReading): PanelTime {
  return follow(reading);
}
