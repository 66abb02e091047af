// Operations of buyers, who are authorised by the link of their order or subscription alone.

import { issuesReceipts } from '../../contract/sales/providers.ts';
import type { Sold } from '../../contract/sales/sales.ts';
import { email as emailAddress } from '../../contract/scalars.ts';
import { DAY_MS, HOUR_MS, LATE_PAYMENT_MS } from '../../domain/limits.ts';
import { acceptsPrice, type Money } from '../../domain/sales/money.ts';
import type { ShopPlace } from '../../domain/sales/shop-place.ts';
import { isTerm } from '../../domain/sales/sold.ts';
import type { Env, Transaction } from '../kernel/context.ts';
import type { Offered, OrderPage, PaymentOption, Shop } from '../kernel/core.ts';
import { bodyError, PanelError } from '../kernel/panel-error.ts';
import { isFor } from '../offers/offers.ts';
import type { ProviderRow } from '../ports/providers.ts';
import type { OrderRow } from '../ports/sales.ts';
import type { UserRow } from '../ports/users.ts';
import { listTerms } from '../sales/fulfillment.ts';
import { orderUrl } from '../sales/order.ts';
import { clearPromo, setPromo } from '../sales/promos.ts';
import { buildAuditDetail, makeOrder } from './make-order.ts';
import { findPayable, openOrder } from './open-invoice.ts';
import { pollOrder } from './poll-invoice.ts';
import type { ProviderCallEnv } from './provider-call.ts';
import { handleProviderWebhook } from './provider-webhooks.ts';
import { getPriceRules } from './providers.ts';

type ShopEnv = ProviderCallEnv & Pick<Env, 'settings'>;

/** `wake` starts polling of what is due. */
export function createShop(env: ShopEnv, wake: () => void): Shop {
  const { store } = env;
  const guesses = createGuesses();
  const requireToken = (token: string): OrderRow => {
    const order = store.sales.orderByToken(token);
    if (!order) throw new PanelError('not_found');
    return order;
  };
  return {
    order(token, place) {
      const order = store.sales.orderByToken(token);
      return order ? buildOrderPage(env, order, place) : null;
    },
    async pay(token, { providerId, currency, returnUrl, email: typed = '', place }) {
      const order = requireToken(token);
      const chosen = listPaymentOptions(env, order, place).find(
        (option) => option.providerId === providerId && option.price.currency === currency,
      );
      if (!chosen) throw new PanelError('order_ended');
      const email = chosen.needsEmail ? requireEmail(typed) : undefined;
      const back = returnUrl ?? `${orderUrl(env, order)}?back`;
      const { payUrl } = await openOrder(env, { orderId: order.id, providerId, currency, returnUrl: back, email });
      if (payUrl === null) throw new PanelError('provider_failed');
      return payUrl;
    },
    pollOrder: (token) => pollOrder(env, requireToken(token).id),
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
    isWebhookToken: (token) => store.providers.byHookToken(token) !== undefined,
    async hint(token, webhook) {
      const provider = store.providers.byHookToken(token);
      return provider !== undefined && handleProviderWebhook(env, provider, webhook, wake);
    },
    buy(subscription, offerId) {
      return env.transact({ name: 'createOrder', by: 'payments' }, (tx) => {
        const user = tx.store.users.behindLink(subscription)?.row;
        if (!user) throw new PanelError('not_found');
        if (!offersTo(env, user, 'page').some(({ id }) => id === offerId)) throw new PanelError('selling_off');
        const order = makeOrder(tx, user.id, offerId);
        tx.audit(`user:${user.id}`, buildAuditDetail(order));
        return order.token;
      });
    },
  };
}

function requireEmail(typed: string): string {
  const { data } = emailAddress.safeParse(typed.trim());
  if (data === undefined) throw bodyError('validation', '#/email', 'invalid', 'is no e-mail address');
  return data;
}

/** Wrong promo codes that a user can enter in an hour, and users that are counted. */
const MAX_GUESSES = 10;
const MAX_GUESSERS = 10_000;

