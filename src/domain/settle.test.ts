// Holds that passing time does the same to an account however often it is looked at.
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { DAY, HOUR, settledAccount, utc } from '../../tests/support/domain-arbitraries.ts';
import type { Account } from './account.ts';
import { extraBytes, stateOf, usedBytes } from './account.ts';
import { nextReset } from './calendar.ts';
import type { TermFlags } from './settle.ts';
import { freshFlags, nextChangeAt, settle } from './settle.ts';

const NONE: TermFlags = { expiringAnnounced: false, expiredAnnounced: false };
const gap = fc.oneof(fc.integer({ min: 0, max: 3 * DAY }), fc.integer({ min: 0, max: 400 * DAY }));
const flags = fc.record({ expiringAnnounced: fc.boolean(), expiredAnnounced: fc.boolean() });
const many = { numRuns: 500 };

describe('settle', () => {
  test.prop([settledAccount, flags, gap], many)(
    'settling again changes nothing',
    ({ account, now, zone }, given, later) => {
      const once = settle(account, given, now + later, zone);
      expect(settle(once.account, once.flags, now + later, zone)).toEqual({ ...once, happened: [] });
    },
  );

  test.prop([settledAccount, flags, gap, gap], many)(
    'in two steps comes to the same as in one',
    ({ account, now, zone }, given, first, second) => {
      const middle = settle(account, given, now + first, zone);
      const apart = settle(middle.account, middle.flags, now + first + second, zone);
      const once = settle(account, given, now + first + second, zone);
      expect({ ...apart, happened: [] }).toEqual({ ...once, happened: [] });
      const stepwise = [...middle.happened, ...apart.happened];
      const notResets = (all: typeof stepwise) => all.filter(({ type }) => type !== 'reset').sort(byMomentAndText);
      expect(notResets(stepwise)).toEqual(notResets([...once.happened]));
      const lastReset = (all: typeof stepwise) => all.findLast(({ type }) => type === 'reset');
      expect(lastReset(stepwise)).toEqual(lastReset([...once.happened]));
    },
  );

  test.prop([settledAccount, flags, gap], many)(
    'leaves nothing due, and what happened lies in the past, in order',
    ({ account, now, zone }, given, later) => {
      const settled = settle(account, given, now + later, zone);
      expect(nextChangeAt(settled.account, settled.flags, now + later) ?? Number.POSITIVE_INFINITY).toBeGreaterThan(
        now + later,
      );
      const moments = settled.happened.map(({ at }) => at);
      expect(moments).toEqual(moments.toSorted((a, b) => a - b));
      for (const at of moments) expect(at).toBeLessThanOrEqual(now + later);
      expect(settled.account.resetsAt).toBe(nextReset(account.resetStrategy, now + later, account.termBeganAt, zone));
    },
  );

  test.prop([settledAccount, flags, gap, fc.double({ min: 0, max: 1, noNaN: true })], many)(
    'until the next change every moment has the same state and figures',
    ({ account, now, zone }, given, later, where) => {
      const from = now + later;
      const settled = settle(account, given, from, zone);
      const next = nextChangeAt(settled.account, settled.flags, from) ?? from + 1000 * DAY;
      const moment = Math.min(next - 1, from + Math.floor((next - from) * where));
      const then = settle(settled.account, settled.flags, moment, zone);
      expect(then).toEqual({ ...settled, happened: [] });
      expect(stateOf(settled.account, moment)).toBe(stateOf(settled.account, from));
      expect(extraBytes(settled.account.grants, moment)).toBe(extraBytes(settled.account.grants, from));
    },
  );

  test.prop([settledAccount, flags, gap], many)(
    'only resets touch the counter, nothing touches the totals and the term',
    ({ account, now, zone }, given, later) => {
      const { account: after, happened } = settle(account, given, now + later, zone);
      const isReset = happened.some(({ type }) => type === 'reset');
      expect(usedBytes(after)).toBe(isReset ? 0 : usedBytes(account));
      const { usedUp: _, usedDown: __, resetsAt: ___, grants: ____, ...rest } = account;
      expect(after).toMatchObject(rest);
    },
  );

  test.prop([settledAccount, fc.array(gap, { maxLength: 8 })])(
    'each notice goes out once per term',
    ({ account, now, zone }, gaps) => {
      let present = settle(account, NONE, now, zone);
      const all = [...present.happened];
      let moment = now;
      for (const step of gaps) {
        moment += step;
        present = settle(present.account, present.flags, moment, zone);
        all.push(...present.happened);
      }
      const { expiresAt } = account;
      const notices = all.filter(({ type }) => type === 'expiring' || type === 'expired').sort((a, b) => a.at - b.at);
      const expected = [];
      if (expiresAt !== null && expiresAt - 3 * DAY <= moment)
        expected.push({ type: 'expiring', at: expiresAt - 3 * DAY });
      if (expiresAt !== null && expiresAt <= moment) expected.push({ type: 'expired', at: expiresAt });
      expect(notices).toEqual(expected);
    },
  );
});

