// Opens a user for a change and writes it back, so that time, state, events and counters always change together.

import type { UserFacts } from '../../contract/event-types.ts';
import type { UserState } from '../../contract/users/users.ts';
import { type Account, canConnect, computeUserState, extraBytes, type Grant } from '../../domain/users/account.ts';
import {
  flagsUnder,
  freshFlags,
  type Notices,
  nextChangeAt,
  settle,
  type TermFlags,
} from '../../domain/users/settle.ts';
import { isTrafficLow } from '../../domain/users/traffic.ts';
import type { Context, Transaction } from '../kernel/context.ts';
import { toInstantOrNull } from '../kernel/wire.ts';
import type { Store } from '../ports/ports.ts';
import type { SettingValues } from '../ports/settings.ts';
import type { Cut, GrantRow, UserRow } from '../ports/users.ts';
import { changedFields } from './changed-fields.ts';

/** A user at one moment, with everything applied that is due by then. */
export interface Current {
  /** The stored row. */
  readonly stored: UserRow;
  /** The current row: fields of the account, state and extra are settled. */
  readonly row: UserRow;
  readonly account: Account;
  readonly flags: TermFlags;
  /** The stored grants, for detecting changes. */
  readonly grants: readonly Grant[];
}

/** Members that the panel computes, from the account, the time, or the operation. */
type Computed =
  | 'id'
  | 'state'
  | 'extra'
  | 'dueAt'
  | 'noticeAnnounced'
  | 'expiredAnnounced'
  | 'trafficLowAnnounced'
  | 'createdAt'
  | 'updatedAt'
  | 'version';

/** Members of a row that an operation may set besides the account. */
export type UserFields = Omit<UserRow, keyof Account | Computed>;

/** The effect of an operation on a user. Omitted members are unchanged. */
export interface Change {
  readonly account?: Account;
  readonly fields?: Partial<UserFields>;
  /** Whether the end of the term was set: its notices are pending again. */
  readonly setsEnd?: boolean;
  /** A grant to add to the account, with its event. */
  readonly grant?: Omit<Grant, 'id'> & Pick<GrantRow, 'note'>;
  /** The order that the grant belongs to. */
  readonly orderId?: number;
  /** The node that the traffic belongs to. */
  readonly nodeId?: number;
  /** Emits the operation's own events, before those of state changes. `changed`: fields of the record that the operation changed. */
  readonly emit?: (after: UserFacts, changed: readonly string[], tx: Transaction) => void;
}

const NO_GRANTS: readonly Grant[] = [];

function isDue(row: UserRow, now: number): boolean {
  return row.dueAt !== null && row.dueAt <= now;
}

/** Whether the stored state is outdated: something is due, or the term ended by a clock that was set back since. */
export function isUnsettled(row: UserRow, now: number): boolean {
  return isDue(row, now) || (row.state === 'expired' && row.expiresAt !== null && row.expiresAt > now);
}

function toAccount(row: UserRow, grants: readonly Grant[]): Account {
  const { enabled, expiresAt, hold, trafficLimit, usedUp, usedDown, totalUp, totalDown } = row;
  const { resetStrategy, termBeganAt, heldAt, resetsAt } = row;
  return {
    enabled,
    expiresAt,
    hold,
    trafficLimit,
    usedUp,
    usedDown,
    totalUp,
    totalDown,
    resetStrategy,
    termBeganAt,
    heldAt,
    resetsAt,
    grants,
  };
}

/** Member by member, since each spread costs as much as copying the row; the type of `row` guarantees that none is missing. */
function withAccount(
  row: Omit<UserRow, keyof Account | keyof TermFlags>,
  account: Account,
  flags: TermFlags,
  now: number,
): UserRow {
  const state = computeUserState(account, now);
  return {
    ...row,
    enabled: account.enabled,
    expiresAt: account.expiresAt,
    hold: account.hold,
    trafficLimit: account.trafficLimit,
    usedUp: account.usedUp,
    usedDown: account.usedDown,
    totalUp: account.totalUp,
    totalDown: account.totalDown,
    resetStrategy: account.resetStrategy,
    termBeganAt: account.termBeganAt,
    heldAt: account.heldAt ?? null,
    resetsAt: account.resetsAt,
    noticeAnnounced: flags.noticeAnnounced,
    expiredAnnounced: flags.expiredAnnounced,
    state,
    cut: canConnect(state) ? null : row.cut,
    extra: extraBytes(account.grants, now),
  };
}

