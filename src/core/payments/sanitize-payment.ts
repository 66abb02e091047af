// What a provider says, as far as it can be stored: an answer that is wrong must not stop the others, which would wait behind it for ever.

import { minorDigits } from '../../contract/currencies.ts';
import { DAY_MS } from '../../domain/limits.ts';
import type { Invoice, ProviderAccess, ProviderPayment } from '../ports/providers.ts';

const MAX_ID = 300;
const MAX_CURRENCY = 20;
const MAX_URL = 4000;
/** The place in a provider's list. */
const MAX_CURSOR = 2000;

/** Whether something can be known by this text again. SQLite's length ends at a NUL. */
export function isId(text: string): boolean {
  return text !== '' && text.length <= MAX_ID && !text.includes('\0');
}

export function isCursor(text: string): boolean {
  return text.length <= MAX_CURSOR;
}

/** Whether a buyer can be led to where an invoice is paid. */
export function isUsable(
  { externalId, payUrl }: Invoice,
  { allowPrivate }: Pick<ProviderAccess, 'allowPrivate'>,
): boolean {
  const isUrl = /^https?:\/\/[\x21-\x7e]+$/.test(payUrl) && payUrl.length <= MAX_URL;
  return isUrl && (allowPrivate || payUrl.startsWith('https:')) && (externalId === null || isId(externalId));
}

/** A payment with amounts, a currency and times that can be stored; what is none of these is looked at by a person. null: it has no number. */
export function sanitizePayment(reported: ProviderPayment, now: number): ProviderPayment | null {
  const { externalId, paid, refunded, paidAt, buyer } = reported;
  if (!isId(externalId)) return null;
  const currency = isId(paid.currency) ? paid.currency.slice(0, MAX_CURRENCY) : '?';
  // No clock is so far ahead of another.
  const isFuture = paidAt !== null && paidAt > now + DAY_MS;
  return {
    ...reported,
    paid: { amount: sanitizeAmount(paid.amount, currency), currency },
    refunded: sanitizeAmount(refunded, currency),
    paidAt: paidAt === null || isFuture ? null : Math.max(0, paidAt),
    buyer: buyer !== null && isId(buyer) ? buyer : null,
  };
}

/** What an amount in an unknown currency counts is unknown. */
function sanitizeAmount(amount: number, currency: string): number {
  return Number.isSafeInteger(amount) && amount >= 0 && minorDigits(currency) !== null ? amount : 0;
}
