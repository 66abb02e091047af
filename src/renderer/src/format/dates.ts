// Dates for people, in the panel's time zone, not the browser's.
import { withoutYearMark } from '../../../i18n/dates.ts';
import { type Language, languageEntry } from '../../../i18n/languages.ts';

const STYLES = {
  /** 14 Mar 2027 */
  date: { day: 'numeric', month: 'short', year: 'numeric' },
  /** 14 March 2027 */
  dateLong: { day: 'numeric', month: 'long', year: 'numeric' },
  /** 14 Mar */
  day: { day: 'numeric', month: 'short' },
  /** Sat, 14 Mar */
  weekday: { weekday: 'short', day: 'numeric', month: 'short' },
  /** 21:00 */
  time: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  /** 14 Mar 2027, 21:00 */
  dateTime: {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  },
  /** 14 March 2027 at 21:00:05 UTC+1 */
  exact: {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'shortOffset',
  },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

export type DateStyle = keyof typeof STYLES;

/** An instant (epoch ms) in one of the styles. */
export type FormatMoment = (at: number, style: DateStyle) => string;

/** Formats times in a time zone, an IANA name that the browser knows. Each style's Intl format is created at its first use. */
export function createMomentFormat(language: Language, timeZone: string): FormatMoment {
  const { tag } = languageEntry(language);
  const formats: Partial<Record<DateStyle, Intl.DateTimeFormat>> = {};
  return (at, style) => {
    formats[style] ??= new Intl.DateTimeFormat(tag, { ...STYLES[style], timeZone });
    return withoutYearMark(formats[style].format(at));
  };
}
