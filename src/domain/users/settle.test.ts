// Holds that passing time does the same to an account however often it is looked at.
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { DAY, HOUR, settledAccount, utc } from '../../../tests/support/domain-arbitraries.ts';
import { nextReset } from '../calendar.ts';
import type { Account } from './account.ts';
import { computeUserState, extraBytes, usedBytes } from './account.ts';
import type { TermFlags } from './settle.ts';
import { flagsUnder, freshFlags, nextChangeAt, settle } from './settle.ts';

const NONE: TermFlags = { noticeAnnounced: null, expiredAnnounced: false };
const gap = fc.oneof(fc.integer({ min: 0, max: 3 * DAY }), fc.integer({ min: 0, max: 400 * DAY }));
const days = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 90 }));
const flags = fc.record({ noticeAnnounced: fc.option(days), expiredAnnounced: fc.boolean() });
/** Any that the settings allow, the longest first. */
const notices = fc.uniqueArray(days, { minLength: 1, maxLength: 5 }).map((list) => list.toSorted((a, b) => b - a));
const many = { numRuns: 500 };

describe('settle', () => {
  test.prop([settledAccount, flags, notices, gap], many)(
    'settling again changes nothing',
    ({ account, now, zone }, given, list, later) => {
      const once = settle(account, given, now + later, zone, list);
      expect(settle(once.account, once.flags, now + later, zone, list)).toEqual({ ...once, happened: [] });
    },
  );

  test.prop([settledAccount, flags, notices, gap, gap], many)(
    'in two steps comes to the same as in one',
    ({ account, now, zone }, given, list, first, second) => {
      const middle = settle(account, given, now + first, zone, list);
      const apart = settle(middle.account, middle.flags, now + first + second, zone, list);
      const once = settle(account, given, now + first + second, zone, list);
      expect({ ...apart, happened: [] }).toEqual({ ...once, happened: [] });
      const stepwise = [...middle.happened, ...apart.happened];
      const notResets = (all: typeof stepwise) => all.filter(({ type }) => type !== 'reset').sort(byMomentAndText);
      expect(notResets(stepwise)).toEqual(notResets([...once.happened]));
      const lastReset = (all: typeof stepwise) => all.findLast(({ type }) => type === 'reset');
      expect(lastReset(stepwise)).toEqual(lastReset([...once.happened]));
    },
  );

  test.prop([settledAccount, flags, notices, gap], many)(
    'leaves nothing due, and what happened lies in the past, in order',
    ({ account, now, zone }, given, list, later) => {
      const settled = settle(account, given, now + later, zone, list);
      expect(
        nextChangeAt(settled.account, settled.flags, now + later, list) ?? Number.POSITIVE_INFINITY,
      ).toBeGreaterThan(now + later);
      const moments = settled.happened.map(({ at }) => at);
      expect(moments).toEqual(moments.toSorted((a, b) => a - b));
      for (const at of moments) expect(at).toBeLessThanOrEqual(now + later);
      expect(settled.account.resetsAt).toBe(nextReset(account.resetStrategy, now + later, account.termBeganAt, zone));
    },
  );

  test.prop([settledAccount, flags, notices, gap, fc.double({ min: 0, max: 1, noNaN: true })], many)(
    'until the next change every moment has the same state and figures',
    ({ account, now, zone }, given, list, later, where) => {
      const from = now + later;
      const settled = settle(account, given, from, zone, list);
      const next = nextChangeAt(settled.account, settled.flags, from, list) ?? from + 1000 * DAY;
      const moment = Math.min(next - 1, from + Math.floor((next - from) * where));
      const then = settle(settled.account, settled.flags, moment, zone, list);
      expect(then).toEqual({ ...settled, happened: [] });
      expect(computeUserState(settled.account, moment)).toBe(computeUserState(settled.account, from));
      expect(extraBytes(settled.account.grants, moment)).toBe(extraBytes(settled.account.grants, from));
    },
  );

  test.prop([settledAccount, flags, notices, gap], many)(
    'only resets touch the counter, nothing touches the totals and the term',
    ({ account, now, zone }, given, list, later) => {
      const { account: after, happened } = settle(account, given, now + later, zone, list);
      const isReset = happened.some(({ type }) => type === 'reset');
      expect(usedBytes(after)).toBe(isReset ? 0 : usedBytes(account));
      const { usedUp: _, usedDown: __, resetsAt: ___, grants: ____, ...rest } = account;
      expect(after).toMatchObject(rest);
    },
  );

  test.prop([settledAccount, notices, fc.array(gap, { maxLength: 8 })], many)(
    'each notice goes out once per term, in order and at its moment, however often it is looked at',
    ({ account, now, zone }, list, gaps) => {
      const { all, moment } = lookAt({ ...account, grants: [] }, NONE, now, gaps, zone, list);
      const { expiresAt } = account;
      const expected = [];
      if (expiresAt !== null) {
        for (const length of list) expected.push({ type: 'expiring', at: expiresAt - length * DAY, days: length });
        expected.push({ type: 'expired', at: expiresAt });
      }
      expect(all).toEqual(expected.filter(({ at }) => at <= moment));
      expect(lookAt(account, NONE, moment, [], zone, list).all).toEqual(all);
    },
  );
});

