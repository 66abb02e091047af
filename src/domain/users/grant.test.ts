// Holds the grants' rules: exact sums, the order of spending, and what a reset ends.
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { DAY, settledAccount } from '../../../tests/support/domain-arbitraries.ts';
import type { Grant } from './account.ts';
import { extraBytes, isGrantLive } from './account.ts';
import { addGrant, endPeriodGrants, spendingOrder } from './grant.ts';

const request = fc.record({
  bytes: fc.oneof(
    fc.integer({ min: 1, max: 2 ** 50 }),
    fc.integer({ min: Number.MAX_SAFE_INTEGER - 9000, max: Number.MAX_SAFE_INTEGER }),
  ),
  lifetime: fc.constantFrom('used', 'period', 'days' as const),
  days: fc.integer({ min: 1, max: 3650 }),
});

describe('addGrant', () => {
  test.prop([settledAccount, request])(
    'adds exactly its bytes, or refuses what could not be counted',
    ({ account, now }, asked) => {
      const before = extraBytes(account.grants, now);
      const result = addGrant(account, asked, now);
      if (!result.ok) {
        expect(result.error).toBe('extra_overflow');
        expect(BigInt(before) + BigInt(asked.bytes) > BigInt(Number.MAX_SAFE_INTEGER)).toBe(true);
        return;
      }
      const grants = [...account.grants, { ...result.grant, id: 100 }];
      expect(extraBytes(grants, now)).toBe(before + asked.bytes);
    },
  );

  test.prop([settledAccount, request])('only a grant in days knows its end', ({ account, now }, asked) => {
    const result = addGrant({ ...account, grants: [] }, asked, now);
    const end =
      asked.lifetime === 'days' ? { days: asked.days, endsAt: now + asked.days * DAY } : { days: null, endsAt: null };
    expect(result).toEqual({
      ok: true,
      grant: { bytes: asked.bytes, bytesLeft: asked.bytes, lifetime: asked.lifetime, ...end, createdAt: now },
    });
  });

  test.prop([settledAccount])('what is left may be 2^53-1 bytes and no more', ({ account, now }) => {
    const rest = Number.MAX_SAFE_INTEGER - extraBytes(account.grants, now);
    expect(addGrant(account, { bytes: rest, lifetime: 'used', days: null }, now).ok).toBe(true);
    expect(addGrant(account, { bytes: rest + 1, lifetime: 'used', days: null }, now).ok).toBe(false);
  });
});

describe('spendingOrder', () => {
  const grant = (id: number, lifetime: Grant['lifetime'], endsAt: number | null = null): Grant => {
    return { id, bytes: 5, bytesLeft: 5, lifetime, days: endsAt === null ? null : 1, endsAt, createdAt: 0 };
  };

  test.prop([settledAccount])('a grant of the period comes before `used` where no reset ends it', ({ account }) => {
    const grants = [grant(1, 'used'), grant(2, 'period')];
    const order = (given: readonly Grant[]) =>
      spendingOrder({ ...account, grants: given, resetsAt: null }, 100).map(({ id }) => id);
    expect(order(grants)).toEqual([2, 1]);
    expect(order(grants.toReversed())).toEqual([2, 1]);
  });

  test.prop([settledAccount])('the one ending soonest first, `used` last, ties by id', ({ account }) => {
    const grants = [
      grant(5, 'used'),
      grant(4, 'used'),
      grant(3, 'days', 500),
      grant(2, 'period'),
      grant(1, 'days', 100),
      grant(6, 'days', 100),
    ];
    const ids = (resetsAt: number | null) => spendingOrder({ ...account, grants, resetsAt }, 0).map(({ id }) => id);
    expect(ids(300)).toEqual([1, 6, 2, 3, 4, 5]);
    expect(ids(50)).toEqual([2, 1, 6, 3, 4, 5]);
    expect(ids(null)).toEqual([1, 6, 3, 2, 4, 5]);
  });

  test.prop([settledAccount, fc.integer({ min: 0, max: 100 * DAY })])(
    'has every grant that can be spent, and no other',
    ({ account, now }, later) => {
      const ids = spendingOrder(account, now + later).map(({ id }) => id);
      const live = account.grants.filter((one) => isGrantLive(one, now + later)).map(({ id }) => id);
      expect(ids.toSorted((a, b) => a - b)).toEqual(live);
    },
  );
});

test.prop([settledAccount])(
  'endPeriodGrants leaves nothing in live `period` grants and does not touch the others',
  ({ account, now }) => {
    const ended = endPeriodGrants(account.grants, now);
    for (const [index, before] of account.grants.entries()) {
      const isEnded = before.lifetime === 'period' && before.bytesLeft > 0;
      expect(ended[index]).toEqual(isEnded ? { ...before, bytesLeft: 0, endsAt: now } : before);
    }
  },
);
