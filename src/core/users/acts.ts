// What is done to one user or to many: extend, reset, reissue, enable, disable. Each act is a rule that plans a change.

import type { Input } from '../../contract/table.ts';
import type { User } from '../../contract/users.ts';
import { freshFlags } from '../../domain/settle.ts';
import { type Duration, extendTerm } from '../../domain/term.ts';
import { resetTraffic } from '../../domain/traffic.ts';
import type { Result } from '../call.ts';
import type { Handlers, Transaction } from '../context.ts';
import { PanelError } from '../panel-error.ts';
import { requireUser } from '../references.ts';
import { type Change, type Current, commitUser, openUser } from './change.ts';
import { newCredentials, userResult } from './users.ts';

/** What an act would do to a user: a change, nothing, or why it cannot. */
export type Plan = { readonly change: Change } | 'unchanged' | PanelError;
export type Act = (current: Current, tx: Transaction) => Plan;

/** Exactly one of days and months, or `extend_amount`. */
export function durationOf(input: { days?: number | undefined; months?: number | undefined }): Duration {
  const { days, months } = input;
  if (days !== undefined && months === undefined) return { days };
  if (months !== undefined && days === undefined) return { months };
  throw new PanelError('extend_amount', [
    { pointer: '#', code: 'extend_amount', message: 'exactly one of days and months is required' },
  ]);
}

/** Extends the term; the domain decides from when. */
export function extendBy(amount: Duration): Act {
  const asked = 'days' in amount ? { days: amount.days } : { months: amount.months };
  const pointer = 'days' in amount ? '#/days' : '#/months';
  return (current, { now, settings }) => {
    const result = extendTerm(current.account, amount, now, settings.timeZone);
    if (result.ok) {
      const { account } = result;
      return { change: { account, flags: freshFlags(account, now), events: [{ type: 'user.extended', data: asked }] } };
    }
    if (result.error === 'term_unlimited') return new PanelError('term_unlimited');
    return new PanelError('validation', [{ pointer, code: 'too_big', message: 'the term would end after 2100-01-01' }]);
  };
}

/** Starts the period counter anew. */
export const resetCounter: Act = (current, { now, settings }) => {
  const account = resetTraffic(current.account, now, settings.timeZone);
  return { change: { account, events: [{ type: 'user.reset' }] } };
};

/** Enables or disables; a user who is so already is left alone. */
export function setEnabled(enabled: boolean): Act {
  return (current) => {
    if (current.account.enabled === enabled) return 'unchanged';
    const events = [{ type: enabled ? 'user.enabled' : 'user.disabled' }] as const;
    return { change: { account: { ...current.account, enabled }, events } };
  };
}

const reissue: Act = (_current, tx) => {
  return { change: { fields: newCredentials(tx), events: [{ type: 'user.reissued' }] } };
};

function actOn(tx: Transaction, id: number, act: Act, detail: Readonly<Record<string, unknown>>): Result<User> {
  const stored = requireUser(tx, id);
  const current = openUser(tx, stored);
  const plan = act(current, tx);
  if (plan instanceof PanelError) throw plan;
  if (plan === 'unchanged') return userResult(tx, stored);
  const row = commitUser(tx, current, plan.change);
  tx.audit(`user:${id}`, detail);
  return userResult(tx, row);
}

function extendUser(input: Input<'extendUser'>, tx: Transaction): Result<User> {
  const amount = durationOf(input);
  return actOn(tx, input.id, extendBy(amount), { ...amount });
}

export const USER_ACT_HANDLERS = {
  extendUser: { write: extendUser },
  resetTraffic: { write: (input, tx) => actOn(tx, input.id, resetCounter, {}) },
  reissueUser: { write: (input, tx) => actOn(tx, input.id, reissue, {}) },
} satisfies Handlers<'extendUser' | 'resetTraffic' | 'reissueUser'>;
