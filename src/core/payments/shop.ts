// What a buyer sees and does who has the link of an order or of a subscription: the link is the authority, as for a subscription.

import { takesCurrency } from '../../contract/sales/providers.ts';
import type { OfferSold, Sold } from '../../contract/sales/sales.ts';
import { DAY_MS, HOUR_MS } from '../../domain/limits.ts';
import type { Money } from '../../domain/sales/money.ts';
import type { Env, Transaction } from '../context.ts';
import type { Offered, OrderPage, Shop, Way } from '../core.ts';
import { PanelError } from '../panel-error.ts';
import type { ProviderRow } from '../ports/providers.ts';
import type { OrderRow } from '../ports/sales.ts';
import type { UserRow } from '../ports/users.ts';
import { isStillSold, saleOf } from '../sales/devices.ts';
import { termsOf } from '../sales/give.ts';
import { isFor, isTerm } from '../sales/offers.ts';
import { orderUrl } from '../sales/order.ts';
import { clearPromo, setPromo } from '../sales/promos.ts';
import { askOrder, detailOf, makeOrder, openOrder, write } from './checkout.ts';
import { takeHint } from './hints.ts';
import { LATE_MS } from './record.ts';

/** `wake`: has providers asked for what is due. */
export function createShop(env: Env, wake: () => void): Shop {
  const { store } = env;
  const guesses = createGuesses();
  const requireToken = (token: string): OrderRow => {
    const order = store.sales.orderByToken(token);
    if (!order) throw new PanelError('not_found');
    return order;
  };
  return {
    order(token) {
      const order = store.sales.orderByToken(token);
      return order ? pageOf(env, order) : null;
    },
    async pay(token, { providerId, currency, returnUrl }) {
      const order = requireToken(token);
      const isWay = waysOf(env, order).some((way) => way.providerId === providerId && way.price.currency === currency);
      if (!isWay) throw new PanelError('order_ended');
      const back = returnUrl ?? `${orderUrl(env, order)}?back`;
      const { payUrl } = await openOrder(env, { orderId: order.id, providerId, currency, returnUrl: back });
      if (payUrl === null) throw new PanelError('provider_failed');
      return payUrl;
    },
    ask: (token) => askOrder(env, requireToken(token).id),
    async enterPromo(token, code) {
      const { userId } = requireToken(token);
      const forget = guesses.begin(userId, env.clock.now());
      try {
        await changePromo(env, token, (tx, order) => setPromo(tx, order, code));
      } catch (error) {
        const isWrong = error instanceof PanelError && error.code === 'promo_refused';
        if (!isWrong) forget();
        throw error;
      }
      forget();
    },
    removePromo: (token) => changePromo(env, token, clearPromo),
    isHook: (token) => store.providers.byHookToken(token) !== undefined,
    async hint(token, webhook) {
      const provider = store.providers.byHookToken(token);
      return provider !== undefined && takeHint(env, provider, webhook, wake);
    },
    buy(subscription, offerId) {
      return write(
        env,
        (tx) => {
          const user = tx.store.users.behindLink(subscription)?.row;
          if (!user) throw new PanelError('not_found');
          if (!offersTo(env, user).some(({ id }) => id === offerId)) throw new PanelError('selling_off');
          const order = makeOrder(tx, user.id, offerId);
          tx.audit(`user:${user.id}`, detailOf(order));
          return order.token;
        },
        'createOrder',
      );
    },
  };
}

/** Wrong promo codes of one user in an hour. */
const MOST_GUESSES = 10;
const MOST_GUESSERS = 10_000;

/** Counts wrong promo codes, so that none is found by trying. */
function createGuesses() {
  const wrong = new Map<number, readonly number[]>();
  const recent = (userId: number, now: number) =>
    (wrong.get(userId) ?? []).filter((at) => at <= now && at > now - HOUR_MS);
  return {
    /**
     * Counts a try as wrong before it is judged, since many may come at once; what it returns takes that back. An order without a user takes
     * no code. PanelError `rate_limited`.
     */
    begin(userId: number | null, now: number): () => void {
      if (userId === null) return () => undefined;
      const times = recent(userId, now);
      const [oldest = now] = times;
      if (times.length >= MOST_GUESSES) {
        throw new PanelError('rate_limited', undefined, Math.ceil((oldest + HOUR_MS - now) / 1000));
      }
      // The one who tried last is the last to be forgotten.
      wrong.delete(userId);
      wrong.set(userId, [...times, now]);
      for (const first of wrong.keys()) {
        if (wrong.size <= MOST_GUESSERS) break;
        wrong.delete(first);
      }
      return () => {
        const all = wrong.get(userId) ?? [];
        const place = all.lastIndexOf(now);
        if (place >= 0) wrong.set(userId, all.toSpliced(place, 1));
      };
    },
  };
}

