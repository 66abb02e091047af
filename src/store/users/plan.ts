// Chooses the way to a page of users: the index that has them in order, or the few that a condition leaves.

import type { SortField } from '../../contract/users.ts';
import type { PageRequest, UserConditions } from '../../core/ports/users.ts';
import { equals, type Statements } from '../statements.ts';
import { type Entry, type Filter, HOLDS, testsBut } from './filter.ts';
import { IS_STALE, STALE_SOURCES, TRUTH, type UserStates } from './states.ts';

/** Up to this many users are sorted for a page; where there are more, an index is walked, which then meets one soon. */
const FEW = 5000;
/** Up to this many times as many that a search finds are put in a set; where there are more, reading rows meets one soon. */
const SET = 20;

/** Users from one place; those of two branches of a plan are never the same. */
export interface Branch {
  readonly from: string;
  readonly where: readonly string[];
  /** The user's id there. */
  readonly id: string;
  /** What `users AS u` is joined by, where it is not in `from` yet. */
  readonly join: string;
}

export interface Plan {
  readonly branches: readonly Branch[];
  /** Whether each branch gives its users in the order asked for, so that a page reads no more than it shows. */
  readonly isOrdered: boolean;
}

/** The columns that a sort compares, before the id. */
export const SORT_COLUMN: Readonly<Record<Exclude<SortField, 'id'>, string>> = {
  name: 'u.name_sort',
  created_at: 'u.created_at',
  expires_at: 'u.expires_at',
  used: 'u.used',
};

const INDEX: Readonly<Record<SortField, string>> = {
  id: '',
  name: '_name',
  created_at: '_created',
  expires_at: '_expires',
  used: '_used',
};

export interface Planner {
  forPage(filter: Filter, request: Pick<PageRequest, 'conditions' | 'sort' | 'now'>, isAnyStale: boolean): Plan;
  /** For counts and for all ids: the fewest rows, in no order. */
  forAll(filter: Filter): Plan;
}

/** `few` is given by tests only: with 0 every index is walked, however small the table. */
export function createPlanner(statements: Statements, states: UserStates, few = FEW): Planner {
  function areFew(filter: Filter, { table, where }: Entry, most = few): boolean {
    const sql = `SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${where} LIMIT ${most + 1})`;
    return (statements.value<number>(sql, filter.params) ?? 0) <= most;
  }

  /** The tests of a walk. */
  function testsOf(filter: Filter): ReadonlyMap<string, string> {
    const text = filter.entries.find(({ kind }) => kind === 'text');
    if (!text || filter.textBySet === null || !areFew(filter, text, few * SET)) return filter.tests;
    return new Map([...filter.tests, ['text', filter.textBySet]]);
  }

  /** The index to walk under these conditions, and whether it is in the order of the sort. */
  function walked(
    { state, tariffId }: UserConditions,
    sort: SortField,
    now: number,
  ): [index: string, isOrdered: boolean] {
    if (state === undefined && tariffId === undefined) return [`users${INDEX[sort]}`, true];
    if (state !== undefined && tariffId !== undefined) {
      if (sort === 'id') return ['users_tariff_state', true];
      if (states.count({ state, tariffId }, now) <= few) return ['users_tariff_state', false];
      if (sort === 'used') return ['users_used', true];
      // Those that expired come first in a plan, and are of one state.
      const isByState = sort === 'expires_at' || states.count({ state }, now) < states.count({ tariffId }, now);
      return [`users_${isByState ? 'state' : 'tariff'}${INDEX[sort]}`, true];
    }
    const by = state === undefined ? 'users_tariff' : 'users_state';
    if (sort !== 'used') return [`${by}${INDEX[sort]}`, true];
    return states.count({ state, tariffId }, now) <= few ? [by, false] : ['users_used', true];
  }

  return {
    forPage: (filter, { conditions, sort, now }, isAnyStale) => {
      const { entries } = filter;
      const ordered = sort === 'id' ? entries.find(({ isOrdered }) => isOrdered) : undefined;
      const best = entries.length === 1 && ordered ? ordered : entries.find((entry) => areFew(filter, entry));
      const entry = best ?? ordered;
      if (entry) return { branches: enter(filter, entry), isOrdered: entry === ordered };
      const [index, isOrdered] = walked(conditions, sort, now);
      return { branches: walk(testsOf(filter), index, isAnyStale), isOrdered };
    },
    forAll: (filter) => {
      const { entries, tests } = filter;
      const best = tests.size > 1 ? entries.find((entry) => areFew(filter, entry)) : entries[0];
      const entry = best ?? entries.find(({ kind }) => kind === 'text' || kind === 'tag');
      if (entry) return { branches: enter(filter, entry), isOrdered: false };
      const where = [...tests.values()];
      return { branches: [{ from: 'users AS u', where, id: 'u.id', join: '' }], isOrdered: false };
    },
  };
}

function enter(filter: Filter, { kind, table, where, id, join }: Entry): Branch[] {
  const others = testsBut(filter.tests, kind);
  const isJoined = others.length > 0;
  const branch = { from: isJoined ? table + join : table, where: [where, ...others], id, join: isJoined ? '' : join };
  if (kind !== 'text' || filter.search === null || filter.search.id === null) return [branch];
  const ofId = ['u.id = :sought', `NOT ${HOLDS}`, ...others];
  return [branch, { from: 'users AS u NOT INDEXED', where: ofId, id: 'u.id', join: '' }];
}

function walk(tests: ReadonlyMap<string, string>, index: string, isAnyStale: boolean): Branch[] {
  const from = index === 'users' ? 'users AS u NOT INDEXED' : `users AS u INDEXED BY ${index}`;
  const isByState = index.startsWith('users_state') || index === 'users_tariff_state';
  if (!isAnyStale || !isByState) return [{ from, where: [...tests.values()], id: 'u.id', join: '' }];
  // The index has the stored state: those whose time has come are looked at one by one.
  const others = testsBut(tests, 'state');
  const fresh = [equals('u.state', ':state'), `${IS_STALE} IS NOT TRUE`, ...others];
  const stale = STALE_SOURCES.map((source) => ({
    from: source.from,
    where: [source.where, `${TRUTH} = :state`, ...others],
    id: 'u.id',
    join: '',
  }));
  return [{ from, where: fresh, id: 'u.id', join: '' }, ...stale];
}
