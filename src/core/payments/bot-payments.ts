// Payments in Stars that Telegram reports to the panel's own bot: the query before a payment, and the payment.

import { STARS } from '../../contract/currencies.ts';
import { nextPollAt } from '../../domain/sales/poll-interval.ts';
import { isTerm } from '../../domain/sales/sold.ts';
import type { Env, Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { isFor } from '../offers/offers.ts';
import type { ChatInvoice, Checkout, CheckoutRefusal } from '../ports/bot.ts';
import type { InvoiceRow } from '../ports/payments.ts';
import type { ProviderPayment, ProviderRow } from '../ports/providers.ts';
import { newToken } from '../sales/order.ts';
import { reservePromo } from '../sales/promos.ts';
import { getPollInterval } from './providers.ts';
import { findPaymentIssue, recordPayment } from './record.ts';

type BotPaymentsEnv = Pick<Env, 'clock' | 'settings' | 'store'>;

/** The provider that is the panel's own bot. */
function findStarsProvider({ store }: Pick<Env, 'store'>): ProviderRow | undefined {
  const account = `@${store.bot.get()?.username}`;
  return store.providers.all().find((row) => row.kind === 'stars' && row.account === account);
}

/** Why a payment must be refused beforehand; null: it may be made. Refuses all payments that would need a decision afterwards. */
export function findCheckoutRefusal(env: BotPaymentsEnv, { token, paid }: Checkout): CheckoutRefusal | null {
  const { store, clock } = env;
  if (!env.settings().selling) return 'selling_off';
  const invoice = store.payments.invoiceByToken(token);
  const order = invoice && store.sales.order(invoice.orderId);
  // `opening` too: the link of an invoice whose reply was lost can still be paid.
  const isOpen = invoice?.state === 'open' || invoice?.state === 'opening';
  if (!order || !isOpen || store.payments.hasUndecided(order.id)) return 'ended';
  const reported = { paid, isTest: false, paidAt: clock.now(), providerState: 'paid' } as const;
  if (findPaymentIssue({ store, now: clock.now() }, { isTest: false }, reported, order, invoice) !== null)
    return 'ended';
  const user = order.userId === null ? undefined : store.users.get(order.userId);
  const offer = order.offerId === null ? undefined : store.sales.offer(order.offerId);
  if (user && offer && !isFor(env, offer, user)) return 'ended';
  const isEndless = user?.expiresAt === null && user.hold === null;
  return isEndless && isTerm(order.sold) ? 'ended' : null;
}

/** Whether a provider is the panel's own bot. */
export function isOwnStars(env: Pick<Env, 'store'>, providerId: number): boolean {
  return findStarsProvider(env)?.id === providerId;
}

/**
 * Opens the invoice of an order in Stars that the bot sends as a message. Needs no request to Telegram, because the message is the invoice.
 * Throws PanelError `selling_off`, `order_ended`, `promo_refused`.
 */
export function openInChat(tx: Transaction, orderToken: string): ChatInvoice {
  const { store, now, crypto, settings } = tx;
  if (!settings.selling) throw new PanelError('selling_off');
  const order = store.sales.orderByToken(orderToken);
  const provider = findStarsProvider(tx);
  const price = order?.prices.find(({ currency }) => currency === STARS);
  if (!order || !provider?.enabled || !price || order.given !== null || store.payments.hasUndecided(order.id))
    throw new PanelError('order_ended');
  reservePromo(tx, order);
  const pricedOrder = {
    ...order,
    amount: price.amount,
    currency: STARS,
    method: 'stars',
    providerId: provider.id,
  } as const;
  store.sales.saveOrder({ ...pricedOrder, state: 'open' });
  const isInChat = (one: InvoiceRow) =>
    one.providerId === provider.id && one.state === 'open' && one.payUrl === null && one.amount === price.amount;
  const before = store.payments.listInvoices(order.id).find(isInChat);
  if (before) return { token: before.token, stars: price.amount };
  const token = newToken(tx);
  store.payments.insertInvoice({
    orderId: order.id,
    providerId: provider.id,
    token,
    key: crypto.uuid(),
    state: 'open',
    amount: price.amount,
    currency: STARS,
    externalId: null,
    payUrl: null,
    returnUrl: null,
    email: null,
    tries: 1,
    createdAt: now,
    polledAt: null,
    nextPollAt: nextPollAt(now, now, getPollInterval(tx.env, 'stars')),
  });
  return { token, stars: price.amount };
}

/** Records a payment to the bot, also if its account was deleted here meanwhile. */
export function recordBotPayment(tx: Transaction, payment: ProviderPayment): void {
  const { id = null, isTest = false } = findStarsProvider(tx) ?? {};
  recordPayment(tx, { id, kind: 'stars', isTest }, { ...payment, isTest });
}
