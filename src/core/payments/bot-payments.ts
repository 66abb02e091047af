// Payments in Stars as Telegram speaks of them to the panel's own bot: whether one may be made, and that it was.

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

/** The Stars of the bot itself. */
function findStarsProvider({ store }: Pick<Env, 'store'>): ProviderRow | undefined {
  const account = `@${store.bot.get()?.username}`;
  return store.providers.all().find((row) => row.kind === 'stars' && row.account === account);
}

/** Refuses what would need a person once it is paid: it is the only chance to. */
export function findCheckoutRefusal(env: BotPaymentsEnv, { token, paid }: Checkout): CheckoutRefusal | null {
  const { store, clock } = env;
  if (!env.settings().selling) return 'selling_off';
  const invoice = store.payments.invoiceByToken(token);
  const order = invoice && store.sales.order(invoice.orderId);
  // One whose reply was lost may be paid as well.
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

/** Whether a provider is the Stars of the bot itself. */
export function isOwnStars(env: Pick<Env, 'store'>, providerId: number): boolean {
  return findStarsProvider(env)?.id === providerId;
}

/**
 * The invoice of an order that is a message in the chat: made without asking Telegram, as it goes with the message. PanelError
 * `selling_off`, `order_ended`, `promo_refused`.
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

/** Without an account for it money is recorded all the same. */
export function recordBotPayment(tx: Transaction, payment: ProviderPayment): void {
  const { id = null, isTest = false } = findStarsProvider(tx) ?? {};
  recordPayment(tx, { id, kind: 'stars', isTest }, { ...payment, isTest });
}
