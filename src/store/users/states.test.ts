// The state in SQL and the state of the domain are the same, for any account at any later or earlier time.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY, settledAccount } from '../../../tests/support/domain-arbitraries.ts';
import { NOTICES, sampleTariff, sampleUser, storeAccount, tempStore } from '../../../tests/support/temp-store.ts';
import { USER_STATES } from '../../contract/users/users.ts';
import { computeUserState } from '../../domain/users/account.ts';
import { freshFlags, settle } from '../../domain/users/settle.ts';
import { CURRENT_STATE, STALE_IDS } from './states.ts';

/** Other times: near, so that little is due; far; and earlier, as after a clock that was set back. */
const later = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 0, max: 10 * DAY }),
  fc.integer({ min: 0, max: 400 * DAY }),
  fc.integer({ min: -400 * DAY, max: 0 }),
);

describe('true state', () => {
  it('equals that of the domain after settling', () => {
    using temp = tempStore();
    const { store, db } = temp;
    const truth = db
      .prepare<[{ now: number; id: number }], string>(`SELECT ${CURRENT_STATE} FROM users AS u WHERE u.id = :id`)
      .pluck();
    fc.assert(
      fc.property(settledAccount, later, fc.boolean(), ({ account, now, zone }, by, isAnnounced) => {
        const flags = isAnnounced ? freshFlags(account, now, NOTICES) : { noticeAnnounced: 1, expiredAnnounced: false };
        const row = store.write(() => storeAccount(store, account, flags, now));
        const settled = settle(account, flags, now + by, zone, NOTICES);
        expect(truth.get({ now: now + by, id: row.id })).toBe(computeUserState(settled.account, now + by));
      }),
      { numRuns: 400 },
    );
  });

  it('needs no look at rows of which only the counter is reset or a notice is due', () => {
    using temp = tempStore();
    const { store, db } = temp;
    store.users.insert(sampleUser({ resetsAt: 100, dueAt: 100, expiresAt: 10_000, trafficLimit: 5 }));
    store.users.insert(sampleUser({ enabled: false, state: 'disabled', expiresAt: 50, dueAt: 50 }));
    expect(db.prepare(`SELECT count(*) FROM (${STALE_IDS})`).pluck().get({ now: 1000 })).toBe(0);
    expect(store.users.countsByState(1000)).toMatchObject({ active: 1, disabled: 1, expired: 0 });
  });
});

describe('rows whose state is to be computed', () => {
  it('are all whose stored state is not the true one, none twice', () => {
    using temp = tempStore();
    const { store, db } = temp;
    const stale = db.prepare<[{ now: number }], number>(STALE_IDS).pluck();
    fc.assert(
      fc.property(fc.array(settledAccount, { maxLength: 6 }), later, (accounts, by) => {
        const moment = Math.max(0, ...accounts.map(({ now }) => now)) + by;
        const users = store.write(() =>
          accounts.map(({ account, now, zone }) => {
            const flags = { noticeAnnounced: 1, expiredAnnounced: false };
            const { id, state } = storeAccount(store, account, flags, now);
            return {
              id,
              state,
              truth: computeUserState(settle(account, flags, moment, zone, NOTICES).account, moment),
            };
          }),
        );
        const found = stale.all({ now: moment });
        expect(new Set(found).size).toBe(found.length);
        for (const { id, state, truth } of users) if (state !== truth) expect(found).toContain(id);
        store.write(() => {
          for (const { id } of users) store.users.remove(id);
        });
      }),
    );
  });
});

describe('maintained counts', () => {
  it('follow inserts, changes, deletions and passing time', () => {
    using temp = tempStore();
    const { store } = temp;
    const tariffId = store.tariffs.insert(sampleTariff());
    const ids = [100, 200, 300].map((expiresAt) =>
      store.users.insert(sampleUser({ tariffId, expiresAt, dueAt: expiresAt })),
    );
    store.users.insert(sampleUser());
    expect(store.users.countsByState(99)).toEqual({ active: 4, on_hold: 0, limited: 0, expired: 0, disabled: 0 });
    expect(store.users.countsByState(200)).toEqual({ active: 2, on_hold: 0, limited: 0, expired: 2, disabled: 0 });
    expect(store.users.count({ tariffId, states: ['expired'] }, 200)).toBe(2);
    expect(store.users.count({ tariffId, states: ['active'] }, 200)).toBe(1);
    expect(store.users.count({ states: ['active'] }, 200)).toBe(2);

    const [first = 0, second = 0] = ids;
    const row = store.users.get(first);
    if (row) store.users.save(row, { ...row, state: 'disabled', enabled: false, tariffId: null });
    store.users.remove(second);
    expect(store.users.countsByState(99)).toEqual({ active: 2, on_hold: 0, limited: 0, expired: 0, disabled: 1 });
    expect(store.users.countByTariff(tariffId)).toBe(1);
    expect(store.users.count({}, 99)).toBe(3);
  });

  it('are there for each state without users', () => {
    using temp = tempStore();
    expect(Object.keys(temp.store.users.countsByState(0)).sort()).toEqual([...USER_STATES].sort());
  });
});
