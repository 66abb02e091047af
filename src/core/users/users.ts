// Users: created from a tariff, read, changed and deleted; extended, reset and reissued, one by one or many (bulk.ts).

import { MAX_METADATA } from '../../contract/scalars.ts';
import type { Input, Output } from '../../contract/table.ts';
import type { User, UserCreate, UserPatch, UserWithLink } from '../../contract/users/users.ts';
import { STORED_KEY_BYTES } from '../../domain/nodes/shadowsocks.ts';
import { type Account, computeUserState, trafficRemaining } from '../../domain/users/account.ts';
import { lastSegment } from '../../domain/users/pasted.ts';
import { freshFlags, nextChangeAt } from '../../domain/users/settle.ts';
import { type Duration, extendTerm, setExpiry, shortenTerm, startTerm } from '../../domain/users/term.ts';
import { changeReset, resetTraffic } from '../../domain/users/traffic.ts';
import { requireInbounds } from '../inbounds/inbounds.ts';
import type { Context, Handlers, Transaction } from '../kernel/context.ts';
import { bodyError, PanelError, requireAll } from '../kernel/panel-error.ts';
import {
  etagOf,
  fromInstant,
  isSameJson,
  requireMatch,
  toBase64,
  toInstant,
  toInstantOrNull,
  tokenOf,
} from '../kernel/wire.ts';
import type { Result } from '../ports/call.ts';
import type { TariffRow } from '../ports/tariffs.ts';
import type { NewUser, UserRow } from '../ports/users.ts';
import { requireUsableTariff } from '../tariffs/tariffs.ts';
import {
  type Change,
  type Current,
  commitUser,
  describe,
  emitDue,
  emitNotice,
  isUnsettled,
  openUser,
  settleRow,
  type UserFields,
} from './change.ts';
import { createUndoNotes } from './undo.ts';

const TOKEN_BYTES = 16;
const PASSWORD_BYTES = 24;
/** Any 32 bytes are a valid X25519 private key. */
const WIREGUARD_KEY_BYTES = 32;
/** Attempts before the random generator is considered broken. */
const MAX_TRIES = 10;

/** More users than this are created or changed on the worker thread. */
export const MAX_ON_MAIN = 100;

/** A new link and new credentials, unguessable and unique. */
export function newAccess({
  crypto,
  store,
}: Pick<Transaction, 'crypto' | 'store'>): Pick<NewUser, 'token' | 'credentials'> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const token = tokenOf(crypto.randomBytes(TOKEN_BYTES));
    const credentials = {
      uuid: crypto.uuid(),
      password: tokenOf(crypto.randomBytes(PASSWORD_BYTES)),
      key: toBase64(crypto.randomBytes(STORED_KEY_BYTES)),
      wireguard: toBase64(crypto.randomBytes(WIREGUARD_KEY_BYTES)),
    };
    if (!store.users.isTaken(token, credentials)) return { token, credentials };
  }
  throw new Error('random values repeat');
}

/** A user is online if bytes moved within this time. */
export const ONLINE_MS = 60_000;

/** The user record of the API at the context's moment. The link is only included for callers who may see it. */
export function viewUser(context: Context, stored: UserRow): User {
  return context.call.actor.access === 'full' ? viewUserWithLink(context, stored) : viewWithoutLink(context, stored);
}

/** The record with members for callers who may see the link. */
function viewUserWithLink(context: Context, stored: UserRow): UserWithLink {
  return { ...viewWithoutLink(context, stored), sub_url: context.env.subUrl(stored.token) };
}

function viewWithoutLink(context: Context, stored: UserRow): Omit<User, 'sub_url'> {
  const { store, now } = context;
  const row = settleRow(store, stored, now, context.settings);
  const { trafficLimit, extra } = row;
  const used = row.usedUp + row.usedDown;
  return {
    id: row.id,
    name: row.name,
    contact: row.contact,
    note: row.note,
    tags: row.tags as string[],
    external_id: row.externalId,
    telegram_id: row.telegramId,
    metadata: row.metadata,
    state: row.state,
    tariff_id: row.tariffId,
    enabled: row.enabled,
    expires_at: toInstantOrNull(row.expiresAt),
    hold: row.hold,
    traffic_limit: trafficLimit,
    used_up: row.usedUp,
    used_down: row.usedDown,
    total_up: row.totalUp,
    total_down: row.totalDown,
    traffic_extra: extra,
    traffic_remaining: trafficRemaining({ trafficLimit, used, extra }),
    reset_strategy: row.resetStrategy,
    resets_at: toInstantOrNull(row.resetsAt),
    device_limit: row.deviceLimit,
    concurrent_limit: row.concurrentLimit,
    concurrent_excess: viewExcess(row),
    inbounds: row.inbounds as number[] | null,
    online: row.onlineAt !== null && row.onlineAt > now - ONLINE_MS,
    online_at: toInstantOrNull(row.onlineAt),
    after_cut_up: row.cut?.up ?? 0,
    after_cut_down: row.cut?.down ?? 0,
    created_at: toInstant(row.createdAt),
    updated_at: toInstant(row.updatedAt),
  };
}

