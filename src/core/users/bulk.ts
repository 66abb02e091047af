// One act on many users, in one transaction: the plan for each is carried out, or only reported.

import type { FieldError } from '../../contract/errors.ts';
import { MAX_TAGS } from '../../contract/scalars.ts';
import type { Input } from '../../contract/table.ts';
import type { BulkAction, BulkFailure, BulkResult } from '../../contract/user-acts.ts';
import { MAX_BULK_IDS } from '../../contract/user-acts.ts';
import type { Result } from '../call.ts';
import type { Transaction, WriteHandler } from '../context.ts';
import { PanelError } from '../panel-error.ts';
import { requireUsableTariff } from '../tariffs.ts';
import { commitUser, openUser } from './change.ts';
import { grantBy } from './grants.ts';
import { conditionsOf } from './list.ts';
import { type Act, durationOf, extendBy, type Plan, patchBy, removeUser, resetCounter, setEnabled } from './users.ts';

type Outcome = BulkResult['results'][number];

/** More users than this are not changed on the thread that answers. */
const MAX_ON_MAIN = 100;
/** How many failures an bulkFailure bulk lists. */
const MAX_LISTED = 100;

/** Adds the tags that the user has not; at most 20 in all. */
function addTags(tags: readonly string[]): BulkAct {
  return (current, tx) => {
    const present = current.row.tags;
    const all = [...present, ...tags.filter((tag) => !present.includes(tag))];
    return all.length > MAX_TAGS ? 'too_many_tags' : patchBy({ tags: all })(current, tx);
  };
}

function removeTags(tags: readonly string[]): BulkAct {
  return (current, tx) => patchBy({ tags: current.row.tags.filter((tag) => !tags.includes(tag)) })(current, tx);
}

/** As an act, with a reason to fail that only a bulk has. */
type BulkAct = (...parameters: Parameters<Act>) => Plan | BulkFailure;

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the contract requires it with this action');
  return value;
}

function actFor(action: Exclude<BulkAction, 'delete'>, input: Input<'bulkUsers'>, tx: Transaction): BulkAct {
  switch (action) {
    case 'extend':
      return extendBy(durationOf(input));
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
      return patchBy({ tariff_id: requireUsableTariff(tx, required(input.tariff_id)).id });
    case 'add_tags':
      return addTags(required(input.tags));
    case 'remove_tags':
      return removeTags(required(input.tags));
  }
}

/** Why a user failed, by the refusal of an act. */
function failureOf(refusal: PanelError): BulkFailure {
  return refusal.code === 'term_unlimited' ? 'term_unlimited' : 'validation';
}

/** Acts on one user and returns the outcome. */
type Step = (id: number) => Outcome;

function stepFor(input: Input<'bulkUsers'>, tx: Transaction): Step {
  const { action, dry_run: isDry } = input;
  const { users } = tx.store;
  if (action === 'delete') {
    return (id) => {
      const row = users.get(id);
      if (!row) return { id, outcome: 'failed', detail: 'not_found' };
      if (!isDry) removeUser(tx, row);
      return { id, outcome: 'changed' };
    };
  }
  const act = actFor(action, input, tx);
  return (id) => {
    const stored = users.get(id);
    if (!stored) return { id, outcome: 'failed', detail: 'not_found' };
    const current = openUser(tx, stored);
    const plan = act(current, tx);
    if (plan === 'unchanged') return { id, outcome: 'unchanged' };
    if (plan instanceof PanelError) return { id, outcome: 'failed', detail: failureOf(plan) };
    if (typeof plan === 'string') return { id, outcome: 'failed', detail: plan };
    if (!isDry) commitUser(tx, current, plan.change);
    return { id, outcome: 'changed' };
  };
}

function targetsOf(input: Input<'bulkUsers'>, tx: Transaction): readonly number[] {
  if (input.ids) return [...input.ids].sort((a, b) => a - b);
  const { all: _all, ...filter } = input.filter ?? {};
  return tx.store.users.ids(conditionsOf(filter), tx.now);
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

function bulkUsers(input: Input<'bulkUsers'>, tx: Transaction): Result<BulkResult> {
  const { action, dry_run, atomic, expect_matched } = input;
  const step = stepFor(input, tx);
  const targets = targetsOf(input, tx);
  const failed: Outcome[] = [];
  const done: Outcome[] = [];
  let affected = 0;
  let missing = 0;
  for (const id of targets) {
    const result = step(id);
    if (result.outcome === 'changed') affected += 1;
    if (result.detail === 'not_found') missing += 1;
    const group = result.outcome === 'failed' ? failed : done;
    if (group.length < MAX_BULK_IDS) group.push(result);
  }
  const matched = targets.length - missing;
  if (expect_matched !== undefined && expect_matched !== matched) throw new PanelError('bulk_changed');
  if (atomic && failed.length > 0) throw bulkFailure(failed, input.ids);
  const results = [...failed, ...done].slice(0, MAX_BULK_IDS);
  const body: BulkResult = { action, dry_run, matched, affected, results };
  if (!dry_run) tx.audit(null, auditDetail(input, matched, affected));
  return { body, isDryRun: dry_run };
}

function auditDetail(input: Input<'bulkUsers'>, matched: number, affected: number): Record<string, unknown> {
  const { ids, dry_run: _dry, expect_matched: _expected, atomic: _atomic, ...asked } = input;
  return { ...asked, ids: ids && ids.length <= MAX_LISTED ? ids : undefined, matched, affected };
}

export const BULK_HANDLER: WriteHandler<'bulkUsers'> = {
  write: bulkUsers,
  isHeavy: ({ ids }) => ids === undefined || ids.length > MAX_ON_MAIN,
};
