// How a payment provider writes amounts, and which prices it accepts.
import { CURRENCIES, STARS } from '../contract/currencies.ts';
import { fromDecimal, type Money, type PriceRules, toDecimal } from '../domain/sales/money.ts';

export interface AmountFormat extends PriceRules {
  /** An accepted price, as the provider reads it. */
  write(price: Money): string;
  /** An amount that the provider reports, in minor units; null: the currency has no such amount, or is unknown. */
  read(text: string, currency: string): number | null;
}

/** Decimal text in the major unit. */
export function decimalAmounts(
  currencies: readonly string[],
  minimums: Readonly<Record<string, number>> = {},
): AmountFormat {
  return {
    minimums,
    prices: Object.fromEntries(currencies.map((one) => [one, 1])),
    write: toDecimal,
    read: fromDecimal,
  };
}

export const MONEY_CURRENCIES: readonly string[] = CURRENCIES.filter((one) => one !== STARS);
