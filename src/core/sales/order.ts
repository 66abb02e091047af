// Creates, finds and shows orders.

import type { Order } from '../../contract/sales/sales.ts';
import { OWN_TOKEN_PREFIX } from '../../domain/sales/own-token.ts';
import type { Context, Env } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { toInstant, toInstantOrNull, tokenOf } from '../kernel/wire.ts';
import type { InvoiceRow } from '../ports/payments.ts';
import type { OfferRow, OrderRow } from '../ports/sales.ts';
import type { UserRow } from '../ports/users.ts';
import { referralFor } from './referrals.ts';

const TOKEN_BYTES = 24;

/** A token of an order or an invoice: 192 bits. */
export function newToken({ crypto }: Context): string {
  return `${OWN_TOKEN_PREFIX}${tokenOf(crypto.randomBytes(TOKEN_BYTES))}`;
}

/** Path of an order page below the sub path. */
const PAGE = 'pay';

/** URL of an order page. */
export function orderUrl({ subUrl }: Pick<Env, 'subUrl'>, { token }: Pick<OrderRow, 'token'>): string {
  return subUrl(`${PAGE}/${token}`);
}

/** An unpaid order of an available offer. */
export function newOrder(context: Context, user: UserRow, offer: OfferRow, key: string): OrderRow {
  const { store, now } = context;
  const { sold, prices } = offer;
  const [first = { amount: 0, currency: 'EUR' }] = prices;
  return {
    id: store.sales.nextOrderId(),
    key,
    token: newToken(context),
    userId: user.id,
    userName: user.name,
    offerId: offer.id,
    offerName: offer.name,
    tariffId: offer.tariffId,
    tariffName: store.tariffs.get(offer.tariffId)?.name ?? '',
    sold,
    prices,
    amount: first.amount,
    currency: first.currency,
    method: null,
    providerId: null,
    reference: null,
    note: '',
    state: 'new',
    isRenewal: false,
    given: null,
    paidAt: null,
    day: null,
    createdAt: now,
    refundedAt: null,
    refundNote: null,
    promo: null,
    referral: offer.isTrial ? null : referralFor(context, user, sold),
  };
}

export function viewOrder({ env, store }: Context, row: OrderRow): Order {
  const user = row.userId === null ? undefined : store.users.get(row.userId);
  const invoice = row.providerId === null ? undefined : store.payments.listInvoices(row.id)[0];
  const paid = row.providerId === null ? undefined : store.payments.findAppliedPayment(row.id);
  const { referral } = row;
  const referrer = referral === null ? undefined : store.users.get(referral.referrerId);
  return {
    id: row.id,
    user: user ? { id: user.id, name: user.name } : null,
    user_name: row.userName,
    offer: row.offerName,
    tariff: row.tariffName,
    sold: row.sold,
    amount: row.amount,
    currency: row.currency,
    method: row.method,
    reference: row.reference ?? paid?.externalId ?? invoice?.externalId ?? null,
    note: row.note,
    state: row.state,
    renewal: row.isRenewal,
    refunding: paid?.nextRefundAt != null,
    promo: row.promo && { code: row.promo.code, effect: row.promo.effect },
    referral: referral && {
      referrer: referrer ? { id: referrer.id, name: referrer.name } : null,
      referrer_days: referral.referrerDays,
      friend_days: referral.friendDays,
    },
    pay_url: row.state === 'open' && invoice && canPay(row, invoice) ? invoice.payUrl : null,
    page_url: row.given === null ? orderUrl(env, row) : null,
    paid_at: toInstantOrNull(row.paidAt),
    created_at: toInstant(row.createdAt),
    refunded_at: toInstantOrNull(row.refundedAt),
    refund_note: row.refundNote,
  };
}

/** Whether an open invoice has the current price of the order. */
function canPay({ prices }: OrderRow, { state, amount, currency }: InvoiceRow): boolean {
  return state === 'open' && prices.some((one) => one.currency === currency && one.amount === amount);
}

export function requireOrder({ store }: Pick<Context, 'store'>, id: number): OrderRow {
  const row = store.sales.order(id);
  if (!row) throw new PanelError('not_found');
  return row;
}
