// Lists of users under any filter and sort, with their exact number: filter, then query plan, then page.
import type { SortField } from '../../contract/users/users.ts';
import type { PageRequest, UserConditions, UserRow } from '../../core/ports/users.ts';
import type { Cell, Connection } from '../database.ts';
import { createStatements, equals, limitTo, type Params, type Statements } from '../statements.ts';
import { decodeUser, NEVER, USER_COLUMNS, type UserCells } from './row.ts';
import { createFinder, type Finder, type Search, toSearch } from './search.ts';
import { COMPUTED_STATE, CURRENT_STATE, IS_STALE, STALE_IDS, STALE_SOURCES, type UserStates } from './states.ts';

/** A user who moved bytes within this many ms is online. */
const ONLINE_MS = 60_000;

/** A table or index that finds the users of one condition without reading all users. */
interface Entry {
  readonly kind:
    | 'ids'
    | 'external_id'
    | 'telegram_id'
    | 'metadata'
    | 'contact'
    | 'tag'
    | 'text'
    | 'online'
    | 'updated'
    | 'expires';
  readonly table: string;
  readonly where: string;
  /** The user's id in that table. */
  readonly id: string;
  /** The join of users to that table; '' if the table is users. */
  readonly join: string;
  /** Whether it yields users ordered by id, however many there are. */
  readonly isOrdered: boolean;
}

interface Filter {
  /** Each condition as an SQL test of `u`, by subject. */
  readonly tests: ReadonlyMap<string, string>;
  readonly entries: readonly Entry[];
  readonly params: Record<string, Cell>;
  /** The search for the text index; null: no search, or its users were found already. */
  readonly search: Search | null;
  /** The search as a test by a set of ids, instead of reading each row's text; null without a search. */
  readonly textBySet: string | null;
}

/** A condition's part of a filter. */
interface Part {
  /** The subject: conditions with the same subject are one part. */
  readonly about: string;
  readonly test: string;
  readonly params?: Record<string, Cell>;
  readonly entry?: Entry;
  readonly search?: Search;
}

/** What conditions are translated with. */
interface Reading {
  readonly conditions: UserConditions;
  readonly now: number;
  /** Whether states must be computed row by row. */
  readonly isAnyStale: boolean;
  readonly find: Finder;
}

type Values = { readonly [Name in keyof UserConditions]-?: Exclude<UserConditions[Name], undefined> };

/** Translates each condition; null: nothing can match. Typed over all conditions, because a forgotten one would match everybody. */
const PARTS: { readonly [Name in keyof Values]: (value: Values[Name], reading: Reading) => Part | null } = {
  states: (states, { now, isAnyStale }) => {
    const names = states.map((_, index) => `:state${index}` as const);
    const params = Object.fromEntries(states.map((state, index) => [`state${index}`, state]));
    const test = isIn(isAnyStale ? CURRENT_STATE : 'u.state', names);
    return { about: 'state', test, params: { ...params, now } };
  },
  ids: (ids) => {
    const test = 'u.id IN (SELECT value FROM json_each(:ids))';
    return { about: 'ids', test, params: { ids: JSON.stringify(ids) }, entry: ofNamed('ids', test) };
  },
  externalId: (externalId) => ofColumn('external_id', ':externalId', { externalId }),
  telegramId: (telegramId) => ofColumn('telegram_id', ':telegramId', { telegramId }),
  metadata: ({ key, value }) => ({
    about: 'metadata',
    test: 'EXISTS (SELECT 1 FROM user_metadata WHERE key = :key AND value = :value AND user_id = u.id)',
    params: { key, value },
    entry: buildJoinEntry('metadata', 'user_metadata AS t', 't.key = :key AND t.value = :value', 't.user_id'),
  }),
  tariffId: (tariff) => ({ about: 'tariff', test: equals('u.tariff_id', ':tariff'), params: { tariff } }),
  contact: (contact) => ofColumn('contact', ':contact', { contact }),
  tag: (tag) => ({
    about: 'tag',
    test: 'EXISTS (SELECT 1 FROM user_tags WHERE tag = :tag AND user_id = u.id)',
    params: { tag },
    entry: buildJoinEntry('tag', 'user_tags AS t', 't.tag = :tag', 't.user_id'),
  }),
  q: (q, { find }) => ofText(q, find),
  online: (online, { now }) => ({
    about: 'online',
    test: `coalesce(u.online_at, 0) ${online ? '>' : '<='} :online`,
    params: { online: now - ONLINE_MS },
    ...(online && { entry: ofUsers('online', 'coalesce(u.online_at, 0) > :online') }),
  }),
  connected: (connected) => ({ about: 'connected', test: `u.online_at IS ${connected ? 'NOT ' : ''}NULL` }),
  trafficLow: (trafficLow) => ({ about: 'traffic_low', test: trafficLow ? IS_LOW : `NOT ${IS_LOW}` }),
  nodeId: (node) => ({ about: 'node', test: MAY_USE_NODE, params: { node } }),
  updatedSince: (updated) => {
    const test = 'u.updated_at >= :updated';
    return { about: 'updated', test, params: { updated }, entry: ofUsers('updated', test) };
  },
  expiresAfter: (_, { conditions }) => ofExpiry(conditions),
  expiresBefore: (_, { conditions }) => ofExpiry(conditions),
};

