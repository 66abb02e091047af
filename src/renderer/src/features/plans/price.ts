// Prices: the contract counts minor units (cents, kopecks), people read and type the major one, and currencies differ in their digits.
import { type Language, languageEntry } from '../../../../i18n/languages.ts';

export interface Price {
  /** In minor units. */
  readonly amount: number;
  /** ISO 4217 */
  readonly currency: string;
}

/** How many digits a currency has behind the point; 2 for one the browser does not know. */
export function digitsOf(currency: string): number {
  if (!/^[A-Z]{3}$/.test(currency)) return 2;
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return format.resolvedOptions().maximumFractionDigits ?? 2;
}

/** 499 minor units of a currency as 4.99. */
export function toMajor({ amount, currency }: Price): number {
  return amount / 10 ** digitsOf(currency);
}

/** 4.99 as whole minor units of a currency. */
export function toMinor(amount: number, currency: string): number {
  return Math.round(amount * 10 ** digitsOf(currency));
}

/** `€4.99`; no decimals where the amount is even. */
export function formatPrice(price: Price, language: Language): string {
  const format = new Intl.NumberFormat(languageEntry(language).tag, {
    style: 'currency',
    currency: price.currency,
    currencyDisplay: 'narrowSymbol',
    trailingZeroDisplay: 'stripIfInteger',
  });
  return format.format(toMajor(price));
}
