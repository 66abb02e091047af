// Prices: the contract counts minor units (cents, kopecks), people read and type the major one, and currencies differ in their digits.
import { formatMoney, fromDecimal, type Money, toDecimal } from '../../../domain/sales/money.ts';
import { type Language, languageEntry } from '../../../i18n/languages.ts';

export type Price = Money;

/** A price as it is typed: decimal text in the major unit, which a number could not hold exactly. */
export interface TypedPrice {
  readonly amount: string;
  readonly currency: string;
}

/** `currency`: of an absent price. */
export function toTypedPrice(price: Price | null, currency: string): TypedPrice {
  return price === null ? { amount: '', currency } : { amount: toDecimal(price), currency: price.currency };
}

/** null: nothing is typed, or no amount that the currency has. */
export function parsePrice({ amount, currency }: TypedPrice): Price | null {
  const minor = fromDecimal(amount.trim(), currency);
  return minor === null ? null : { amount: minor, currency };
}

/** Whether it is a price, or empty, which is none. */
export function isPrice(typed: TypedPrice): boolean {
  return typed.amount.trim() === '' || parsePrice(typed) !== null;
}

/** `€4.99`, `€5.00`: with all digits. */
export function formatPrice(price: Price, language: Language): string {
  return formatMoney(price, languageEntry(language).tag, 'written');
}
