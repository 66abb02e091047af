// Texts that must not be longer than another program takes.

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** At most so many units of UTF-16, without a part of what people see as one character, such as an emoji. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  let short = '';
  for (const { segment } of graphemes.segment(text.slice(0, most + 64))) {
    if (short.length + segment.length > most) break;
    short += segment;
  }
  return short;
}
