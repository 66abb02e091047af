// A refund revokes exactly what its order added: alone it restores the account, among others their effects stay.
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { DAY, settledAccount, utc } from '../../../tests/support/domain-arbitraries.ts';
import type { Account } from '../users/account.ts';
import { beginHeldTerm, type Duration } from '../users/term.ts';
import { applyTerm, daysForPart, type FulfilledTerm, revokeTerm } from './sale.ts';

const duration = fc.oneof(
  fc.record({ days: fc.integer({ min: 1, max: 400 }) }),
  fc.record({ months: fc.integer({ min: 1, max: 24 }) }),
);
const ZONE = 'Europe/Berlin';
const NOW = utc('2026-11-20T10:00Z');

function given(account: Account, by: Duration, now: number, zone: string): { account: Account; given: FulfilledTerm } {
  const result = applyTerm(account, by, now, zone);
  if (!result.ok) throw new Error(result.error);
  return result;
}

const ACCOUNT: Account = {
  enabled: true,
  expiresAt: NOW + 5 * DAY,
  hold: null,
  trafficLimit: 1000,
  usedUp: 10,
  usedDown: 20,
  totalUp: 100,
  totalDown: 200,
  resetStrategy: 'none',
  termBeganAt: NOW - 25 * DAY,
  heldAt: null,
  resetsAt: null,
  grants: [],
};

describe('revokeTerm', () => {
  test.prop([settledAccount, duration])('restores any account that had a term', (sample, by) => {
    const { now, zone } = sample;
    const account = { ...sample.account, grants: [] };
    const result = applyTerm(account, by, now, zone);
    fc.pre(result.ok);
    expect(revokeTerm(result.account, result.given, now, zone)).toEqual(account);
  });

  test.prop([fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 8 }), fc.infiniteStream(fc.nat())])(
    'leaves what the other orders gave, whichever are refunded and in whatever order',
    (lengths, chances) => {
      let account = ACCOUNT;
      const orders = lengths.map((days) => {
        const result = given(account, { days }, NOW, ZONE);
        account = result.account;
        return { days, given: result.given };
      });
      const left = [...orders];
      while (left.length > 0) {
        const [refunded] = left.splice((chances.next().value ?? 0) % left.length, 1);
        if (!refunded) throw new Error('nothing is left');
        account = revokeTerm(account, refunded.given, NOW, ZONE);
        const days = left.reduce((sum, order) => sum + order.days, 0);
        expect(account).toEqual({ ...ACCOUNT, expiresAt: NOW + (5 + days) * DAY });
      }
    },
  );

  it('ends a term now where more was given than is left of it, and never earlier', () => {
    const sold = given(ACCOUNT, { days: 30 }, NOW, ZONE);
    const shortened = { ...sold.account, expiresAt: NOW + 10 * DAY };
    expect(revokeTerm(shortened, sold.given, NOW + DAY, ZONE).expiresAt).toBe(NOW + DAY);
    const over = { ...sold.account, expiresAt: NOW - DAY };
    expect(revokeTerm(over, sold.given, NOW, ZONE)).toBe(over);
  });

  it('brings back a term that had ended, with the traffic of both', () => {
    const ended = { ...ACCOUNT, expiresAt: NOW - DAY, resetStrategy: 'period' as const, resetsAt: NOW + DAY };
    const sold = given(ended, { days: 30 }, NOW, ZONE);
    expect(sold.account).toMatchObject({ usedUp: 0, usedDown: 0, termBeganAt: NOW });
    const used = { ...sold.account, usedUp: 3, usedDown: 4 };
    expect(revokeTerm(used, sold.given, NOW + DAY, ZONE)).toEqual({ ...ended, usedUp: 13, usedDown: 24 });
  });

  it('leaves the counter of a period that the order did not begin', () => {
    const ended = { ...ACCOUNT, expiresAt: NOW - DAY, resetStrategy: 'period' as const, resetsAt: NOW + DAY };
    const sold = given(ended, { days: 90 }, NOW, ZONE);
    const later = { ...sold.account, usedUp: 7, usedDown: 0, resetsAt: NOW + 61 * DAY };
    expect(revokeTerm(later, sold.given, NOW + 40 * DAY, ZONE)).toEqual({
      ...later,
      expiresAt: ended.expiresAt,
      termBeganAt: ended.termBeganAt,
    });
  });

  it('takes nothing from a term that was made endless since', () => {
    const sold = given(ACCOUNT, { days: 30 }, NOW, ZONE);
    const endless = { ...sold.account, expiresAt: null };
    expect(revokeTerm(endless, sold.given, NOW, ZONE)).toBe(endless);
  });

  it('takes its time off a term that was waiting for its beginning, before and after that', () => {
    const held = { ...ACCOUNT, expiresAt: null, hold: { months: 1, days: 0 }, termBeganAt: null };
    const first = given(held, { months: 1 }, NOW, ZONE);
    const second = given(first.account, { days: 10 }, NOW, ZONE);
    expect(revokeTerm(second.account, first.given, NOW, ZONE).hold).toEqual({ months: 1, days: 10 });
    const begun = { ...first.account, hold: null, expiresAt: utc('2027-01-20T10:00Z'), termBeganAt: NOW };
    expect(revokeTerm(begun, first.given, NOW, ZONE).expiresAt).toBe(utc('2026-12-20T10:00Z'));
  });

  it('takes nothing of a term, or of another hold, that did not come from the one that the order made longer', () => {
    const held = { ...ACCOUNT, expiresAt: null, hold: { months: 1, days: 0 }, termBeganAt: null, heldAt: NOW - DAY };
    const sold = given(held, { months: 1 }, NOW, ZONE);
    const begun = beginHeldTerm(sold.account, NOW + DAY, ZONE);
    const renewed = given(begun, { days: 40 }, NOW + 90 * DAY, ZONE).account;
    expect(revokeTerm(renewed, sold.given, NOW + 91 * DAY, ZONE)).toBe(renewed);
    const another = { ...sold.account, heldAt: NOW + DAY };
    expect(revokeTerm(another, sold.given, NOW + 2 * DAY, ZONE)).toBe(another);
  });

  it('brings a term back that came from a hold, as the one that the order found', () => {
    const ended = { ...ACCOUNT, expiresAt: NOW - DAY, heldAt: NOW - 40 * DAY };
    const sold = given(ended, { days: 30 }, NOW, ZONE);
    expect(sold.account.heldAt).toBeNull();
    expect(revokeTerm(sold.account, sold.given, NOW + DAY, ZONE)).toEqual(ended);
  });
});