function buildPart<Name extends keyof Values>(name: Name, value: Values[Name], reading: Reading): Part | null {
  return PARTS[name](value, reading);
}

/** The filter of these conditions; null: nothing can match. `isAnyStale`: states are computed row by row. */
function toFilter(conditions: UserConditions, now: number, isAnyStale: boolean, find: Finder): Filter | null {
  const parts = new Map<string, Part>();
  // In the order of `PARTS`, which is that of the entries.
  for (const name of Object.keys(PARTS) as (keyof Values)[]) {
    const value = conditions[name];
    if (value === undefined) continue;
    const part = buildPart(name, value, { conditions, now, isAnyStale, find });
    if (part === null) return null;
    parts.set(part.about, part);
  }
  const all = [...parts.values()];
  const search = all.find((part) => part.search !== undefined)?.search ?? null;
  return {
    tests: new Map(all.map(({ about, test }) => [about, test])),
    entries: all.flatMap(({ entry }) => entry ?? []),
    params: Object.assign({}, ...all.map(({ params }) => params)),
    search,
    textBySet: search === null ? null : bySet(search),
  };
}

function ofColumn(
  kind: 'external_id' | 'telegram_id' | 'contact',
  parameter: `:${string}`,
  params: Record<string, Cell>,
): Part {
  const test = equals(`u.${kind}`, parameter);
  return { about: kind, test, params, entry: ofUsers(kind, test) };
}

/** Both bounds are one range of the index. */
function ofExpiry({ expiresAfter = 0, expiresBefore = NEVER }: UserConditions): Part {
  const test = 'u.expires_at >= :expiresAfter AND u.expires_at < :expiresBefore';
  const params = { expiresAfter, expiresBefore: Math.min(expiresBefore, NEVER) };
  return { about: 'expires', test, params, entry: ofUsers('expires', test) };
}

function ofText(q: string, find: Finder): Part | null {
  const search = toSearch(q);
  if (search === 'nothing') return null;
  const found = find(search);
  const { table, match, folded, id } = search;
  if (found !== null) {
    const test = 'u.id IN (SELECT value FROM json_each(:found))';
    const params = { found: JSON.stringify(id === null ? found : [...found, id]) };
    return { about: 'text', test, params, entry: ofNamed('text', test) };
  }
  return {
    about: 'text',
    test: id === null ? HOLDS : `(u.id = :sought OR ${HOLDS})`,
    params: { folded, match, sought: id },
    entry: buildJoinEntry('text', `${table} AS t`, `t.${table} MATCH :match`, 't.rowid'),
    search,
  };
}

/** Whether the text of the row `u` contains the search. */
const HOLDS = 'text_holds(u.name, u.contact, u.note, u.tags, u.external_id, :folded)';

/** `isTrafficLow` of the domain, in SQL. */
const IS_LOW = '(u.traffic_limit IS NOT NULL AND 5 * (max(0, u.traffic_limit - u.used) + u.extra) <= u.traffic_limit)';

