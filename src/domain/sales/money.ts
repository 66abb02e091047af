// Money as whole minor units of a currency (cents, kopecks, a Star), and as decimal text; exact in both directions, never by fractions of numbers.
import { minorDigits, STARS } from '../../contract/currencies.ts';

/** An amount in the minor unit of its currency. */
export interface Money {
  readonly amount: number;
  /** ISO 4217, or XTR. As a provider calls it where it reports another one (USDT): its minor unit is unknown, so the amount is 0. */
  readonly currency: string;
}

/** The currencies of prices that a provider accepts, each with the step of its amounts in minor units: 1, or 10 where the last digit must be 0. */
export type PriceSteps = Readonly<Record<string, number>>;

export function acceptsPrice(steps: PriceSteps, { amount, currency }: Money): boolean {
  const step = steps[currency];
  return step !== undefined && amount % step === 0;
}

/** The amount in major units as decimal text: 499 of EUR is `4.99`, 100 of JPY is `100`. */
export function toDecimal({ amount, currency }: Money): string {
  const minor = minorDigits(currency) ?? 0;
  if (minor === 0) return String(amount);
  const digits = String(Math.abs(amount)).padStart(minor + 1, '0');
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -minor)}.${digits.slice(-minor)}`;
}

/** Decimal text as minor units; null where it is none, is negative, has more digits than the currency, is too large to be exact, or the currency is unknown. */
export function fromDecimal(text: string, currency: string): number | null {
  const minor = minorDigits(currency);
  const [, whole, fraction = ''] = /^(\d{1,16})(?:\.(\d*))?$/.exec(text) ?? [];
  if (minor === null || whole === undefined) return null;
  const digits = fraction.replace(/0+$/, '');
  if (digits.length > minor) return null;
  const amount = Number(`${whole}${digits.padEnd(minor, '0')}`);
  return Number.isSafeInteger(amount) ? amount : null;
}

/** A part of an amount, rounded up to what can be paid by card: cards are not charged thousandths, nor a part of an ariary. */
export function roundUpPart(amount: number, numerator: number, denominator: number, currency: string): number {
  const step = minorDigits(currency) === 3 ? 10n : currency === 'MGA' ? 100n : 1n;
  const unit = BigInt(denominator) * step;
  return Number(((BigInt(amount) * BigInt(numerator) + unit - 1n) / unit) * step);
}

/** As people read it in a language: `€4.99`, `⭐ 100`. Decimals that are all 0 are left out (`€5`), or written where amounts stand below each other. */
export function formatMoney(money: Money, languageTag: string, zeros: 'omitted' | 'written' = 'omitted'): string {
  const { amount, currency } = money;
  if (currency === STARS) return `⭐ ${new Intl.NumberFormat(languageTag).format(amount)}`;
  const minor = minorDigits(currency);
  if (minor === null) return `${toDecimal(money)} ${currency}`;
  // Of Intl only the symbol and the separators: its digits are others, and not the same everywhere.
  const format = new Intl.NumberFormat(languageTag, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: minor,
    maximumFractionDigits: minor,
    trailingZeroDisplay: zeros === 'omitted' ? 'stripIfInteger' : 'auto',
  });
  // As text, because a number cannot hold all digits of the largest amounts.
  return format.format(toDecimal(money) as `${number}`);
}