function viewExcess({ excess }: UserRow): User['concurrent_excess'] {
  if (excess === null) return null;
  const { addresses, at, cutOffUntil, cutOffNode } = excess;
  return {
    addresses,
    at: toInstant(at),
    cut_off_until: toInstantOrNull(cutOffUntil),
    cut_off_node_id: cutOffNode,
  };
}

/** The user, or `not_found`. */
export function requireUser({ store }: Context, id: number): UserRow {
  const row = store.users.get(id);
  if (!row) throw new PanelError('not_found');
  return row;
}

/** Refuses with `external_id_taken` or `telegram_id_taken` if another user has one of these ids. */
function requireFreeIds(
  { store }: Context,
  { externalId, telegramId }: Pick<UserRow, 'externalId' | 'telegramId'>,
  ownId: number | null,
): void {
  const require = (other: UserRow | undefined, code: 'external_id_taken' | 'telegram_id_taken', pointer: string) => {
    if (other && other.id !== ownId) throw bodyError(code, pointer, 'taken', 'is the id of another user');
  };
  const { users } = store;
  requireAll(
    () => externalId !== null && require(users.byExternalId(externalId), 'external_id_taken', '#/external_id'),
    () => telegramId !== null && require(users.byTelegramId(telegramId), 'telegram_id_taken', '#/telegram_id'),
  );
}

/** The result of every operation that returns the user. */
function userResult(context: Context, row: UserRow): Result<User> {
  return { body: viewUser(context, row), etag: etagOf(row) };
}

function linkResult(context: Context, row: UserRow): Result<UserWithLink> {
  return { body: viewUserWithLink(context, row), etag: etagOf(row) };
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
  // Due changes depend on the grants too, which another statement reads.
  return context.store.read(() => userResult(context, requireUser(context, id)));
}

/** The tariff of a new user. Rejects invalid input before anything is written. */
function requireNewUser(input: UserCreate, tx: Transaction): TariffRow {
  return requireAll(
    () => requireUsableTariff(tx, input.tariff_id),
    () => requireInbounds(tx, input.inbounds),
    () => requireFreeIds(tx, { externalId: input.external_id ?? null, telegramId: input.telegram_id ?? null }, null),
  );
}

