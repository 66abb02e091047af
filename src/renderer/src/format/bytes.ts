// Amounts of traffic for people: three figures and a unit, decimal by default, binary by choice.
import type { TFunction } from 'i18next';
import { type Language, languageEntry } from '../../../i18n/languages.ts';
import type { Units } from '../state/view.ts';

/** Keys of texts. */
const UNITS = {
  decimal: ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'],
  binary: ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'],
} as const satisfies Record<Units, readonly string[]>;

export const NO_BREAK_SPACE = '\u00a0';
const STEP: Readonly<Record<Units, number>> = { decimal: 1000, binary: 1024 };
const FIGURES = 3;

/** The unit's name: power 3 is GB or GiB. */
export function unitName(t: TFunction<'common'>, power: number, units: Units): string {
  const unit = UNITS[units][power];
  return unit === undefined ? '' : t(`unit.${unit}`);
}

/** Bytes in one unit of a power. */
export function unitSize(power: number, units: Units): number {
  return STEP[units] ** power;
}

/** The power of the unit for an amount; an amount that rounds up to the next unit is shown in that one. */
export function computePower(bytes: number, units: Units): number {
  let power = 0;
  for (let rest = Math.abs(bytes); power < 6 && round(rest) >= STEP[units]; rest /= STEP[units]) power += 1;
  return power;
}

function round(amount: number): number {
  return amount >= 100 ? Math.round(amount) : Number(amount.toPrecision(FIGURES));
}

/** `1.4 GB`; whole bytes below a kilobyte. `power` fixes the unit, so that adjacent figures can be compared. */
export type FormatBytes = (bytes: number, power?: number) => string;

export function createBytesFormat(t: TFunction<'common'>, language: Language, units: Units): FormatBytes {
  const figures = numberFormat(language);
  return (bytes, power = computePower(bytes, units)) => {
    const amount = round(bytes / unitSize(power, units));
    return `${figures.format(amount)}${NO_BREAK_SPACE}${unitName(t, power, units)}`;
  };
}

/** The language's number format with at most two decimals. */
export function numberFormat(language: Language): Intl.NumberFormat {
  return new Intl.NumberFormat(languageEntry(language).tag, { maximumFractionDigits: 2 });
}

export interface Separators {
  readonly thousand: string;
  readonly decimal: string;
}

export function getSeparators(language: Language): Separators {
  const parts = numberFormat(language).formatToParts(1_234_567.8);
  const find = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
  // People type an ordinary space instead of a non-breaking one.
  return { thousand: find('group').replace(/\s/, ' '), decimal: find('decimal') || '.' };
}
