// Offers of a tariff. The price of the tariff is the first price of its first offer with a term; a change of either is written to both.

import type { Offer } from '../../contract/sales/sales.ts';
import type { Input, Output } from '../../contract/table.ts';
import { type Money, toDecimal } from '../../domain/sales/money.ts';
import { isPriceOffer } from '../../domain/sales/sold.ts';
import type { Context, Handlers, Transaction } from '../kernel/context.ts';
import { bodyError, PanelError, requireAll } from '../kernel/panel-error.ts';
import { isSameJson, patchReader, toInstant } from '../kernel/wire.ts';
import type { Result } from '../ports/call.ts';
import type { OfferRow } from '../ports/sales.ts';
import type { UserRow } from '../ports/users.ts';

function viewOffer(row: OfferRow): Offer {
  return {
    id: row.id,
    tariff_id: row.tariffId,
    name: row.name,
    sold: row.sold,
    prices: row.prices.map(({ amount, currency }) => ({ amount, currency })),
    on_sale: row.isOnSale,
    audience: row.audience,
    trial: row.isTrial,
    created_at: toInstant(row.createdAt),
    updated_at: toInstant(row.updatedAt),
  };
}

function requireOffer({ store }: Context, id: number): OfferRow {
  const row = store.sales.offer(id);
  if (!row) throw new PanelError('not_found');
  return row;
}

function requirePrice({ isOnSale, isTrial, prices }: Omit<OfferRow, 'id'>): void {
  if (isTrial && prices.length > 0)
    throw bodyError('validation', '#/prices', 'inconsistent', 'must be empty, as a trial is free');
  if (!isOnSale || isTrial || prices.length > 0) return;
  throw bodyError('validation', '#/prices', 'inconsistent', 'needs a price to be on sale');
}

/** Refuses a price that is below the minimum of every provider that accepts its currency: it could never be paid. */
function requirePayable({ store, env }: Pick<Transaction, 'store' | 'env'>, prices: readonly Money[]): void {
  const providers = store.providers.all().filter(({ enabled }) => enabled);
  const rules = providers.flatMap(({ kind }) => env.paymentProviders?.facts(kind) ?? []);
  requireAll(
    () => undefined,
    ...prices.map((price, index) => () => {
      const able = rules.filter((one) => one.prices[price.currency] !== undefined);
      const least = Math.min(...able.map(({ minimums }) => minimums[price.currency] ?? 0));
      if (able.length === 0 || price.amount >= least) return;
      const text = toDecimal({ ...price, amount: least });
      throw bodyError(
        'validation',
        `#/prices/${index}/amount`,
        'too_small',
        `is below ${text}, the least that can be paid`,
      );
    }),
  );
}

/** Whether an offer is available to this user; `link`: only by an order that the administrator creates. */
export function isFor({ store }: Pick<Context, 'store'>, { audience, isTrial }: OfferRow, user: UserRow): boolean {
  const hasBought = audience === 'all' && !isTrial ? false : store.sales.hasBoughtTerm(user.id);
  if (isTrial && (hasBought || store.sales.hasHadTrial(user.id, user.telegramId))) return false;
  return audience === 'new' ? !hasBought : audience === 'existing' ? hasBought : true;
}

/** The offer that this user may buy: of the user's tariff, on sale, and available to the user. */
export function requireOfferFor(context: Context, user: UserRow, id: number): OfferRow {
  const { store } = context;
  const refuse = (message: string) => bodyError('validation', '#/offer_id', 'inconsistent', message);
  const offer = store.sales.offer(id);
  if (!offer) throw bodyError('validation', '#/offer_id', 'invalid', 'there is no such offer');
  if (!offer.isOnSale) throw refuse('is not on sale');
  if (offer.tariffId !== user.tariffId) throw refuse('is of a tariff that the user does not have');
  if (offer.isTrial && !isFor(context, offer, user)) throw new PanelError('trial_taken');
  if (!isFor(context, offer, user)) throw refuse('is not for this user');
  return offer;
}

/** The offer whose first price is that of the tariff. */
function firstOffer({ store }: Context, tariffId: number): OfferRow | undefined {
  return store.sales.offers(tariffId).find(isPriceOffer);
}

