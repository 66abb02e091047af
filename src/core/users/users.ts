// Users: made from a plan, read, changed and deleted.

import type { Input } from '../../contract/table.ts';
import type { User, UserCreate, UserPatch } from '../../contract/users.ts';
import { type Account, stateOf } from '../../domain/account.ts';
import { freshFlags, nextChangeAt } from '../../domain/settle.ts';
import { setExpiry, startTerm } from '../../domain/term.ts';
import { changeReset } from '../../domain/traffic.ts';
import type { Result } from '../call.ts';
import type { Context, Handlers, Transaction } from '../context.ts';
import { etagOf, requireMatch } from '../etag.ts';
import type { TariffRow } from '../ports/plans.ts';
import type { NewUser, UserRow } from '../ports/users.ts';
import { requireInbounds, requireUsableTariff, requireUser } from '../references.ts';
import { definedOnly, fromInstant, isSameJson, tokenOf } from '../wire.ts';
import { type Change, type Current, commitUser, describe, isUnsettled, openUser } from './change.ts';
import { listUsers } from './list.ts';
import { viewUser } from './view.ts';

const TOKEN_BYTES = 16;
const PASSWORD_BYTES = 24;

/** A new link and new credentials, all unguessable and each the user's alone. */
export function newCredentials({ crypto }: Pick<Transaction, 'crypto'>): Pick<UserRow, 'token' | 'uuid' | 'password'> {
  return {
    token: tokenOf(crypto.randomBytes(TOKEN_BYTES)),
    uuid: crypto.uuid(),
    password: tokenOf(crypto.randomBytes(PASSWORD_BYTES)),
  };
}

/** What every operation returns that answers with the user. */
export function userResult(context: Context, row: UserRow): Result<User> {
  return { body: viewUser(context, row), etag: etagOf(row) };
}

function newAccount(input: UserCreate, tariff: TariffRow, { now, settings }: Transaction): Account {
  const zone = settings.timeZone;
  const planned: Account = {
    enabled: input.enabled ?? true,
    trafficLimit: input.traffic_limit === undefined ? tariff.trafficLimit : input.traffic_limit,
    totalUp: 0,
    totalDown: 0,
    grants: [],
    ...startTerm(tariff, now, zone),
  };
  const dated = input.expires_at === undefined ? planned : setExpiry(planned, toMs(input.expires_at), now, zone);
  return input.reset_strategy === undefined ? dated : changeReset(dated, input.reset_strategy, now, zone);
}

function toMs(instant: string | null): number | null {
  return instant === null ? null : fromInstant(instant);
}

function getUser({ id }: Input<'getUser'>, context: Context): Result<User> {
  const row = requireUser(context, id);
  if (!isUnsettled(row, context.now)) return userResult(context, row);
  // What has come due depends on the grants too, which another statement reads.
  return context.store.read(() => userResult(context, requireUser(context, id)));
}

