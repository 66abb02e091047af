// Moments for people, in the panel's time zone: calendar months and days mean that zone, not the browser's.
import type { Locale } from '../state/view.ts';
import { tagOf } from './bytes.ts';

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

const formats = new Map<string, Intl.DateTimeFormat>();

/** One moment (epoch milliseconds) in a time zone (IANA name; one that the browser does not know counts as UTC). */
export function formatMoment(at: number, style: DateStyle, locale: Locale, timeZone: string): string {
  const key = `${style} ${locale} ${timeZone}`;
  let format = formats.get(key);
  if (format === undefined) {
    format = new Intl.DateTimeFormat(tagOf(locale), { ...STYLES[style], timeZone: knownZone(timeZone) });
    formats.set(key, format);
  }
  // Russian puts "г." behind every year, which a table does not need.
  return format.format(at).replace(/[\s\u00a0\u202f]г\.(?=,|$| в)/u, '');
}

function knownZone(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}