describe('a panel that was stopped', () => {
  const now = utc('2026-03-10T12:00Z');
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
    const { account: after, happened } = settle(account, NONE, utc('2026-08-15T00:00Z'), 'UTC');
    expect(happened).toEqual([
      { type: 'grant_ended', at: now + 10 * DAY, grantId: 2 },
      { type: 'grant_ended', at: utc('2026-04-01T00:00Z'), grantId: 1 },
      { type: 'expiring', at: utc('2026-04-17T12:00Z') },
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
      utc('2026-04-17T12:00Z'),
      utc('2026-04-20T12:00Z'),
      utc('2026-05-01T00:00Z'),
    ];
    let present = settle(account, NONE, now, 'UTC');
    for (const due of dues) {
      expect(nextChangeAt(present.account, present.flags, due - 1)).toBe(due);
      expect(settle(present.account, present.flags, due - 1, 'UTC').happened).toEqual([]);
      present = settle(present.account, present.flags, due, 'UTC');
      expect(present.happened).not.toEqual([]);
    }
  });

  test('one that is due at once says so', () => {
    const late = utc('2026-08-15T00:00Z');
    expect(nextChangeAt(account, NONE, late)).toBe(now + 10 * DAY);
  });

  test('a clock that was set back does not hide the end of a term that was announced too early', () => {
    const announced = { expiringAnnounced: true, expiredAnnounced: true };
    const dated = { ...account, resetStrategy: 'none', resetsAt: null, grants: [] } as const;
    expect(nextChangeAt(dated, announced, now)).toBe(dated.expiresAt);
    expect(nextChangeAt(dated, announced, dated.expiresAt ?? now)).toBeNull();
  });

  test('an account that time cannot change has nothing due', () => {
    const still = { ...account, expiresAt: null, resetStrategy: 'none', resetsAt: null, grants: [] } as const;
    expect(nextChangeAt(still, NONE, now)).toBeNull();
  });
});

describe('freshFlags', () => {
  const now = utc('2026-03-10T12:00Z');

  test.prop([settledAccount, fc.integer({ min: 1, max: 200 * HOUR })])(
    'announce as expiring only a term that runs past the mark',
    ({ account, zone }, length) => {
      const begun = {
        ...account,
        hold: null,
        expiresAt: now + length,
        resetStrategy: 'none',
        resetsAt: null,
        grants: [],
      } as const;
      const { happened } = settle(begun, freshFlags(begun, now), now + length, zone);
      const types = happened.map(({ type }) => type);
      expect(types).toEqual(length > 3 * DAY ? ['expiring', 'expired'] : ['expired']);
    },
  );
});

function byMomentAndText(a: { at: number }, b: { at: number }): number {
  return a.at - b.at || (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
}
