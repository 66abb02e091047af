// One act on many users, in one transaction: the plan for each is carried out, or only reported.

import type { Input } from '../../contract/table.ts';
import type { BulkAction, BulkResult } from '../../contract/user-acts.ts';
import { MAX_BULK_IDS } from '../../contract/user-acts.ts';
import type { Result } from '../call.ts';
import type { Transaction, WriteHandler } from '../context.ts';
import { PanelError } from '../panel-error.ts';
import { commitUser, openUser } from './change.ts';
import { conditionsOf } from './list.ts';
import { type Act, durationOf, extendBy, removeUser, resetCounter, setEnabled } from './users.ts';

type Outcome = BulkResult['results'][number];

/** More users than this are not changed on the thread that answers. */
const MAX_ON_MAIN = 100;
/** How many failures an bulkFailure bulk lists. */
const MAX_LISTED = 100;

function actFor(action: Exclude<BulkAction, 'delete'>, input: Input<'bulkUsers'>): Act {
  if (action === 'extend') return extendBy(durationOf(input));
  return action === 'reset' ? resetCounter : setEnabled(action === 'enable');
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
  const act = actFor(action, input);
  return (id) => {
    const stored = users.get(id);
    if (!stored) return { id, outcome: 'failed', detail: 'not_found' };
    const current = openUser(tx, stored);
    const plan = act(current, tx);
    if (plan === 'unchanged') return { id, outcome: 'unchanged' };
    if (plan instanceof PanelError) return { id, outcome: 'failed', detail: plan.code };
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
  const errors = failed.slice(0, MAX_LISTED).map(({ id, detail }) => ({
    pointer: ids ? `#/ids/${ids.indexOf(id)}` : '#/filter',
    code: detail ?? 'failed',
    message: `user ${id} cannot be changed so`,
  }));
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
  const { action, filter, ids, days, months } = input;
  return { action, days, months, filter, ids: ids && ids.length <= MAX_LISTED ? ids : undefined, matched, affected };
}

export const BULK_HANDLER: WriteHandler<'bulkUsers'> = {
  write: bulkUsers,
  isHeavy: ({ ids }) => ids === undefined || ids.length > MAX_ON_MAIN,
};
