// Pages, counts and ids under random filters, sorts and times, compared with a simple filter and sort in memory.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { times } from '../../../tests/support/long.ts';
import { NOTICES, sampleTariff, sampleUser, storeAccount, tempStore } from '../../../tests/support/temp-store.ts';
import type { GrantLifetime } from '../../contract/users/grants.ts';
import { SORTS, type SortField, USER_STATES } from '../../contract/users/users.ts';
import { computeSortKey, foldText } from '../../core/kernel/sort-key.ts';
import type { Store } from '../../core/ports/ports.ts';
import type { PageRequest, UserConditions, UserRow } from '../../core/ports/users.ts';
import { type Account, computeUserState } from '../../domain/users/account.ts';
import { settle } from '../../domain/users/settle.ts';
import { isTrafficLow } from '../../domain/users/traffic.ts';
import type { Connection } from '../database.ts';
import { createUserLists, type UserLists } from './list.ts';
import { createUserStates } from './states.ts';

const WRITTEN_AT = 1_000_000;
const moment = fc.integer({ min: WRITTEN_AT - 20, max: WRITTEN_AT + 20 });
const later = fc.integer({ min: WRITTEN_AT, max: WRITTEN_AT + 25 });
const few = fc.integer({ min: 0, max: 3 });

const account = fc
  .record({
    enabled: fc.boolean(),
    expiresAt: fc.option(moment),
    hold: fc.option(fc.record({ months: few, days: few })),
    trafficLimit: fc.option(fc.integer({ min: 1, max: 3 })),
    usedUp: few,
    usedDown: few,
    resetsAt: fc.option(later.map((at) => at + 1)),
    grants: fc.array(
      fc.record({
        bytesLeft: few,
        lifetime: fc.constantFrom<GrantLifetime>('used', 'period', 'days'),
        endsAt: later.map((at) => at + 1),
      }),
      { maxLength: 2 },
    ),
  })
  .map(
    ({ grants, hold, ...rest }): Account => ({
      ...rest,
      hold: rest.expiresAt === null ? hold : null,
      totalUp: rest.usedUp,
      totalDown: rest.usedDown,
      resetStrategy: 'none',
      termBeganAt: null,
      grants: grants.map(({ endsAt, bytesLeft, lifetime }, index) => ({
        id: index + 1,
        bytes: 10,
        bytesLeft,
        lifetime,
        days: lifetime === 'days' ? 1 : null,
        endsAt: lifetime === 'days' ? endsAt : null,
        createdAt: 0,
      })),
    }),
  );

const word = fc.constantFrom(
  'Anna',
  'ANNA',
  'Привет',
  'при',
  'straße',
  'STRASSE',
  'ан',
  '12',
  '3',
  'Ж',
  '💡x',
  'a"b',
  '%_',
);
const text = fc.array(word, { minLength: 1, maxLength: 2 }).map((words) => words.join(' '));
const user = fc.record({
  account,
  fields: fc.record({
    name: text,
    contact: fc.constantFrom('', '@anna', '@ANNA', '12'),
    note: fc.constantFrom('', 'привет\nмир', 'x'),
    tags: fc.constantFrom([], ['vip'], ['vip', 'друг']),
    metadata: fc.constantFrom({}, { plan: 'a' }, { plan: 'b', from: 'a' }),
    tariffId: fc.constantFrom(1, 2, null),
    onlineAt: fc.option(moment.map((at) => at - 60_000)),
    createdAt: few,
    updatedAt: few,
  }),
});

/** Present in one of `of` requests: many conditions at once would match nobody. */
const rarely = <T>(values: fc.Arbitrary<T>, of = 6) =>
  fc.oneof({ weight: of - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: values });
const CONDITIONS: { readonly [Name in keyof UserConditions]-?: fc.Arbitrary<UserConditions[Name]> } = {
  states: rarely(fc.uniqueArray(fc.constantFrom(...USER_STATES), { minLength: 1, maxLength: 4 }), 2),
  ids: rarely(fc.uniqueArray(fc.integer({ min: 1, max: 14 }), { minLength: 1, maxLength: 6 })),
  externalId: rarely(fc.constantFrom('ext-Anna-1', 'ext-Anna-2', 'none')),
  telegramId: rarely(fc.constantFrom(1001, 1002, 9)),
  metadata: rarely(fc.record({ key: fc.constantFrom('plan', 'from'), value: fc.constantFrom('a', 'b') })),
  q: rarely(fc.oneof(word, fc.constantFrom('А', 'н', 'nn', '1', '2', 'ss', '\n', 'nobody', ' ')), 3),
  tariffId: rarely(fc.constantFrom(1, 2, 3)),
  tag: rarely(fc.constantFrom('vip', 'друг', 'none')),
  contact: rarely(fc.constantFrom('', '@anna')),
  online: rarely(fc.boolean()),
  connected: rarely(fc.boolean()),
  trafficLow: rarely(fc.boolean()),
  expiresBefore: rarely(moment),
  expiresAfter: rarely(moment),
  updatedSince: rarely(few),
  // Connections have tests of their own: without any, nobody may use a node.
  nodeId: rarely(fc.constant(1), 20),
};
const conditions: fc.Arbitrary<UserConditions> = fc.record(CONDITIONS);
const request = fc.record({
  conditions,
  sort: fc.constantFrom(...SORTS),
  descending: fc.boolean(),
  limit: fc.integer({ min: 1, max: 5 }),
  offset: fc.integer({ min: 0, max: 4 }),
  now: later,
});

