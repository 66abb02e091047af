// Payments in Stars as Telegram speaks of them to the panel's own bot: whether one may be made, and that it was.

import { nextAskAt } from '../../domain/sales/asking.ts';
import { STARS } from '../../domain/sales/money.ts';
import type { Env, Transaction } from '../context.ts';
import { PanelError } from '../panel-error.ts';
import type { ChatInvoice, Checkout, CheckoutRefusal } from '../ports/bot.ts';
import type { InvoiceRow } from '../ports/payments.ts';
import type { ProviderPayment, ProviderRow } from '../ports/providers.ts';
import { isStillSold } from '../sales/devices.ts';
import { isFor, isTerm } from '../sales/offers.ts';
import { newToken } from '../sales/order.ts';
import { reservePromo } from '../sales/promos.ts';
import { objectionTo, recordPayment } from './record.ts';

/** The Stars of the bot itself. */
function accountOf({ store }: Pick<Env, 'store'>): ProviderRow | undefined {
  const account = `@${store.bot.get()?.username}`;
  return store.providers.all().find((row) => row.kind === 'stars' && row.account === account);
}

/** Refuses what would need a person once it is paid: it is the only chance to. */
export function refusalOf(env: Env, { token, paid }: Checkout): CheckoutRefusal | null {
  const { store, clock } = env;
  if (!env.settings().selling) return 'selling_off';
  const invoice = store.payments.invoiceByToken(token);
  const order = invoice && store.sales.order(invoice.orderId);
  // One whose reply was lost may be paid as well.
  const isOpen = invoice?.state === 'open' || invoice?.state === 'opening';
  if (!order || !isOpen || store.payments.hasUndecided(order.id)) return 'ended';
  const reported = { paid, isTest: false, paidAt: clock.now(), providerState: 'paid' } as const;
  if (objectionTo({ store, now: clock.now() }, { isTest: false }, reported, order, invoice) !== null) return 'ended';
  if (!isStillSold({ now: clock.now() }, order.sold)) return 'ended';
  const user = order.userId === null ? undefined : store.users.get(order.userId);
  const offer = order.offerId === null ? undefined : store.sales.offer(order.offerId);
  if (user && offer && !isFor(env, offer, user)) return 'ended';
  const isEndless = user?.expiresAt === null && user.hold === null;
  return isEndless && isTerm(order.sold) ? 'ended' : null;
}

/** Whether a provider is the Stars of the bot itself. */
export function isOwnStars(env: Pick<Env, 'store'>, providerId: number): boolean {
  return accountOf(env)?.id === providerId;
}

/**
 * The invoice of an order that is a message in the chat: made without asking Telegram, as it goes with the message. PanelError
 * `selling_off`, `order_ended`, `promo_refused`.
 */
export function openInChat(tx: Transaction, orderToken: string): ChatInvoice {
  const { store, now, crypto, settings } = tx;
  if (!settings.selling) throw new PanelError('selling_off');
  const order = store.sales.orderByToken(orderToken);
  const provider = accountOf(tx);
  const price = order?.prices.find(({ currency }) => currency === STARS);
  if (!order || !provider?.enabled || !price || order.given !== null || store.payments.hasUndecided(order.id))
    throw new PanelError('order_ended');
  reservePromo(tx, order);
  const asked = { ...order, amount: price.amount, currency: STARS, method: 'stars', providerId: provider.id } as const;
  store.sales.saveOrder({ ...asked, state: 'open' });
  const isInChat = (one: InvoiceRow) =>
    one.providerId === provider.id && one.state === 'open' && one.payUrl === null && one.amount === price.amount;
  const before = store.payments.invoicesOf(order.id).find(isInChat);
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
    tries: 1,
    createdAt: now,
    askedAt: null,
    nextAskAt: nextAskAt(now, now, 'stars'),
  });
  return { token, stars: price.amount };
}

/** Without an account for it money is recorded all the same. */
export function recordBotPayment(tx: Transaction, payment: ProviderPayment): void {
  const { id = null, isTest = false } = accountOf(tx) ?? {};
  recordPayment(tx, { id, kind: 'stars', isTest }, { ...payment, isTest });
}
