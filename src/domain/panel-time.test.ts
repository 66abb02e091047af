// The panel's time under clocks that jump: what moves it, and what does not.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { times } from '../../tests/support/long.ts';
import { DAY_MS, MINUTE_MS } from './limits.ts';
import {
  AGREES_FOR_MS,
  AHEAD_MS,
  addClockEvidence,
  type ClockReading,
  computeClockError,
  computePanelTime,
  confirmClock,
  JUMP_MS,
  observeClocks,
  type PanelTime,
  startPanelTime,
} from './panel-time.ts';

const START = Date.UTC(2026, 4, 1);
const at = (steady: number, error = 0): ClockReading => ({ machine: START + steady + error, steady });
const followed = startPanelTime(at(0), START, null);

/** Evidence every half minute, from `from` on for `ms`. `trueError`: how far it is from the time without a jump. */
function addEvidenceFor(time: PanelTime, from: number, ms: number, error: number, trueError: number): PanelTime {
  let state = time;
  for (let steady = from; steady <= from + ms; steady += MINUTE_MS / 2) {
    state = addClockEvidence(observeClocks(state, at(steady, error)), at(steady, error), START + steady + trueError);
  }
  return state;
}

describe('the time at the start', () => {
  it('is that of the machine where nothing speaks against it', () => {
    expect(followed.state).toBe('followed');
    expect(startPanelTime(at(0), null, null).state).toBe('followed');
    expect(startPanelTime(at(0), START - AHEAD_MS, START).state).toBe('followed');
  });

  it.each([
    ['before the last known time', START + JUMP_MS + 1, null, 'behind', START + JUMP_MS + 1],
    ['before the build', null, START + DAY_MS, 'behind', START + DAY_MS],
    ['long after the last known time', START - AHEAD_MS - 1, null, 'ahead', START - AHEAD_MS - 1],
  ] as const)('is in doubt %s', (_, knownAt, builtAt, doubt, shown) => {
    const time = startPanelTime(at(0), knownAt, builtAt);
    expect(time).toMatchObject({ state: 'doubted', doubt });
    expect(computePanelTime(time, at(0))).toBe(shown);
  });
});

describe('a clock that jumps', () => {
  it.each([40 * DAY_MS, 3650 * DAY_MS, -400 * DAY_MS, JUMP_MS + 1])(
    'moves nothing and is followed again: %d ms',
    (jump) => {
      const doubted = observeClocks(followed, at(1000, jump));
      expect(doubted).toMatchObject({ state: 'doubted', doubt: 'jumped', since: START + 1000 });
      expect(computePanelTime(doubted, at(9000, jump))).toBe(START + 9000);
      expect(observeClocks(doubted, at(9000)).state).toBe('followed');
    },
  );

  it('is followed where it is corrected by little', () => {
    const time = observeClocks(followed, at(1000, JUMP_MS));
    expect(computePanelTime(time, at(1000, JUMP_MS))).toBe(START + 1000 + JUMP_MS);
  });

  it('is believed once others have agreed with it for two minutes, and not before', () => {
    const jump = 3 * DAY_MS;
    const doubted = observeClocks(followed, at(0, jump));
    expect(addEvidenceFor(doubted, 0, AGREES_FOR_MS - 1, jump, jump).state).toBe('doubted');
    const time = addEvidenceFor(doubted, 0, AGREES_FOR_MS, jump, jump);
    expect(time.state).toBe('followed');
    expect(computeClockError(time, at(AGREES_FOR_MS, jump))).toBe(0);
  });

  it('is wrong for sure where others agree with the panel: its time is kept until the clock is right', () => {
    const jump = 3650 * DAY_MS;
    const kept = addEvidenceFor(observeClocks(followed, at(0, jump)), 0, AGREES_FOR_MS, jump, 0);
    expect(kept.state).toBe('kept');
    expect(observeClocks(kept, at(AGREES_FOR_MS + 1)).state).toBe('followed');
    expect(addEvidenceFor(kept, AGREES_FOR_MS, AGREES_FOR_MS, jump, jump).state).toBe('followed');
  });

  it('needs evidence without a break, and for the time that it shows', () => {
    const jump = 3 * DAY_MS;
    let time = observeClocks(followed, at(0, jump));
    time = addEvidenceFor(time, 0, MINUTE_MS, jump, jump);
    time = addEvidenceFor(time, MINUTE_MS, 0, jump, DAY_MS);
    expect(addEvidenceFor(time, MINUTE_MS, MINUTE_MS, jump, jump).state).toBe('doubted');
    // The clock jumps again: sources that agreed with the former time do not confirm the new one.
    time = addEvidenceFor(observeClocks(followed, at(0, jump)), 0, MINUTE_MS, jump, jump);
    expect(addEvidenceFor(time, MINUTE_MS, MINUTE_MS, 9 * DAY_MS, 9 * DAY_MS).state).toBe('doubted');
  });

  it('is followed where the administrator confirms it', () => {
    const reading = at(500, 40 * DAY_MS);
    expect(observeClocks(followed, reading).state).toBe('doubted');
    expect(computePanelTime(confirmClock(reading), reading)).toBe(reading.machine);
  });
});

type Step =
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'set'; readonly error: number }
  | { readonly do: 'evidence'; readonly wrongBy: number };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: MINUTE_MS }) }),
    fc.record({ do: fc.constant('set' as const), error: fc.integer({ min: -4000 * DAY_MS, max: 4000 * DAY_MS }) }),
    fc.record({ do: fc.constant('evidence' as const), wrongBy: fc.integer({ min: -30_000, max: 30_000 }) }),
  ),
  { maxLength: 60 },
);

describe('any clock', () => {
  it('never moves the time of a panel that hears the truth: it goes on as steadily as the world', () => {
    fc.assert(
      fc.property(steps, (all) => {
        let time: PanelTime = followed;
        let steady = 0;
        let error = 0;
        let slack = 0;
        for (const step of all) {
          if (step.do === 'pass') steady += step.ms;
          if (step.do === 'set') error = step.error;
          // Changes that NTP could have made are accepted, even if they are wrong.
          if (Math.abs(computeClockError(time, at(steady, error))) <= JUMP_MS) slack += JUMP_MS;
          time = observeClocks(time, at(steady, error));
          if (step.do === 'evidence') time = addClockEvidence(time, at(steady, error), START + steady + step.wrongBy);
          // Evidence may confirm a clock that is wrong by less than it can tell.
          const lie = 2 * 90_000 + slack;
          expect(Math.abs(computePanelTime(time, at(steady, error)) - (START + steady))).toBeLessThanOrEqual(lie);
        }
      }),
      { numRuns: times(2000, 50_000) },
    );
  });
});
