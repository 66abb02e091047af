// What an order gives to its user, and what is taken back of it. Paid is applied: both are of the transaction that writes the order.

import type { Sold } from '../../contract/sales/sales.ts';
import { type GivenTerm, giveTerm, takeTermBack } from '../../domain/sales/sale.ts';
import type { Duration } from '../../domain/users/term.ts';
import type { Context, Transaction } from '../context.ts';
import { bodyError, PanelError } from '../panel-error.ts';
import type { Given, OrderRow } from '../ports/sales.ts';
import type { UserRow } from '../ports/users.ts';
import { type Change, type Current, commitUser, openUser } from '../users/change.ts';
import { grantBy } from '../users/grants.ts';
import { requireUser } from '../users/users.ts';

/** The time that was sold; null: it was none. */
export function durationOf(sold: Sold): Duration | null {
  if (sold.kind === 'days') return { days: sold.days };
  return sold.kind === 'months' ? { months: sold.months } : null;
}

/** Gives each part of what was sold: extends the term or grants the traffic, with the number of the order in the event. */
export function give(tx: Transaction, userId: number, sold: readonly Sold[], orderId: number): readonly Given[] {
  return sold.map((part) => {
    const user = requireUser(tx, userId);
    const duration = durationOf(part);
    return duration === null ? giveTraffic(tx, user, part, orderId) : giveTime(tx, user, duration, orderId);
  });
}

function giveTime(tx: Transaction, user: UserRow, duration: Duration, orderId: number): Given {
  const current = openUser(tx, user);
  const result = giveTerm(current.account, duration, tx.now, tx.settings.timeZone);
  if (!result.ok) {
    if (result.error === 'term_unlimited') throw new PanelError('term_unlimited');
    throw bodyError('validation', '#/offer_id', 'too_big', 'the term would end after 2100-01-01');
  }
  const emit: Change['emit'] = (after, changed, inner) =>
    inner.emit('user.extended', { ...after, ...duration, order_id: orderId }, changed);
  commitUser(tx, current, { account: result.account, setsEnd: true, emit });
  return { kind: 'term', term: result.given };
}

function giveTraffic(tx: Transaction, user: UserRow, sold: Sold, orderId: number): Given {
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

/** What a refund does to a user; null: nothing is left to take. */
export function takeBack(context: Context, current: Current, { id, given }: OrderRow): Change | null {
  const { account, row } = current;
  const traffic = grantsOf(given);
  const grants = account.grants.filter((grant) => !traffic.includes(grant.id));
  const shortened = termsOf(given).reduceRight(
    (one, term) => takeTermBack(one, term, context.now, context.settings.timeZone),
    account,
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

/** The terms that an order gave, in their order. */
export function termsOf(given: OrderRow['given']): readonly GivenTerm[] {
  return (given ?? []).flatMap((part) => (part.kind === 'term' ? [part.term] : []));
}

/** The grants that an order gave. */
export function grantsOf(given: OrderRow['given']): readonly number[] {
  return (given ?? []).flatMap((part) => (part.kind === 'traffic' ? [part.grantId] : []));
}

/** Marks an order as refunded and takes back what is left of it; PanelError `order_refunded`. */
export function takeOrderBack(tx: Transaction, order: OrderRow, note: string): void {
  const { store, now } = tx;
  if (!store.sales.markRefunded(order.id, now, note)) throw new PanelError('order_refunded');
  const payment = store.payments.paymentOf(order.id);
  if (payment) store.payments.savePayment({ ...payment, state: 'refunded' });
  const user = order.userId === null ? undefined : store.users.get(order.userId);
  if (!user) return;
  const current = openUser(tx, user);
  const change = takeBack(tx, current, order);
  if (!change) return;
  commitUser(tx, current, change);
  for (const id of grantsOf(order.given)) store.grants.remove(id);
}