describe('grants of the period that an order ended', () => {
  const PERIOD = { bytes: 100, lifetime: 'period', days: null, endsAt: null, createdAt: 0 } as const;
  const grants = [
    { ...PERIOD, id: 1, bytesLeft: 60 },
    { ...PERIOD, id: 2, bytesLeft: 0 },
    { ...PERIOD, id: 3, bytesLeft: 40, lifetime: 'used' as const },
  ];
  const ended = { ...ACCOUNT, expiresAt: NOW - DAY, resetStrategy: 'period' as const, resetsAt: NOW + DAY, grants };

  it('are recorded, those alone that had something left, and come back with it', () => {
    const sold = given(ended, { days: 30 }, NOW, ZONE);
    expect(sold.given.endedGrants).toEqual([grants[0]]);
    expect(sold.account.grants.map(({ id, bytesLeft }) => [id, bytesLeft])).toContainEqual([1, 0]);
    const later = { ...sold.account, grants: [...sold.account.grants, { ...PERIOD, id: 4, bytesLeft: 5 }] };
    const back = revokeTerm(later, sold.given, NOW + DAY, ZONE).grants;
    expect(back.map(({ id, bytesLeft }) => [id, bytesLeft]).toSorted()).toEqual([
      [1, 60],
      [2, 0],
      [3, 40],
      [4, 5],
    ]);
  });

  it('are none where the term goes on', () => {
    expect(given({ ...ended, expiresAt: NOW + DAY }, { days: 30 }, NOW, ZONE).given).not.toHaveProperty('endedGrants');
  });

  it('count the traffic of the new period beside that of the one before', () => {
    const sold = given({ ...ended, grants: [] }, { days: 30 }, NOW, ZONE);
    const after = { ...sold.given.after, usedUp: 2, usedDown: 5 };
    const used = { ...sold.account, usedUp: 7, usedDown: 9 };
    const back = revokeTerm(used, { ...sold.given, after }, NOW + DAY, ZONE);
    expect([back.usedUp, back.usedDown]).toEqual([15, 24]);
  });

  it('stay as they are where another term has begun since, which is not shortened either', () => {
    const sold = given(ended, { days: 30 }, NOW, ZONE);
    const another = { ...sold.account, termBeganAt: NOW + 40 * DAY, expiresAt: NOW + 70 * DAY };
    expect(revokeTerm(another, sold.given, NOW + 41 * DAY, ZONE)).toBe(another);
    const same = { ...sold.account, termBeganAt: NOW + DAY };
    expect(revokeTerm(same, sold.given, NOW + 2 * DAY, ZONE)).toEqual({ ...same, expiresAt: ended.expiresAt });
  });
});

describe('daysForPart', () => {
  const eur = (amount: number) => ({ amount, currency: 'EUR' });

  it('is as many days as the part of the price, rounded down, and one at the least', () => {
    expect(daysForPart({ days: 30 }, eur(499), eur(1000))).toBe(14);
    expect(daysForPart({ days: 30 }, eur(500), eur(1000))).toBe(15);
    expect(daysForPart({ months: 2 }, eur(500), eur(1000))).toBe(30);
    expect(daysForPart({ days: 30 }, eur(1), eur(1000))).toBe(1);
    expect(daysForPart({ days: 30 }, eur(2000), eur(1000))).toBe(60);
  });

  it('is nothing where no time was sold, or prices cannot be compared', () => {
    expect(daysForPart(null, eur(500), eur(1000))).toBeNull();
    expect(daysForPart({ days: 30 }, eur(500), null)).toBeNull();
    expect(daysForPart({ days: 30 }, { amount: 500, currency: 'USD' }, eur(1000))).toBeNull();
    expect(daysForPart({ days: 30 }, eur(500), eur(0))).toBeNull();
  });
});