/** Inserts a user whom `requireNewUser` has accepted. */
function insertUser(input: UserCreate, tariff: TariffRow, tx: Transaction): UserRow {
  const { store, now, settings } = tx;
  const { grants: _none, ...account } = newAccount(input, tariff, tx);
  const facts = { ...account, grants: [] };
  const isExpired = account.expiresAt !== null && account.expiresAt <= now;
  const flags = { ...freshFlags(facts, now, settings.expiringNoticeDays), expiredAnnounced: isExpired };
  const user: NewUser = {
    ...account,
    ...flags,
    heldAt: account.heldAt ?? null,
    ...newAccess(tx),
    name: input.name,
    contact: input.contact ?? '',
    note: input.note ?? '',
    tags: input.tags ?? [],
    externalId: input.external_id ?? null,
    telegramId: input.telegram_id ?? null,
    metadata: input.metadata ?? {},
    tariffId: tariff.id,
    deviceLimit: input.device_limit === undefined ? tariff.deviceLimit : input.device_limit,
    concurrentLimit: input.concurrent_limit === undefined ? tariff.concurrentLimit : input.concurrent_limit,
    excess: null,
    inbounds: input.inbounds === undefined ? tariff.inbounds : input.inbounds,
    state: computeUserState(facts, now),
    extra: 0,
    dueAt: nextChangeAt(facts, flags, now, settings.expiringNoticeDays),
    onlineAt: null,
    trafficLowAnnounced: false,
    cut: null,
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
  const { credentials: _apart, ...fields } = user;
  const row: UserRow = { ...fields, id: store.users.insert(user) };
  tx.emit('user.created', { ...describe(row), name: row.name, tariff_id: tariff.id });
  emitNotice(tx, row);
  if (isExpired) tx.emit('user.expired', describe(row));
  return row;
}

function createUser(input: UserCreate, tx: Transaction): Result<UserWithLink> {
  const row = insertUser(input, requireNewUser(input, tx), tx);
  tx.audit(`user:${row.id}`, { ...input });
  return { ...linkResult(tx, row), location: `/users/${row.id}` };
}

/** Creates the user with an external id, or patches the existing one. */
function putUser(input: Input<'putUser'>, tx: Transaction): Result<UserWithLink> {
  const { external_id, ...patch } = input;
  const stored = tx.store.users.byExternalId(external_id);
  if (!stored) return { ...createUser(input, tx), status: 201 };
  requirePatch(tx, stored, patch);
  return runAction(tx, stored, patchBy(patch), input);
}

function findUserByLink({ link }: Input<'findUserByLink'>, context: Context): Result<UserWithLink> {
  const row = context.store.users.byToken(lastSegment(link));
  if (!row) throw new PanelError('not_found');
  return linkResult(context, row);
}

type BatchItem = Output<'createUsers'>['results'][number];

/** One transaction for all users. Each is validated before it is written, so a failure leaves nothing behind. */
function createUsers({ users, dry_run: isDry }: Input<'createUsers'>, tx: Transaction): Result<Output<'createUsers'>> {
  // A dry run inserts nothing, so ids of earlier users in the batch must be tracked here.
  const seen: SeenIds = { external_id: new Set(), telegram_id: new Set() };
  const ids: number[] = [];
  const create = (input: UserCreate, index: number): BatchItem => {
    try {
      const tariff = requireAll(
        () => requireNewUser(input, tx),
        () => requireUnseen(seen, input),
      );
      if (isDry) {
        for (const name of FOREIGN_IDS) seen[name].add(input[name] ?? null);
        return { outcome: 'created' };
      }
      const row = insertUser(input, tariff, tx);
      ids.push(row.id);
      return { outcome: 'created', user: viewUserWithLink(tx, row) };
    } catch (error) {
      if (!(error instanceof PanelError)) throw error;
      const errors = error.errors?.map((one) => ({ ...one, pointer: one.pointer?.replace('#', `#/users/${index}`) }));
      return { outcome: 'failed', code: error.code, ...(errors && { errors }) };
    }
  };
  const results = users.map(create);
  const created = results.filter(({ outcome }) => outcome === 'created').length;
  const body = { dry_run: isDry, created, failed: results.length - created, results };
  if (isDry) return { body, isDryRun: true };
  const auditId = tx.audit(null, { created, failed: body.failed, first_id: ids[0], last_id: ids.at(-1) });
  tx.store.audit.appendUsers(
    auditId,
    ids.map((id) => ({ id, name: null })),
  );
  return { body };
}

const FOREIGN_IDS = ['external_id', 'telegram_id'] as const;
type SeenIds = { readonly [Name in (typeof FOREIGN_IDS)[number]]: Set<string | number | null> };

/** Rejects ids of an earlier user in the same batch. */
function requireUnseen(seen: SeenIds, input: UserCreate): void {
  const requireNew = (name: keyof SeenIds) => {
    const id = input[name] ?? null;
    if (id !== null && seen[name].has(id)) throw bodyError(`${name}_taken`, `#/${name}`, 'taken', 'is given twice');
  };
  requireAll(
    () => requireNew('external_id'),
    () => requireNew('telegram_id'),
  );
}

/** A user while a patch is applied: the account, and the other fields. */
interface Draft {
  readonly account: Account;
  readonly fields: UserFields;
}

/** Applies one member of a patch. */
type Patcher<Value> = (draft: Draft, value: Value, context: Context) => Draft;

function setField<Name extends keyof UserFields>(name: Name): Patcher<UserFields[Name]> {
  return ({ account, fields }, value) => ({ account, fields: { ...fields, [name]: value } });
}

/** Switches the tariff: new limits, a new term, and the counter at zero; grants stay. null only detaches; the same tariff changes nothing. */
const switchTariff: Patcher<number | null> = (draft, id, context) => {
  const { account, fields } = draft;
  if (id === fields.tariffId) return draft;
  if (id === null) return { account, fields: { ...fields, tariffId: null } };
  const tariff = requireUsableTariff(context, id);
  const term = startTerm(tariff, context.now, context.settings.timeZone);
  return {
    account: { ...account, ...term, trafficLimit: tariff.trafficLimit },
    fields: { ...limitAddresses(fields, tariff.concurrentLimit), ...pickPlanFields(tariff), tariffId: id },
  };
};

/** The fields of a tariff that a user gets besides the account: all common fields except the name. */
function pickPlanFields({
  deviceLimit,
  concurrentLimit,
  inbounds,
}: TariffRow): Pick<UserFields, Exclude<keyof UserFields & keyof TariffRow, 'name'>> {
  return { deviceLimit, concurrentLimit, inbounds };
}

/** A new limit ends the current excess, and a user who was blocked for it may connect. */
function limitAddresses(fields: UserFields, concurrentLimit: number | null): UserFields {
  return concurrentLimit === fields.concurrentLimit ? fields : { ...fields, concurrentLimit, excess: null };
}

/** A merge patch (RFC 7396): null removes a member. */
function mergeMetadata(before: UserRow['metadata'], patch: NonNullable<UserPatch['metadata']>): UserRow['metadata'] {
  const merged: Record<string, string> = { ...before };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = value;
  }
  if (Object.keys(merged).length > MAX_METADATA) {
    throw bodyError('validation', '#/metadata', 'too_big', `would have more than ${MAX_METADATA} members`);
  }
  return merged;
}