const MAY_USE_NODE = `EXISTS (SELECT 1 FROM inbounds AS i WHERE i.node_id = :node AND (u.inbounds IS NULL
  OR EXISTS (SELECT 1 FROM user_inbounds AS own WHERE own.inbound_id = i.id AND own.user_id = u.id)))`;

/** SQL test whether a value is one of the parameters. */
function isIn(value: string, parameters: readonly `:${string}`[]): string {
  const [only] = parameters;
  if (only !== undefined && parameters.length === 1) return equals(value, only);
  return `${value} IN (${parameters.map((parameter) => `+${parameter}`).join(', ')})`;
}

function bySet({ table, id }: Search): string {
  const isFound = `u.id IN (SELECT rowid FROM ${table} WHERE ${table} MATCH :match)`;
  return id === null ? isFound : `(u.id = :sought OR ${isFound})`;
}

function ofUsers(kind: Entry['kind'], where: string): Entry {
  const table = `users AS u INDEXED BY users_${kind}`;
  return {
    kind,
    table,
    where,
    id: 'u.id',
    join: '',
    isOrdered: kind === 'contact' || kind === 'external_id' || kind === 'telegram_id',
  };
}

/** The entry of users whose ids the test lists. */
function ofNamed(kind: Entry['kind'], where: string): Entry {
  return { kind, table: 'users AS u NOT INDEXED', where, id: 'u.id', join: '', isOrdered: true };
}

function buildJoinEntry(kind: Entry['kind'], table: string, where: string, id: string): Entry {
  return { kind, table, where, id, join: ` CROSS JOIN users AS u ON u.id = ${id}`, isOrdered: true };
}

/** All tests but those of a subject. */
function listOtherTests(tests: ReadonlyMap<string, string>, about: string): string[] {
  return [...tests].filter(([name]) => name !== about).map(([, test]) => test);
}

/** Up to this many users are sorted for a page; with more, scanning an index finds enough of them soon. */
const FEW = 5000;
/** Up to `few` times this many matches of a search are collected in a set; with more, reading rows finds matches soon. */
const SET = 20;

/** Users of a block in `user_blocks` have ids that differ only in the last ten bits. */
const BLOCK = 1024;

/** Whether skipping this many users costs more than reading the page. `few`: as for the planner. */
function isDeepOffset(offset: number, few = BLOCK): boolean {
  return offset > Math.min(BLOCK, few);
}

/** Users from one source; no two branches of a query plan contain the same user. */
interface Branch {
  readonly from: string;
  readonly where: readonly string[];
  /** The user's id in that source. */
  readonly id: string;
  /** The join with `users AS u`, if `from` does not contain it. */
  readonly join: string;
}

interface Plan {
  readonly branches: readonly Branch[];
  /** Whether each branch yields its users in the order of the request, so that a page reads no more rows than it shows. */
  readonly isOrdered: boolean;
}

/** The column of a sort, before the id. */
const SORT_COLUMN: Readonly<Record<Exclude<SortField, 'id'>, string>> = {
  name: 'u.name_sort',
  state: 'u.state',
  tariff_id: 'coalesce(u.tariff_id, 0)',
  created_at: 'u.created_at',
  expires_at: 'u.expires_at',
  used: 'u.used',
  online_at: 'coalesce(u.online_at, 0)',
};

const INDEX: Readonly<Record<SortField, string>> = {
  id: '',
  name: '_name',
  state: '_state',
  tariff_id: '_plan',
  created_at: '_created',
  expires_at: '_expires',
  used: '_used',
  online_at: '_online',
};

/** Whether indexes by state and by tariff lack this order: traffic would cause writes to each of them, and tariffs are few. */
function isApart(sort: SortField): boolean {
  return sort === 'used' || sort === 'online_at' || sort === 'tariff_id';
}

/** Replaces the sort by tariff of one tariff's users by the sort by id, which is the same order. */
function withoutConstant(request: PageRequest): PageRequest {
  const isOne = request.sort === 'tariff_id' && request.conditions.tariffId !== undefined;
  return isOne ? { ...request, sort: 'id' } : request;
}

