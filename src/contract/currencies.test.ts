// The table of currencies against one that others publish.
import * as published from 'dinero.js/currencies';
import { describe, expect, it } from 'vitest';
import { CURRENCIES, minorDigits, STARS } from './currencies.ts';

/** Where the published table is otherwise, and why ours is right. */
const WITHDRAWN = ['BGN']; // Bulgaria has the euro since 2026-01-01.
const FIFTHS = ['MGA', 'MRU']; // Five of the minor unit are one of the major; ISO writes them with two digits all the same.

describe('the table of currencies', () => {
  it('has the codes and digits of a published one', () => {
    const theirs = Object.values(published)
      .filter(({ code }) => !WITHDRAWN.includes(code))
      .map(({ code, exponent }) => [code, FIFTHS.includes(code) ? 2 : exponent]);
    const ours = CURRENCIES.filter((code) => code !== STARS).map((code) => [code, minorDigits(code)]);
    expect(ours).toEqual(theirs.sort());
  });

  it('knows Stars, and neither coins, metals nor what is no code', () => {
    expect(minorDigits('XTR')).toBe(0);
    for (const code of ['USDT', 'TON', 'BTC', 'XAU', 'XTS', 'XXX', 'DEM', 'eur', 'eu', '', '?', 'constructor'])
      expect(minorDigits(code), code).toBeNull();
  });

  it('does not ask Intl, whose digits differ between engines', () => {
    const { NumberFormat } = Intl;
    Object.defineProperty(Intl, 'NumberFormat', { value: undefined, configurable: true });
    try {
      expect(['HUF', 'RSD', 'ISK', 'KWD', 'CLF'].map(minorDigits)).toEqual([2, 2, 0, 3, 4]);
    } finally {
      Object.defineProperty(Intl, 'NumberFormat', { value: NumberFormat, configurable: true, writable: true });
    }
  });
});