function liveGrants(store: Store, row: UserRow, now: number): readonly Grant[] {
  return row.extra > 0 || isUnsettled(row, now) ? store.grants.live(row.id) : NO_GRANTS;
}

function settleBy({ timeZone, expiringNoticeDays }: SettingValues, account: Account, flags: TermFlags, now: number) {
  return settle(account, flags, now, timeZone, expiringNoticeDays);
}

/** The settled user at `now`, for reading: nothing is written. */
export function settleRow(store: Store, row: UserRow, now: number, settings: SettingValues): UserRow {
  if (!isUnsettled(row, now)) return row;
  const { account, flags } = settleBy(settings, toAccount(row, store.grants.live(row.id)), row, now);
  return withAccount(row, account, flags, now);
}

/** The settled user for an operation. Due changes are emitted and written by `commitUser`. */
export function openUser(tx: Context, stored: UserRow): Current {
  const { store, now } = tx;
  const grants = liveGrants(store, stored, now);
  const account = toAccount(stored, grants);
  if (!isUnsettled(stored, now)) return { stored, row: stored, account, flags: stored, grants };
  const settled = settleBy(tx.settings, account, stored, now);
  return {
    stored,
    row: withAccount(stored, settled.account, settled.flags, now),
    account: settled.account,
    flags: settled.flags,
    grants,
  };
}

/** Writes the due changes of a user, with their events. */
export function commitTime(tx: Transaction, current: Current): void {
  emitDue(tx, current);
  write(tx, current, current.row, current.account);
}

/** Writes the due changes of a user, and the pending notices under another list of notices. */
export function commitNotices(tx: Transaction, current: Current, notices: Notices): void {
  const { stored, row, account, flags } = current;
  if (isUnsettled(stored, tx.now)) emitDue(tx, current);
  write(tx, current, { ...row, ...flagsUnder(account, flags, tx.now, notices) }, account, { notices });
}

/**
 * Writes an act on a user: its account, fields and state, its grants, the counters behind them and the events, those of passed
 * time first. The ETag changes. Returns the row as written.
 */
export function commitUser(tx: Transaction, current: Current, change: Change): UserRow {
  return commit(tx, current, change, { version: current.row.version + 1, updatedAt: tx.now });
}

/** Writes traffic: as an act, but the ETag and updated_at stay. */
export function commitTraffic(tx: Transaction, current: Current, change: Change): UserRow {
  return commit(tx, current, change, current.row);
}

/** Members that identify a version of the record. */
type Stamp = Pick<UserRow, 'version' | 'updatedAt'>;

function commit(tx: Transaction, current: Current, change: Change, stamp: Stamp): UserRow {
  const { now } = tx;
  if (isUnsettled(current.stored, now)) emitDue(tx, current);
  const changed = change.account ?? current.account;
  const grant = change.grant && insertGrant(tx, current.row.id, change.grant);
  const account = grant ? { ...changed, grants: [...changed.grants, grant] } : changed;
  const nextFlags = change.setsEnd ? freshFlags(account, now, tx.settings.expiringNoticeDays) : current.flags;
  const isEndPassed = account.expiresAt !== null && account.expiresAt <= now;
  const flags = {
    noticeAnnounced: nextFlags.noticeAnnounced,
    expiredAnnounced: nextFlags.expiredAnnounced || isEndPassed,
  };
  const row = change.fields ? { ...current.row, ...change.fields } : current.row;
  const after = withAccount(row, account, flags, now);
  const fields = grant || change.emit ? changedFields(current.row, after) : [];
  if (grant) {
    const { orderId } = change;
    const data = { ...describe(after), grant_id: grant.id, bytes: grant.bytes };
    tx.emit('user.granted', orderId === undefined ? data : { ...data, order_id: orderId }, fields);
  }
  change.emit?.(describe(after), fields, tx);
  if (change.setsEnd) emitNotice(tx, after);
  if (isEndPassed && !nextFlags.expiredAnnounced) tx.emit('user.expired', describe(after));
  const entered = findEnteredState(current.row.state, after);
  if (entered) tx.emit(entered, describe(after));
  return write(tx, current, after, account, { stamp, nodeId: change.nodeId });
}

/** The user after a change, for a preview: nothing is written or emitted. */
export function forecastRow({ now }: Context, { row, account, flags }: Current, change: Change): UserRow {
  const changed = change.account ?? account;
  const grants = change.grant ? [...changed.grants, { ...change.grant, id: 0 }] : changed.grants;
  const { noticeAnnounced, expiredAnnounced } = flags;
  return withAccount({ ...row, ...change.fields }, { ...changed, grants }, { noticeAnnounced, expiredAnnounced }, now);
}