/** Counts wrong promo codes, so that codes cannot be guessed. */
function createGuesses() {
  const wrong = new Map<number, readonly number[]>();
  const recent = (userId: number, now: number) =>
    (wrong.get(userId) ?? []).filter((at) => at <= now && at > now - HOUR_MS);
  return {
    /**
     * Counts an attempt as wrong before it is checked, because many may come at once; the returned function undoes that. Orders without a user
     * are not counted, as they accept no code. Throws PanelError `rate_limited`.
     */
    begin(userId: number | null, now: number): () => void {
      if (userId === null) return () => undefined;
      const times = recent(userId, now);
      const [oldest = now] = times;
      if (times.length >= MAX_GUESSES) {
        throw new PanelError('rate_limited', undefined, Math.ceil((oldest + HOUR_MS - now) / 1000));
      }
      // Order the map by last attempt, so that the oldest is dropped first.
      wrong.delete(userId);
      wrong.set(userId, [...times, now]);
      for (const first of wrong.keys()) {
        if (wrong.size <= MAX_GUESSERS) break;
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
  env: Pick<Env, 'transact'>,
  token: string,
  change: (tx: Transaction, order: OrderRow) => OrderRow,
): Promise<void> {
  await env.transact({ name: 'setPromo', by: 'payments' }, (tx) => {
    const order = tx.store.sales.orderByToken(token);
    if (!order) throw new PanelError('not_found');
    if (order.given !== null || tx.store.payments.hasUndecided(order.id)) throw new PanelError('order_ended');
    const { promo } = change(tx, order);
    tx.audit(order.userId === null ? null : `user:${order.userId}`, {
      order_id: order.id,
      promo: promo?.code ?? null,
    });
  });
}

function buildOrderPage(env: ShopEnv, order: OrderRow, place: ShopPlace): OrderPage {
  const { store } = env;
  const { id, tariffName, offerName, sold, prices, promo, amount, currency, given, paidAt, refundedAt } = order;
  const after = listTerms(given).at(-1)?.after ?? null;
  const user = order.userId === null ? undefined : store.users.get(order.userId);
  const isUnpaid = given === null;
  const invoices = isUnpaid ? store.payments.listInvoices(id) : [];
  return {
    id,
    tariff: tariffName,
    offer: offerName,
    sold,
    prices,
    promo,
    state:
      refundedAt !== null ? 'refunded' : !isUnpaid ? 'paid' : store.payments.hasUndecided(id) ? 'decision' : 'unpaid',
    paymentOptions: listPaymentOptions(env, order, place),
    canPoll: invoices.some(({ nextPollAt }) => nextPollAt !== null),
    isTrial: order.method === 'trial',
    paid: paidAt === null ? null : { at: paidAt, amount, currency },
    until: after?.expiresAt ?? null,
    startsLater: after !== null && after.hold !== null,
    refundedAt,
    subscriptionUrl: user === undefined ? null : env.subUrl(user.token),
  };
}

/** Payment options that would fulfil the order without a decision of the administrator. */
function listPaymentOptions(env: ShopEnv, order: OrderRow, place: ShopPlace): readonly PaymentOption[] {
  const { store, clock } = env;
  const { id, given, userId, offerId, tariffId, prices, sold, createdAt } = order;
  // Leave a day for the payment itself before it counts as late.
  if (clock.now() - createdAt > LATE_PAYMENT_MS - DAY_MS) return [];
  const user = userId === null ? undefined : store.users.get(userId);
  if (given !== null || !user || user.tariffId !== tariffId || !maySell(env, user, sold)) return [];
  const offer = offerId === null ? undefined : store.sales.offer(offerId);
  if (offer && !isFor(env, offer, user)) return [];
  if (store.payments.hasUndecided(id)) return [];
  return listOptionsForPrices(env, prices, place).map((option) => {
    const invoice = findPayable(env, id, option.providerId, option.price);
    // An open invoice already has the address for its receipt.
    return invoice === undefined ? option : { ...option, needsEmail: false, payUrl: invoice.payUrl };
  });
}

type PriceEnv = Pick<Env, 'paymentProviders' | 'store' | 'settings'>;

function listOptionsForPrices(env: PriceEnv, prices: readonly Money[], place: ShopPlace): readonly PaymentOption[] {
  const isStarsOnly = place === 'telegram' && env.settings().starsOnlyInTelegram;
  const providers = enabled(env).filter(({ kind }) => !isStarsOnly || kind === 'stars');
  return prices.flatMap((price) =>
    providers
      .filter((provider) => acceptsPrice(getPriceRules(env, provider), price))
      .map((provider) => ({
        providerId: provider.id,
        kind: provider.kind,
        isTest: provider.isTest,
        price,
        needsEmail: issuesReceipts(provider),
        payUrl: null,
      })),
  );
}

function enabled({ store }: Pick<Env, 'store'>): readonly ProviderRow[] {
  return store.providers.all().filter((provider) => provider.enabled);
}

function maySell({ store, settings }: Pick<Env, 'settings' | 'store'>, user: UserRow, sold: Sold): boolean {
  const tariff = user.tariffId === null ? undefined : store.tariffs.get(user.tariffId);
  if (!settings().selling || !tariff || tariff.archived) return false;
  return !isTerm(sold) || user.expiresAt !== null || user.hold !== null;
}

const FREE: Money = { amount: 0, currency: 'EUR' };

/** Offers that a user can buy now: trials, and offers with a price that a provider accepts. */
export function offersTo(env: PriceEnv, user: UserRow, place: ShopPlace): readonly Offered[] {
  if (!env.settings().selling || user.tariffId === null) return [];
  return env.store.sales.offers(user.tariffId).flatMap((offer) => {
    const { id, name, sold, prices, isOnSale, audience, isTrial } = offer;
    if (!isOnSale || audience === 'link' || !maySell(env, user, sold) || !isFor(env, offer, user)) return [];
    const price = isTrial ? FREE : listOptionsForPrices(env, prices, place)[0]?.price;
    return price ? [{ id, name, sold, price, isTrial }] : [];
  });
}