interface Planner {
  forPage(
    filter: Filter,
    request: Pick<PageRequest, 'conditions' | 'sort' | 'offset' | 'now'>,
    isAnyStale: boolean,
  ): Plan;
  /** For counts and lists of ids: reads the fewest rows, in any order. */
  forAll(filter: Filter): Plan;
}

/**
 * Chooses the source of a page: an index with its order, or the few users of a condition, which are sorted. Only tests set `few`: with 0
 * every index is scanned, however small the table.
 */
function createPlanner(statements: Statements, states: UserStates, few = FEW): Planner {
  function areFew(filter: Filter, { table, where }: Entry, most = few): boolean {
    const sql = `SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${where} LIMIT ${most + 1})`;
    return (statements.value<number>(sql, filter.params) ?? 0) <= most;
  }

  /** The tests to use in a scan. */
  function selectTests(filter: Filter): ReadonlyMap<string, string> {
    const text = filter.entries.find(({ kind }) => kind === 'text');
    if (!text || filter.textBySet === null || !areFew(filter, text, few * SET)) return filter.tests;
    return new Map([...filter.tests, ['text', filter.textBySet]]);
  }

  function countUsers({ states: wanted, tariffId }: Pick<UserConditions, 'states' | 'tariffId'>, now: number): number {
    return countStates(states, wanted, tariffId, now);
  }

  /** The index to scan for these conditions, and whether it has the order of the sort. */
  function chooseIndex(
    { states: wanted, tariffId }: UserConditions,
    sort: SortField,
    now: number,
  ): [index: string, isOrdered: boolean] {
    if (wanted === undefined && tariffId === undefined) return [`users${INDEX[sort]}`, true];
    if (wanted !== undefined && tariffId !== undefined) {
      if (sort === 'id' || sort === 'state') return ['users_tariff_state', true];
      if (countUsers({ states: wanted, tariffId }, now) <= few) return ['users_tariff_state', false];
      if (isApart(sort)) return [`users${INDEX[sort]}`, true];
      // Within a tariff, expired users come first, and they have one state.
      const isByState = sort === 'expires_at' || countUsers({ states: wanted }, now) < countUsers({ tariffId }, now);
      return [`users_${isByState ? 'state' : 'tariff'}${INDEX[sort]}`, true];
    }
    const by = wanted === undefined ? 'users_tariff' : 'users_state';
    if (sort === 'state' && by === 'users_state') return [by, true];
    if (!isApart(sort)) return [`${by}${INDEX[sort]}`, true];
    return countUsers({ states: wanted, tariffId }, now) <= few ? [by, false] : [`users${INDEX[sort]}`, true];
  }

  return {
    forPage: (filter, { conditions, sort, offset, now }, isAnyStale) => {
      const { entries } = filter;
      const ordered = sort === 'id' ? entries.find(({ isOrdered }) => isOrdered) : undefined;
      const bestEntry = entries.length === 1 && ordered ? ordered : entries.find((entry) => areFew(filter, entry));
      const entry = bestEntry ?? ordered;
      if (entry) return { branches: enter(filter, entry), isOrdered: entry === ordered };
      const [index, isOrdered] = chooseIndex(conditions, sort, now);
      const notStale = isDeepOffset(offset, few) ? `u.id NOT IN (${STALE_IDS})` : `${IS_STALE} IS NOT TRUE`;
      return { branches: scan(selectTests(filter), index, conditions.states, isAnyStale ? notStale : null), isOrdered };
    },
    forAll: (filter) => {
      const { entries, tests } = filter;
      const bestEntry = tests.size > 1 ? entries.find((entry) => areFew(filter, entry)) : entries[0];
      const entry = bestEntry ?? entries.find(({ kind }) => kind === 'text' || kind === 'tag');
      if (entry) return { branches: enter(filter, entry), isOrdered: false };
      const where = [...tests.values()];
      return { branches: [{ from: 'users AS u', where, id: 'u.id', join: '' }], isOrdered: false };
    },
  };
}

