// Moments as people read them, on the panel's wall clock and in the page's language.
import { type Html, html } from './html.ts';
import type { View } from './layout.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

function format(view: View, hasTime: boolean): Intl.DateTimeFormat {
  const { locale } = view.words;
  const { timeZone } = view;
  const key = `${locale} ${timeZone} ${hasTime}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(locale, {
    timeZone,
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    ...(hasTime && { hour: '2-digit', minute: '2-digit' }),
  });
  formats.set(key, made);
  return made;
}

/** A day, as in 20 Nov 2026. `instant` is RFC 3339. */
export function day(view: View, instant: string): string {
  return write(format(view, false), instant);
}

/** A day and time, as in 20 Nov 2026, 10:15. */
export function moment(view: View, instant: string): string {
  return write(format(view, true), instant);
}

// Russian dates come with "г." behind the year, which a list has no need of.
function write(format: Intl.DateTimeFormat, instant: string): string {
  return format.format(Date.parse(instant)).replace(/\sг\./, '');
}

/** A text about a moment, with the moment itself for programs and on hover. */
export function timed(instant: string, text: string): Html {
  return html`<time datetime="${instant}" title="${instant}">${text}</time>`;
}

/** A whole number with its thousands apart. */
export function count(view: View, value: number): string {
  return new Intl.NumberFormat(view.words.locale).format(value);
}
