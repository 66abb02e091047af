// Amounts of traffic for people: three figures and a unit, decimal as networks count or binary by choice.
import type { Locale, Units } from '../state/view.ts';

const UNITS: Readonly<Record<Locale, Readonly<Record<Units, readonly string[]>>>> = {
  en: { decimal: ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'], binary: ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] },
  ru: { decimal: ['Б', 'кБ', 'МБ', 'ГБ', 'ТБ', 'ПБ', 'ЭБ'], binary: ['Б', 'КиБ', 'МиБ', 'ГиБ', 'ТиБ', 'ПиБ', 'ЭиБ'] },
};

export const NO_BREAK_SPACE = '\u00a0';
const STEP: Readonly<Record<Units, number>> = { decimal: 1000, binary: 1024 };
const FIGURES = 3;

/** The unit's name: power 3 is GB or GiB. */
export function unitName(power: number, locale: Locale, units: Units): string {
  return UNITS[locale][units][power] ?? '';
}

/** Bytes in one unit of that power. */
export function unitSize(power: number, units: Units): number {
  return STEP[units] ** power;
}

/** The power of the unit an amount is told in; one that rounds up to the next unit is told in that. */
export function powerOf(bytes: number, units: Units): number {
  let power = 0;
  for (let rest = Math.abs(bytes); power < 6 && round(rest) >= STEP[units]; rest /= STEP[units]) power += 1;
  return power;
}

function round(amount: number): number {
  return amount >= 100 ? Math.round(amount) : Number(amount.toPrecision(FIGURES));
}

/** `1.4 GB`; whole bytes below a kilobyte. With a `power` in that unit, so that figures beside each other compare. */
export type FormatBytes = (bytes: number, power?: number) => string;

export function createBytesFormat(locale: Locale, units: Units): FormatBytes {
  const figures = numberFormat(locale);
  return (bytes, power = powerOf(bytes, units)) => {
    const amount = round(bytes / unitSize(power, units));
    return `${figures.format(amount)}${NO_BREAK_SPACE}${unitName(power, locale, units)}`;
  };
}

/** The locale's figures with at most two decimals. */
export function numberFormat(locale: Locale): Intl.NumberFormat {
  return new Intl.NumberFormat(tagOf(locale), { maximumFractionDigits: 2 });
}

/** The language tag that Intl gets: days before months, a clock of 24 hours. */
export function tagOf(locale: Locale): string {
  return locale === 'ru' ? 'ru-RU' : 'en-GB';
}
