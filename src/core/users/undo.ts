// Undoes operations on users for some minutes: restores each user who was not changed since. Effects of time and traffic remain.

import type { Input, Output } from '../../contract/table.ts';
import { MAX_LISTED, UNDO_MINUTES, type UndoRefusal } from '../../contract/users/undo.ts';
import { parseOwnJson } from '../../domain/own-json.ts';
import { type Account, addBytes, type Grant } from '../../domain/users/account.ts';
import type { SteppedWrite, Transaction, WriteHandler } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { isSameJson } from '../kernel/wire.ts';
import type { AuditUser } from '../ports/audit.ts';
import type { UndoRow, UndoStore } from '../ports/undo.ts';
import type { UserRow } from '../ports/users.ts';
import { type Change, type Current, commitUser, openUser, type UserFields } from './change.ts';

const UNDO_MS = UNDO_MINUTES * 60_000;

/** Whether an undo restores a member of the account as a whole; for counters and grants, it adds back what the operation removed. */
const ACCOUNT_MEMBERS: { readonly [Member in keyof Account]-?: boolean } = {
  enabled: true,
  expiresAt: true,
  hold: true,
  trafficLimit: true,
  resetStrategy: true,
  termBeganAt: true,
  heldAt: true,
  resetsAt: true,
  usedUp: false,
  usedDown: false,
  totalUp: false,
  totalDown: false,
  grants: false,
};

/** Whether an undo restores a field. Ids of other systems are unique, and may belong to another user by then. */
const FIELDS: { readonly [Name in keyof UserFields]-?: boolean } = {
  name: true,
  contact: true,
  note: true,
  tags: true,
  metadata: true,
  tariffId: true,
  deviceLimit: true,
  concurrentLimit: true,
  inbounds: true,
  externalId: false,
  telegramId: false,
  token: false,
  excess: false,
  onlineAt: false,
  cut: false,
};

type AccountMember = Exclude<keyof Account, 'grants'>;
type Field = keyof UserFields;

function listRestored<Name extends string>(members: { readonly [Member in Name]: boolean }): readonly Name[] {
  return (Object.keys(members) as Name[]).filter((name) => members[name]);
}

const RESTORED_ACCOUNT = listRestored<AccountMember>(ACCOUNT_MEMBERS);
const RESTORED_FIELDS = listRestored<Field>(FIELDS);

/** How an operation on one user is undone; stored as JSON. */
interface UndoStep extends Pick<Account, 'hold' | 'resetsAt'>, Pick<UserRow, 'id' | 'version'> {
  // version, hold and resetsAt are those after the operation: if they differ, the user was changed since.
  /** Previous values of the changed members. */
  readonly account: Partial<Pick<Account, AccountMember>>;
  readonly fields: Partial<Pick<UserRow, Field>>;
  /** Bytes by which the operation reduced the counter. */
  readonly up: number;
  readonly down: number;
  /** Grants that the operation ended. */
  readonly ended: readonly Pick<Grant, 'id' | 'bytesLeft' | 'endsAt'>[];
  /** Whether the operation added a grant, the user's latest. */
  readonly gave: boolean;
}

/** The members of `before` that differ from those of `after`. */
function listDiffering<Member extends keyof UserRow>(
  names: readonly Member[],
  before: UserRow,
  after: UserRow,
): Partial<Pick<UserRow, Member>> {
  const differences: Partial<Pick<UserRow, Member>> = {};
  for (const name of names) if (!isSameJson(before[name], after[name])) differences[name] = before[name];
  return differences;
}

/** The step that undoes `change`, after which the user was `after`. */
function undoStep({ row, account }: Current, change: Change, after: UserRow): UndoStep {
  const grants = change.account?.grants ?? account.grants;
  const isEnded = ({ id, bytesLeft }: Grant) =>
    bytesLeft > 0 && grants.some((grant) => grant.id === id && grant.bytesLeft === 0);
  return {
    id: after.id,
    version: after.version,
    hold: after.hold,
    resetsAt: after.resetsAt,
    account: listDiffering(RESTORED_ACCOUNT, row, after),
    fields: listDiffering(RESTORED_FIELDS, row, after),
    up: row.usedUp - after.usedUp,
    down: row.usedDown - after.usedDown,
    ended: account.grants.filter(isEnded).map(({ id, bytesLeft, endsAt }) => ({ id, bytesLeft, endsAt })),
    gave: change.grant !== undefined,
  };
}

/** Collects the undo steps of an operation user by user, and writes them after its audit row. */
export interface UndoNotes {
  /** `change` resulted in `after`. */
  add(current: Current, change: Change, after: UserRow): void;
  write(store: UndoStore, auditId: number): void;
}

/** Steps per row. */
const RECORDED_TOGETHER = 100;

export function createUndoNotes(): UndoNotes {
  const texts: Omit<UndoRow, 'auditId'>[] = [];
  let steps: UndoStep[] = [];
  /** Converted to text at once: the objects of a large bulk would be promoted to the old generation. */
  const close = () => {
    const [first] = steps;
    if (!first) return;
    texts.push({ firstId: first.id, users: steps.length, steps: JSON.stringify(steps) });
    steps = [];
  };
  return {
    add(current, change, after) {
      steps.push(undoStep(current, change, after));
      if (steps.length === RECORDED_TOGETHER) close();
    },
    write(store, auditId) {
      close();
      for (const text of texts) store.append({ auditId, ...text });
      texts.length = 0;
    },
  };
}

