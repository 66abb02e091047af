// The list of users: filters, sorting and both ways of paging.

import type { Input, Output } from '../../contract/table.ts';
import type { SortField, UserFilter } from '../../contract/users.ts';
import type { Result } from '../call.ts';
import type { Context } from '../context.ts';
import { PanelError } from '../panel-error.ts';
import type { PageRequest, UserConditions } from '../ports/users.ts';
import { sortKeyOf } from '../sort-key.ts';
import { fromBase64Url, fromInstantOrUndefined, toBase64Url } from '../wire.ts';
import { viewUser } from './users.ts';

/** The wire's filter as the store takes it. */
export function conditionsOf(filter: UserFilter): UserConditions {
  return {
    state: filter.state,
    q: filter.q === '' ? undefined : filter.q,
    tariffId: filter.tariff_id,
    tag: filter.tag,
    contact: filter.contact,
    online: filter.online,
    expiresBefore: fromInstantOrUndefined(filter.expires_before),
    expiresAfter: fromInstantOrUndefined(filter.expires_after),
    updatedSince: fromInstantOrUndefined(filter.updated_since),
  };
}

type Cursor = NonNullable<PageRequest['after']>;

function encodeCursor(sort: string, after: Cursor): string {
  return toBase64Url(JSON.stringify([sort, after.value, after.id]));
}

function refuseCursor(message: string): PanelError {
  return new PanelError('validation', [{ parameter: 'cursor', code: 'invalid', message }]);
}

/** The row behind which the page begins. Refuses what this list did not hand out under this sort. */
function decodeCursor(cursor: string, sort: string): Cursor {
  const text = fromBase64Url(cursor);
  let parts: unknown;
  try {
    parts = JSON.parse(text ?? '');
  } catch {
    throw refuseCursor('is not a cursor of this list');
  }
  const [madeFor, value, id] = Array.isArray(parts) && parts.length === 3 ? parts : [];
  if (madeFor !== sort)
    throw refuseCursor(typeof madeFor === 'string' ? 'belongs to another sort' : 'is not a cursor of this list');
  const isText = sort === 'name' || sort === '-name';
  const isNever = value === null && sort.endsWith('expires_at');
  const isValue = isNever || (isText ? typeof value === 'string' : Number.isSafeInteger(value));
  if (!isValue || !Number.isSafeInteger(id)) throw refuseCursor('is not a cursor of this list');
  return { value, id };
}

/** GET /users. */
export function listUsers(input: Input<'listUsers'>, context: Context): Result<Output<'listUsers'>> {
  const { store, now } = context;
  const { limit, offset, sort, cursor } = input;
  if (cursor !== undefined && offset !== 0) throw refuseCursor('goes without offset');
  const isDescending = sort.startsWith('-');
  const field = (isDescending ? sort.slice(1) : sort) as SortField;
  const conditions = conditionsOf(input);
  const { rows, hasMore } = store.users.page({
    conditions,
    sort: field,
    descending: isDescending,
    limit,
    offset,
    after: cursor === undefined ? null : decodeCursor(cursor, sort),
    now,
  });
  const last = rows.at(-1);
  const body: Output<'listUsers'> = {
    items: rows.map((row) => viewUser(context, row)),
    total: store.users.count(conditions, now),
    limit,
    offset,
    next_cursor: hasMore && last ? encodeCursor(sort, { value: sortKeyOf(last, field), id: last.id }) : null,
  };
  return { body };
}
