// What a provider says, as far as it can be stored: an answer that is wrong must not stop the others, which would wait behind it for ever.

import { DAY_MS } from '../../domain/limits.ts';
import type { Invoice, ProviderAccess, ProviderPayment } from '../ports/providers.ts';

const MOST_ID = 300;
const MOST_CURRENCY = 20;
const MOST_URL = 4000;
/** The place in a provider's list. */
const MOST_CURSOR = 2000;

/** Whether something can be known by this text again. SQLite's length ends at a NUL. */
export function isId(text: string): boolean {
  return text !== '' && text.length <= MOST_ID && !text.includes('\0');
}

export function isCursor(text: string): boolean {
  return text.length <= MOST_CURSOR;
}

/** Whether a buyer can be led to where an invoice is paid. */
export function isUsable(
  { externalId, payUrl }: Invoice,
  { allowPrivate }: Pick<ProviderAccess, 'allowPrivate'>,
): boolean {
  const isUrl = /^https?:\/\/[\x21-\x7e]+$/.test(payUrl) && payUrl.length <= MOST_URL;
  return isUrl && (allowPrivate || payUrl.startsWith('https:')) && (externalId === null || isId(externalId));
}

/** A payment with amounts, a currency and times that can be stored; what is none of these is looked at by a person. null: it has no number. */
export function plausible(reported: ProviderPayment, now: number): ProviderPayment | null {
  const { externalId, paid, refunded, paidAt, buyer } = reported;
  if (!isId(externalId)) return null;
  const currency = isId(paid.currency) ? paid.currency.slice(0, MOST_CURRENCY) : '?';
  // No clock is so far ahead of another.
  const isFuture = paidAt !== null && paidAt > now + DAY_MS;
  return {
    ...reported,
    paid: { amount: wholeOf(paid.amount), currency },
    refunded: wholeOf(refunded),
    paidAt: paidAt === null || isFuture ? null : Math.max(0, paidAt),
    buyer: buyer !== null && isId(buyer) ? buyer : null,
  };
}

function wholeOf(amount: number): number {
  return Number.isSafeInteger(amount) && amount >= 0 ? amount : 0;
}