/** Until when the operation of an audit row can be undone; null: it cannot, or no longer. */
export function undoUntil({ store, now }: Pick<Transaction, 'store' | 'now'>, auditId: number): number | null {
  const begunAt = store.undo.begunAt(auditId);
  return begunAt === null || begunAt < now - UNDO_MS ? null : begunAt + UNDO_MS;
}

/** Undo steps of operations before this time are pruned. */
export function undoBefore(now: number): number {
  return now - UNDO_MS;
}

function findUndoRefusal({ store }: Transaction, { row }: Current, step: UndoStep): UndoRefusal | null {
  const { version, hold, resetsAt, fields } = step;
  if (row.version !== version || row.resetsAt !== resetsAt || !isSameJson(row.hold, hold)) return 'changed_since';
  const { tariffId = null, inbounds = null } = fields;
  if (tariffId !== null && !store.tariffs.get(tariffId)) return 'tariff_gone';
  return inbounds !== null && store.inbounds.missing(inbounds).length > 0 ? 'inbound_gone' : null;
}

/** The grants before the operation: ended ones again, without the added one. */
function formerGrants({ store }: Transaction, { row, account }: Current, ended: UndoStep['ended'], givenId?: number) {
  if (ended.length === 0 && givenId === undefined) return account.grants;
  const again = ended.flatMap(({ id, bytesLeft, endsAt }) => {
    store.grants.save(id, { bytesLeft, bytesLost: 0, endsAt });
    return store.grants.get(row.id, id) ?? [];
  });
  return [...account.grants, ...again].filter(({ id }) => id !== givenId).sort((a, b) => a.id - b.id);
}

function restore(tx: Transaction, current: Current, step: UndoStep): UserRow {
  const { store } = tx;
  const { row } = current;
  const givenId = step.gave ? store.grants.latest(row.id)?.id : undefined;
  const account: Account = {
    ...current.account,
    ...step.account,
    usedUp: addBytes(row.usedUp, step.up),
    usedDown: addBytes(row.usedDown, step.down),
    grants: formerGrants(tx, current, step.ended, givenId),
  };
  const { tariffId } = { ...row, ...step.fields };
  const emit: Change['emit'] = (after, changed) => {
    tx.emit('user.changed', { ...after, tariff_id: tariffId }, changed);
    if (account.enabled !== row.enabled) tx.emit(account.enabled ? 'user.enabled' : 'user.disabled', after, changed);
  };
  const setsEnd = account.expiresAt !== row.expiresAt;
  const restored = commitUser(tx, current, { account, fields: step.fields, setsEnd, emit });
  if (givenId !== undefined) store.grants.remove(givenId);
  return restored;
}

/** Writes or updates the audit row of an operation on many users; returns its id. */
export function auditAct(tx: Transaction, detail: Readonly<Record<string, unknown>>, id: number | undefined): number {
  if (id === undefined) return tx.audit(null, detail);
  tx.store.audit.amend(id, JSON.stringify(detail));
  return id;
}

type Left = Output<'undoActs'>['users'][number];

/** Restores one user, or returns why not. */
function undoOne(tx: Transaction, step: UndoStep): Left | null {
  const { id } = step;
  const stored = tx.store.users.get(id);
  if (!stored) return { id, name: null, reason: 'not_found' };
  const current = openUser(tx, stored);
  const reason = findUndoRefusal(tx, current, step);
  if (reason !== null) return { id, name: stored.name, reason };
  restore(tx, current, step);
  return null;
}

/** Users restored per transaction, about. */
const PART = 500;

/** Runs in parts, with other writes in between. An interrupted undo can be repeated for the rest. */
function createUndo({ entries }: Input<'undoActs'>): SteppedWrite<'undoActs'> {
  let since: number | null = null;
  let auditId: number | undefined;
  let restored = 0;
  let left = 0;
  const users: Left[] = [];
  return {
    step(tx) {
      const { undo, audit } = tx.store;
      const isFirst = since === null;
      since ??= undoBefore(tx.now);
      const rows = undo.of(entries, since, PART);
      if (isFirst && rows.length === 0) throw new PanelError('undo_over');
      const changed: AuditUser[] = [];
      let seen = 0;
      tx.gatherEvents(() => {
        for (const { auditId: act, firstId, steps } of rows) {
          // Written by `createUndoNotes`.
          for (const step of parseOwnJson(steps) as UndoStep[]) {
            const refused = undoOne(tx, step);
            if (refused === null) changed.push({ id: step.id, name: null });
            else if (users.length < MAX_LISTED) users.push(refused);
            seen += 1;
          }
          undo.remove(act, firstId);
        }
      });
      restored += changed.length;
      left += seen - changed.length;
      auditId = auditAct(tx, { entries, restored, left }, auditId);
      audit.appendUsers(auditId, changed);
      return seen < PART ? { body: { restored, left, users } } : { part: null };
    },
  };
}

export const UNDO_HANDLER = {
  write: (input, tx) => {
    const undo = createUndo(input);
    for (;;) {
      const result = undo.step(tx, []);
      if (!('part' in result)) return result;
    }
  },
  isHeavy: () => true,
  begin: createUndo,
} satisfies WriteHandler<'undoActs'>;
