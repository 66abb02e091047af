// Prices: the contract counts minor units (cents, kopecks), people read and type the major one, and currencies differ in their digits.
import { exponentOf, formatMoney, fromDecimal, type Money, STARS, toDecimal } from '../../../domain/sales/money.ts';
import { type Language, languageEntry } from '../../../i18n/languages.ts';

export type Price = Money;

/** What a price can be in. */
export const CURRENCIES: readonly string[] = [...Intl.supportedValuesOf('currency'), STARS];

/** 499 minor units of a currency as 4.99. */
export function toMajor(price: Price): number {
  return Number(toDecimal(price));
}

/** 4.99 as whole minor units of a currency. */
export function toMinor(amount: number, currency: string): number {
  return fromDecimal(String(amount), currency) ?? Math.round(amount * 10 ** exponentOf(currency));
}

/** `€4.99`, `€5.00`: exact, as in books. */
export function formatPrice(price: Price, language: Language): string {
  return formatMoney(price, languageEntry(language).tag, 'written');
}
