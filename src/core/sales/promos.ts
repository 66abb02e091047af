// Promo codes: administration, and their use in orders. A use is reserved in the transaction that creates an invoice and counted in the one that
// applies its payment, so that one remaining use is never reserved twice.

import type { Promo } from '../../contract/sales/promos.ts';
import type { Sold } from '../../contract/sales/sales.ts';
import type { Input, Output } from '../../contract/table.ts';
import type { Money } from '../../domain/sales/money.ts';
import { canUsePromo, discountPrices, hasUsesLeft, normalizeCode, RESERVED_MS } from '../../domain/sales/promo.ts';
import { isTerm } from '../../domain/sales/sold.ts';
import type { Context, Handlers, Transaction } from '../kernel/context.ts';
import { bodyError, PanelError } from '../kernel/panel-error.ts';
import { fromInstant, isSameJson, patchReader, toInstant, toInstantOrNull } from '../kernel/wire.ts';
import type { Result } from '../ports/call.ts';
import type { PromoRow, PromoUse } from '../ports/promos.ts';
import type { OrderRow } from '../ports/sales.ts';

type Uses = Pick<Context, 'store' | 'now'>;

function viewPromo({ store, now }: Uses, row: PromoRow): Promo {
  return {
    id: row.id,
    code: row.code,
    effect: row.effect,
    valid_from: toInstantOrNull(row.validFrom),
    valid_until: toInstantOrNull(row.validUntil),
    max_uses: row.maxUses,
    max_uses_per_user: row.maxUsesPerUser,
    tariff_ids: row.tariffIds && [...row.tariffIds],
    offer_ids: row.offerIds && [...row.offerIds],
    enabled: row.isEnabled,
    note: row.note,
    ...store.promos.countUses(row.id, now - RESERVED_MS),
    created_at: toInstant(row.createdAt),
    updated_at: toInstant(row.updatedAt),
  };
}

function requirePromo({ store }: Context, id: number): PromoRow {
  const row = store.promos.get(id);
  if (!row) throw new PanelError('not_found');
  return row;
}

function requireTimes({ validFrom, validUntil }: Pick<PromoRow, 'validFrom' | 'validUntil'>): void {
  if (validFrom === null || validUntil === null || validFrom < validUntil) return;
  throw bodyError('validation', '#/valid_until', 'inconsistent', 'must be after valid_from');
}

function listPromos({ before, limit }: Input<'listPromos'>, context: Context): Result<Output<'listPromos'>> {
  const { promos } = context.store;
  const rows = promos.page(before, limit);
  const next = rows.length < limit ? null : (rows.at(-1)?.id ?? null);
  return { body: { items: rows.map((row) => viewPromo(context, row)), total: promos.count(), next_before: next } };
}

/** The length of the stored code, since normalization may change it. */
function requireLength(code: string): void {
  const length = [...code].length;
  if (length < 3) throw bodyError('validation', '#/code', 'too_small', 'must have 3 characters at least');
  if (length > 64) throw bodyError('validation', '#/code', 'too_big', 'must have 64 characters at most in upper case');
}

function createPromo(input: Input<'createPromo'>, tx: Transaction): Result<Promo> {
  const { store, now } = tx;
  const code = normalizeCode(input.code);
  requireLength(code);
  if (store.promos.byCode(code))
    throw bodyError('promo_exists', '#/code', 'duplicate', 'is another promo code already');
  const fields: Omit<PromoRow, 'id'> = {
    code,
    effect: input.effect,
    validFrom: parseInstant(input.valid_from),
    validUntil: parseInstant(input.valid_until),
    maxUses: input.max_uses,
    maxUsesPerUser: input.max_uses_per_user,
    tariffIds: input.tariff_ids,
    offerIds: input.offer_ids,
    isEnabled: input.enabled,
    note: input.note,
    createdAt: now,
    updatedAt: now,
  };
  requireTimes(fields);
  const row = { ...fields, id: store.promos.insert(fields) };
  tx.audit(null, { promo_id: row.id, code, effect: row.effect });
  return { body: viewPromo(tx, row) };
}

function parseInstant(text: string | null): number | null {
  return text === null ? null : fromInstant(text);
}

/** Without times. */
const toColumns = patchReader<Omit<Input<'changePromo'>, 'id' | 'valid_from' | 'valid_until'>, PromoRow>({
  effect: 'effect',
  max_uses: 'maxUses',
  max_uses_per_user: 'maxUsesPerUser',
  tariff_ids: 'tariffIds',
  offer_ids: 'offerIds',
  enabled: 'isEnabled',
  note: 'note',
});

function changePromo(input: Input<'changePromo'>, tx: Transaction): Result<Promo> {
  const { id, ...patch } = input;
  const before = requirePromo(tx, id);
  const { valid_from: from, valid_until: until } = patch;
  const wanted: PromoRow = {
    ...before,
    ...toColumns(patch),
    validFrom: from === undefined ? before.validFrom : parseInstant(from),
    validUntil: until === undefined ? before.validUntil : parseInstant(until),
  };
  requireTimes(wanted);
  if (isSameJson(wanted, before)) return { body: viewPromo(tx, before) };
  const after = { ...wanted, updatedAt: tx.now };
  tx.store.promos.save(after);
  tx.audit(null, { promo_id: id, code: before.code, ...patch });
  return { body: viewPromo(tx, after) };
}

