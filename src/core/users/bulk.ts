// One action on many users: planned for each, then applied or only reported; in parts with other writes in between, unless it is atomic.

import type { FieldError } from '../../contract/errors.ts';
import { MAX_TAGS } from '../../contract/scalars.ts';
import type { Input } from '../../contract/table.ts';
import type { BulkAction, BulkFailure, BulkResult } from '../../contract/users/user-acts.ts';
import { MAX_BULK_IDS } from '../../contract/users/user-acts.ts';
import { requireInbounds } from '../inbounds/inbounds.ts';
import type { Context, SteppedWrite, Transaction, WriteHandler } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import type { AuditUser } from '../ports/audit.ts';
import type { UserConditions, UserRow } from '../ports/users.ts';
import { requireUsableTariff } from '../tariffs/tariffs.ts';
import { type Change, type Current, commitUser, openUser } from './change.ts';
import { grantBy } from './grants.ts';
import { toTargetConditions } from './list.ts';
import { auditAct, createUndoNotes, type UndoNotes } from './undo.ts';
import {
  extendBy,
  MAX_ON_MAIN,
  type Plan,
  type PreviewableAction,
  parseDuration,
  patchBy,
  removeUser,
  resetCounter,
  setEnabled,
} from './users.ts';

export type Outcome = BulkResult['results'][number];

/** Maximum number of failures that a bulk lists. */
const MAX_LISTED = 100;

/** Adds missing tags; at most 20 in total. */
function addTags(tags: readonly string[]): BulkUserAction {
  return (current, context) => {
    const present = current.row.tags;
    const all = [...present, ...tags.filter((tag) => !present.includes(tag))];
    return all.length > MAX_TAGS ? 'too_many_tags' : patchBy({ tags: all })(current, context);
  };
}

function removeTags(tags: readonly string[]): BulkUserAction {
  return (current, context) =>
    patchBy({ tags: current.row.tags.filter((tag) => !tags.includes(tag)) })(current, context);
}

/** Replaces some inbounds by others. Users with all inbounds, or with none of these, are unchanged. */
function moveInbounds(from: ReadonlySet<number>, to: readonly number[]): BulkUserAction {
  return (current, context) => {
    const present = current.row.inbounds;
    if (present === null || !present.some((id) => from.has(id))) return 'unchanged';
    const inbounds = [...new Set([...present.filter((id) => !from.has(id)), ...to])].sort((a, b) => a - b);
    return patchBy({ inbounds })(current, context);
  };
}

/** An action with additional reasons to fail in a bulk. */
type BulkUserAction = (...parameters: Parameters<PreviewableAction>) => Plan | BulkFailure;

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the contract requires it here');
  return value;
}

export function getBulkAction(
  action: Exclude<BulkAction, 'delete'>,
  input: Input<'bulkUsers'>,
  context: Context,
): BulkUserAction {
  switch (action) {
    case 'extend':
      return extendBy(parseDuration(input));
    case 'reset':
      return resetCounter;
    case 'disable':
    case 'enable':
      return setEnabled(action === 'enable');
    case 'grant': {
      const { bytes, lifetime, days, note } = input;
      return grantBy({ bytes: required(bytes), lifetime: required(lifetime), days, note });
    }
    case 'set_tariff':
      return patchBy({ tariff_id: requireUsableTariff(context, required(input.tariff_id)).id });
    case 'add_tags':
      return addTags(required(input.tags));
    case 'remove_tags':
      return removeTags(required(input.tags));
    case 'set_inbounds': {
      const inbounds = required(input.inbounds);
      requireInbounds(context, inbounds);
      return patchBy({ inbounds });
    }
    case 'move_inbounds': {
      const [from, to] = [required(input.from_inbounds), required(input.inbounds) ?? []];
      requireInbounds(context, to);
      return moveInbounds(new Set(from), to);
    }
  }
}

/** The failure of a user, from the refusal of an action. */
function toFailure(refusal: PanelError): BulkFailure {
  return refusal.code === 'term_unlimited' ? 'term_unlimited' : 'validation';
}

/** The planned result for a user. */
interface PlannedChange {
  readonly current: Current;
  readonly result: Outcome;
  /** null: unchanged. */
  readonly change: Change | null;
}

