// Money as whole minor units of a currency (cents, kopecks, a Star) and as decimal text; conversion is exact in both directions, without floating
// point.
import { minorDigits, STARS } from '../../contract/currencies.ts';

/** An amount in the minor unit of its currency. */
export interface Money {
  readonly amount: number;
  /** ISO 4217, or XTR. If a provider reports another currency (USDT), it is the provider's code: its minor unit is unknown, so the amount is 0. */
  readonly currency: string;
}

/** Currencies of prices that a provider accepts, each with the step of its amounts in minor units: 1, or 10 where the last digit must be 0. */
export type PriceSteps = Readonly<Record<string, number>>;

/** Which prices a provider accepts. */
export interface PriceRules {
  readonly prices: PriceSteps;
  /** The smallest amounts, in minor units; of a currency that is not listed there is no smallest known. */
  readonly minimums: Readonly<Record<string, number>>;
}

export function acceptsPrice({ prices, minimums }: PriceRules, { amount, currency }: Money): boolean {
  const step = prices[currency];
  return step !== undefined && amount % step === 0 && amount >= (minimums[currency] ?? 0);
}

/** The amount in major units as decimal text: 499 of EUR is `4.99`, 100 of JPY is `100`. */
export function toDecimal({ amount, currency }: Money): string {
  const minor = minorDigits(currency) ?? 0;
  if (minor === 0) return String(amount);
  const digits = String(Math.abs(amount)).padStart(minor + 1, '0');
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -minor)}.${digits.slice(-minor)}`;
}

/**
 * Decimal text as minor units; null if it is invalid, negative, has more digits than the currency, is too large to be exact, or the currency is
 * unknown.
 */
export function fromDecimal(text: string, currency: string): number | null {
  const minor = minorDigits(currency);
  const [, whole, fraction = ''] = /^(\d{1,16})(?:\.(\d*))?$/.exec(text) ?? [];
  if (minor === null || whole === undefined) return null;
  const digits = fraction.replace(/0+$/, '');
  if (digits.length > minor) return null;
  const amount = Number(`${whole}${digits.padEnd(minor, '0')}`);
  return Number.isSafeInteger(amount) ? amount : null;
}

/** A fraction of an amount, rounded up to an amount that cards can be charged: whole hundredths for currencies with three digits, whole ariary. */
export function roundUpPart(amount: number, numerator: number, denominator: number, currency: string): number {
  const step = minorDigits(currency) === 3 ? 10n : currency === 'MGA' ? 100n : 1n;
  const unit = BigInt(denominator) * step;
  return Number(((BigInt(amount) * BigInt(numerator) + unit - 1n) / unit) * step);
}

/** An amount for display in a language: `€4.99`, `⭐ 100`. Zero decimals are omitted (`€5`), or written where amounts are aligned in a column. */
export function formatMoney(money: Money, languageTag: string, zeros: 'omitted' | 'written' = 'omitted'): string {
  const { amount, currency } = money;
  if (currency === STARS) return `⭐ ${new Intl.NumberFormat(languageTag).format(amount)}`;
  const minor = minorDigits(currency);
  if (minor === null) return `${toDecimal(money)} ${currency}`;
  // Only the symbol and the separators are taken from Intl: its number of digits differs between versions and from this table.
  const format = new Intl.NumberFormat(languageTag, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: minor,
    maximumFractionDigits: minor,
    trailingZeroDisplay: zeros === 'omitted' ? 'stripIfInteger' : 'auto',
  });
  // Passed as text, since a number cannot represent all digits of the largest amounts.
  return format.format(toDecimal(money) as `${number}`);
}