type PatchValues = { readonly [Member in keyof UserPatch]-?: Exclude<UserPatch[Member], undefined> };

/** The effect of each member of a patch, in this order: tariff first, since the other members override its values. */
const PATCHERS: { readonly [Member in keyof PatchValues]: Patcher<PatchValues[Member]> } = {
  tariff_id: switchTariff,
  enabled: ({ account, fields }, enabled) => ({ account: { ...account, enabled }, fields }),
  traffic_limit: ({ account, fields }, trafficLimit) => ({ account: { ...account, trafficLimit }, fields }),
  expires_at: ({ account, fields }, expiresAt, { now, settings }) => ({
    account: setExpiry(account, toMs(expiresAt), now, settings.timeZone),
    fields,
  }),
  reset_strategy: (draft, strategy, { now, settings }) => {
    if (strategy === draft.account.resetStrategy) return draft;
    return { ...draft, account: changeReset(draft.account, strategy, now, settings.timeZone) };
  },
  name: setField('name'),
  contact: setField('contact'),
  note: setField('note'),
  tags: setField('tags'),
  external_id: setField('externalId'),
  telegram_id: setField('telegramId'),
  metadata: ({ account, fields }, patch) => ({
    account,
    fields: { ...fields, metadata: mergeMetadata(fields.metadata, patch) },
  }),
  device_limit: setField('deviceLimit'),
  concurrent_limit: ({ account, fields }, limit) => ({ account, fields: limitAddresses(fields, limit) }),
  inbounds: setField('inbounds'),
};

function applyMember<Member extends keyof PatchValues>(
  draft: Draft,
  member: Member,
  value: PatchValues[Member],
  context: Context,
): Draft {
  return PATCHERS[member](draft, value, context);
}

/** The change of a merge patch; null if nothing changes. */
function computeChange(patch: UserPatch, { account: before, row }: Current, context: Context): Change | null {
  const start: Draft = { account: before, fields: row };
  let draft = start;
  for (const member of Object.keys(PATCHERS) as (keyof UserPatch)[]) {
    const value = patch[member];
    if (value !== undefined) draft = applyMember(draft, member, value, context);
  }
  const { account, fields } = draft;
  const isSame = isSameJson(account, before) && isSameJson(fields, start.fields);
  if (isSame) return null;
  return { account, fields, setsEnd: account.expiresAt !== row.expiresAt };
}

/** Referenced records must exist and ids be free. The tariff must accept new users, except the user's current one. */
function requirePatch(context: Context, before: UserRow, patch: UserPatch): void {
  const { tariff_id: planId, inbounds, metadata, external_id: externalId, telegram_id: telegramId } = patch;
  requireAll(
    () => planId !== undefined && planId !== null && planId !== before.tariffId && requireUsableTariff(context, planId),
    () => requireInbounds(context, inbounds),
    () => metadata && mergeMetadata(before.metadata, metadata),
    () => requireFreeIds(context, { externalId: externalId ?? null, telegramId: telegramId ?? null }, before.id),
  );
}