function enter(filter: Filter, { kind, table, where, id, join }: Entry): Branch[] {
  const others = listOtherTests(filter.tests, kind);
  const isJoined = others.length > 0;
  const branch = { from: isJoined ? table + join : table, where: [where, ...others], id, join: isJoined ? '' : join };
  if (kind !== 'text' || filter.search === null || filter.search.id === null) return [branch];
  const ofId = ['u.id = :sought', `NOT ${HOLDS}`, ...others];
  return [branch, { from: 'users AS u NOT INDEXED', where: ofId, id: 'u.id', join: '' }];
}

/** `notStale`: the test that a stored state is correct; null: all are. */
function scan(
  tests: ReadonlyMap<string, string>,
  index: string,
  states: UserConditions['states'],
  notStale: string | null,
): Branch[] {
  const from = index === 'users' ? 'users AS u NOT INDEXED' : `users AS u INDEXED BY ${index}`;
  const isByState = index.startsWith('users_state') || index === 'users_tariff_state';
  if (!isByState || states === undefined) return [{ from, where: [...tests.values()], id: 'u.id', join: '' }];
  // In the index each state is an ordered range.
  const others = listOtherTests(tests, 'state');
  const fresh = notStale === null ? [] : [notStale];
  const names = states.map((_, number) => `:state${number}` as const);
  const ranges = names.map((name) => ({
    from,
    where: [equals('u.state', name), ...fresh, ...others],
    id: 'u.id',
    join: '',
  }));
  if (notStale === null) return ranges;
  // The index has stored states: users whose state may have changed since are computed one by one.
  const stale = STALE_SOURCES.map((source) => ({
    from: source.from,
    where: [source.where, isIn(COMPUTED_STATE, names), ...others],
    id: 'u.id',
    join: '',
  }));
  return [...ranges, ...stale];
}

/** Users in any of these states, of a tariff, or both, at `now`. */
function countStates(states: UserStates, wanted: UserConditions['states'], tariffId: number | undefined, now: number) {
  if (wanted === undefined) return states.count({ tariffId }, now);
  return wanted.reduce((sum, state) => sum + states.count({ state, tariffId }, now), 0);
}

export interface UserLists {
  page(request: PageRequest): { readonly rows: readonly UserRow[]; readonly hasMore: boolean };
  count(conditions: UserConditions, now: number): number;
  ids(conditions: UserConditions, now: number): readonly number[];
  matching(ids: readonly number[], conditions: UserConditions, now: number): readonly number[];
  rows(ids: readonly number[]): readonly UserRow[];
}

const CELLS = USER_COLUMNS.replaceAll(/\w+/g, 'u.$&');
const BY_IDS = `SELECT ${CELLS} FROM json_each(:ids) AS wanted CROSS JOIN users AS u ON u.id = wanted.value`;

const ID_OF_THESE = 'SELECT u.id FROM json_each(:ids) AS wanted CROSS JOIN users AS u ON u.id = wanted.value';

