// Creates orders of users: content and prices, and trials, which are complete at once.

import { localDay } from '../../domain/calendar.ts';
import { HOUR_MS, LATE_PAYMENT_MS } from '../../domain/limits.ts';
import { isTerm } from '../../domain/sales/sold.ts';
import type { Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { requireOfferFor } from '../offers/offers.ts';
import type { OrderRow } from '../ports/sales.ts';
import type { UserRow } from '../ports/users.ts';
import { fulfillOrder } from '../sales/fulfillment.ts';
import { newOrder } from '../sales/order.ts';
import { getFullPrices, withLivePromo } from '../sales/promos.ts';
import { requireUser } from '../users/users.ts';

/** Orders that a user can create in an hour. */
const MAX_ORDERS = 20;

/** Throws PanelError `selling_off` if sales are off. */
export function requireSelling({ settings }: Pick<Transaction, 'settings'>): void {
  if (!settings.selling) throw new PanelError('selling_off');
}

/**
 * Creates an order for a user, or returns a recent unpaid one of the same content. An order of a trial is fulfilled at once.
 * Throws PanelError `selling_off`, `not_found`, `validation`, `term_unlimited`, `trial_taken`, `order_limit`.
 */
export function makeOrder(tx: Transaction, userId: number, offerId: number): OrderRow {
  const { store, now, crypto } = tx;
  requireSelling(tx);
  const user = requireUser(tx, userId);
  const offer = requireOfferFor(tx, user, offerId);
  if (isTerm(offer.sold) && user.expiresAt === null && user.hold === null) throw new PanelError('term_unlimited');
  const order = newOrder(tx, user, offer, crypto.uuid());
  if (offer.isTrial) return fulfillTrial(tx, user, order);
  const before = store.sales.unpaidOrder(userId, offerId);
  const isFresh = before !== undefined && now - before.createdAt < LATE_PAYMENT_MS / 2;
  if (isFresh && isSameContent(before, order)) return withLivePromo(tx, before);
  if (store.sales.countMade(userId, now - HOUR_MS) >= MAX_ORDERS) throw new PanelError('order_limit');
  store.sales.insertOrder(order);
  return order;
}

/** Details of a created order for the audit log. */
export function buildAuditDetail({ id, offerName, method, promo }: OrderRow): Readonly<Record<string, unknown>> {
  return {
    order_id: id,
    offer: offerName,
    ...(method === 'trial' && { trial: true }),
    ...(promo && { promo: promo.code }),
  };
}

function fulfillTrial(tx: Transaction, user: UserRow, order: OrderRow): OrderRow {
  const { store, now, settings } = tx;
  const given = fulfillOrder(tx, user.id, [order.sold], order.id);
  const day = localDay(now, settings.timeZone);
  const taken: OrderRow = { ...order, method: 'trial', state: 'paid', given, paidAt: now, day };
  store.sales.insertOrder(taken);
  store.sales.insertTrial(taken.id, user.id, user.telegramId);
  return taken;
}

function isSameContent(a: OrderRow, b: OrderRow): boolean {
  const serializeOrder = ({ sold, prices, promo, referral, tariffId, offerName }: OrderRow) =>
    JSON.stringify([sold, getFullPrices({ prices, promo }), referral, tariffId, offerName]);
  return serializeOrder(a) === serializeOrder(b);
}
