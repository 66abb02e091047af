// Holds the counting of traffic: no byte lost, none charged twice, none owed later.
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { settledAccount, utc } from '../../../tests/support/domain-arbitraries.ts';
import { nextReset } from '../calendar.ts';
import type { Account } from './account.ts';
import { computeUserState, extraBytes, usedBytes } from './account.ts';
import { applyTraffic, changeReset, isTrafficLow, resetTraffic } from './traffic.ts';

const delta = fc.record({ up: fc.integer({ min: 0, max: 2000 }), down: fc.integer({ min: 0, max: 2000 }) });

function sum(spent: Readonly<Record<number, number>>): number {
  return Object.values(spent).reduce((total, bytes) => total + bytes, 0);
}

describe('applyTraffic', () => {
  test.prop([settledAccount, delta])('counts every byte by its direction', ({ account, now }, moved) => {
    const after = applyTraffic(account, moved, now).account;
    expect(after).toMatchObject({
      usedUp: account.usedUp + moved.up,
      usedDown: account.usedDown + moved.down,
      totalUp: account.totalUp + moved.up,
      totalDown: account.totalDown + moved.down,
    });
  });

  test.prop([settledAccount, delta], { numRuns: 500 })(
    'takes from grants what the limit does not cover, and no more than they hold',
    ({ account, now }, moved) => {
      const extra = extraBytes(account.grants, now);
      const { account: after, spent } = applyTraffic(account, moved, now);
      const fits =
        account.trafficLimit === null
          ? Number.POSITIVE_INFINITY
          : Math.max(0, account.trafficLimit - usedBytes(account));
      const expected = Math.min(extra, Math.max(0, moved.up + moved.down - fits));
      expect(sum(spent)).toBe(expected);
      expect(extraBytes(after.grants, now)).toBe(extra - expected);
      for (const grant of after.grants) expect(grant.bytesLeft).toBeGreaterThanOrEqual(0);
    },
  );

  test.prop([settledAccount, delta, delta], { numRuns: 500 })(
    'two deltas come to the same as their sum',
    ({ account, now }, first, second) => {
      const apart = applyTraffic(applyTraffic(account, first, now).account, second, now).account;
      const together = applyTraffic(account, { up: first.up + second.up, down: first.down + second.down }, now).account;
      expect(apart).toEqual(together);
    },
  );

  test.prop([settledAccount, delta])(
    'a grant is touched only when those before it are empty',
    ({ account, now }, moved) => {
      const limited = { ...account, trafficLimit: 1, resetsAt: null };
      const { spent, account: after } = applyTraffic(limited, moved, now);
      const touchesUsed = after.grants.some((grant) => grant.lifetime === 'used' && spent[grant.id] !== undefined);
      const leftElsewhere = after.grants
        .filter((grant) => grant.lifetime !== 'used')
        .reduce((left, grant) => left + grant.bytesLeft, 0);
      expect(touchesUsed && leftElsewhere > 0).toBe(false);
    },
  );

  test.prop([settledAccount, delta, fc.option(fc.integer({ min: 1, max: 5000 }))])(
    'a limit changed later neither charges nor refunds',
    ({ account, now }, moved, limit) => {
      const after = applyTraffic(account, moved, now).account;
      const changed = { ...after, trafficLimit: limit };
      expect(applyTraffic(changed, { up: 0, down: 0 }, now)).toEqual({ account: changed, spent: {} });
    },
  );

  test.prop([settledAccount])('what was overspent is not owed by a later grant', ({ account, now }) => {
    const spentOut = applyTraffic({ ...account, trafficLimit: 1 }, { up: 50_000, down: 0 }, now).account;
    const grant = {
      id: 99,
      bytes: 10,
      bytesLeft: 10,
      lifetime: 'used',
      days: null,
      endsAt: null,
      createdAt: now,
    } as const;
    const { spent } = applyTraffic({ ...spentOut, grants: [...spentOut.grants, grant] }, { up: 4, down: 0 }, now);
    expect(spent).toEqual({ 99: 4 });
  });

  test.prop([settledAccount])('counters stop at the largest safe integer', ({ account, now }) => {
    const huge = { up: Number.MAX_SAFE_INTEGER, down: Number.MAX_SAFE_INTEGER };
    const twice = applyTraffic(applyTraffic(account, huge, now).account, huge, now).account;
    expect(twice.totalUp).toBe(Number.MAX_SAFE_INTEGER);
    expect(usedBytes(twice)).toBe(Number.MAX_SAFE_INTEGER);
  });

  test.prop([settledAccount, delta])('does not touch the account that it was given', ({ account, now }, moved) => {
    const copy = structuredClone(account);
    applyTraffic(account, moved, now);
    expect(account).toEqual(copy);
  });
});

describe('resetTraffic', () => {
  test.prop([settledAccount])('starts a new period and leaves the rest', ({ account, now, zone }) => {
    const after = resetTraffic(account, now, zone);
    const { grants: _, ...rest } = account;
    expect(after).toMatchObject({ ...rest, usedUp: 0, usedDown: 0 });
    expect(extraBytes(after.grants, now)).toBe(
      extraBytes(
        account.grants.filter((grant) => grant.lifetime !== 'period'),
        now,
      ),
    );
  });

  test.prop([settledAccount])('leaves no user limited, and a disabled user disabled', ({ account, now, zone }) => {
    const before = computeUserState(account, now);
    const after = computeUserState(resetTraffic(account, now, zone), now);
    expect(after).not.toBe('limited');
    if (before !== 'limited') expect(after).toBe(before);
  });
});

test.prop([settledAccount, fc.constantFrom('none', 'day', 'week', 'month', 'period' as const)])(
  'changeReset moves the next reset and nothing else',
  ({ account, now, zone }, strategy) => {
    const resetsAt = nextReset(strategy, now, account.termBeganAt, zone);
    expect(changeReset(account, strategy, now, zone)).toEqual({ ...account, resetStrategy: strategy, resetsAt });
  },
);

test.each<[Partial<Account>, boolean]>([
  [{ usedUp: 799 }, false],
  [{ usedUp: 800 }, true],
  [{ usedUp: 1200 }, true],
  [{ usedUp: 900, trafficLimit: null }, false],
])('isTrafficLow at a fifth of the limit: %j', (change, expected) => {
  const now = utc('2026-03-01T00:00Z');
  const account: Account = {
    enabled: true,
    expiresAt: null,
    hold: null,
    trafficLimit: 1000,
    usedUp: 0,
    usedDown: 0,
    totalUp: 0,
    totalDown: 0,
    resetStrategy: 'none',
    termBeganAt: now,
    resetsAt: null,
    grants: [],
  };
  expect(isTrafficLow({ ...account, ...change }, now)).toBe(expected);
  const grant = {
    id: 1,
    bytes: 500,
    bytesLeft: 500,
    lifetime: 'used',
    days: null,
    endsAt: null,
    createdAt: now,
  } as const;
  expect(isTrafficLow({ ...account, ...change, grants: [grant] }, now)).toBe(false);
});
