// How each payment provider writes amounts, and which prices it takes. Adapters write and read amounts by this table alone.
import { minorDigits, STARS } from '../../contract/currencies.ts';
import type { ProviderKind } from '../../contract/sales/providers.ts';
import { fromDecimal, type Money, toDecimal } from './money.ts';

export interface AmountFormat {
  /** A price as the provider is asked for it; null: it cannot be asked for that. */
  write(price: Money): string | null;
  /** An amount that the provider reports, in minor units; null: the currency has no such amount, or is unknown. */
  read(text: string, currency: string): number | null;
}

/** Currencies that Stripe counts whole. MGA is one there, and has two digits in ISO 4217. */
const STRIPE_WHOLE = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '));
/** Whole since some years; Stripe still counts hundredths of them, which must be 0. Its list of whole currencies also has UGX: the special case is the newer text. */
const STRIPE_HUNDREDTHS = new Set(['ISK', 'UGX']);
/** Counted in thousandths, of which cards cannot be charged the last digit. */
const STRIPE_THOUSANDTHS = new Set('BHD JOD KWD OMR TND'.split(' '));

/** The digits that Stripe counts, by https://docs.stripe.com/currencies of September 2026. HUF and TWD differ in payouts only. */
function stripeDigits(currency: string): number | null {
  if (STRIPE_WHOLE.has(currency)) return 0;
  if (STRIPE_THOUSANDTHS.has(currency)) return 3;
  if (STRIPE_HUNDREDTHS.has(currency)) return 2;
  // Others without two digits, as UYI and CLF, are not among its currencies.
  return minorDigits(currency) === 2 ? 2 : null;
}

/** Whole units of so many digits as those of another number of digits; null where that leaves a fraction. */
function rescale(units: bigint, from: number, to: number): bigint | null {
  const factor = 10n ** BigInt(Math.abs(to - from));
  if (to >= from) return units * factor;
  return units % factor === 0n ? units / factor : null;
}

const stripeAmounts: AmountFormat = {
  write({ amount, currency }) {
    const [minor, theirs] = [minorDigits(currency), stripeDigits(currency)];
    if (minor === null || theirs === null || (theirs === 3 && amount % 10 !== 0)) return null;
    return rescale(BigInt(amount), minor, theirs)?.toString() ?? null;
  },
  read(text, currency) {
    const [minor, theirs] = [minorDigits(currency), stripeDigits(currency)];
    if (minor === null || theirs === null || !/^\d{1,18}$/.test(text)) return null;
    const amount = Number(rescale(BigInt(text), theirs, minor) ?? Number.NaN);
    return Number.isSafeInteger(amount) ? amount : null;
  },
};

/** Decimal text in the major unit, in any currency but Stars. */
const decimalAmounts: AmountFormat = {
  write: (price) => (price.currency === STARS || minorDigits(price.currency) === null ? null : toDecimal(price)),
  read: fromDecimal,
};

export const PROVIDER_AMOUNTS: Readonly<Record<ProviderKind, AmountFormat>> = {
  stars: {
    write: ({ amount, currency }) => (currency === STARS ? String(amount) : null),
    read: (text, currency) => (currency === STARS ? fromDecimal(text, STARS) : null),
  },
  crypto_pay: decimalAmounts,
  yookassa: { ...decimalAmounts, write: (price) => (price.currency === 'RUB' ? toDecimal(price) : null) },
  stripe: stripeAmounts,
  heleket: decimalAmounts,
};

/** Whether a provider can be asked for this price, as far as is known without asking it. */
export function acceptsPrice(kind: ProviderKind, price: Money): boolean {
  return PROVIDER_AMOUNTS[kind].write(price) !== null;
}