function createUser(input: Input<'createUser'>, tx: Transaction): Result<User> {
  const { store, now } = tx;
  const tariff = requireUsableTariff(tx, input.tariff_id);
  requireInbounds(tx, input.inbounds);
  const { grants: _none, ...account } = newAccount(input, tariff, tx);
  const facts = { ...account, grants: [] };
  const isExpired = account.expiresAt !== null && account.expiresAt <= now;
  const flags = { ...freshFlags(facts, now), expiredAnnounced: isExpired };
  const user: NewUser = {
    ...account,
    ...flags,
    ...newCredentials(tx),
    name: input.name,
    contact: input.contact ?? '',
    note: input.note ?? '',
    tags: input.tags ?? [],
    tariffId: tariff.id,
    deviceLimit: input.device_limit === undefined ? tariff.deviceLimit : input.device_limit,
    inbounds: input.inbounds === undefined ? tariff.inbounds : input.inbounds,
    state: stateOf(facts, now),
    extra: 0,
    dueAt: nextChangeAt(facts, flags, now),
    onlineAt: null,
    trafficLowAnnounced: false,
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
  const row = { ...user, id: store.users.insert(user) };
  tx.emit('user.created', { ...describe(row), tariff_id: tariff.id, name: row.name, contact: row.contact });
  if (isExpired) tx.emit('user.expired', describe(row));
  tx.audit(`user:${row.id}`, { ...input });
  return { ...userResult(tx, row), location: `/users/${row.id}` };
}

/** The fields that a patch sets as they are, as far as they differ. */
function plainFields(input: UserPatch, row: UserRow): NonNullable<Change['fields']> {
  const asked = definedOnly({
    name: input.name,
    contact: input.contact,
    note: input.note,
    tags: input.tags,
    deviceLimit: input.device_limit,
    inbounds: input.inbounds,
  });
  const differing = Object.entries(asked).filter(([key, value]) => !isSameJson(value, row[key as keyof UserRow]));
  return Object.fromEntries(differing);
}

/** What another plan makes of the account and the fields: its limits, a new term, the counter anew; grants stay. */
function switchTariff(current: Current, tariff: TariffRow, { now, settings }: Transaction): Change {
  const term = startTerm(tariff, now, settings.timeZone);
  return {
    account: { ...current.account, ...term, trafficLimit: tariff.trafficLimit },
    fields: { tariffId: tariff.id, deviceLimit: tariff.deviceLimit, inbounds: tariff.inbounds },
  };
}

/** The change that a merge patch asks for; null where it asks for nothing new. */
function changeOf(input: UserPatch, current: Current, tx: Transaction): Change | null {
  const { now, settings } = tx;
  const { row } = current;
  const zone = settings.timeZone;
  const isOther = typeof input.tariff_id === 'number' && input.tariff_id !== row.tariffId;
  const planned = isOther ? switchTariff(current, requireUsableTariff(tx, input.tariff_id as number), tx) : {};
  const detached = input.tariff_id === null && row.tariffId !== null ? { tariffId: null } : {};
  let account = planned.account ?? current.account;
  if (input.enabled !== undefined) account = { ...account, enabled: input.enabled };
  if (input.traffic_limit !== undefined) account = { ...account, trafficLimit: input.traffic_limit };
  if (input.expires_at !== undefined) account = setExpiry(account, toMs(input.expires_at), now, zone);
  if (input.reset_strategy !== undefined && input.reset_strategy !== account.resetStrategy) {
    account = changeReset(account, input.reset_strategy, now, zone);
  }
  const planRow = { ...row, ...planned.fields };
  const fields = { ...planned.fields, ...detached, ...plainFields(input, planRow) };
  const isSame = isSameJson(account, current.account) && Object.keys(fields).length === 0;
  if (isSame) return null;
  const hasNewEnd = account.expiresAt !== row.expiresAt;
  return { account, fields, flags: hasNewEnd ? freshFlags(account, now) : current.flags };
}

function updateUser(input: Input<'updateUser'>, tx: Transaction): Result<User> {
  const stored = requireUser(tx, input.id);
  requireMatch(tx.call.ifMatch, etagOf(stored));
  const current = openUser(tx, stored);
  requireInbounds(tx, input.inbounds);
  const change = changeOf(input, current, tx);
  if (!change) return userResult(tx, stored);
  const { enabled } = current.row;
  const isEnabled = change.account?.enabled ?? enabled;
  const switched = isEnabled === enabled ? [] : [{ type: isEnabled ? 'user.enabled' : 'user.disabled' } as const];
  const tariffId = change.fields?.tariffId === undefined ? current.row.tariffId : change.fields.tariffId;
  const changed = { type: 'user.changed', data: { tariff_id: tariffId } } as const;
  const row = commitUser(tx, current, { ...change, events: [changed, ...switched] });
  const { id, ...asked } = input;
  tx.audit(`user:${id}`, asked);
  return userResult(tx, row);
}

/** Deletes a user for good and tells it, with what a bot needs to say good-bye. */
export function removeUser(tx: Transaction, row: UserRow): void {
  tx.store.users.remove(row.id);
  tx.emit('user.deleted', { user_id: row.id, name: row.name, contact: row.contact, tariff_id: row.tariffId });
}

function deleteUser(input: Input<'deleteUser'>, tx: Transaction): Result<undefined> {
  const row = requireUser(tx, input.id);
  requireMatch(tx.call.ifMatch, etagOf(row));
  removeUser(tx, row);
  tx.audit(`user:${row.id}`, { name: row.name });
  return { body: undefined };
}

export const USER_HANDLERS = {
  listUsers: { read: listUsers },
  createUser: { write: createUser },
  getUser: { read: getUser, opensTransaction: true },
  updateUser: { write: updateUser },
  deleteUser: { write: deleteUser },
} satisfies Handlers<'listUsers' | 'createUser' | 'getUser' | 'updateUser' | 'deleteUser'>;
