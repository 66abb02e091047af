// Prices: the contract counts minor units (cents, kopecks), people use the major one; the number of digits depends on the currency.
import { minorDigits } from '../../../contract/currencies.ts';
import { formatMoney, fromDecimal, type Money, toDecimal } from '../../../domain/sales/money.ts';
import { type Language, languageEntry } from '../../../i18n/languages.ts';

export type Price = Money;

/** 499 minor units of a currency as 4.99. */
export function toMajor(price: Price): number {
  return Number(toDecimal(price));
}

/** How many decimals can be typed, also while the currency's code is incomplete. */
export function typedDigits(currency: string): number {
  return minorDigits(currency) ?? 2;
}

/** 4.99 as whole minor units of a currency. */
export function toMinor(amount: number, currency: string): number {
  return fromDecimal(String(amount), currency) ?? Math.round(amount * 10 ** typedDigits(currency));
}

/** `€4.99`, `€5.00`: with all digits. */
export function formatPrice(price: Price, language: Language): string {
  return formatMoney(price, languageEntry(language).tag, 'written');
}