/** Plans an action on a stored user. A bulk applies it, a preview shows it. */
export function planChange(userAction: BulkUserAction, stored: UserRow, context: Context): PlannedChange {
  const { id } = stored;
  const current = openUser(context, stored);
  const plan = userAction(current, context);
  if (plan === 'unchanged') return { current, result: { id, outcome: 'unchanged' }, change: null };
  if (typeof plan === 'object' && 'change' in plan) {
    return { current, result: { id, outcome: 'changed' }, change: plan.change };
  }
  const detail = plan instanceof PanelError ? toFailure(plan) : plan;
  return { current, result: { id, outcome: 'failed', detail }, change: null };
}

/** Applies the action to one stored user and returns the result. */
type Step = (stored: UserRow) => Outcome;

/** `undo`: collects undo steps; null: not needed. */
export function stepFor(input: Input<'bulkUsers'>, tx: Transaction, undo: UndoNotes | null): Step {
  const { action, dry_run: isDry } = input;
  if (action === 'delete') {
    return (stored) => {
      if (!isDry) removeUser(tx, stored);
      return { id: stored.id, outcome: 'changed' };
    };
  }
  const userAction = getBulkAction(action, input, tx);
  return (stored) => {
    const { current, result, change } = planChange(userAction, stored, tx);
    if (change && !isDry) {
      const after = commitUser(tx, current, change);
      undo?.add(current, change, after);
    }
    return result;
  };
}

export function toBulkConditions({ filter }: Input<'bulkUsers'>): UserConditions {
  return toTargetConditions(required(filter));
}

/** All target users, by id. */
export function listTargetIds(input: Input<'bulkUsers'>, { store, now }: Context): readonly number[] {
  if (input.ids) return [...input.ids].sort((a, b) => a - b);
  return store.users.ids(toBulkConditions(input), now);
}

function bulkFailure(failed: readonly Outcome[], ids: readonly number[] | undefined): PanelError {
  const errors = failed.slice(0, MAX_LISTED).map(
    ({ id, detail = 'validation' }): FieldError => ({
      pointer: ids ? `#/ids/${ids.indexOf(id)}` : '#/filter',
      code: detail,
      message: `user ${id} cannot be changed so`,
    }),
  );
  return new PanelError('bulk_failed', errors);
}

/** The result for one user; `user`: for the audit log, if changed. */
interface Acted {
  readonly result: Outcome;
  readonly user?: AuditUser;
}

/** Applies the operation to `chosen`, of whom `rows` exist. Missing ones count as failed if the bulk listed ids, otherwise they are skipped. */
export function actTogether(
  tx: Transaction,
  { action, ids }: Input<'bulkUsers'>,
  step: Step,
  chosen: readonly number[],
  rows: readonly UserRow[],
): readonly Acted[] {
  const present = new Map(rows.map((row) => [row.id, row]));
  return tx.gatherEvents(() =>
    chosen.flatMap((id): readonly Acted[] => {
      const row = present.get(id);
      if (!row) return ids ? [{ result: { id, outcome: 'failed', detail: 'not_found' } }] : [];
      const result = step(row);
      if (result.outcome !== 'changed') return [{ result }];
      return [{ result, user: { id, name: action === 'delete' ? row.name : null } }];
    }),
  );
}

/** The result of one transaction of a bulk, and the totals so far. Stored under the Idempotency-Key. */
interface BulkPart {
  /** The last target user, and the last processed one. */
  readonly upTo: number;
  readonly position: number;
  readonly matched: number;
  readonly affected: number;
  /** The audit row, updated by each part. */
  readonly auditId: number;
  readonly failed: readonly Outcome[];
  readonly done: readonly Outcome[];
}

/** Limits of one transaction, during which other writes wait. */
interface Limit {
  readonly users: number;
  readonly ms: number;
}

/** A part with its commit takes about 0.1 s; each part writes most index pages of the changed columns. */
export const PART: Limit = { users: 2000, ms: 60 };
/** A single transaction. */
const WHOLE: Limit = { users: Number.POSITIVE_INFINITY, ms: Number.POSITIVE_INFINITY };
/** Users read per statement. */
export const READ = 100;

/**
 * Targets are fixed at the beginning. Users who no longer match the filter later, such as one who has just paid, are skipped. An interrupted bulk
 * continues after the last processed user.
 */