function insertGrant({ store }: Transaction, userId: number, grant: NonNullable<Change['grant']>): Grant {
  return { ...grant, id: store.grants.insert({ ...grant, userId }) };
}

/** Emits the first notice of a new end of the term, if the end is set later than its due time. */
export function emitNotice(tx: Transaction, row: UserRow): void {
  if (row.noticeAnnounced === null || row.expiredAnnounced) return;
  tx.emit('user.expiring', { ...describe(row), days: row.noticeAnnounced });
}

/** The data of every event about a user. */
export function describe(row: UserRow): UserFacts {
  return {
    user_id: row.id,
    contact: row.contact,
    external_id: row.externalId,
    state: row.state,
    expires_at: toInstantOrNull(row.expiresAt),
  };
}

/** Emits due events, each with its own time and state, then those for changes that a clock set back has undone. */
export function emitDue(tx: Transaction, { stored, row: present, grants }: Current): void {
  const { now, settings } = tx;
  const account = toAccount(stored, grants);
  let { state } = stored;
  for (const happening of settleBy(settings, account, stored, now).happened) {
    const { at } = happening;
    const then = settleBy(settings, account, stored, at);
    const row = withAccount(stored, then.account, then.flags, at);
    if (happening.type === 'grant_ended') {
      tx.emitDue('user.grant_ended', { ...describe(row), grant_id: happening.grantId }, at);
    } else if (happening.type === 'expiring') {
      tx.emitDue('user.expiring', { ...describe(row), days: happening.days }, at);
    } else {
      tx.emitDue(`user.${happening.type}`, describe(row), at);
    }
    const entered = findEnteredState(state, row);
    if (entered) tx.emitDue(entered, describe(row), at);
    state = row.state;
  }
  const entered = findEnteredState(state, present);
  if (entered) tx.emitDue(entered, describe(present), now);
}

/** The event of a new state; null if there is none. */
function findEnteredState(before: UserState, { state }: UserRow): 'user.limited' | 'user.activated' | null {
  if (state === before) return null;
  if (state === 'limited') return 'user.limited';
  return state === 'active' ? 'user.activated' : null;
}

/** How a row is written where that differs. */
interface Writing {
  readonly stamp?: Stamp;
  readonly notices?: Notices;
  readonly nodeId?: number | undefined;
}

function write(
  tx: Transaction,
  current: Current,
  row: UserRow,
  account: Account,
  { stamp = row, notices = tx.settings.expiringNoticeDays, nodeId }: Writing = {},
): UserRow {
  const { store, now } = tx;
  const isLow = isTrafficLow(account, now);
  if (isLow && !row.trafficLowAnnounced && row.state === 'active') tx.emit('user.traffic_low', describe(row));
  const trafficLowAnnounced = isLow && (row.trafficLowAnnounced || row.state === 'active');
  const cut = computeCut(store, current, row, nodeId);
  const dueAt = nextChangeAt(account, row, now, notices);
  const { version, updatedAt } = stamp;
  const after: UserRow = { ...row, version, updatedAt, cut, trafficLowAnnounced, dueAt };
  if (account.grants !== current.grants) saveGrants(store, current.grants, account.grants, now);
  store.users.save(current.stored, after);
  return after;
}

/** A cut lasts while the user may not connect. For a new one, the store appends to the log of nodes with this write. */
function computeCut({ sync }: Store, before: Current, row: UserRow, nodeId: number | undefined): Cut | null {
  if (canConnect(row.state)) return null;
  if (row.cut !== null) return row.cut;
  if (!canConnect(before.stored.state) && !canConnect(before.row.state)) return null;
  const isByTraffic = row.state === 'limited' && nodeId !== undefined;
  return { change: sync.latest() + 1, nodeId: isByTraffic ? nodeId : null, up: 0, down: 0 };
}

function saveGrants(store: Store, before: readonly Grant[], after: readonly Grant[], now: number): void {
  for (const grant of after) {
    const old = before.find(({ id }) => id === grant.id);
    if (old && (old.bytesLeft !== grant.bytesLeft || old.endsAt !== grant.endsAt)) {
      const { bytesLeft, endsAt } = grant;
      // A grant is settled before it is spent: if it is empty and past its end, the rest was lost.
      const bytesLost = bytesLeft === 0 && endsAt !== null && endsAt <= now ? old.bytesLeft : 0;
      store.grants.save(grant.id, { bytesLeft, bytesLost, endsAt });
    }
  }
}
