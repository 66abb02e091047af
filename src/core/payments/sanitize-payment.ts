// Makes providers' answers storable: one invalid payment must not block the payments behind it in the list.

import { minorDigits } from '../../contract/currencies.ts';
import { DAY_MS } from '../../domain/limits.ts';
import type { Invoice, ProviderAccess, ProviderPayment } from '../ports/providers.ts';

const MAX_ID = 300;
const MAX_CURRENCY = 20;
const MAX_URL = 4000;
/** Length of a cursor of a provider's list, as its column allows. */
const MAX_CURSOR = 2000;

/** Whether a text can be stored as an id. No NUL, because SQLite's length() ends there. */
export function isId(text: string): boolean {
  return text !== '' && text.length <= MAX_ID && !text.includes('\0');
}

export function isCursor(text: string): boolean {
  return text.length <= MAX_CURSOR;
}

/** Whether the buyer can be redirected to an invoice's URL, and its id can be stored. */
export function isUsable(
  { externalId, payUrl }: Invoice,
  { allowPrivate }: Pick<ProviderAccess, 'allowPrivate'>,
): boolean {
  const isUrl = /^https?:\/\/[\x21-\x7e]+$/.test(payUrl) && payUrl.length <= MAX_URL;
  return isUrl && (allowPrivate || payUrl.startsWith('https:')) && (externalId === null || isId(externalId));
}

/** Replaces members that cannot be stored; a payment without a valid amount then needs a decision. null: it has no usable id. */
export function sanitizePayment(reported: ProviderPayment, now: number): ProviderPayment | null {
  const { externalId, paid, refunded, paidAt, buyer } = reported;
  if (!isId(externalId)) return null;
  const currency = isId(paid.currency) ? paid.currency.slice(0, MAX_CURRENCY) : '?';
  // A time more than a day ahead is invalid, not a difference of clocks.
  const isFuture = paidAt !== null && paidAt > now + DAY_MS;
  return {
    ...reported,
    paid: { amount: sanitizeAmount(paid.amount, currency), currency },
    refunded: sanitizeAmount(refunded, currency),
    paidAt: paidAt === null || isFuture ? null : Math.max(0, paidAt),
    buyer: buyer !== null && isId(buyer) ? buyer : null,
  };
}

/** 0 for amounts that are invalid or in a currency whose minor unit is unknown. */
function sanitizeAmount(amount: number, currency: string): number {
  return Number.isSafeInteger(amount) && amount >= 0 && minorDigits(currency) !== null ? amount : 0;
}
