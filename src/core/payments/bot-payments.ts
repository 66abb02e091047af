// Payments in Stars as Telegram speaks of them to the panel's own bot: whether one may be made, and that it was.
import type { Env, Transaction } from '../context.ts';
import type { Checkout, CheckoutRefusal } from '../ports/bot.ts';
import type { ProviderPayment, ProviderRow } from '../ports/providers.ts';
import { isTerm } from '../sales/offers.ts';
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
  if (objectionTo(env, { isTest: false }, reported, order, invoice) !== null) return 'ended';
  const user = order.userId === null ? undefined : store.users.get(order.userId);
  const isEndless = user?.expiresAt === null && user.hold === null;
  return isEndless && isTerm(order.sold) ? 'ended' : null;
}

/** Without an account for it money is recorded all the same. */
export function recordBotPayment(tx: Transaction, payment: ProviderPayment): void {
  const { id = null, isTest = false } = accountOf(tx) ?? {};
  recordPayment(tx, { id, kind: 'stars', isTest }, { ...payment, isTest });
}
