// Formats figures and dates in the administrator's language and units and the panel's time zone.
import type { TFunction } from 'i18next';
import { isTimeZone } from '../../../domain/time-zone.ts';
import { type Language, languageEntry } from '../../../i18n/languages.ts';
import { panelNow } from '../state/connection.ts';
import type { Units } from '../state/view.ts';
import { createBytesFormat, getSeparators, NO_BREAK_SPACE, numberFormat, type Separators, unitName } from './bytes.ts';
import { createMomentFormat, type DateStyle } from './dates.ts';
import { selectSpan, splitSeconds } from './spans.ts';

/** A moment on the wire or in epoch milliseconds. */
export type Moment = string | number;

export interface Format {
  readonly locale: Language;
  readonly timeZone: string;
  readonly units: Units;
  /** `1.4 GB` */
  bytes(amount: number, power?: number): string;
  /** The unit's name: power 3 is GB or GiB. */
  byteUnit(power: number): string;
  /** The thousands and decimal separators of number fields. */
  readonly separators: Separators;
  /** `1,400,000,000 bytes` */
  exactBytes(amount: number): string;
  /** `4,312` */
  number(amount: number): string;
  /** `12%`, for a fraction of 1. */
  percent(fraction: number): string;
  /** `14 Mar 2027` and the other styles of dates.ts. */
  moment(at: Moment, style?: DateStyle): string;
  /** `in 3 days`, `5 min ago`, `now`. */
  relative(at: Moment, now?: number): string;
  /** `1 month 3 days` */
  term(term: { readonly months?: number; readonly days?: number }): string;
  /** `12 d 4 h`, for seconds. */
  uptime(seconds: number): string;
}

/** Creates the format for a language, units and a time zone; an unknown zone counts as UTC. Components get it by `useFormat`. */
export function createFormat(t: TFunction<'common'>, locale: Language, units: Units, panelZone: string): Format {
  const timeZone = isTimeZone(panelZone) ? panelZone : 'UTC';
  const moment = createMomentFormat(locale, timeZone);
  const whole = numberFormat(locale);
  const percent = new Intl.NumberFormat(languageEntry(locale).tag, { style: 'percent', maximumFractionDigits: 0 });
  return {
    locale,
    timeZone,
    units,
    bytes: createBytesFormat(t, locale, units),
    byteUnit: (power) => unitName(t, power, units),
    separators: getSeparators(locale),
    exactBytes: (amount) => t('bytes', { count: amount, amount: whole.format(amount) }),
    number: (amount) => whole.format(amount),
    percent: (fraction) => percent.format(fraction),
    moment: (at, style = 'date') => moment(msOf(at), style),
    relative: (at, now = panelNow()) => relative(t, msOf(at) - now),
    term: ({ months = 0, days = 0 }) => {
      const parts = [];
      if (months > 0) parts.push(t('term.months', { count: months }));
      if (days > 0 || months === 0) parts.push(t('term.days', { count: days }));
      return parts.join(' ');
    },
    uptime: (seconds) => uptime(t, seconds),
  };
}

export function msOf(at: Moment): number {
  return typeof at === 'number' ? at : Date.parse(at);
}

function relative(t: TFunction<'common'>, distance: number): string {
  const span = selectSpan(distance);
  if (span === null) return t('now');
  return distance > 0 ? t(`in.${span.unit}`, { count: span.count }) : t(`ago.${span.unit}`, { count: span.count });
}

function uptime(t: TFunction<'common'>, seconds: number): string {
  const { days, hours, minutes } = splitSeconds(seconds);
  const short = (key: 'd' | 'h' | 'min', count: number) => `${count}${NO_BREAK_SPACE}${t(`unit.${key}`)}`;
  if (days > 0) return `${short('d', days)} ${short('h', hours)}`;
  return hours > 0 ? `${short('h', hours)} ${short('min', minutes)}` : short('min', minutes);
}
