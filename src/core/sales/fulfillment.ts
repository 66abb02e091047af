// Fulfils and revokes orders, in the transaction that writes the order: a paid order is always applied.

import type { Sold } from '../../contract/sales/sales.ts';
import { applyTerm, type FulfilledTerm, revokeTerm } from '../../domain/sales/sale.ts';
import type { Account } from '../../domain/users/account.ts';
import type { Duration } from '../../domain/users/term.ts';
import type { Context, Transaction } from '../kernel/context.ts';
import { bodyError, PanelError } from '../kernel/panel-error.ts';
import type { FulfilledItem, OrderRow } from '../ports/sales.ts';
import type { UserRow } from '../ports/users.ts';
import { type Change, type Current, commitUser, openUser } from '../users/change.ts';
import { grantBy } from '../users/grants.ts';
import { requireUser } from '../users/users.ts';

/** The purchased time; null: none. */
export function getSoldDuration(sold: Sold): Duration | null {
  if (sold.kind === 'days') return { days: sold.days };
  return sold.kind === 'months' ? { months: sold.months } : null;
}

/** Applies each purchased item: extends the term, or grants traffic with the order number in the event. */
export function fulfillOrder(
  tx: Transaction,
  userId: number,
  sold: readonly Sold[],
  orderId: number,
): readonly FulfilledItem[] {
  return sold.map((part) => {
    const user = requireUser(tx, userId);
    const duration = getSoldDuration(part);
    if (duration === null) return grantTraffic(tx, user, part, orderId);
    return { kind: 'term', term: extendForOrder(tx, user, duration, orderId) };
  });
}

/** Extends a term for an order. PanelError if the user never expires, or the term would end too late. */
export function extendForOrder(tx: Transaction, user: UserRow, duration: Duration, orderId: number): FulfilledTerm {
  const current = openUser(tx, user);
  const result = applyTerm(current.account, duration, tx.now, tx.settings.timeZone);
  if (!result.ok) {
    if (result.error === 'term_unlimited') throw new PanelError('term_unlimited');
    throw bodyError('validation', '#/offer_id', 'too_big', 'the term would end after 2100-01-01');
  }
  const emit: Change['emit'] = (after, changed, inner) =>
    inner.emit('user.extended', { ...after, ...duration, order_id: orderId }, changed);
  commitUser(tx, current, { account: result.account, setsEnd: true, emit });
  return result.given;
}

function grantTraffic(tx: Transaction, user: UserRow, sold: Sold, orderId: number): FulfilledItem {
  if (!('bytes' in sold)) throw new Error('a term is no traffic');
  const request =
    sold.kind === 'traffic_days' ? { lifetime: 'days' as const, days: sold.days } : { lifetime: sold.lifetime };
  const current = openUser(tx, user);
  const plan = grantBy({ bytes: sold.bytes, ...request, note: `#${orderId}` })(current, tx);
  if (plan instanceof PanelError) throw plan;
  if (plan === 'unchanged') throw new Error('a grant changes a user');
  commitUser(tx, current, { ...plan.change, orderId });
  const grant = tx.store.grants.latest(user.id);
  if (!grant) throw new Error('the grant was not stored');
  return { kind: 'traffic', grantId: grant.id };
}

/** The effect of a refund on a user; null: nothing is left to revoke. */
export function revoke(
  context: Context,
  current: Current,
  { id, given }: Pick<OrderRow, 'id' | 'given'>,
): Change | null {
  const { account, row } = current;
  const traffic = listGrantIds(given);
  const shortened = revokeTerms(context, account, listTerms(given));
  // Grants that ended with the previous term may have been revoked since, with their own orders.
  const grants = shortened.grants.filter(
    ({ id: grant }) => !traffic.includes(grant) && context.store.grants.get(row.id, grant) !== undefined,
  );
  if (shortened !== account) {
    return {
      account: { ...shortened, grants },
      setsEnd: true,
      emit: (facts, changed, tx) => tx.emit('user.shortened', { ...facts, order_id: id }, changed),
    };
  }
  if (grants.length === account.grants.length) return null;
  return {
    account: { ...account, grants },
    emit: (after, changed, tx) => tx.emit('user.changed', { ...after, tariff_id: row.tariffId }, changed),
  };
}

/** Revokes terms of an account, last first. */
function revokeTerms({ now, settings }: Context, account: Account, terms: readonly FulfilledTerm[]): Account {
  return terms.reduceRight((one, term) => revokeTerm(one, term, now, settings.timeZone), account);
}

/** Terms that an order added for the buyer, in order. */
export function listTerms(given: OrderRow['given']): readonly FulfilledTerm[] {
  return (given ?? []).flatMap((part) => (part.kind === 'term' ? [part.term] : []));
}

/** The grants that an order gave. */
export function listGrantIds(given: OrderRow['given']): readonly number[] {
  return (given ?? []).flatMap((part) => (part.kind === 'traffic' ? [part.grantId] : []));
}

/** Marks an order as refunded and revokes what is left of it; PanelError `order_refunded`. */
export function refundOrder(tx: Transaction, order: OrderRow, note: string): void {
  const { store, now } = tx;
  if (!store.sales.markRefunded(order.id, now, note)) throw new PanelError('order_refunded');
  const payment = store.payments.findAppliedPayment(order.id);
  if (payment) store.payments.savePayment({ ...payment, state: 'refunded' });
  revokeReferrerReward(tx, order);
  const user = order.userId === null ? undefined : store.users.get(order.userId);
  if (!user) return;
  const current = openUser(tx, user);
  const change = revoke(tx, current, order);
  if (!change) return;
  commitUser(tx, current, change);
  reviveGrants(tx, current, change);
  for (const id of listGrantIds(order.given)) store.grants.remove(id);
}

/** Restores grants that had ended. */
function reviveGrants({ store }: Transaction, { grants }: Current, { account }: Change): void {
  for (const { id, bytesLeft, endsAt } of account?.grants ?? [])
    if (!grants.some((grant) => grant.id === id)) store.grants.save(id, { bytesLeft, bytesLost: 0, endsAt });
}

/** The referral reward of an order; null: none. */
export function findReferrer(given: OrderRow['given']): Extract<FulfilledItem, { readonly kind: 'referrer' }> | null {
  for (const part of given ?? []) if (part.kind === 'referrer') return part;
  return null;
}

/** The effect of a refund on the inviting user; null: nothing is left to revoke. */
export function revokeReward(
  context: Context,
  current: Current,
  orderId: number,
  { term }: Extract<FulfilledItem, { readonly kind: 'referrer' }>,
): Change | null {
  return revoke(context, current, { id: orderId, given: [{ kind: 'term', term }] });
}

function revokeReferrerReward(tx: Transaction, { id, given }: OrderRow): void {
  const part = findReferrer(given);
  const user = part === null ? undefined : tx.store.users.get(part.userId);
  if (part === null || !user) return;
  const current = openUser(tx, user);
  const change = revokeReward(tx, current, id, part);
  if (change === null) return;
  commitUser(tx, current, change);
  reviveGrants(tx, current, change);
  tx.audit(`user:${user.id}`, { order_id: id, referral: true });
}
