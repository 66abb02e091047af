// Orders as they are made for a user: what they sell at which prices, and a trial, which is paid at once.

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

/** Orders of one user in an hour. */
const MAX_ORDERS = 20;

/** Refuses where nothing is sold: PanelError `selling_off`. */
export function requireSelling({ settings }: Pick<Transaction, 'settings'>): void {
  if (!settings.selling) throw new PanelError('selling_off');
}

/**
 * Makes an order for a user, or finds the one of the same content that is not paid and not old. That of a trial is paid at once.
 * PanelError `selling_off`, `not_found`, `validation`, `term_unlimited`, `trial_taken`, `order_limit`.
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

/** What the audit log says of an order that was made. */
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
