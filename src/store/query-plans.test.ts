// Lists that must be fast read an index in order and nothing more: checked by SQLite's query plan of each.
import { describe, expect, it } from 'vitest';
import { sampleUser, tempStore } from '../../tests/support/temp-store.ts';
import { SORTS, type SortField } from '../contract/users/users.ts';
import type { PageRequest, UserConditions } from '../core/ports/users.ts';
import type { Connection } from './database.ts';
import { createUserLists } from './users/list.ts';
import { createUserStates } from './users/states.ts';
import { createUserStore } from './users/users.ts';

/** Parameters of any name, all null. */
const ANYTHING = new Proxy(
  {},
  { get: () => 1, has: () => true, getOwnPropertyDescriptor: () => ({ configurable: true }) },
);

/** The connection, with the query plan of each statement that it runs. */
function spy(db: Connection): { readonly db: Connection; texts(): string[]; plans(): string[] } {
  let texts: string[] = [];
  const watched = new Proxy(db, {
    get: (target, name) => {
      if (name !== 'prepare') return Reflect.get(target, name) as unknown;
      return (sql: string) => {
        texts.push(sql);
        return target.prepare(sql);
      };
    },
  });
  return {
    db: watched,
    texts: () => texts,
    plans: () => {
      const details = texts.flatMap((sql) => {
        const explain = db.prepare<unknown[], { readonly detail: string }>(`EXPLAIN QUERY PLAN ${sql}`);
        const positional = [...sql.matchAll(/\?/g)].map(() => 1);
        return explain.all(...(positional.length > 0 ? positional : [ANYTHING]));
      });
      texts = [];
      return details.map(({ detail }) => detail);
    },
  };
}

/** What the query plan of a fast list never contains: a scan of the users, or sorting them. */
const SLOW = /^SCAN (u|users)( |$)(?!USING)|TEMP B-TREE|AUTOMATIC/;

const FAST: readonly (readonly [string, UserConditions, readonly SortField[]])[] = [
  ['without a filter', {}, SORTS],
  ['under state', { states: ['active'] }, ['id', 'name', 'created_at', 'expires_at']],
  ['under tariff_id', { tariffId: 1 }, ['id', 'name', 'created_at', 'expires_at']],
  ['under both', { states: ['active'], tariffId: 1 }, ['id']],
  ['under a tag', { tag: 'a' }, ['id']],
  ['under a contact', { contact: 'a' }, ['id']],
  ['under a search', { q: 'anna' }, ['id']],
  ['under a short search', { q: 'an' }, ['id']],
  ['under an end of term', { expiresAfter: 1, expiresBefore: 2 }, ['expires_at']],
];

describe('a page', () => {
  const cases = FAST.flatMap(([title, conditions, sorts]) =>
    sorts.flatMap((sort) => [true, false].map((descending) => ({ title, conditions, sort, descending }))),
  );
  it.each(cases)('$title by $sort (descending: $descending) walks an index', ({ conditions, sort, descending }) => {
    using temp = tempStore();
    const watched = spy(temp.db);
    const states = createUserStates(temp.db);
    // With `few` -1 no table counts as small, so the planner does what it does with a million users.
    const pages = createUserLists(watched.db, states, -1);
    const value = sort === 'name' ? 'x' : 5;
    for (const after of [null, { value, id: 5 }] satisfies PageRequest['after'][]) {
      pages.page({ conditions, sort, descending, limit: 50, offset: 0, after, now: 0 });
      const plans = watched.plans();
      expect(plans.length).toBeGreaterThan(0);
      // The table itself is ordered by id.
      const isOrderOfTable = (detail: string) =>
        sort === 'id' && Object.keys(conditions).length === 0 && detail === 'SCAN u';
      expect(plans.filter((detail) => SLOW.test(detail) && !isOrderOfTable(detail))).toEqual([]);
      if (after !== null) expect(plans.filter((detail) => /^SCAN (?!t VIRTUAL)/.test(detail))).toEqual([]);
    }
  });

  it('by offset skips over an index without reading users', () => {
    using temp = tempStore();
    for (let index = 0; index < 3; index += 1) temp.store.users.insert(sampleUser());
    const watched = spy(temp.db);
    const pages = createUserLists(watched.db, createUserStates(temp.db), -1);
    for (const sort of ['name', 'created_at', 'expires_at', 'used'] as const) {
      pages.page({ conditions: {}, sort, descending: true, limit: 50, offset: 1, after: null, now: 0 });
      const [first] = watched.plans();
      expect(first).toMatch(/^SCAN u USING COVERING INDEX users_/);
    }
  });
});