function updateUser(input: Input<'updateUser'>, tx: Transaction): Result<UserWithLink> {
  const stored = requireUser(tx, input.id);
  requireMatch(tx.call.ifMatch, etagOf(stored));
  const { id, ...patch } = input;
  requirePatch(tx, stored, patch);
  return runAction(tx, stored, patchBy(patch), patch);
}

/** Deletes a user permanently. Due changes are emitted first; the event contains what a bot needs to message the user. */
export function removeUser(tx: Transaction, stored: UserRow): void {
  const current = openUser(tx, stored);
  if (isUnsettled(stored, tx.now)) emitDue(tx, current);
  const { row } = current;
  tx.store.users.remove(row.id);
  tx.emit('user.deleted', { ...describe(row), name: row.name, tariff_id: row.tariffId });
}

function deleteUser(input: Input<'deleteUser'>, tx: Transaction): Result<undefined> {
  const row = requireUser(tx, input.id);
  requireMatch(tx.call.ifMatch, etagOf(row));
  removeUser(tx, row);
  tx.audit(`user:${row.id}`, { name: row.name });
  return { body: undefined };
}

/** The plan of an action on a user: a change, nothing, or the reason why it fails. */
export type Plan = { readonly change: Change } | 'unchanged' | PanelError;
export type UserAction = (current: Current, tx: Transaction) => Plan;
/** An action whose plan writes nothing, so that it can be previewed. */
export type PreviewableAction = (current: Current, context: Context) => Plan;

/** Exactly one of days and months, or `extend_amount`. */
export function parseDuration(input: { days?: number | undefined; months?: number | undefined }): Duration {
  const { days, months } = input;
  if (days !== undefined && months === undefined) return { days };
  if (months !== undefined && days === undefined) return { months };
  throw new PanelError('extend_amount', [
    { pointer: '#', code: 'extend_amount', message: 'exactly one of days and months is required' },
  ]);
}

/** Extends the term; the domain decides from when. */
export function extendBy(amount: Duration): PreviewableAction {
  const duration = 'days' in amount ? { days: amount.days } : { months: amount.months };
  const pointer = 'days' in amount ? '#/days' : '#/months';
  return (current, { now, settings }) => {
    const result = extendTerm(current.account, amount, now, settings.timeZone);
    if (result.ok) {
      const { account } = result;
      const emit: Change['emit'] = (after, changed, tx) => tx.emit('user.extended', { ...after, ...duration }, changed);
      return { change: { account, setsEnd: true, emit } };
    }
    if (result.error === 'term_unlimited') return new PanelError('term_unlimited');
    return new PanelError('validation', [{ pointer, code: 'too_big', message: 'the term would end after 2100-01-01' }]);
  };
}

/** Shortens the term; an ended term is unchanged. */
function shortenBy(amount: Duration): PreviewableAction {
  const duration = 'days' in amount ? { days: amount.days } : { months: amount.months };
  return (current, { now, settings }) => {
    const result = shortenTerm(current.account, amount, now, settings.timeZone);
    if (!result.ok) return new PanelError('term_unlimited');
    const { account } = result;
    if (account === current.account) return 'unchanged';
    const emit: Change['emit'] = (after, changed, tx) => tx.emit('user.shortened', { ...after, ...duration }, changed);
    return { change: { account, setsEnd: true, emit } };
  };
}

/** Applies a merge patch that `requirePatch` has accepted. */
export function patchBy(patch: UserPatch): PreviewableAction {
  return (current, context) => {
    const change = computeChange(patch, current, context);
    if (!change) return 'unchanged';
    const { enabled, tariffId } = current.row;
    const isEnabled = change.account?.enabled ?? enabled;
    const planId = change.fields?.tariffId === undefined ? tariffId : change.fields.tariffId;
    const emit: Change['emit'] = (after, changed, tx) => {
      tx.emit('user.changed', { ...after, tariff_id: planId }, changed);
      if (isEnabled !== enabled) tx.emit(isEnabled ? 'user.enabled' : 'user.disabled', after, changed);
    };
    return { change: { ...change, emit } };
  };
}

