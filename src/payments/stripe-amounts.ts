// Amounts of Stripe: whole numbers of its own minor units, which differ from ISO 4217 in some currencies.
import { CURRENCIES, minorDigits } from '../contract/currencies.ts';
import type { AmountFormat } from './amounts.ts';

/** Currencies without decimals at Stripe. MGA has two digits in ISO 4217. */
const WHOLE = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '));
/**
 * Currencies without decimals, for which Stripe still expects hundredths that are 0. UGX is also in its list of currencies without decimals;
 * the special case is the newer part of that page.
 */
const HUNDREDTHS = new Set(['ISK', 'UGX']);
/** Currencies with three decimals, of which the last must be 0 in charges. */
const THOUSANDTHS = new Set('BHD JOD KWD OMR TND'.split(' '));

/** Decimals at Stripe, by https://docs.stripe.com/currencies of September 2026; null: not supported. HUF and TWD differ in payouts only. */
function stripeDigits(currency: string): number | null {
  if (WHOLE.has(currency)) return 0;
  if (THOUSANDTHS.has(currency)) return 3;
  if (HUNDREDTHS.has(currency)) return 2;
  // Stripe does not support other currencies without two digits, such as UYI and CLF.
  return minorDigits(currency) === 2 ? 2 : null;
}

/** How many minor units of ISO 4217 one unit of Stripe is, as a power of ten; null: Stripe does not support the currency. */
function findExponent(currency: string): number | null {
  const [minor, theirs] = [minorDigits(currency), stripeDigits(currency)];
  return minor === null || theirs === null ? null : minor - theirs;
}

function priceStep(currency: string): readonly [string, number][] {
  const exponent = findExponent(currency);
  if (exponent === null) return [];
  return [[currency, THOUSANDTHS.has(currency) ? 10 : 10 ** Math.max(0, exponent)]];
}

/** Multiplies by a power of ten; null if the result is not whole. */
function rescale(units: bigint, exponent: number): bigint | null {
  const factor = 10n ** BigInt(Math.abs(exponent));
  if (exponent >= 0) return units * factor;
  return units % factor === 0n ? units / factor : null;
}

/** Smallest charges, in minor units of ISO 4217. https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts */
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