function deletePromo({ id }: Input<'deletePromo'>, tx: Transaction): Result<undefined> {
  const { code } = requirePromo(tx, id);
  tx.store.promos.remove(id);
  tx.audit(null, { promo_id: id, code });
  return { body: undefined };
}

export const PROMO_HANDLERS = {
  listPromos: { read: listPromos },
  createPromo: { write: createPromo },
  changePromo: { write: changePromo },
  deletePromo: { write: deletePromo },
} satisfies Handlers<'listPromos' | 'createPromo' | 'changePromo' | 'deletePromo'>;

function buildPromoUse({ store, now }: Uses, order: OrderRow, promoId: number): PromoUse | null {
  const user = order.userId === null ? undefined : store.users.get(order.userId);
  if (!user) return null;
  const { id: userId, telegramId } = user;
  return { promoId, orderId: order.id, userId, telegramId, reservedAt: now, usedAt: null };
}

function canUse(context: Uses, promo: PromoRow, order: OrderRow): boolean {
  const { store, now } = context;
  const use = buildPromoUse(context, order, promo.id);
  if (use === null) return false;
  const { tariffId, offerId, sold } = order;
  const target = { tariffId, offerId, isTerm: isTerm(sold) };
  return canUsePromo(promo, target, store.promos.countOtherUses(use, now - RESERVED_MS), now);
}

/** The price of an order without a promo code. */
export function getFullPrices({ prices, promo }: Pick<OrderRow, 'prices' | 'promo'>): readonly Money[] {
  return promo?.prices ?? prices;
}

/** Applies a code to an unpaid order and replaces a previous one. PanelError `promo_refused` if it does not exist or cannot be used. */
export function setPromo(tx: Transaction, before: OrderRow, code: string): OrderRow {
  const { store } = tx;
  const promo = store.promos.byCode(normalizeCode(code));
  const order = withoutPromo(before);
  if (!promo || before.given !== null || !canUse(tx, promo, order)) throw new PanelError('promo_refused');
  const { id, code: known, effect } = promo;
  const prices = discountPrices(effect, order.prices);
  const after = withFirstPrice({ ...order, prices, promo: { id, code: known, effect, prices: order.prices } });
  if (before.promo !== null) store.promos.removeUse(before.id);
  store.sales.saveOrder(after);
  return after;
}

/** Removes the code of an unpaid order. */
export function clearPromo({ store }: Transaction, before: OrderRow): OrderRow {
  if (before.promo === null) return before;
  const after = withFirstPrice(withoutPromo(before));
  store.promos.removeUse(before.id);
  store.sales.saveOrder(after);
  return after;
}

/** The order without its code if it can no longer be used, unless a payment of the order needs a decision. */
export function withLivePromo(tx: Transaction, order: OrderRow): OrderRow {
  if (order.promo === null || tx.store.payments.hasUndecided(order.id)) return order;
  const promo = tx.store.promos.get(order.promo.id);
  return promo && canUse(tx, promo, order) ? order : clearPromo(tx, order);
}

function withoutPromo(order: OrderRow): OrderRow {
  return { ...order, prices: getFullPrices(order), promo: null };
}

function withFirstPrice(order: OrderRow): OrderRow {
  const [first] = order.prices;
  return first ? { ...order, amount: first.amount, currency: first.currency } : order;
}

/** Reserves a use of the order's code during payment. PanelError `promo_refused` if it can no longer be used. */
export function reservePromo(tx: Transaction, order: OrderRow): void {
  if (order.promo === null) return;
  const { store } = tx;
  const promo = store.promos.get(order.promo.id);
  const use = buildPromoUse(tx, order, order.promo.id);
  if (!promo || use === null || !canUse(tx, promo, order)) throw new PanelError('promo_refused');
  store.promos.saveUse(use);
}

/** Whether other orders have used up the code since it was reserved. A deleted code has no limit. */
export function isPromoGone(context: Uses, order: OrderRow, paid: Money): boolean {
  const { store, now } = context;
  const promo = order.promo === null ? undefined : store.promos.get(order.promo.id);
  if (!promo || isPaidInFull(order, paid)) return false;
  const use = buildPromoUse(context, order, promo.id);
  return use !== null && !hasUsesLeft(promo, store.promos.countOtherUses(use, now - RESERVED_MS));
}

/** Whether the full price was paid although the order has a discount, for example by an earlier invoice. */
function isPaidInFull({ promo }: OrderRow, paid: Money): boolean {
  const full = promo?.prices.find(({ currency }) => currency === paid.currency);
  return promo?.effect.kind === 'percent' && full !== undefined && paid.amount >= full.amount;
}

/** The paid order, with its use of a code counted. A discount that was not used does not count. */
export function countPromo(tx: Transaction, order: OrderRow, paid: Money): OrderRow {
  if (order.promo === null) return order;
  const { store, now } = tx;
  if (isPaidInFull(order, paid)) {
    store.promos.removeUse(order.id);
    return withoutPromo(order);
  }
  const use = store.promos.get(order.promo.id) ? buildPromoUse(tx, order, order.promo.id) : null;
  if (use !== null) store.promos.saveUse({ ...use, usedAt: now });
  return order;
}

/** What an order contains: the offer, and the items added by its code. */
export function soldBy({ sold, promo }: OrderRow): readonly Sold[] {
  return promo === null || promo.effect.kind === 'percent' ? [sold] : [sold, promo.effect];
}
