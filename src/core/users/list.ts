// The list of users: filters, sorting and both ways of paging.

import { listed } from '../../contract/scalars.ts';
import type { Input, Output } from '../../contract/table.ts';
import { type SortField, USER_STATES, type UserFilter } from '../../contract/users/users.ts';
import type { Result } from '../call.ts';
import type { Context } from '../context.ts';
import { decodeCursor, encodeCursor, readCursor, refuseCursor } from '../paging.ts';
import type { PageRequest, UserConditions } from '../ports/users.ts';
import { sortKeyOf } from '../sort-key.ts';
import { fromInstantOrUndefined } from '../wire.ts';
import { viewUser } from './users.ts';

/** The wire's filter as the store takes it. */
export function conditionsOf(filter: UserFilter): UserConditions {
  return {
    states: statesOf(filter.state),
    ids: filter.ids,
    externalId: filter.external_id,
    telegramId: filter.telegram_id,
    metadata: memberOf(filter.metadata),
    q: filter.q === '' ? undefined : filter.q,
    tariffId: filter.tariff_id,
    tag: filter.tag,
    contact: filter.contact,
    online: filter.online,
    connected: filter.connected,
    trafficLow: filter.traffic_low,
    nodeId: filter.node_id,
    expiresBefore: fromInstantOrUndefined(filter.expires_before),
    expiresAfter: fromInstantOrUndefined(filter.expires_after),
    updatedSince: fromInstantOrUndefined(filter.updated_since),
  };
}

/** Every state is no condition. */
function statesOf(state: UserFilter['state']): UserConditions['states'] {
  const states = listed(state);
  return states?.length === USER_STATES.length ? undefined : states;
}

function memberOf(metadata: UserFilter['metadata']): UserConditions['metadata'] {
  const [member] = Object.entries(metadata ?? {});
  return member && { key: member[0], value: member[1] };
}

type Cursor = NonNullable<PageRequest['after']>;

/** The row behind which the page begins. Refuses what this list did not hand out under this sort. */
function rowBefore(cursor: string, sort: string): Cursor {
  const [madeFor, value, id, ...others] = decodeCursor(cursor);
  if (typeof madeFor !== 'string' || others.length > 0) throw refuseCursor();
  if (madeFor !== sort) throw refuseCursor('belongs to another sort');
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) throw refuseCursor();
  const isText = sort.endsWith('name') || sort.endsWith('state');
  if (value === null && sort.endsWith('expires_at')) return { value, id };
  if (isText && typeof value === 'string') return { value, id };
  if (!isText && typeof value === 'number' && Number.isSafeInteger(value)) return { value, id };
  throw refuseCursor();
}

/** GET /users. */
export function listUsers(input: Input<'listUsers'>, context: Context): Result<Output<'listUsers'>> {
  const { store, now } = context;
  const { limit, offset, sort, cursor } = input;
  const isDescending = sort.startsWith('-');
  const field = (isDescending ? sort.slice(1) : sort) as SortField;
  const conditions = conditionsOf(input);
  const { rows, hasMore } = store.users.page({
    conditions,
    sort: field,
    descending: isDescending,
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
    next_cursor: hasMore && last ? encodeCursor([sort, sortKeyOf(last, field), last.id]) : null,
  };
  return { body };
}
