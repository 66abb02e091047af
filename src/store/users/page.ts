// Pages of users under any filter and sort, by offset or behind a row already seen, and their exact number.
import type { PageRequest, UserConditions, UserRow } from '../../core/ports/users.ts';
import type { Connection } from '../database.ts';
import { createStatements, equals, limitTo, type Params } from '../statements.ts';
import { type Filter, toFilter } from './filter.ts';
import { createFinder } from './finder.ts';
import { type Branch, createPlanner, type Plan, SORT_COLUMN } from './plan.ts';
import { decodeUser, NEVER, USER_COLUMNS, type UserCells } from './row.ts';
import type { UserStates } from './states.ts';

export interface UserPages {
  page(request: PageRequest): { readonly rows: readonly UserRow[]; readonly hasMore: boolean };
  count(conditions: UserConditions, now: number): number;
  ids(conditions: UserConditions, now: number): readonly number[];
}

const CELLS = USER_COLUMNS.replaceAll(/\w+/g, 'u.$&');
const BY_IDS = `SELECT ${CELLS} FROM json_each(:ids) AS asked CROSS JOIN users AS u ON u.id = asked.value`;

/** Each method sees one state of the database if it is called in a transaction, as the core does. `few`: see the planner. */
export function createUserPages(db: Connection, states: UserStates, few?: number): UserPages {
  const statements = createStatements(db);
  const planner = createPlanner(statements, states, few);
  const find = createFinder(statements, few);

  /** The rows behind `after`, at most `limit`, of a plan with one branch that is in order. */
  function readRows(branch: Branch, request: PageRequest, limit: number, params: Params): UserRow[] {
    const rows: UserRow[] = [];
    for (const behind of segments(branch.id, request)) {
      if (rows.length === limit) break;
      const sql = `SELECT ${CELLS} FROM ${branch.from}${branch.join}${whereOf([...branch.where, ...behind])}
        ORDER BY ${orderOf(branch.id, request)} ${limitTo(':limit')}`;
      const cells = statements.rows<UserCells>(sql, { ...params, limit: limit - rows.length });
      for (const row of cells) rows.push(decodeUser(row));
    }
    return rows;
  }

  function readIds({ branches }: Plan, request: PageRequest, limit: number, params: Params): number[] {
    const { after, offset } = request;
    // Behind a row, an offset counts over two statements: it is skipped here.
    const skipped = after === null ? 0 : offset;
    const [most, begin] = after === null ? [limit, offset] : [limit + offset, 0];
    const ids: number[] = [];
    for (const part of segmentNumbers(request)) {
      if (ids.length === most) break;
      const rest = most - ids.length;
      const values = { ...params, limit: rest, offset: begin, reach: rest + begin };
      for (const id of statements.column<number>(idsSql(branches, request, part), values)) ids.push(id);
    }
    return ids.slice(skipped);
  }

  function rowsOf(ids: readonly number[]): UserRow[] {
    const found = new Map<number, UserRow>();
    for (const cells of statements.rows<UserCells>(BY_IDS, { ids: JSON.stringify(ids) })) {
      found.set(cells[0], decodeUser(cells));
    }
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  return {
    page: (request) => {
      const { conditions, now, limit, offset, after } = request;
      const isAnyStale = conditions.state !== undefined && states.isAnyStale(now);
      const filter = toFilter(conditions, now, isAnyStale, find);
      if (filter === null) return { rows: [], hasMore: false };
      const plan = planner.forPage(filter, request, isAnyStale);
      const values = { ...filter.params, ...(after === null ? {} : afterParams(after)), now };
      const [first] = plan.branches;
      const isPlain = plan.branches.length === 1 && plan.isOrdered && offset === 0;
      const rows =
        isPlain && first
          ? readRows(first, request, limit + 1, values)
          : rowsOf(readIds(plan, request, limit + 1, values));
      return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
    },
    count: (conditions, now) => {
      const { state, tariffId } = conditions;
      const isAnyStale = state !== undefined && states.isAnyStale(now);
      const filter = toFilter(conditions, now, isAnyStale, find);
      if (filter === null) return 0;
      if (isMaintained(filter)) return states.count({ state, tariffId }, now);
      let sum = 0;
      for (const { from, where } of planner.forAll(filter).branches) {
        sum += statements.value<number>(`SELECT count(*) FROM ${from}${whereOf(where)}`, filter.params) ?? 0;
      }
      return sum;
    },
    ids: (conditions, now) => {
      const isAnyStale = conditions.state !== undefined && states.isAnyStale(now);
      const filter = toFilter(conditions, now, isAnyStale, find);
      if (filter === null) return [];
      const { branches } = planner.forAll(filter);
      const parts = branches.map(({ from, where, id }) => `SELECT ${id} AS id FROM ${from}${whereOf(where)}`);
      return statements.column<number>(`${parts.join(' UNION ALL ')} ORDER BY 1`, filter.params);
    },
  };
}

function isMaintained({ tests }: Filter): boolean {
  for (const about of tests.keys()) if (about !== 'state' && about !== 'tariff') return false;
  return true;
}

function whereOf(tests: readonly string[]): string {
  return tests.length === 0 ? '' : ` WHERE ${tests.join(' AND ')}`;
}

function orderOf(id: string, { sort, descending }: PageRequest): string {
  const direction = descending ? 'DESC' : 'ASC';
  return sort === 'id' ? `${id} ${direction}` : `${SORT_COLUMN[sort]} ${direction}, ${id} ${direction}`;
}

function afterParams({ value, id }: NonNullable<PageRequest['after']>): Params {
  return { afterValue: value ?? NEVER, afterId: id };
}

/** Behind a row come those with its value and a later id, then those with a later value: each is one range of an index. */
function segmentNumbers({ after, sort }: PageRequest): readonly number[] {
  return after === null || sort === 'id' ? [0] : [0, 1];
}

function segments(id: string, request: PageRequest): string[][] {
  return segmentNumbers(request).map((part) => segment(id, request, part));
}

function segment(id: string, { after, sort, descending }: PageRequest, part: number): string[] {
  if (after === null) return [];
  const later = descending ? '<' : '>';
  if (sort === 'id') return [`${id} ${later} :afterId`];
  const column = SORT_COLUMN[sort];
  return part === 0 ? [equals(column, ':afterValue'), `${id} ${later} :afterId`] : [`${column} ${later} :afterValue`];
}

function idsSql(branches: readonly Branch[], request: PageRequest, part: number): string {
  const { sort, descending } = request;
  const direction = descending ? 'DESC' : 'ASC';
  const key = sort === 'id' ? '0' : SORT_COLUMN[sort];
  const parts = branches.map(({ from, join, where, id }) => {
    const source = sort === 'id' ? from : from + join;
    const tests = whereOf([...where, ...segment(id, request, part)]);
    return { id, key, sql: `FROM ${source}${tests} ORDER BY ${orderOf(id, request)}` };
  });
  const [only] = parts;
  if (only && parts.length === 1) return `SELECT ${only.id} ${only.sql} ${limitTo(':limit')} OFFSET :offset`;
  const limited = parts.map(
    ({ id, sql }) => `SELECT * FROM (SELECT ${key} AS k, ${id} AS id ${sql} ${limitTo(':reach')})`,
  );
  return `SELECT id FROM (${limited.join(' UNION ALL ')})
    ORDER BY k ${direction}, id ${direction} ${limitTo(':limit')} OFFSET :offset`;
}
