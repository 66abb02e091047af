// An amount of bytes in words, for texts outside the pages: `1.4 GB`, by powers of 1000.
import { type Language, languageEntry } from './languages.ts';

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const;
const formats = new Map<string, Intl.NumberFormat>();

export function formatBytes(bytes: number, language: Language): string {
  let power = 0;
  let amount = bytes;
  while (amount >= 999.5 && power < UNITS.length - 1) {
    amount /= 1000;
    power += 1;
  }
  const unit = UNITS[power] ?? 'byte';
  const key = `${language} ${unit}`;
  let format = formats.get(key);
  if (format === undefined) {
    // The short form of a byte has no plural in English: "0 byte".
    const unitDisplay = power === 0 ? 'long' : 'short';
    const figures = { maximumSignificantDigits: 3, style: 'unit', unit, unitDisplay } as const;
    format = new Intl.NumberFormat(languageEntry(language).tag, figures);
    formats.set(key, format);
  }
  return format.format(amount);
}
