// Holds the rules of terms: paid time always counts, and nothing ends past the last moment.
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { at, DAY, settledAccount, utc, zone, zoned } from '../../../tests/support/domain-arbitraries.ts';
import { addMonths, nextReset } from '../calendar.ts';
import { MAX_INSTANT } from '../limits.ts';
import type { Account } from './account.ts';
import { computeUserState, extraBytes } from './account.ts';
import type { Duration } from './term.ts';
import { beginHeldTerm, extendTerm, setExpiry, shortenEnd, shortenTerm, startTerm } from './term.ts';

const days = fc.record({ days: fc.integer({ min: 1, max: 3650 }) });
const months = fc.record({ months: fc.integer({ min: 1, max: 120 }) });
const amount = fc.oneof(days, months);
const strategy = fc.constantFrom('none', 'day', 'week', 'month', 'period' as const);

const settledDated = settledAccount.filter(({ account }) => account.expiresAt !== null);
const settledHeld = settledAccount.filter(({ account }) => account.hold !== null);

function extended(account: Account, by: Duration, now: number, zoneName: string): Account {
  const result = extendTerm(account, by, now, zoneName);
  if (!result.ok) throw new Error(result.error);
  return result.account;
}

/** The oracle's end of a term. */
function later(from: number, by: Duration, zoneName: string): number {
  return 'days' in by ? from + by.days * DAY : at(from, zoneName).add({ months: by.months }).epochMilliseconds;
}

describe('startTerm', () => {
  test.prop([zoned, amount, strategy])(
    'begins at creation, or is held until first use',
    ({ zone: name, ms }, duration, resetStrategy) => {
      const anew = { usedUp: 0, usedDown: 0, resetStrategy };
      expect(startTerm({ duration, starts: 'on_creation', resetStrategy }, ms, name)).toEqual({
        ...anew,
        expiresAt: Math.min(MAX_INSTANT, later(ms, duration, name)),
        hold: null,
        termBeganAt: ms,
        heldAt: null,
        resetsAt: nextReset(resetStrategy, ms, ms, name),
      });
      expect(startTerm({ duration, starts: 'on_first_use', resetStrategy }, ms, name)).toEqual({
        ...anew,
        expiresAt: null,
        hold: { months: 0, days: 0, ...duration },
        termBeganAt: null,
        heldAt: ms,
        resetsAt: nextReset(resetStrategy, ms, null, name),
      });
    },
  );

  test.prop([zoned, fc.constantFrom('on_creation', 'on_first_use' as const)])(
    'without a duration it begins at once and never ends',
    ({ zone: name, ms }, starts) => {
      const term = startTerm({ duration: null, starts, resetStrategy: 'period' }, ms, name);
      expect(term).toMatchObject({ expiresAt: null, hold: null, termBeganAt: ms });
    },
  );
});

