// The format of a payment provider's amounts, and the prices that it accepts.
import { CURRENCIES, STARS } from '../contract/currencies.ts';
import { fromDecimal, type Money, type PriceRules, toDecimal } from '../domain/sales/money.ts';

export interface AmountFormat extends PriceRules {
  /** Formats a price that the provider accepts. */
  write(price: Money): string;
  /** Parses a reported amount to minor units; null: not a valid amount of this currency, or an unknown currency. */
  read(text: string, currency: string): number | null;
}

/** Amounts as decimal text in the major unit, such as `12.50`. `minimums` are in minor units. */
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
