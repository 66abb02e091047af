// Grants: traffic added to the tariff's limit; listed and revoked.

import type { Input, Output } from '../../contract/table.ts';
import type { Grant } from '../../contract/users/grants.ts';
import { isGrantLive } from '../../domain/users/account.ts';
import { addGrant } from '../../domain/users/grant.ts';
import type { Context, Handlers, Transaction } from '../kernel/context.ts';
import { pageById } from '../kernel/paging.ts';
import { bodyError, PanelError } from '../kernel/panel-error.ts';
import { toInstant, toInstantOrNull } from '../kernel/wire.ts';
import type { Result } from '../ports/call.ts';
import type { GrantConditions, StoredGrant, UserRow } from '../ports/users.ts';
import { commitUser, openUser } from './change.ts';
import { applyAction, type PreviewableAction, requireUser } from './users.ts';

function isPeriodOver({ resetsAt }: UserRow, now: number): boolean {
  return resetsAt !== null && resetsAt <= now;
}

/** A grant of the API; nothing is left of an ended one, even if its end is not written yet. */
function viewGrant(grant: StoredGrant, user: UserRow, now: number): Grant {
  const isReset = grant.lifetime === 'period' && grant.bytesLeft > 0 && isPeriodOver(user, now);
  const isOpen = isGrantLive(grant, now) && !isReset;
  return {
    id: grant.id,
    bytes: grant.bytes,
    bytes_left: isOpen ? grant.bytesLeft : 0,
    state: isOpen ? 'open' : grant.bytesLeft > 0 || grant.bytesLost > 0 ? 'ended' : 'used_up',
    lifetime: grant.lifetime,
    days: grant.days,
    ends_at: toInstantOrNull(isReset ? user.resetsAt : grant.endsAt),
    note: grant.note,
    created_at: toInstant(grant.createdAt),
  };
}

function requireGrant({ store }: Context, userId: number, id: number): StoredGrant {
  const grant = store.grants.get(userId, id);
  if (!grant) throw new PanelError('not_found');
  return grant;
}

type GrantInput = Omit<Input<'createGrant'>, 'id'>;

/** Adds a traffic grant. */
export function grantBy({ bytes, lifetime, days, note }: GrantInput): PreviewableAction {
  return (current, { now }) => {
    const result = addGrant(current.account, { bytes, lifetime, days: days ?? null }, now);
    if (result.ok) return { change: { grant: { ...result.grant, note: note ?? '' } } };
    return bodyError('validation', '#/bytes', 'too_big', 'the user would have more than 2^53-1 bytes left in grants');
  };
}

function createGrant(input: Input<'createGrant'>, tx: Transaction): Result<Grant> {
  const { store, now } = tx;
  const { id: userId, bytes, lifetime, days, note } = input;
  const user = applyAction(tx, requireUser(tx, userId), grantBy(input));
  const grant = store.grants.latest(userId);
  if (!grant) throw new Error('the grant was not stored');
  tx.audit(`user:${userId}`, { grant_id: grant.id, bytes, lifetime, days, note });
  return { body: viewGrant(grant, user, now), location: `/users/${userId}/grants/${grant.id}` };
}

function listGrants(input: Input<'listGrants'>, context: Context): Result<Output<'listGrants'>> {
  const { store, now } = context;
  const { id, state } = input;
  const user = requireUser(context, id);
  const conditions: GrantConditions = { userId: id, state, now, isPeriodOver: isPeriodOver(user, now) };
  const read = (limit: number, offset: number, after?: number) => store.grants.page(conditions, limit, offset, after);
  const view = (grant: StoredGrant) => viewGrant(grant, user, now);
  return { body: pageById('grants', input, store.grants.count(conditions), read, view) };
}

function getGrant(input: Input<'getGrant'>, context: Context): Result<Grant> {
  const user = requireUser(context, input.id);
  return { body: viewGrant(requireGrant(context, input.id, input.grant_id), user, context.now) };
}

function deleteGrant(input: Input<'deleteGrant'>, tx: Transaction): Result<undefined> {
  const current = openUser(tx, requireUser(tx, input.id));
  const grant = requireGrant(tx, input.id, input.grant_id);
  const grants = current.account.grants.filter(({ id }) => id !== grant.id);
  const { tariffId } = current.row;
  commitUser(tx, current, {
    account: { ...current.account, grants },
    emit: (after, changed) => tx.emit('user.changed', { ...after, tariff_id: tariffId }, changed),
  });
  tx.store.grants.remove(grant.id);
  tx.audit(`user:${input.id}`, { grant_id: grant.id });
  return { body: undefined };
}

export const GRANT_HANDLERS = {
  createGrant: { write: createGrant },
  listGrants: { read: listGrants },
  getGrant: { read: getGrant },
  deleteGrant: { write: deleteGrant },
} satisfies Handlers<'createGrant' | 'listGrants' | 'getGrant' | 'deleteGrant'>;