async function changePromo(
  env: Env,
  token: string,
  change: (tx: Transaction, order: OrderRow) => OrderRow,
): Promise<void> {
  await write(
    env,
    (tx) => {
      const order = tx.store.sales.orderByToken(token);
      if (!order) throw new PanelError('not_found');
      if (order.given !== null || tx.store.payments.hasUndecided(order.id)) throw new PanelError('order_ended');
      const { promo } = change(tx, order);
      tx.audit(order.userId === null ? null : `user:${order.userId}`, {
        order_id: order.id,
        promo: promo?.code ?? null,
      });
    },
    'setPromo',
  );
}

function pageOf(env: Env, order: OrderRow): OrderPage {
  const { store } = env;
  const { id, tariffName, offerName, sold, prices, promo, amount, currency, given, paidAt, refundedAt } = order;
  const after = termsOf(given).at(-1)?.after ?? null;
  const isUnpaid = given === null;
  const invoices = isUnpaid ? store.payments.invoicesOf(id) : [];
  return {
    id,
    tariff: tariffName,
    offer: offerName,
    sold,
    prices,
    promo,
    state:
      refundedAt !== null ? 'refunded' : !isUnpaid ? 'paid' : store.payments.hasUndecided(id) ? 'decision' : 'unpaid',
    ways: waysOf(env, order),
    canAsk: invoices.some(({ nextAskAt }) => nextAskAt !== null),
    isTrial: order.method === 'trial',
    paid: paidAt === null ? null : { at: paidAt, amount, currency },
    until: after?.expiresAt ?? (!isUnpaid && sold.kind === 'devices' ? Date.parse(sold.until) : null),
    startsLater: after !== null && after.hold !== null,
    refundedAt,
  };
}

/** What could be paid and would then be given, without a person. */
function waysOf(env: Env, order: OrderRow): readonly Way[] {
  const { store, clock } = env;
  const { id, given, userId, offerId, tariffId, prices, sold, createdAt } = order;
  // A day is left for the payment itself.
  if (clock.now() - createdAt > LATE_MS - DAY_MS) return [];
  const user = userId === null ? undefined : store.users.get(userId);
  if (given !== null || !user || user.tariffId !== tariffId || !maySell(env, user, sold)) return [];
  if (!isStillSold({ now: clock.now() }, sold)) return [];
  const offer = offerId === null ? undefined : store.sales.offer(offerId);
  if (offer && !isFor(env, offer, user)) return [];
  return store.payments.hasUndecided(id) ? [] : waysOfPrices(enabled(env), prices);
}

function waysOfPrices(providers: readonly ProviderRow[], prices: readonly Money[]): readonly Way[] {
  return prices.flatMap((price) =>
    providers
      .filter(({ kind }) => takesCurrency(kind, price.currency))
      .map(({ id, kind, isTest }) => ({ providerId: id, kind, isTest, price })),
  );
}

function enabled({ store }: Env): readonly ProviderRow[] {
  return store.providers.all().filter((provider) => provider.enabled);
}

function maySell({ store, settings }: Env, user: UserRow, sold: OfferSold | Sold): boolean {
  const tariff = user.tariffId === null ? undefined : store.tariffs.get(user.tariffId);
  if (!settings().selling || !tariff || tariff.archived) return false;
  return !isTerm(sold) || user.expiresAt !== null || user.hold !== null;
}

const FREE: Money = { amount: 0, currency: 'EUR' };

/** What a user can buy now: each offer for him with a price that a provider takes, or that is a trial. */
export function offersTo(env: Env, user: UserRow): readonly Offered[] {
  if (!env.settings().selling || user.tariffId === null) return [];
  const providers = enabled(env);
  return env.store.sales.offers(user.tariffId).flatMap((offer) => {
    const { id, name, isOnSale, audience, isTrial } = offer;
    if (!isOnSale || audience === 'link' || !maySell(env, user, offer.sold) || !isFor(env, offer, user)) return [];
    const sale = saleOf(offer, user, env.clock.now());
    const price = isTrial ? FREE : waysOfPrices(providers, sale?.prices ?? [])[0]?.price;
    return sale && price ? [{ id, name, sold: sale.sold, price, isTrial }] : [];
  });
}