/** What is announced about the term, looked at now and after each gap. */
function lookAt(
  account: Account,
  given: TermFlags,
  now: number,
  gaps: readonly number[],
  zone: string,
  list: readonly number[],
) {
  let present = settle(account, given, now, zone, list);
  const all = [...present.happened];
  let moment = now;
  for (const step of gaps) {
    moment += step;
    present = settle(present.account, present.flags, moment, zone, list);
    all.push(...present.happened);
  }
  return { all: all.filter(({ type }) => type === 'expiring' || type === 'expired'), moment, present };
}

describe('a panel that was stopped', () => {
  const now = utc('2026-03-10T12:00Z');
  const LIST = [7, 3, 1];
  const grant = { bytes: 50, bytesLeft: 50, days: null, endsAt: null, createdAt: now } as const;
  const account: Account = {
    enabled: true,
    expiresAt: utc('2026-04-20T12:00Z'),
    hold: null,
    trafficLimit: 100,
    usedUp: 60,
    usedDown: 60,
    totalUp: 60,
    totalDown: 60,
    resetStrategy: 'month',
    termBeganAt: now,
    resetsAt: utc('2026-04-01T00:00Z'),
    grants: [
      { ...grant, id: 1, lifetime: 'period' },
      { ...grant, id: 2, lifetime: 'days', days: 10, endsAt: now + 10 * DAY },
      { ...grant, id: 3, lifetime: 'used' },
    ],
  };

  test('finds all that it missed at its true moment, and many resets as one', () => {
    const { account: after, happened } = settle(account, NONE, utc('2026-08-15T00:00Z'), 'UTC', LIST);
    expect(happened).toEqual([
      { type: 'grant_ended', at: now + 10 * DAY, grantId: 2 },
      { type: 'grant_ended', at: utc('2026-04-01T00:00Z'), grantId: 1 },
      { type: 'expiring', at: utc('2026-04-13T12:00Z'), days: 7 },
      { type: 'expiring', at: utc('2026-04-17T12:00Z'), days: 3 },
      { type: 'expiring', at: utc('2026-04-19T12:00Z'), days: 1 },
      { type: 'expired', at: utc('2026-04-20T12:00Z') },
      { type: 'reset', at: utc('2026-08-01T00:00Z') },
    ]);
    expect(after).toMatchObject({ usedUp: 0, usedDown: 0, resetsAt: utc('2026-09-01T00:00Z') });
    expect(after.grants.map(({ bytesLeft }) => bytesLeft)).toEqual([0, 0, 50]);
  });

  test('is told what comes first', () => {
    const dues = [
      now + 10 * DAY,
      utc('2026-04-01T00:00Z'),
      utc('2026-04-13T12:00Z'),
      utc('2026-04-17T12:00Z'),
      utc('2026-04-19T12:00Z'),
      utc('2026-04-20T12:00Z'),
      utc('2026-05-01T00:00Z'),
    ];
    let present = settle(account, NONE, now, 'UTC', LIST);
    for (const due of dues) {
      expect(nextChangeAt(present.account, present.flags, due - 1, LIST)).toBe(due);
      expect(settle(present.account, present.flags, due - 1, 'UTC', LIST).happened).toEqual([]);
      present = settle(present.account, present.flags, due, 'UTC', LIST);
      expect(present.happened).not.toEqual([]);
    }
  });

  test('one that is due at once says so', () => {
    const late = utc('2026-08-15T00:00Z');
    expect(nextChangeAt(account, NONE, late, LIST)).toBe(now + 10 * DAY);
  });

  test('a clock that was set back does not hide the end of a term that was announced too early', () => {
    const announced = { noticeAnnounced: 1, expiredAnnounced: true };
    const dated = { ...account, resetStrategy: 'none', resetsAt: null, grants: [] } as const;
    expect(nextChangeAt(dated, announced, now, LIST)).toBe(dated.expiresAt);
    expect(nextChangeAt(dated, announced, dated.expiresAt ?? now, LIST)).toBeNull();
  });

  test('an account that time cannot change has nothing due', () => {
    const still = { ...account, expiresAt: null, resetStrategy: 'none', resetsAt: null, grants: [] } as const;
    expect(nextChangeAt(still, NONE, now, LIST)).toBeNull();
  });
});

