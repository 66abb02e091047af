// What an order gives to its user, and what is taken back of it. Paid is applied: both are of the transaction that writes the order.

import type { OfferSold, Sold } from '../../contract/sales/sales.ts';
import { type GivenTerm, giveTerm, takeTermBack } from '../../domain/sales/sale.ts';
import type { Account } from '../../domain/users/account.ts';
import type { Duration } from '../../domain/users/term.ts';
import type { Context, Transaction } from '../context.ts';
import { bodyError, PanelError } from '../panel-error.ts';
import type { Given, OrderRow } from '../ports/sales.ts';
import type { UserRow } from '../ports/users.ts';
import { type Change, type Current, commitUser, openUser } from '../users/change.ts';
import { grantBy } from '../users/grants.ts';
import { requireUser } from '../users/users.ts';
import { fromInstant } from '../wire.ts';
import { changeDevices, hasRoom, type SoldDevices, withoutDevices } from './devices.ts';

/** The time that was sold; null: it was none. */
export function durationOf(sold: OfferSold | Sold): Duration | null {
  if (sold.kind === 'days') return { days: sold.days };
  return sold.kind === 'months' ? { months: sold.months } : null;
}

/** Gives each part of what was sold: extends the term, grants the traffic with the number of the order in the event, or adds the devices. */
export function give(tx: Transaction, userId: number, sold: readonly Sold[], orderId: number): readonly Given[] {
  return sold.map((part) => {
    const user = requireUser(tx, userId);
    if (part.kind === 'devices') return giveDevices(tx, user, part, orderId);
    const duration = durationOf(part);
    if (duration === null) return giveTraffic(tx, user, part, orderId);
    return { kind: 'term', term: giveTime(tx, user, duration, orderId) };
  });
}

function giveDevices(tx: Transaction, user: UserRow, { devices, until }: SoldDevices, orderId: number): Given {
  const endsAt = fromInstant(until);
  const current = openUser(tx, user);
  const { deviceLimit } = current.row;
  if (endsAt <= tx.now || !hasRoom(deviceLimit, devices))
    throw bodyError('validation', '#/offer_id', 'inconsistent', 'sells more devices, which the user cannot have');
  commitUser(tx, current, changeDevices(current.row, deviceLimit + devices));
  tx.store.sales.insertExtraDevices({ orderId, userId: user.id, devices, endsAt });
  return { kind: 'devices', devices };
}

/** Extends a term for an order. PanelError where the user never expires, or the term would end too late. */
export function giveTime(tx: Transaction, user: UserRow, duration: Duration, orderId: number): GivenTerm {
  const current = openUser(tx, user);
  const result = giveTerm(current.account, duration, tx.now, tx.settings.timeZone);
  if (!result.ok) {
    if (result.error === 'term_unlimited') throw new PanelError('term_unlimited');
    throw bodyError('validation', '#/offer_id', 'too_big', 'the term would end after 2100-01-01');
  }
  const emit: Change['emit'] = (after, changed, inner) =>
    inner.emit('user.extended', { ...after, ...duration, order_id: orderId }, changed);
  commitUser(tx, current, { account: result.account, setsEnd: true, emit });
  return result.given;
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
export function takeBack(
  context: Context,
  current: Current,
  { id, given }: Pick<OrderRow, 'id' | 'given'>,
): Change | null {
  const { account, row } = current;
  const traffic = grantsOf(given);
  const extra = context.store.sales.extraDevices(id);
  const deviceLimit = extra?.userId === row.id ? withoutDevices(row.deviceLimit, extra) : row.deviceLimit;
  const fields = { deviceLimit };
  const shortened = takeTermsBack(context, account, termsOf(given));
  // Of grants that ended with the term before, some may be gone since, with their own orders.
  const grants = shortened.grants.filter(
    ({ id: grant }) => !traffic.includes(grant) && context.store.grants.get(row.id, grant) !== undefined,
  );
  if (shortened !== account) {
    return {
      account: { ...shortened, grants },
      fields,
      setsEnd: true,
      emit: (facts, changed, tx) => tx.emit('user.shortened', { ...facts, order_id: id }, changed),
    };
  }
  if (grants.length === account.grants.length && deviceLimit === row.deviceLimit) return null;
  return {
    account: { ...account, grants },
    fields,
    emit: (after, changed, tx) => tx.emit('user.changed', { ...after, tariff_id: row.tariffId }, changed),
  };
}

/** An account without terms that were given, the last first. */
function takeTermsBack({ now, settings }: Context, account: Account, terms: readonly GivenTerm[]): Account {
  return terms.reduceRight((one, term) => takeTermBack(one, term, now, settings.timeZone), account);
}

/** The terms that an order gave its buyer, in their order. */
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
  takeFromReferrer(tx, order);
  const user = order.userId === null ? undefined : store.users.get(order.userId);
  if (!user) return;
  const current = openUser(tx, user);
  const change = takeBack(tx, current, order);
  store.sales.removeExtraDevices(order.id);
  if (!change) return;
  commitUser(tx, current, change);
  reviveGrants(tx, current, change);
  for (const id of grantsOf(order.given)) store.grants.remove(id);
}

/** Writes grants that had ended and are there again. */
function reviveGrants({ store }: Transaction, { grants }: Current, { account }: Change): void {
  for (const { id, bytesLeft, endsAt } of account?.grants ?? [])
    if (!grants.some((grant) => grant.id === id)) store.grants.save(id, { bytesLeft, bytesLost: 0, endsAt });
}

/** What an order gave to the user who had invited its buyer; null: nothing. */
export function referrerOf(given: OrderRow['given']): Extract<Given, { readonly kind: 'referrer' }> | null {
  for (const part of given ?? []) if (part.kind === 'referrer') return part;
  return null;
}

/** What a refund does to the user who had invited the buyer; null: nothing is left to take. */
export function takeReward(
  context: Context,
  current: Current,
  orderId: number,
  { term }: Extract<Given, { readonly kind: 'referrer' }>,
): Change | null {
  return takeBack(context, current, { id: orderId, given: [{ kind: 'term', term }] });
}

function takeFromReferrer(tx: Transaction, { id, given }: OrderRow): void {
  const part = referrerOf(given);
  const user = part === null ? undefined : tx.store.users.get(part.userId);
  if (part === null || !user) return;
  const current = openUser(tx, user);
  const change = takeReward(tx, current, id, part);
  if (change === null) return;
  commitUser(tx, current, change);
  reviveGrants(tx, current, change);
  tx.audit(`user:${user.id}`, { order_id: id, referral: true });
}
