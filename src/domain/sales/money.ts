// Money as whole minor units of a currency (cents, kopecks, a Star), and as decimal text; exact in both directions, never by fractions of numbers.

/** Telegram Stars are whole, and unknown to Intl. */
export const STARS = 'XTR';

/** An amount in the minor unit of its currency. */
export interface Money {
  readonly amount: number;
  /** ISO 4217, or XTR. */
  readonly currency: string;
}

/** How many digits a currency has behind the point: 2 for USD, 0 for JPY and Stars, 3 for KWD; 2 for one that is not known. */
export function exponentOf(currency: string): number {
  if (currency === STARS) return 0;
  if (!/^[A-Z]{3}$/.test(currency)) return 2;
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return format.resolvedOptions().maximumFractionDigits ?? 2;
}

/** The amount in major units as decimal text: 499 of EUR is `4.99`, 100 of JPY is `100`. */
export function toDecimal({ amount, currency }: Money): string {
  const exponent = exponentOf(currency);
  if (exponent === 0) return String(amount);
  const digits = String(Math.abs(amount)).padStart(exponent + 1, '0');
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

/** Decimal text as minor units; null where it is none, is negative, has more digits than the currency, or is too large to be exact. */
export function fromDecimal(text: string, currency: string): number | null {
  const [, whole, fraction = ''] = /^(\d{1,16})(?:\.(\d*))?$/.exec(text) ?? [];
  if (whole === undefined) return null;
  const exponent = exponentOf(currency);
  const digits = fraction.replace(/0+$/, '');
  if (digits.length > exponent) return null;
  const amount = Number(`${whole}${digits.padEnd(exponent, '0')}`);
  return Number.isSafeInteger(amount) ? amount : null;
}

/** As people read it in a language: `€4.99`, `⭐ 100`. Decimals that are all 0 are left out (`€5`), or written where amounts stand below each other. */
export function formatMoney(money: Money, languageTag: string, zeros: 'omitted' | 'written' = 'omitted'): string {
  if (money.currency === STARS) return `⭐ ${new Intl.NumberFormat(languageTag).format(money.amount)}`;
  // As a provider may call it; Intl throws.
  if (!/^[A-Z]{3}$/.test(money.currency)) return `${toDecimal(money)} ${money.currency}`;
  const format = new Intl.NumberFormat(languageTag, {
    style: 'currency',
    currency: money.currency,
    currencyDisplay: 'narrowSymbol',
    trailingZeroDisplay: zeros === 'omitted' ? 'stripIfInteger' : 'auto',
  });
  return format.format(Number(toDecimal(money)));
}