describe('the end of a term that is set', () => {
  const now = utc('2026-03-10T12:00Z');
  const begin = (account: Account, length: number): Account => ({
    ...account,
    hold: null,
    expiresAt: now + length,
    resetStrategy: 'none',
    resetsAt: null,
    grants: [],
  });
  const length = fc.integer({ min: 1, max: 100 * 24 }).map((hours) => hours * HOUR);

  test.prop([settledAccount, notices, length, fc.array(gap, { maxLength: 8 })], many)(
    'announces at once the shortest notice that has passed, and each one that comes at its moment',
    ({ account, zone }, list, term, gaps) => {
      const begun = begin(account, term);
      const given = freshFlags(begun, now, list);
      expect(given.noticeAnnounced).toBe(list.filter((notice) => notice * DAY >= term).at(-1) ?? null);
      const { all, moment } = lookAt(begun, given, now, gaps, zone, list);
      const expected = list
        .filter((notice) => notice * DAY < term)
        .map((notice) => ({ type: 'expiring', at: now + term - notice * DAY, days: notice }));
      const ended = { type: 'expired', at: now + term };
      expect(all).toEqual([...expected, ended].filter(({ at }) => at <= moment));
    },
  );

  test.prop([settledAccount, notices, notices, length, gap, gap], many)(
    'under other notices announces those that are still to come, and none twice',
    ({ account, zone }, before, after, term, first, second) => {
      const begun = begin(account, term);
      const { moment, present } = lookAt(begun, freshFlags(begun, now, before), now, [first], zone, before);
      const given = flagsUnder(begun, present.flags, moment, after);
      const { all } = lookAt(begun, given, moment, [second], zone, after);
      const expected = after
        .map((notice) => ({ type: 'expiring', at: now + term - notice * DAY, days: notice }))
        .filter(({ at }) => at > moment && at <= moment + second);
      expect(all.filter(({ type }) => type === 'expiring')).toEqual(expected);
      const next = nextChangeAt(begun, given, moment, after);
      expect(next ?? Number.POSITIVE_INFINITY).toBeGreaterThan(moment);
    },
  );
});

function byMomentAndText(a: { at: number }, b: { at: number }): number {
  return a.at - b.at || (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
}