/** Each method must be called in a transaction, as the core does, so that it reads one snapshot. `few`: as for the planner. */
export function createUserLists(db: Connection, states: UserStates, few?: number): UserLists {
  const statements = createStatements(db);
  const planner = createPlanner(statements, states, few);
  const find = createFinder(statements, few);

  /** At most `limit` rows after the cursor `after`, of a query plan with one ordered branch. */
  function readRows(branch: Branch, request: PageRequest, limit: number, params: Params): UserRow[] {
    const rows: UserRow[] = [];
    for (const part of segmentNumbers(request)) {
      if (rows.length === limit) break;
      const tests = segment(branch.id, request, part);
      const sql = `SELECT ${CELLS} FROM ${branch.from}${branch.join}${buildWhere([...branch.where, ...tests])}
        ORDER BY ${buildOrderBy(branch.id, request, part)} ${limitTo(':limit')}`;
      const cells = statements.rows<UserCells>(sql, { ...params, limit: limit - rows.length });
      for (const row of cells) rows.push(decodeUser(row));
    }
    return rows;
  }

  function readIds({ branches }: Plan, request: PageRequest, limit: number, params: Params): number[] {
    const { after, offset } = request;
    // After a cursor the offset can span both statements, so it is applied here.
    const skipped = after === null ? 0 : offset;
    const [most, begin] = after === null ? [limit, offset] : [limit + offset, 0];
    const ids: number[] = [];
    for (const part of segmentNumbers(request)) {
      if (ids.length === most) break;
      const rest = most - ids.length;
      const values = { ...params, limit: rest, offset: begin };
      for (const id of statements.column<number>(idsSql(branches, request, part), values)) ids.push(id);
    }
    return ids.slice(skipped);
  }

  function getRows(ids: readonly number[]): UserRow[] {
    const found = new Map<number, UserRow>();
    for (const cells of statements.rows<UserCells>(BY_IDS, { ids: JSON.stringify(ids) })) {
      found.set(cells[0], decodeUser(cells));
    }
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  /** The same page of all users by id, with an offset that skips whole blocks. */
  function skipBlocks(request: PageRequest): PageRequest {
    const { descending } = request;
    const order = descending ? 'DESC' : 'ASC';
    const all = statements.rows<[block: number, count: number]>(
      `SELECT block, count FROM user_blocks ORDER BY block ${order}`,
      {},
    );
    let { offset } = request;
    for (const [block, count] of all) {
      // Continues after the last id before the block.
      if (offset < count)
        return { ...request, offset, after: { value: null, id: descending ? (block + 1) * BLOCK : block * BLOCK - 1 } };
      offset -= count;
    }
    return request;
  }

  /** The same page, read from the end of the list, which has `total` users. */
  function readFromEnd(request: PageRequest, total: number): ReturnType<UserLists['page']> {
    const { descending, limit, offset } = request;
    const rest = Math.max(0, total - offset);
    const size = Math.min(limit, rest);
    if (size === 0) return { rows: [], hasMore: false };
    const { rows } = readPage({ ...request, descending: !descending, limit: size, offset: rest - size });
    return { rows: rows.toReversed(), hasMore: rest > size };
  }

  function readPage(given: PageRequest): ReturnType<UserLists['page']> {
    const requested = withoutConstant(given);
    const isDeep = requested.after === null && isDeepOffset(requested.offset, few);
    const isAll = Object.values(requested.conditions).every((value) => value === undefined);
    const request = isDeep && isAll && requested.sort === 'id' ? skipBlocks(requested) : requested;
    const { conditions, now, limit, offset, after } = request;
    const isAnyStale = conditions.states !== undefined && states.isAnyStale(now);
    const filter = toFilter(conditions, now, isAnyStale, find);
    if (filter === null) return { rows: [], hasMore: false };
    const plan = planner.forPage(filter, request, isAnyStale);
    const values = { ...filter.params, ...(after === null ? {} : afterParams(after)), now };
    const [first] = plan.branches;
    if (isDeep && after === null && isMaintained(filter)) {
      const total = countStates(states, conditions.states, conditions.tariffId, now);
      if (offset > total / 2) return readFromEnd(request, total);
      const isInside = offset + limit < total && isRangeOfState(request) && !isAnyStale;
      if (isInside && first) {
        const ids = statements.column<number>(buildRangeSql(first.from, request), { ...values, limit, offset });
        return { rows: getRows(ids), hasMore: true };
      }
    }
    const isPlain = plan.branches.length === 1 && plan.isOrdered && offset === 0;
    const rows =
      isPlain && first
        ? readRows(first, request, limit + 1, values)
        : getRows(readIds(plan, request, limit + 1, values));
    return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
  }

  return {
    page: readPage,
    count: (conditions, now) => {
      const { states: wanted, tariffId } = conditions;
      const isAnyStale = wanted !== undefined && states.isAnyStale(now);
      const filter = toFilter(conditions, now, isAnyStale, find);
      if (filter === null) return 0;
      if (isMaintained(filter)) return countStates(states, wanted, tariffId, now);
      let sum = 0;
      for (const { from, where } of planner.forAll(filter).branches) {
        sum += statements.value<number>(`SELECT count(*) FROM ${from}${buildWhere(where)}`, filter.params) ?? 0;
      }
      return sum;
    },
    ids: (conditions, now) => {
      const isAnyStale = conditions.states !== undefined && states.isAnyStale(now);
      const filter = toFilter(conditions, now, isAnyStale, find);
      if (filter === null) return [];
      const { branches } = planner.forAll(filter);
      const parts = branches.map(({ from, where, id }) => `SELECT ${id} AS id FROM ${from}${buildWhere(where)}`);
      return statements.column<number>(`${parts.join(' UNION ALL ')} ORDER BY 1`, filter.params);
    },
    matching: (ids, conditions, now) => {
      const isAnyStale = conditions.states !== undefined && states.isAnyStale(now);
      const filter = toFilter(conditions, now, isAnyStale, find);
      if (filter === null) return [];
      const params = { ...filter.params, ids: JSON.stringify(ids) };
      return statements.column<number>(`${ID_OF_THESE}${buildWhere([...filter.tests.values()])}`, params);
    },
    rows: getRows,
  };
}

function isMaintained({ tests }: Filter): boolean {
  for (const about of tests.keys()) if (about !== 'state' && about !== 'tariff') return false;
  return true;
}

function buildWhere(tests: readonly string[]): string {
  return tests.length === 0 ? '' : ` WHERE ${tests.join(' AND ')}`;
}

/** `part` 1: users after the cursor with the same sort value, so only ids order them; SQLite cannot infer that from an expression. */
function buildOrderBy(id: string, { sort, descending, after }: PageRequest, part = 1): string {
  const direction = descending ? 'DESC' : 'ASC';
  const isById = sort === 'id' || (after !== null && part === 0);
  return isById ? `${id} ${direction}` : `${SORT_COLUMN[sort]} ${direction}, ${id} ${direction}`;
}

function afterParams({ value, id }: NonNullable<PageRequest['after']>): Params {
  return { afterValue: value ?? NEVER, afterId: id };
}

/** After a cursor come the rows with the same value and a later id, then those with a later value: each is one range of an index. */
function segmentNumbers({ after, sort }: PageRequest): readonly number[] {
  return after === null || sort === 'id' ? [0] : [0, 1];
}

function segment(id: string, { after, sort, descending }: PageRequest, part: number): string[] {
  if (after === null) return [];
  const later = descending ? '<' : '>';
  if (sort === 'id') return [`${id} ${later} :afterId`];
  const column = SORT_COLUMN[sort];
  return part === 0 ? [equals(column, ':afterValue'), `${id} ${later} :afterId`] : [`${column} ${later} :afterValue`];
}

/** Whether the list has no other filter and is the range of one state in an index that begins with it. */
function isRangeOfState({ conditions, sort }: PageRequest): boolean {
  return conditions.states?.length === 1 && conditions.tariffId === undefined && !isApart(sort);
}

/**
 * The ids of a page that ends before its state's range does. Leaves out the end of the range: comparing each row with it would take four
 * fifths of the time.
 */
function buildRangeSql(from: string, request: PageRequest): string {
  const [later, direction] = request.descending ? ['<=', 'DESC'] : ['>=', 'ASC'];
  return `SELECT u.id FROM ${from} WHERE u.state ${later} +:state0
    ORDER BY u.state ${direction}, ${buildOrderBy('u.id', request)} ${limitTo(':limit')} OFFSET :offset`;
}

function idsSql(branches: readonly Branch[], request: PageRequest, part: number): string {
  const { sort, descending } = request;
  const direction = descending ? 'DESC' : 'ASC';
  const parts = branches.map(({ from, join, where, id }) => {
    const source = sort === 'id' ? from : from + join;
    const tests = buildWhere([...where, ...segment(id, request, part)]);
    return { id, sql: `FROM ${source}${tests}` };
  });
  const [only] = parts;
  if (only && parts.length === 1) {
    return `SELECT ${only.id} ${only.sql} ORDER BY ${buildOrderBy(only.id, request, part)} ${limitTo(':limit')} OFFSET :offset`;
  }
  // Branches that are ordered are merged while reading.
  const key = sort === 'id' ? '' : `${SORT_COLUMN[sort]} AS k, `;
  const order = sort === 'id' ? `id ${direction}` : `k ${direction}, id ${direction}`;
  const merged = parts.map(({ id, sql }) => `SELECT ${key}${id} AS id ${sql}`).join(' UNION ALL ');
  return `SELECT id FROM (${merged} ORDER BY ${order}) ${limitTo(':limit')} OFFSET :offset`;
}