describe('extendTerm', () => {
  test.prop([settledDated, amount], { numRuns: 300 })(
    'counts from the later of now and the end',
    ({ account, now, zone: name }, by) => {
      const from = Math.max(now, account.expiresAt ?? now);
      expect(extended(account, by, now, name).expiresAt).toBe(later(from, by, name));
    },
  );

  test.prop([settledAccount, amount], { numRuns: 300 })(
    'never takes time away, never enables and never forgets traffic',
    ({ account, now, zone: name }, by) => {
      const result = extendTerm(account, by, now, name);
      if (!result.ok) return;
      const after = result.account;
      if (account.expiresAt !== null) expect(after.expiresAt).toBeGreaterThan(account.expiresAt);
      expect(after.enabled).toBe(account.enabled);
      expect([after.totalUp, after.totalDown]).toEqual([account.totalUp, account.totalDown]);
      expect(computeUserState(after, now)).not.toBe('expired');
    },
  );

  test.prop([settledDated, fc.array(days, { minLength: 2, maxLength: 5 })])(
    'extensions by days all count, in any order',
    ({ account, now, zone: name }, all) => {
      const total = all.reduce((sum, by) => sum + by.days, 0);
      const apart = all.reduce((one, by) => extended(one, by, now, name), account);
      const reversed = all.toReversed().reduce((one, by) => extended(one, by, now, name), account);
      expect(apart).toEqual(extended(account, { days: total }, now, name));
      expect(reversed).toEqual(apart);
    },
  );

  test.prop([settledDated, amount], { numRuns: 300 })(
    'a running term goes on: only its end moves',
    ({ account, now, zone: name }, by) => {
      const running = { ...account, expiresAt: now + 1 };
      expect(extended(running, by, now, name)).toEqual({ ...running, expiresAt: later(now + 1, by, name) });
    },
  );

  test.prop([settledDated, amount, fc.integer({ min: 0, max: 90 * DAY })], { numRuns: 300 })(
    'an expired one begins a new term',
    ({ account, now, zone: name }, by, ago) => {
      const expired = { ...account, expiresAt: now - ago };
      const after = extended(expired, by, now, name);
      expect(after).toMatchObject({ termBeganAt: now, expiresAt: later(now, by, name), enabled: account.enabled });
      if (account.resetStrategy === 'period') {
        expect(after).toMatchObject({ usedUp: 0, usedDown: 0, resetsAt: nextReset('period', now, now, name) });
        expect(extraBytes(after.grants, now)).toBe(
          extraBytes(
            account.grants.filter((grant) => grant.lifetime !== 'period'),
            now,
          ),
        );
      } else {
        const { usedUp, usedDown, resetsAt, grants } = account;
        expect(after).toMatchObject({ usedUp, usedDown, resetsAt, grants });
      }
    },
  );

  test.prop([settledHeld, fc.array(amount, { minLength: 1, maxLength: 4 })])(
    'a hold grows by months and days apart',
    ({ account, now, zone: name }, all) => {
      const after = all.reduce((one, by) => extended(one, by, now, name), account);
      const sum = (unit: 'days' | 'months') =>
        all.reduce((total, by) => total + ({ days: 0, months: 0, ...by }[unit] ?? 0), 0);
      expect(after).toEqual({ ...account, hold: { months: 1 + sum('months'), days: 3 + sum('days') } });
    },
  );

  test.prop([settledAccount, amount])('what never expires cannot be extended', ({ account, now, zone: name }, by) => {
    const unlimited = { ...account, hold: null, expiresAt: null };
    expect(extendTerm(unlimited, by, now, name)).toEqual({ ok: false, error: 'term_unlimited' });
  });

  test.prop([settledAccount])('ends at 2100-01-01Z and not a millisecond later', ({ account, now, zone: name }) => {
    const last = { ...account, hold: null, expiresAt: MAX_INSTANT - DAY };
    expect(extended(last, { days: 1 }, now, name).expiresAt).toBe(MAX_INSTANT);
    const past = { ok: false, error: 'past_limit' };
    expect(extendTerm({ ...last, expiresAt: MAX_INSTANT - DAY + 1 }, { days: 1 }, now, name)).toEqual(past);
    expect(extendTerm({ ...last, expiresAt: null, hold: { months: 880, days: 0 } }, { days: 3650 }, now, name)).toEqual(
      past,
    );
  });

  test('two payments of a month at once are two months', () => {
    const now = utc('2026-01-31T10:00Z');
    const term = startTerm({ duration: { months: 1 }, starts: 'on_creation', resetStrategy: 'none' }, now, 'UTC');
    const base = { enabled: true, trafficLimit: null, totalUp: 0, totalDown: 0, grants: [], ...term };
    const twice = extended(extended(base, { months: 1 }, now, 'UTC'), { months: 1 }, now, 'UTC');
    // No anchor is kept: from 28 February on it is the 28th.
    expect(twice.expiresAt).toBe(utc('2026-04-28T10:00Z'));
  });
});

function shortened(account: Account, by: Duration, now: number, zoneName: string): Account {
  const result = shortenTerm(account, by, now, zoneName);
  if (!result.ok) throw new Error(result.error);
  return result.account;
}

