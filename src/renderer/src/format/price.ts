// Prices: the contract counts minor units (cents, kopecks), people read and type the major one, and currencies differ in their digits.
import { minorDigits } from '../../../contract/currencies.ts';
import { formatMoney, fromDecimal, type Money, toDecimal } from '../../../domain/sales/money.ts';
import { type Language, languageEntry } from '../../../i18n/languages.ts';

export type Price = Money;

/** 499 minor units of a currency as 4.99. */
export function toMajor(price: Price): number {
  return Number(toDecimal(price));
}

/** How many digits can be typed behind the point, also while the code of the currency is still being typed. */
export function typedDigits(currency: string): number {
  return minorDigits(currency) ?? 2;
}

/** 4.99 as whole minor units of a currency. */
export function toMinor(amount: number, currency: string): number {
  return fromDecimal(String(amount), currency) ?? Math.round(amount * 10 ** typedDigits(currency));
}

/** `€4.99`, `€5.00`: exact, as in books. */
export function formatPrice(price: Price, language: Language): string {
  return formatMoney(price, languageEntry(language).tag, 'written');
}
