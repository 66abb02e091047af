// Notifications about sales: messages are stored in the transaction of the sale.

import { DAY_MS } from '../../domain/limits.ts';
import type { SaleEvent, Transaction } from '../kernel/context.ts';
import { notifyPayment, notifyProviderRefusal } from './admin-notices.ts';
import { notifyBuyer, notifyReferrer } from './buyer-notices.ts';

export function notifyOfSale(tx: Transaction, event: SaleEvent): void {
  switch (event.type) {
    case 'payment.recorded':
      notifyBuyer(tx, event.order, event.payment);
      notifyPayment(tx, event.order, event.payment);
      return;
    case 'payment.needs_decision':
      notifyPayment(tx, event.order, event.payment);
      return;
    case 'provider.refused':
      notifyProviderRefusal(tx, event.provider, event.error, Math.floor(tx.now / DAY_MS));
      return;
    case 'referrer.rewarded':
      notifyReferrer(tx, event.referrer, event.days, event.orderId);
      return;
  }
}