/** Sets the period counter to zero. */
export const resetCounter: PreviewableAction = (current, { now, settings }) => {
  const account = resetTraffic(current.account, now, settings.timeZone);
  return { change: { account, emit: (after, changed, tx) => tx.emit('user.reset', after, changed) } };
};

/** Enables or disables; unchanged if the user is in that state. */
export function setEnabled(enabled: boolean): PreviewableAction {
  const type = enabled ? 'user.enabled' : 'user.disabled';
  return (current) => {
    if (current.account.enabled === enabled) return 'unchanged';
    const account = { ...current.account, enabled };
    return { change: { account, emit: (after, changed, tx) => tx.emit(type, after, changed) } };
  };
}

/** Replaces the link and all credentials; the old ones stop working. */
const reissue: UserAction = ({ row }, tx) => {
  const { token, credentials } = newAccess(tx);
  tx.store.users.saveCredentials(row.id, credentials);
  // The owner of the old link may have created an invitation on its page.
  tx.store.bot.endPageInvitation(row.id);
  tx.store.imports.removeLinks(row.id);
  tx.store.reissues.recordReissue(row.id, tx.now);
  return { change: { fields: { token }, emit: (after, changed) => tx.emit('user.reissued', after, changed) } };
};

/** Applies an action to a user. Throws its refusal. An unchanged user is not written. */
export function applyAction(tx: Transaction, stored: UserRow, action: UserAction): UserRow {
  const current = openUser(tx, stored);
  const plan = action(current, tx);
  if (plan instanceof PanelError) throw plan;
  return plan === 'unchanged' ? stored : commitUser(tx, current, plan.change);
}

/** Runs an action on a user; without a change there is no audit row. */
function runAction(
  tx: Transaction,
  stored: UserRow,
  action: UserAction,
  detail: Readonly<Record<string, unknown>>,
): Result<UserWithLink> {
  const row = applyAction(tx, stored, action);
  if (row !== stored) tx.audit(`user:${stored.id}`, detail);
  return linkResult(tx, row);
}

/** Like `runAction`, but the administrator can undo it. */
function runUndoable(
  tx: Transaction,
  stored: UserRow,
  action: PreviewableAction,
  detail: Readonly<Record<string, unknown>>,
): Result<UserWithLink> {
  const current = openUser(tx, stored);
  const plan = action(current, tx);
  if (plan instanceof PanelError) throw plan;
  if (plan === 'unchanged') return linkResult(tx, stored);
  const row = commitUser(tx, current, plan.change);
  const auditId = tx.audit(`user:${stored.id}`, detail);
  if (tx.call.actor.kind === 'administrator') {
    const undo = createUndoNotes();
    undo.add(current, plan.change, row);
    undo.write(tx.store.undo, auditId);
  }
  return linkResult(tx, row);
}

function extendUser(input: Input<'extendUser'>, tx: Transaction): Result<UserWithLink> {
  const amount = parseDuration(input);
  return runUndoable(tx, requireUser(tx, input.id), extendBy(amount), { ...amount });
}

function shortenUser(input: Input<'shortenUser'>, tx: Transaction): Result<UserWithLink> {
  const amount = parseDuration(input);
  return runUndoable(tx, requireUser(tx, input.id), shortenBy(amount), { ...amount });
}

export const USER_HANDLERS = {
  createUser: { write: createUser },
  getUser: { read: getUser, opensTransaction: true },
  updateUser: { write: updateUser },
  deleteUser: { write: deleteUser },
  putUser: { write: putUser },
  findUserByLink: { read: findUserByLink },
  createUsers: { write: createUsers, isHeavy: ({ users }) => users.length > MAX_ON_MAIN },
  extendUser: { write: extendUser },
  shortenUser: { write: shortenUser },
  resetUserTraffic: { write: (input, tx) => runUndoable(tx, requireUser(tx, input.id), resetCounter, {}) },
  reissueUser: { write: (input, tx) => runAction(tx, requireUser(tx, input.id), reissue, {}) },
} satisfies Handlers<
  | 'createUser'
  | 'getUser'
  | 'updateUser'
  | 'deleteUser'
  | 'putUser'
  | 'findUserByLink'
  | 'createUsers'
  | 'extendUser'
  | 'shortenUser'
  | 'resetUserTraffic'
  | 'reissueUser'
>;