interface Known {
  readonly row: UserRow;
  readonly account: Account;
}

type Values = { readonly [Name in keyof UserConditions]-?: Exclude<UserConditions[Name], undefined> };

/** Whether a user meets each condition. */
const HOLDS: { readonly [Name in keyof Values]: (known: Known, value: Values[Name], now: number) => boolean } = {
  states: ({ row, account: facts }, states, now) =>
    states.includes(computeUserState(settle(facts, row, now, 'UTC', NOTICES).account, now)),
  ids: ({ row }, ids) => ids.includes(row.id),
  externalId: ({ row }, externalId) => row.externalId === externalId,
  telegramId: ({ row }, telegramId) => row.telegramId === telegramId,
  metadata: ({ row }, { key, value }) => row.metadata[key] === value,
  q: ({ row }, q) => {
    const fields = [row.name, row.contact, row.note, ...row.tags, row.externalId ?? ''].map(foldText);
    return q === String(row.id) || (q !== '\n' && fields.some((field) => field.includes(foldText(q))));
  },
  tariffId: ({ row }, tariffId) => row.tariffId === tariffId,
  tag: ({ row }, tag) => row.tags.includes(tag),
  contact: ({ row }, contact) => row.contact === contact,
  online: ({ row }, online, now) => online === (row.onlineAt !== null && row.onlineAt > now - 60_000),
  connected: ({ row }, connected) => connected === (row.onlineAt !== null),
  trafficLow: ({ account: facts }, trafficLow) => trafficLow === isTrafficLow(facts, WRITTEN_AT),
  expiresBefore: ({ row }, before) => row.expiresAt !== null && row.expiresAt < before,
  expiresAfter: ({ row }, after) => row.expiresAt !== null && row.expiresAt >= after,
  updatedSince: ({ row }, since) => row.updatedAt >= since,
  nodeId: () => false,
};

function holds(known: Known, asked: UserConditions, now: number): boolean {
  const meets = <Name extends keyof Values>(name: Name, value: Values[Name]) => HOLDS[name](known, value, now);
  return (Object.keys(HOLDS) as (keyof Values)[]).every((name) => {
    const value = asked[name];
    return value === undefined || meets(name, value);
  });
}

function compare(a: UserRow, b: UserRow, sort: SortField): number {
  const [left, right] = [computeSortKey(a, sort), computeSortKey(b, sort)];
  const byId = a.id - b.id;
  if (typeof left === 'string' || typeof right === 'string') {
    return Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right))) || byId;
  }
  const [first, second] = [left ?? Number.MAX_VALUE, right ?? Number.MAX_VALUE];
  return first === second ? byId : first - second;
}

function expected(known: readonly Known[], { conditions: asked, sort, descending, now }: Omit<PageRequest, 'after'>) {
  const rows = known.filter((one) => holds(one, asked, now)).map(({ row }) => row);
  return rows.sort((a, b) => (descending ? -1 : 1) * compare(a, b, sort));
}

const UNDONE = new Error('undone');

/** Runs `check` on a store with these users, then undoes the writes. */
function withUsers(
  { store, db }: { store: Store; db: Connection },
  users: readonly { account: Account; fields: Partial<UserRow> }[],
  check: (known: readonly Known[], pages: readonly UserLists[]) => void,
): void {
  // Several query plans lead to the same page: with 0 every index is scanned, however small the table.
  const pages = [0, 3, 5000].map((most) => createUserLists(db, createUserStates(db), most));
  const run = () =>
    store.write(() => {
      const flags = { noticeAnnounced: 1, expiredAnnounced: false };
      const known = users.map(({ account: facts, fields }, index) => ({
        account: facts,
        row: storeAccount(store, facts, { ...flags, expiredAnnounced: isPast(facts) }, WRITTEN_AT, {
          ...fields,
          // Unique, and set for every other user.
          externalId: index % 2 === 0 ? null : `ext-Anna-${index}`,
          telegramId: index % 2 === 0 ? null : 1000 + index,
        }),
      }));
      check(known, pages);
      throw UNDONE;
    });
  expect(run).toThrow(UNDONE);
}

function isPast({ expiresAt }: Account): boolean {
  return expiresAt !== null && expiresAt <= WRITTEN_AT;
}

function ofTariffs() {
  const temp = tempStore();
  for (const _ of [1, 2]) temp.store.tariffs.insert(sampleTariff());
  return temp;
}