describe('shortenTerm', () => {
  test.prop([settledDated, amount], { numRuns: 300 })(
    'takes time off by the calendar, never before now, and gives none back',
    ({ account, now, zone: name }, by) => {
      const end = account.expiresAt ?? now;
      const asked =
        'days' in by ? end - by.days * DAY : at(end, name).subtract({ months: by.months }).epochMilliseconds;
      expect(shortened(account, by, now, name)).toEqual({ ...account, expiresAt: Math.min(end, Math.max(now, asked)) });
    },
  );

  test.prop([settledAccount, zoned, amount], { numRuns: 500 })(
    'takes back exactly what an extension gave, where the calendar allows',
    ({ account }, { zone: name, ms }, by) => {
      fc.pre(ms < MAX_INSTANT - 3660 * DAY);
      const now = ms - DAY;
      const running = { ...account, hold: null, expiresAt: ms };
      const longer = extended(running, by, now, name);
      const [from, to] = [at(ms, name), at(longer.expiresAt ?? ms, name)];
      // A day that the other month has not, a reading that the clock skips, and the later of two equal ones do not come back.
      const isPlain = from.toPlainDateTime().toZonedDateTime(name).epochMilliseconds === ms;
      const isSame = from.day === to.day && from.toPlainTime().equals(to.toPlainTime());
      fc.pre('days' in by || (isPlain && isSame));
      expect(shortened(longer, by, now, name)).toEqual(running);
    },
  );

  test.prop([settledHeld, amount])('a hold gives back what it got', ({ account, now, zone: name }, by) => {
    expect(shortened(extended(account, by, now, name), by, now, name)).toEqual(account);
  });

  test.each<[Duration, { months: number; days: number }, { months: number; days: number }]>([
    [{ days: 10 }, { months: 1, days: 0 }, { months: 0, days: 20 }],
    [{ days: 40 }, { months: 2, days: 5 }, { months: 0, days: 25 }],
    [{ months: 1 }, { months: 0, days: 45 }, { months: 0, days: 15 }],
    [{ months: 2 }, { months: 3, days: 4 }, { months: 1, days: 4 }],
  ])('%j off a hold of %j leaves %j', (by, hold, left) => {
    const now = utc('2026-01-31T10:00Z');
    const term = startTerm({ duration: hold, starts: 'on_first_use', resetStrategy: 'none' }, now, 'UTC');
    const base = { enabled: true, trafficLimit: null, totalUp: 0, totalDown: 0, grants: [], ...term, hold };
    expect(shortened(base, by, now, 'UTC')).toEqual({ ...base, hold: left });
  });

  test.prop([settledHeld])('a hold with nothing left ends now', ({ account, now, zone: name }) => {
    const after = shortened(account, { months: 2 }, now, name);
    expect(after).toMatchObject({ hold: null, expiresAt: now, termBeganAt: now });
    expect(computeUserState({ ...after, enabled: true }, now)).toBe('expired');
  });

  test('takes a hold to its last day, and ends it where nothing is left', () => {
    const now = utc('2026-11-20T10:00Z');
    const shortenHold = (hold: { months: number; days: number }, by: Duration) => {
      const result = shortenEnd({ expiresAt: null, hold }, by, now, 'UTC');
      return result.ok ? result.end : result.error;
    };
    const ended = { expiresAt: now, hold: null };
    const left = (months: number, days: number) => ({ expiresAt: null, hold: { months, days } });
    expect(shortenHold({ months: 1, days: 0 }, { months: 1 })).toEqual(ended);
    expect(shortenHold({ months: 0, days: 5 }, { days: 5 })).toEqual(ended);
    expect(shortenHold({ months: 0, days: 5 }, { days: 6 })).toEqual(ended);
    expect(shortenHold({ months: 0, days: 5 }, { days: 4 })).toEqual(left(0, 1));
    expect(shortenHold({ months: 2, days: 5 }, { days: 5 })).toEqual(left(2, 0));
    expect(shortenHold({ months: 2, days: 5 }, { months: 2 })).toEqual(left(0, 5));
    // A month is 30 days where days or months alone are not enough.
    expect(shortenHold({ months: 1, days: 0 }, { days: 30 })).toEqual(ended);
    expect(shortenHold({ months: 1, days: 0 }, { days: 29 })).toEqual(left(0, 1));
    expect(shortenHold({ months: 0, days: 31 }, { months: 1 })).toEqual(left(0, 1));
    expect(shortenHold({ months: 0, days: 30 }, { months: 1 })).toEqual(ended);
  });

  test.prop([settledAccount, amount])('what never expires cannot be shortened', ({ account, now, zone: name }, by) => {
    const unlimited = { ...account, hold: null, expiresAt: null };
    expect(shortenTerm(unlimited, by, now, name)).toEqual({ ok: false, error: 'term_unlimited' });
  });
});

describe('beginHeldTerm', () => {
  test.prop([settledHeld, zone])('months first, then days, from the first connection on', ({ account, now }, name) => {
    const after = beginHeldTerm(account, now, name);
    expect(after).toEqual({
      ...account,
      hold: null,
      expiresAt: addMonths(now, 1, name) + 3 * DAY,
      termBeganAt: now,
      resetsAt: nextReset(account.resetStrategy, now, now, name),
    });
    expect(beginHeldTerm(after, now + DAY, name)).toBe(after);
  });

  test.prop([settledHeld])('ends at the last moment there is at the latest', ({ account, now, zone: name }) => {
    const long = { ...account, hold: { months: 2000, days: 0 } };
    expect(beginHeldTerm(long, now, name).expiresAt).toBe(MAX_INSTANT);
  });
});

describe('setExpiry', () => {
  const end = fc.option(fc.integer({ min: 0, max: MAX_INSTANT }));

  test.prop([settledAccount, end])(
    'sets exactly this, and a begun term keeps its beginning',
    ({ account, now, zone: name }, expiresAt) => {
      const begun = { ...account, hold: null, termBeganAt: account.termBeganAt ?? now };
      expect(setExpiry(begun, expiresAt, now, name)).toEqual({ ...begun, expiresAt });
    },
  );

  test.prop([settledHeld, end])('ends a hold, whose term begins now', ({ account, now, zone: name }, expiresAt) => {
    const resetsAt = nextReset(account.resetStrategy, now, now, name);
    expect(setExpiry(account, expiresAt, now, name)).toEqual({
      ...account,
      expiresAt,
      hold: null,
      termBeganAt: now,
      resetsAt,
    });
  });
});
