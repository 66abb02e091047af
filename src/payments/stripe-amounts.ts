// Amounts of Stripe: whole numbers of its own minor units, which are not those of ISO 4217 in every currency.
import { CURRENCIES, minorDigits } from '../contract/currencies.ts';
import type { AmountFormat } from './amounts.ts';

/** Currencies that Stripe counts whole. MGA is one there, and has two digits in ISO 4217. */
const WHOLE = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '));
/** Whole since some years; Stripe still counts hundredths of them, which must be 0. Its list of whole currencies also has UGX: the special case is the newer text. */
const HUNDREDTHS = new Set(['ISK', 'UGX']);
/** Counted in thousandths, of which cards cannot be charged the last digit. */
const THOUSANDTHS = new Set('BHD JOD KWD OMR TND'.split(' '));

/** The digits that Stripe counts, by https://docs.stripe.com/currencies of September 2026. HUF and TWD differ in payouts only. */
function stripeDigits(currency: string): number | null {
  if (WHOLE.has(currency)) return 0;
  if (THOUSANDTHS.has(currency)) return 3;
  if (HUNDREDTHS.has(currency)) return 2;
  // Others without two digits, as UYI and CLF, are not among its currencies.
  return minorDigits(currency) === 2 ? 2 : null;
}

/** Minor units of ISO 4217 in one of Stripe's, as a power of ten; null: Stripe does not have the currency. */
function findExponent(currency: string): number | null {
  const [minor, theirs] = [minorDigits(currency), stripeDigits(currency)];
  return minor === null || theirs === null ? null : minor - theirs;
}

function priceStep(currency: string): readonly [string, number][] {
  const exponent = findExponent(currency);
  if (exponent === null) return [];
  return [[currency, THOUSANDTHS.has(currency) ? 10 : 10 ** Math.max(0, exponent)]];
}

/** Whole units times a power of ten; null where that leaves a fraction. */
function rescale(units: bigint, exponent: number): bigint | null {
  const factor = 10n ** BigInt(Math.abs(exponent));
  if (exponent >= 0) return units * factor;
  return units % factor === 0n ? units / factor : null;
}

/** In minor units of ISO 4217. https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts */
const MINIMUMS: Readonly<Record<string, number>> = {
  AED: 200,
  AUD: 50,
  BGN: 100,
  BRL: 50,
  CAD: 50,
  CHF: 50,
  CZK: 1500,
  DKK: 250,
  EUR: 50,
  GBP: 30,
  HKD: 400,
  HUF: 17_500,
  INR: 50,
  JPY: 50,
  MXN: 1000,
  MYR: 200,
  NOK: 300,
  NZD: 50,
  PLN: 200,
  RON: 200,
  SEK: 300,
  SGD: 50,
  THB: 1000,
  USD: 50,
};

export const stripeAmounts: AmountFormat = {
  minimums: MINIMUMS,
  prices: Object.fromEntries(CURRENCIES.flatMap(priceStep)),
  write: ({ amount, currency }) => String(rescale(BigInt(amount), -(findExponent(currency) ?? 0))),
  read(text, currency) {
    const exponent = findExponent(currency);
    if (exponent === null || !/^\d{1,18}$/.test(text)) return null;
    const amount = Number(rescale(BigInt(text), exponent) ?? Number.NaN);
    return Number.isSafeInteger(amount) ? amount : null;
  },
};
