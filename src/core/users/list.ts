// The list of users: filters, sorting, and pagination by offset and cursor.

import { toList } from '../../contract/scalars.ts';
import type { Input, Output } from '../../contract/table.ts';
import { type Sort, type SortField, USER_STATES, type UserFilter } from '../../contract/users/users.ts';
import type { Context } from '../kernel/context.ts';
import { decodeCursor, encodeCursor, readCursor, refuseCursor } from '../kernel/paging.ts';
import { computeSortKey } from '../kernel/sort-key.ts';
import { fromInstant } from '../kernel/wire.ts';
import type { Result } from '../ports/call.ts';
import type { PageRequest, UserConditions } from '../ports/users.ts';
import { viewUser } from './users.ts';

type Values = { readonly [Member in keyof UserFilter]-?: Exclude<UserFilter[Member], undefined> };

/** The store's condition for each member of a filter. A missing entry is a type error, since the member would match everyone. */
const CONDITIONS: { readonly [Member in keyof Values]: (value: Values[Member]) => UserConditions } = {
  state: (state) => ({ states: parseStates(state) }),
  ids: (ids) => ({ ids }),
  external_id: (externalId) => ({ externalId }),
  telegram_id: (telegramId) => ({ telegramId }),
  metadata: (metadata) => ({ metadata: toMetadataCondition(metadata) }),
  q: (q) => ({ q }),
  tariff_id: (tariffId) => ({ tariffId }),
  tag: (tag) => ({ tag }),
  contact: (contact) => ({ contact }),
  online: (online) => ({ online }),
  connected: (connected) => ({ connected }),
  traffic_low: (trafficLow) => ({ trafficLow }),
  node_id: (nodeId) => ({ nodeId }),
  expires_before: (at) => ({ expiresBefore: fromInstant(at) }),
  expires_after: (at) => ({ expiresAfter: fromInstant(at) }),
  updated_since: (at) => ({ updatedSince: fromInstant(at) }),
};

function toCondition<Member extends keyof Values>(member: Member, value: Values[Member]): UserConditions {
  return CONDITIONS[member](value);
}

/** Converts a filter of the API to conditions of the store. */
export function toConditions(filter: UserFilter): UserConditions {
  let conditions: UserConditions = {};
  for (const member of Object.keys(filter) as (keyof Values)[]) {
    const value = filter[member];
    if (value !== undefined) conditions = { ...conditions, ...toCondition(member, value) };
  }
  return conditions;
}

/** The target users of an operation. Only `all` means everyone: an empty filter is an error of the caller. */
export function toTargetConditions({
  all,
  ...filter
}: UserFilter & { readonly all?: true | undefined }): UserConditions {
  if (all !== true && Object.values(filter).every((value) => value === undefined))
    throw new Error('a filter without a condition');
  return toConditions(filter);
}

/** All states together are no condition. */
function parseStates(state: Values['state']): UserConditions['states'] {
  const states = toList(state);
  return states?.length === USER_STATES.length ? undefined : states;
}

function toMetadataCondition(metadata: Values['metadata']): UserConditions['metadata'] {
  const [member] = Object.entries(metadata);
  if (member === undefined) throw new Error('the contract requires a member');
  return { key: member[0], value: member[1] };
}

type Cursor = NonNullable<PageRequest['after']>;

/** Type of each sort key, as `computeSortKey` returns it. */
const SORT_KINDS: { readonly [Field in SortField]: 'text' | 'number' | 'number_or_none' } = {
  id: 'number',
  name: 'text',
  state: 'text',
  tariff_id: 'number',
  created_at: 'number',
  expires_at: 'number_or_none',
  used: 'number',
  online_at: 'number',
};

function parseSortField(sort: Sort): SortField {
  return (sort.startsWith('-') ? sort.slice(1) : sort) as SortField;
}

/** The row before the page. Rejects a cursor of another list or sort. */
function rowBefore(cursor: string, sort: Sort): Cursor {
  const [madeFor, value, id, ...others] = decodeCursor(cursor);
  if (typeof madeFor !== 'string' || others.length > 0) throw refuseCursor();
  if (madeFor !== sort) throw refuseCursor('belongs to another sort');
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) throw refuseCursor();
  const kind = SORT_KINDS[parseSortField(sort)];
  if (value === null && kind === 'number_or_none') return { value, id };
  if (typeof value === 'string' && kind === 'text') return { value, id };
  if (typeof value === 'number' && Number.isSafeInteger(value) && kind !== 'text') return { value, id };
  throw refuseCursor();
}

/** GET /users. */
export function listUsers(input: Input<'listUsers'>, context: Context): Result<Output<'listUsers'>> {
  const { store, now } = context;
  const { limit, offset, sort, cursor, q, ...filter } = input;
  const field = parseSortField(sort);
  const conditions = toConditions({ ...filter, q: q === '' ? undefined : q });
  const { rows, hasMore } = store.users.page({
    conditions,
    sort: field,
    descending: sort.startsWith('-'),
    limit,
    offset,
    after: cursor === undefined ? null : readCursor(offset, () => rowBefore(cursor, sort)),
    now,
  });
  const last = rows.at(-1);
  const body: Output<'listUsers'> = {
    items: rows.map((row) => viewUser(context, row)),
    total: store.users.count(conditions, now),
    limit,
    offset,
    next_cursor: hasMore && last ? encodeCursor([sort, computeSortKey(last, field), last.id]) : null,
  };
  return { body };
}