describe('page, count and ids', () => {
  it('equal those of a list in memory', () => {
    using temp = ofTariffs();
    fc.assert(
      fc.property(
        fc.array(user, { maxLength: 12 }),
        fc.array(request, { minLength: 1, maxLength: 4 }),
        (users, asked) =>
          withUsers(temp, users, (known, ways) => {
            for (const one of asked) {
              const all = expected(known, one);
              const end = one.offset + one.limit;
              for (const pages of ways) {
                const { rows, hasMore } = pages.page({ ...one, after: null });
                expect(rows).toEqual(all.slice(one.offset, end));
                expect(hasMore).toBe(all.length > end);
                expect(pages.count(one.conditions, one.now)).toBe(all.length);
                expect(pages.ids(one.conditions, one.now)).toEqual(all.map(({ id }) => id).sort((a, b) => a - b));
              }
            }
          }),
      ),
      { numRuns: times(100, 300) },
    );
  });

  it('walked by cursor give every user once, in the order of the sort', () => {
    using temp = ofTariffs();
    fc.assert(
      fc.property(fc.array(user, { maxLength: 12 }), request, (users, asked) =>
        withUsers(temp, users, (known, ways) => {
          const all = expected(known, asked).map(({ id }) => id);
          for (const pages of ways) {
            const seen: number[] = [];
            let after: PageRequest['after'] = null;
            for (let isMore = true; isMore; ) {
              const page = pages.page({ ...asked, offset: 0, after });
              seen.push(...page.rows.map(({ id }) => id));
              const last = page.rows.at(-1);
              after = last ? { value: computeSortKey(last, asked.sort), id: last.id } : null;
              isMore = page.hasMore;
            }
            expect(seen).toEqual(all);
          }
        }),
      ),
      { numRuns: times(100, 300) },
    );
  });

  it('skip a deep offset in both directions, over ids that are not there', () => {
    using temp = tempStore();
    const { store } = temp;
    const users = 4000;
    const ids = store.write(() => Array.from({ length: users }, () => store.users.insert(sampleUser())));
    store.write(() => {
      for (const id of ids) if (id % 3 === 0 || (id > 1000 && id < 2100)) store.users.remove(id);
    });
    const left = ids.filter((id) => id % 3 !== 0 && !(id > 1000 && id < 2100));
    for (const descending of [false, true]) {
      const all = descending ? left.toReversed() : left;
      for (const offset of [0, 600, 1024, 1025, 1500, left.length - 3, left.length, left.length + 5000]) {
        const asked = {
          conditions: {},
          sort: 'id',
          descending,
          limit: 5,
          offset,
          after: null,
          now: WRITTEN_AT,
        } as const;
        const { rows, hasMore } = store.users.page(asked);
        const found = [rows.map(({ id }) => id), hasMore];
        expect(found, `${offset}`).toEqual([all.slice(offset, offset + 5), offset + 5 < all.length]);
      }
    }
  });

  it('skip a deep offset among the users of one state, in every order', () => {
    using temp = tempStore();
    const { store } = temp;
    store.write(() => {
      for (let number = 0; number < 4000; number += 1) {
        const enabled = number % 4 !== 0;
        const name = `user ${(number * 7919) % 1000}`;
        store.users.insert(sampleUser({ name, enabled, state: enabled ? 'active' : 'disabled' }));
      }
    });
    const asked = { conditions: { states: ['active'] }, now: WRITTEN_AT, after: null } as const;
    for (const sort of ['id', 'name', 'created_at', 'expires_at', 'used'] as const) {
      for (const descending of [false, true]) {
        const order = { ...asked, sort, descending };
        const all = store.users.page({ ...order, limit: 4000, offset: 0 }).rows.map(({ id }) => id);
        expect(all).toHaveLength(3000);
        for (const offset of [1024, 1025, 1499, 1500, 1501, 2994, 2995, 2996, 3000]) {
          const { rows, hasMore } = store.users.page({ ...order, limit: 5, offset });
          const found = [rows.map(({ id }) => id), hasMore];
          expect(found, `${sort} ${offset}`).toEqual([all.slice(offset, offset + 5), offset + 5 < 3000]);
        }
      }
    }
  });

  it('skip an offset behind a cursor too', () => {
    using temp = ofTariffs();
    const facts = { expiresAt: null, hold: null, grants: [], resetStrategy: 'none', termBeganAt: null } as const;
    const none = { trafficLimit: null, usedUp: 0, usedDown: 0, totalUp: 0, totalDown: 0, resetsAt: null };
    const users = ['b', 'a', 'b', 'b', 'c'].map((name) => ({
      account: { enabled: true, ...facts, ...none },
      fields: { name },
    }));
    withUsers(temp, users, (known, ways) => {
      const [first] = known;
      const after = { value: 'b', id: first?.row.id ?? 0 };
      const asked = { conditions: {}, sort: 'name', descending: false, limit: 1, offset: 1, now: WRITTEN_AT } as const;
      for (const pages of ways) {
        const { rows, hasMore } = pages.page({ ...asked, after });
        expect([rows.map(({ id }) => id), hasMore]).toEqual([[known[3]?.row.id], true]);
      }
    });
  });
});
