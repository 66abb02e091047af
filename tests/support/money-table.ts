// Every currency on its way through the panel: typed, stored, shown, and read from what is shown. Bundled, and run by each engine that runs the panel.
import { CURRENCIES, minorDigits } from '../../src/contract/currencies.ts';
import { formatMoney, fromDecimal, toDecimal } from '../../src/domain/sales/money.ts';

const WHOLE = ['0', '1', '12', '1200', '35000', '900719925474'];
const MAX = String(Number.MAX_SAFE_INTEGER);
/** Without spaces that separate groups, and with a point. */
export const AS_DECIMAL: Readonly<Record<string, (text: string) => string>> = {
  'en-GB': (text) => text.replaceAll(',', ''),
  'ru-RU': (text) => text.replaceAll(/\s/g, '').replace(',', '.'),
};

/** One line for each currency, amount and language; `!` where an amount does not come back as it was typed. */
export function moneyTable(): readonly string[] {
  return CURRENCIES.flatMap((currency) => {
    const digits = minorDigits(currency) ?? 0;
    const parts = digits === 0 ? [] : WHOLE.map((whole) => `${whole}.${'05'.padEnd(digits, '7').slice(0, digits)}`);
    const most = digits === 0 ? MAX : `${MAX.slice(0, -digits)}.${MAX.slice(-digits)}`;
    return [...WHOLE, ...parts, most].flatMap((typed) => {
      const amount = fromDecimal(typed, currency);
      if (amount === null) return [`! ${currency} ${typed} is not read`];
      const field = toDecimal({ amount, currency });
      return Object.entries(AS_DECIMAL).map(([tag, asDecimal]) => {
        const text = formatMoney({ amount, currency }, tag, 'written');
        // Without its symbol, which may have a point.
        const shown = asDecimal(/\d[\d\s,.]*\d|\d/.exec(text)?.[0] ?? '');
        const isSame = fromDecimal(field, currency) === amount && fromDecimal(shown, currency) === amount;
        return `${isSame && shown === field ? '' : '! '}${currency} ${typed} ${amount} ${field} ${tag} ${shown}`;
      });
    });
  });
}
