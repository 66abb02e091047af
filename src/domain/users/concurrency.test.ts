// Too many addresses at once: when it is announced, when a cut and the excess end.
import { describe, expect, it } from 'vitest';
import { CUT_OFF_MS, EXCESS_ENDS_AFTER_MS, isNewExcess, nextExcess, settledExcess } from './concurrency.ts';

const NOW = 1_000_000_000;
const NOTICE = { addresses: 3, at: NOW, cutOffUntil: null };
const CUT = { addresses: 3, at: NOW, cutOffUntil: NOW + CUT_OFF_MS };

describe('an excess', () => {
  it('is announced when it begins, and when it cuts off', () => {
    expect(nextExcess(null, 3, NOW, false)).toEqual(NOTICE);
    expect(nextExcess(null, 3, NOW, true)).toEqual(CUT);
    expect(nextExcess(CUT, 5, NOW + 1, true)).toEqual({ addresses: 5, at: NOW + 1, cutOffUntil: CUT.cutOffUntil });
    expect([isNewExcess(null, NOTICE), isNewExcess(null, CUT), isNewExcess(NOTICE, CUT)]).toEqual([true, true, true]);
    expect([isNewExcess(NOTICE, NOTICE), isNewExcess(CUT, CUT)]).toEqual([false, false]);
  });

  it('cuts off for 5 minutes, and is over 10 minutes after it was last found', () => {
    expect(settledExcess(null, NOW)).toBeNull();
    expect(settledExcess(CUT, NOW + CUT_OFF_MS - 1)).toBe(CUT);
    expect(settledExcess(CUT, NOW + CUT_OFF_MS)).toEqual(NOTICE);
    expect(settledExcess(NOTICE, NOW + EXCESS_ENDS_AFTER_MS - 1)).toBe(NOTICE);
    expect(settledExcess(NOTICE, NOW + EXCESS_ENDS_AFTER_MS)).toBeNull();
    expect(settledExcess(CUT, NOW + EXCESS_ENDS_AFTER_MS)).toBeNull();
  });

  it('is not made longer by a clock that was set back', () => {
    expect(settledExcess(CUT, NOW - 1)).toBeNull();
    expect(settledExcess(NOTICE, NOW - 1)).toBeNull();
  });
});
