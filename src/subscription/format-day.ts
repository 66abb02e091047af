// A day in words, in the language and time zone of the reader.
import { isTimeZone } from '../domain/time-zone.ts';
import { withoutYearMark } from '../i18n/dates.ts';
import { type Language, languageEntry } from '../i18n/languages.ts';

const dayFormats = new Map<string, Intl.DateTimeFormat>();

export function formatDay(at: number, language: Language, zone: string): string {
  const key = `${language} ${zone}`;
  let format = dayFormats.get(key);
  if (format === undefined) {
    const timeZone = isTimeZone(zone) ? zone : 'UTC';
    const { tag } = languageEntry(language);
    format = new Intl.DateTimeFormat(tag, { timeZone, day: 'numeric', month: 'long', year: 'numeric' });
    dayFormats.set(key, format);
  }
  return withoutYearMark(format.format(at));
}
