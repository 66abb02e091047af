// Currencies and their minor units: ISO 4217 List One of 2026-01-01, and Telegram Stars. A fixed table, because Intl has the digits of CLDR:
// they differ from ISO, and between a browser and a server, and change with their versions.

/** Telegram Stars: not in ISO 4217, without minor units. */
export const STARS = 'XTR';

/** Codes by the number of their digits, without metals, drawing rights and test codes, for which ISO has no minor unit. */
const BY_DIGITS: readonly (readonly [number, string])[] = [
  [0, `BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF ${STARS}`],
  [
    2,
    `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP COU CRC
    CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR
    KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN
    PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS
    UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG`,
  ],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
];

const DIGITS: ReadonlyMap<string, number> = new Map(
  BY_DIGITS.flatMap(([digits, codes]) => codes.split(/\s+/).map((code): [string, number] => [code, digits])),
);

/** Currencies of prices, in alphabetical order. */
export const CURRENCIES: readonly string[] = [...DIGITS.keys()].sort();

/** The decimal digits of a currency: 2 for USD, 0 for JPY and Stars, 3 for KWD; null if it is not in the table, such as a coin (USDT). */
export function minorDigits(currency: string): number | null {
  return DIGITS.get(currency) ?? null;
}