function createBulk(input: Input<'bulkUsers'>, limit: Limit): SteppedWrite<'bulkUsers'> {
  const { action, dry_run: isDry, atomic, ids } = input;
  const parts: BulkPart[] = [];
  let targets: readonly number[] | null = null;
  let next = 0;

  function begin(tx: Transaction, before: readonly unknown[]): readonly number[] {
    // Stored by this function under the same operation and body.
    parts.push(...(before as readonly BulkPart[]));
    const found = listTargetIds(input, tx);
    const last = parts.at(-1);
    if (last) return found.filter((id) => id > last.position && id <= last.upTo);
    requirePossible(input, tx);
    requireExpected(input, found, tx);
    return found;
  }

  /** Those of `chosen` that exist and, if selected by a filter, still match it. */
  function read(chosen: readonly number[], { store, now }: Transaction, isBeginning: boolean): readonly UserRow[] {
    const matchingIds = ids || isBeginning ? chosen : store.users.matching(chosen, toBulkConditions(input), now);
    return store.users.rows(matchingIds);
  }

  function actOnSome(tx: Transaction, all: readonly number[], isBeginning: boolean): BulkPart {
    const { clock } = tx.env;
    const undo = createUndoNotes();
    const step = stepFor(input, tx, undo);
    const last = parts.at(-1);
    const failed: Outcome[] = [];
    const done: Outcome[] = [];
    const changed: AuditUser[] = [];
    let { matched, affected } = last ?? { matched: 0, affected: 0 };
    const first = next;
    const startedAt = clock.now();
    while (next < all.length && next - first < limit.users && clock.now() - startedAt < limit.ms) {
      const chosen = all.slice(next, next + READ);
      next += chosen.length;
      const rows = read(chosen, tx, isBeginning);
      matched += rows.length;
      for (const { result, user } of actTogether(tx, input, step, chosen, rows)) {
        if (user) changed.push(user);
        (result.outcome === 'failed' ? failed : done).push(result);
      }
    }
    affected += changed.length;
    const position = all[next - 1] ?? last?.position ?? 0;
    const upTo = last?.upTo ?? all.at(-1) ?? 0;
    const auditId = isDry ? 0 : auditAct(tx, auditDetail(input, matched, affected), last?.auditId);
    if (!isDry) {
      tx.store.audit.appendUsers(auditId, changed);
      undo.write(tx.store.undo, auditId);
    }
    return { upTo, position, matched, affected, auditId, failed, done };
  }

  return {
    step(tx, before) {
      const isBeginning = targets === null && before.length === 0;
      targets ??= begin(tx, before);
      const part = actOnSome(tx, targets, isBeginning);
      parts.push(part);
      if (next < targets.length) return { part: isDry ? null : part };
      const failed = parts.flatMap((each) => each.failed);
      if (atomic && failed.length > 0) throw bulkFailure(failed, ids);
      const { matched, affected, auditId } = part;
      const results = [...failed, ...parts.flatMap((each) => each.done)].slice(0, MAX_BULK_IDS);
      const body: BulkResult = { action, dry_run: isDry, matched, affected, results };
      if (!isDry) body.audit_id = auditId;
      if (isDry && atomic) body.writes_wait_ms = Math.ceil(affected * WAIT_MS);
      return { body, isDryRun: isDry };
    },
  };
}

/** Measured write time per user of an atomic bulk, in ms, plus a margin. */
const WAIT_MS = 0.05;

/** Rejects operations that would fail for every user, before any is read. */
export function requirePossible(input: Input<'bulkUsers'>, context: Context): void {
  if (input.action !== 'delete') getBulkAction(input.action, input, context);
}

export function requireExpected(
  { expect_matched: expected, ids }: Input<'bulkUsers'>,
  found: readonly number[],
  { store, now }: Transaction,
): void {
  if (expected === undefined) return;
  const matched = ids ? store.users.matching(found, {}, now).length : found.length;
  if (expected !== matched) throw new PanelError('bulk_changed');
}

export function auditDetail(input: Input<'bulkUsers'>, matched: number, affected: number): Record<string, unknown> {
  const { ids, dry_run: _dry, expect_matched: _expected, atomic: _atomic, ...bulkInput } = input;
  return { ...bulkInput, ids: ids && ids.length <= MAX_LISTED ? ids : undefined, matched, affected };
}

export const BULK_HANDLER = {
  write: (input, tx) => {
    const result = createBulk(input, WHOLE).step(tx, []);
    if ('part' in result) throw new Error('a whole bulk has one part');
    return result;
  },
  isHeavy: ({ ids }) => ids === undefined || ids.length > MAX_ON_MAIN,
  begin: (input) => createBulk(input, input.atomic && !input.dry_run ? WHOLE : PART),
} satisfies WriteHandler<'bulkUsers'>;