/** Copies the price of the first offer to the tariff. A tariff without an offer for a term keeps its price. */
function pricePlan(tx: Transaction, tariffId: number): void {
  const { store, now } = tx;
  const offer = firstOffer(tx, tariffId);
  const tariff = store.tariffs.get(tariffId);
  if (!offer || !tariff) return;
  const price = offer.prices[0] ?? null;
  if (isSameJson(tariff.price, price)) return;
  store.tariffs.save({ ...tariff, price, updatedAt: now, version: tariff.version + 1 });
  tx.emit('tariff.changed', { tariff_id: tariff.id, name: tariff.name }, ['price']);
}

/** Copies the price of the tariff to its first offer; without a price, the offer is not on sale. */
export function priceFirstOffer(tx: Transaction, tariffId: number, price: Money | null): void {
  const offer = firstOffer(tx, tariffId);
  if (!offer || isSameJson(offer.prices[0] ?? null, price)) return;
  const others = offer.prices.slice(1).filter(({ currency }) => currency !== price?.currency);
  const prices = price === null ? [] : [price, ...others];
  tx.store.sales.saveOffer({ ...offer, prices, isOnSale: offer.isOnSale && price !== null, updatedAt: tx.now });
}

function listOffers({ tariff_id: tariffId }: Input<'listOffers'>, { store }: Context): Result<Output<'listOffers'>> {
  return { body: { items: store.sales.offers(tariffId).map(viewOffer) } };
}

function createOffer(input: Input<'createOffer'>, tx: Transaction): Result<Offer> {
  const { store, now } = tx;
  const { tariff_id: tariffId, name, sold, prices, on_sale: isOnSale, audience, trial: isTrial } = input;
  if (!store.tariffs.get(tariffId)) {
    throw bodyError('tariff_not_found', '#/tariff_id', 'tariff_not_found', 'there is no such tariff');
  }
  const set = { tariffId, name, sold, prices, isOnSale, audience, isTrial };
  const fields: Omit<OfferRow, 'id'> = { ...set, createdAt: now, updatedAt: now };
  requirePrice(fields);
  requirePayable(tx, prices);
  const row = { ...fields, id: store.sales.insertOffer(fields) };
  pricePlan(tx, tariffId);
  tx.audit(`tariff:${tariffId}`, { offer_id: row.id, name, sold, prices, on_sale: isOnSale, audience, trial: isTrial });
  return { body: viewOffer(row) };
}

const toColumns = patchReader<Omit<Input<'changeOffer'>, 'id'>, OfferRow>({
  name: 'name',
  sold: 'sold',
  prices: 'prices',
  on_sale: 'isOnSale',
  audience: 'audience',
  trial: 'isTrial',
});

function changeOffer(input: Input<'changeOffer'>, tx: Transaction): Result<Offer> {
  const { id, ...patch } = input;
  const before = requireOffer(tx, id);
  const wanted: OfferRow = { ...before, ...toColumns(patch) };
  requirePrice(wanted);
  if (patch.prices !== undefined) requirePayable(tx, patch.prices);
  if (isSameJson(wanted, before)) return { body: viewOffer(before) };
  const after = { ...wanted, updatedAt: tx.now };
  tx.store.sales.saveOffer(after);
  pricePlan(tx, after.tariffId);
  tx.audit(`tariff:${after.tariffId}`, { offer_id: id, ...patch });
  return { body: viewOffer(after) };
}

function deleteOffer({ id }: Input<'deleteOffer'>, tx: Transaction): Result<undefined> {
  const row = requireOffer(tx, id);
  tx.store.sales.removeOffer(id);
  pricePlan(tx, row.tariffId);
  tx.audit(`tariff:${row.tariffId}`, { offer_id: id, name: row.name });
  return { body: undefined };
}

export const OFFER_HANDLERS = {
  listOffers: { read: listOffers },
  createOffer: { write: createOffer },
  changeOffer: { write: changeOffer },
  deleteOffer: { write: deleteOffer },
} satisfies Handlers<'listOffers' | 'createOffer' | 'changeOffer' | 'deleteOffer'>;