describe('a page by an offset behind the middle', () => {
  it.each(['name', 'created_at', 'expires_at', 'used'] as const)('by %s is read from the end of the list', (sort) => {
    using temp = tempStore();
    for (let index = 0; index < 3; index += 1) temp.store.users.insert(sampleUser());
    const watched = spy(temp.db);
    const pages = createUserLists(watched.db, createUserStates(temp.db), 0);
    const page = pages.page({ conditions: {}, sort, descending: false, limit: 1, offset: 2, after: null, now: 0 });
    expect(page.rows.map(({ id }) => id)).toEqual([3]);
    expect(watched.texts().filter((sql) => / (ASC|DESC)/.test(sql))).toEqual([expect.stringContaining(' DESC')]);
  });
});

describe('a page by a deep offset while the state of some is to be computed', () => {
  const cases = [
    { states: ['active'], sort: 'name', index: 'users_state_name' },
    { states: ['active', 'expired'], sort: 'id', index: 'users_state' },
  ] as const;
  it.each(cases)('of $states by $sort merges indexes without reading users', ({ states, sort, index }) => {
    using temp = tempStore();
    temp.store.users.insert(sampleUser({ expiresAt: 5, dueAt: 5 }));
    for (let index = 0; index < 3; index += 1) temp.store.users.insert(sampleUser());
    const watched = spy(temp.db);
    const pages = createUserLists(watched.db, createUserStates(temp.db), -1);
    pages.page({ conditions: { states }, sort, descending: false, limit: 50, offset: 1, after: null, now: 10 });
    const plans = watched.plans();
    expect(plans).toContain('MERGE (UNION ALL)');
    const ranges = plans.filter((detail) => detail.startsWith(`SEARCH u USING COVERING INDEX ${index} (`));
    expect(ranges.length).toBe(states.length);
  });
});

describe('everything else that is asked of users', () => {
  it('looks into an index', () => {
    using temp = tempStore();
    const watched = spy(temp.db);
    createUserStore(watched.db);
    const slow = watched.plans().filter((detail) => SLOW.test(detail) && !/^USE TEMP B-TREE FOR GROUP BY/.test(detail));
    expect(slow).toEqual([]);
  });
});

describe('a count', () => {
  const counted: readonly (readonly [string, UserConditions, RegExp])[] = [
    ['tag', { tag: 'a' }, /^SEARCH t USING PRIMARY KEY/],
    ['contact', { contact: 'a' }, /^SEARCH u USING COVERING INDEX users_contact/],
    ['online', { online: true }, /^SEARCH u USING COVERING INDEX users_online/],
    ['updated_since', { updatedSince: 1 }, /^SEARCH u USING COVERING INDEX users_updated/],
    ['expires', { expiresBefore: 1 }, /^SEARCH u USING COVERING INDEX users_expires/],
    ['q', { q: 'anna' }, /^SCAN t VIRTUAL TABLE/],
    [
      'state and expires',
      { states: ['active'], expiresBefore: 1 },
      /^SEARCH u USING COVERING INDEX users_state_expires/,
    ],
  ];
  it.each(counted)('by %s reads an index alone', (_, conditions, plan) => {
    using temp = tempStore();
    const watched = spy(temp.db);
    createUserLists(watched.db, createUserStates(temp.db), -1).count(conditions, 0);
    expect(watched.plans().at(-1)).toMatch(plan);
  });

  it('by state, tariff or neither reads no user', () => {
    using temp = tempStore();
    temp.store.users.insert(sampleUser());
    const watched = spy(temp.db);
    const pages = createUserLists(watched.db, createUserStates(temp.db), -1);
    for (const conditions of [
      {},
      { states: ['active'] },
      { tariffId: 1 },
      { states: ['active'], tariffId: 1 },
    ] as const) {
      pages.count(conditions, 0);
    }
    expect(watched.plans()).toEqual([]);
  });
});
